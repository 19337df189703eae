//! The rule for what programs read: a command prints a wire type, never a value built by hand.

use anyhow::Result;

use crate::workspace::{files, root, shown};

/// Lines of commands that build JSON by hand.
pub(super) fn hand_made_json() -> Result<Vec<String>> {
    let mut wrong = Vec::new();
    for path in files(&root().join("crates/cli/src/commands"), "rs")? {
        let text = std::fs::read_to_string(&path)?;
        for line in lines_with_json(&text) {
            wrong.push(format!(
                "{}:{line} builds JSON by hand; print a type of `crates/views/src/wire.rs`",
                shown(&path)
            ));
        }
    }
    Ok(wrong)
}

/// The numbers of the lines that use `json!`, comments left out.
fn lines_with_json(text: &str) -> impl Iterator<Item = usize> {
    let code = |line: &str| line.split("//").next().unwrap_or_default().contains("json!");
    text.lines().enumerate().filter(move |(_, line)| code(line)).map(|(nth, _)| nth + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_made_by_hand_is_found_by_its_line() {
        let text = "// json!({})\noutput.json(&row)?;\noutput.json(&json!({}))?;\n";
        assert_eq!(lines_with_json(text).collect::<Vec<_>>(), [3]);
    }
}
