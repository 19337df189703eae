//! Code that stands in for what it should do: it says so, and fails when it is called.
//!
//! A line is found by what languages have for it. Comments and texts that only speak of such code are none; a method that is
//! there to be overridden says so.

/// The lines of a source file that do nothing but say that something is missing.
pub fn placeholders(text: &str) -> Vec<u32> {
    let mut lines = Vec::new();
    let mut is_abstract = false;
    for (nth, line) in text.lines().enumerate() {
        let code = line.trim_start();
        if COMMENTS.iter().any(|it| code.starts_with(it)) {
            continue;
        }
        is_abstract |= code.contains("abstractmethod");
        let is_found = MARKS.iter().any(|mark| begins_with(code, mark));
        if is_found && !is_abstract {
            lines.push(u32::try_from(nth).unwrap_or(u32::MAX).saturating_add(1));
        }
        is_abstract &= !is_found;
        if lines.len() >= LINES_MAX {
            break;
        }
    }
    lines
}

/// Whether a statement of the line begins with the mark, in any case of letters.
fn begins_with(code: &str, mark: &str) -> bool {
    let code = code.to_ascii_lowercase();
    let mut places = code.match_indices(mark).map(|(at, _)| &code[..at]);
    places.any(|before| {
        let last = before.trim_end().chars().last();
        last.is_none_or(|it| matches!(it, '{' | '}' | ';' | ':' | '>' | ')'))
    })
}

const MARKS: [&str; 8] = [
    "todo!(",
    "unimplemented!(",
    "raise notimplementederror",
    "throw new error(\"not implemented",
    "throw new error('not implemented",
    "throw new notimplementedexception",
    "panic(\"not implemented",
    "panic(\"todo",
];
const COMMENTS: [&str; 5] = ["//", "#", "*", "--", "/*"];
/// As many lines of a file are listed.
const LINES_MAX: usize = 50;

#[cfg(test)]
mod tests {
    use super::placeholders;

    #[test]
    fn code_that_only_says_what_is_missing_is_found() {
        for line in [
            "    todo!()",
            "fn a() -> u32 { unimplemented!(\"later\") }",
            "    raise NotImplementedError",
            "def a(): raise NotImplementedError(\"soon\")",
            "  throw new Error(\"Not implemented yet\");",
            "\tpanic(\"not implemented\")",
        ] {
            assert_eq!(placeholders(&format!("one\n{line}\n")), [2], "{line}");
        }
        for line in [
            "// todo!() would be one",
            "# raise NotImplementedError",
            "let said = \"todo!(\";",
            "my_todo!()",
            "except NotImplementedError:",
            "let todo = 3;",
        ] {
            assert!(placeholders(line).is_empty(), "{line}");
        }
        let base = "@abstractmethod\ndef a(self):\n    raise NotImplementedError\n";
        assert!(placeholders(base).is_empty());
        assert_eq!(
            placeholders(&format!("{base}def b(self):\n    raise NotImplementedError")),
            [5]
        );
    }
}
