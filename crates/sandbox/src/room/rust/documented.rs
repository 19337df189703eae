//! Doc tests: examples in comments, which cargo builds and runs by itself and a room does not.

use crate::room::material::Files;

/// The files with examples that `cargo test` would run.
pub(super) fn files(all: &Files) -> Vec<&str> {
    let is_rust = |(path, _): &(&String, &Vec<u8>)| path.ends_with(".rs");
    let has_example =
        |(_, text): &(&String, &Vec<u8>)| examples(&String::from_utf8_lossy(text)) > 0;
    all.iter().filter(is_rust).filter(has_example).map(|(path, _)| path.as_str()).collect()
}

/// How many examples of a file `cargo test` would run.
pub fn examples(text: &str) -> usize {
    let (mut is_inside, mut count) = (false, 0);
    for line in text.lines().map(str::trim_start) {
        let comment = line.strip_prefix("///").or_else(|| line.strip_prefix("//!"));
        let Some(words) = comment.and_then(|comment| comment.trim_start().strip_prefix("```"))
        else {
            // A block does not go on past its comment.
            is_inside &= comment.is_some();
            continue;
        };
        count += usize::from(!is_inside && is_run(words));
        is_inside = !is_inside;
    }
    count
}

/// Whether a block with these words behind its fence is an example that runs.
fn is_run(words: &str) -> bool {
    let between = |letter: char| letter == ',' || letter.is_whitespace();
    let mut words = words.split(between).filter(|word| !word.is_empty());
    words.all(|word| {
        matches!(word, "rust" | "should_panic" | "no_run" | "compile_fail")
            || word.starts_with("edition")
            || word.starts_with("E0")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_with_examples_that_run_are_listed() {
        let texts = [
            ("a.rs", "/// ```\n/// assert!(true);\n/// ```\nfn a() {}\n"),
            ("b.rs", "//! ```rust,should_panic\n//! ```\n"),
            ("c.rs", "/// ```text\n/// ```\n/// ```ignore\n/// ```\n// ```\nfn c() {}\n"),
            ("d.md", "/// ```\n"),
            ("e.rs", "/// ```json\n/// {}\nfn e() {}\n    /// ``` edition2024\nfn f() {}\n"),
        ];
        let all: Files = texts.map(|(path, text)| (path.to_owned(), text.into())).into();
        assert_eq!(files(&all), ["a.rs", "b.rs", "e.rs"]);
        assert_eq!(examples(&texts[0].1.repeat(3)), 3);
    }
}
