//! Inner tests: those that stand at the end of a Rust file, behind what they test.
//!
//! To see how they end without a change they have to be taken apart from it. That is done only where it is plain how:
//! one module behind `#[cfg(test)]` that ends where the file does. Elsewhere they are left where they are.

use crate::toolchain::language::InnerTests;

pub(super) const INNER_TESTS: InnerTests = InnerTests {
    split,
    without_the_change,
    module,
    is_file: |path| path.ends_with("/tests.rs"),
    outlined_as: "tests.rs",
};

/// A file in two: what is tested, and its inner tests, which may be none.
fn split(text: &str) -> (&str, &str) {
    match beginning(text) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    }
}

/// The file as it was before, with the inner tests it has now.
fn without_the_change(before: &str, now: &str) -> String {
    let ((head, old), (_, new)) = (split(before), split(now));
    let is_plain = |text: &str, tests: &str| !tests.is_empty() || !text.contains(MARK);
    if !is_plain(before, old) || !is_plain(now, new) {
        return before.to_owned();
    }
    if new.is_empty() { head.to_owned() } else { format!("{}\n\n{new}", head.trim_end()) }
}

/// The module that a file of source is, as names of tests begin: `src/shop/cart.rs` is `shop::cart`.
fn module(path: &str) -> Option<String> {
    let mut names: Vec<&str> = path.strip_suffix(".rs")?.split('/').collect();
    let source = names.iter().rposition(|name| *name == "src")?;
    names.drain(..=source);
    match names.as_slice() {
        ["lib" | "main"] | ["bin", _] | ["bin", _, "main"] => names.clear(),
        [.., "mod"] => {
            names.pop();
        }
        _ => {}
    }
    Some(names.join("::"))
}

/// Where the inner tests begin, if it is plain where they do and that nothing follows them.
fn beginning(text: &str) -> Option<usize> {
    let at = if text.starts_with(MARK) { 0 } else { text.find(&format!("\n{MARK}"))? + 1 };
    let tests = &text[at..];
    let is_attribute = |line: &&str| line.starts_with("#[");
    let opening = tests.lines().find(|line| !is_attribute(line))?;
    let is_module = opening.starts_with("mod ") && opening.ends_with('{');
    let closing = tests.lines().skip_while(|line| *line != "}").skip(1);
    let is_last = tests.lines().any(|line| line == "}") && closing.into_iter().all(is_blank);
    (is_module && is_last && tests.matches(&format!("\n{MARK}")).count() == 0).then_some(at)
}

fn is_blank(line: &str) -> bool {
    line.trim().is_empty()
}

const MARK: &str = "#[cfg(test)]";

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: &str = "pub fn add() {}\n\n#[cfg(test)]\nmod tests {\n    // old\n}\n";
    const NEW: &str =
        "pub fn add() {}\npub fn sub() {}\n\n#[cfg(test)]\nmod tests {\n    // new\n}\n";

    #[test]
    fn a_module_at_the_end_comes_off() {
        let (head, tests) = split(OLD);
        assert_eq!(head, "pub fn add() {}\n\n");
        assert_eq!(tests, "#[cfg(test)]\nmod tests {\n    // old\n}\n");
    }

    #[test]
    fn whatever_is_not_plain_stays_whole() {
        for text in [
            "pub fn add() {}\n",
            "#[cfg(test)]\nmod tests;\n",
            "#[cfg(test)]\nuse a::b;\n\nfn c() {\n}\n",
            "#[cfg(test)]\nmod tests {\n}\n\npub fn add() {}\n",
            "#[cfg(test)]\nmod a {\n}\n#[cfg(test)]\nmod b {\n}\n",
            "",
        ] {
            assert_eq!(split(text), (text, ""), "{text}");
        }
    }

    #[test]
    fn new_tests_stand_behind_old_source() {
        let mixed = without_the_change(OLD, NEW);
        assert_eq!(mixed, "pub fn add() {}\n\n#[cfg(test)]\nmod tests {\n    // new\n}\n");
        assert_eq!(without_the_change("pub fn add() {}\n", NEW), mixed);
        assert_eq!(without_the_change(OLD, "pub fn add() {}\n"), "pub fn add() {}\n\n");
        let odd = "#[cfg(test)]\nmod tests;\npub fn add() {}\n";
        assert_eq!(without_the_change(odd, NEW), odd);
    }

    #[test]
    fn a_file_is_called_as_its_tests_begin() {
        let names = [
            ("src/lib.rs", Some("")),
            ("crates/a/src/shop/cart.rs", Some("shop::cart")),
            ("src/shop/mod.rs", Some("shop")),
            ("src/bin/tool.rs", Some("")),
            ("tests/it.rs", None),
            ("src/data.json", None),
        ];
        for (path, name) in names {
            assert_eq!(module(path).as_deref(), name, "{path}");
        }
    }
}
