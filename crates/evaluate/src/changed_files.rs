//! The work of a change: what of it a machine reads and no test is.

use std::collections::BTreeSet;

use sealwright_gates::Toolchain;
use sealwright_sandbox::room::rust_examples;

/// What changed of the work itself.
#[derive(Debug, Default)]
pub(super) struct ChangedFiles {
    pub(super) toolchain: Option<Toolchain>,
    /// Each file before and now.
    pub(super) files: Vec<(String, String)>,
}

impl ChangedFiles {
    pub(super) fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Whether anything new was written. What was only taken away has nothing to show.
    pub(super) fn has_news(&self) -> bool {
        let Some(toolchain) = self.toolchain else { return false };
        self.files.iter().any(|(before, now)| {
            let old: BTreeSet<String> = toolchain.language().code(before).into_iter().collect();
            toolchain.language().code(now).iter().any(|line| !old.contains(line))
        })
    }

    /// Whether it brings examples in comments of Rust, which are tests that nothing here runs.
    pub(super) fn has_examples(&self) -> bool {
        self.files.iter().any(|(before, now)| rust_examples(now) > rust_examples(before))
    }
}

/// What only people read.
pub(super) fn is_document(path: &str) -> bool {
    let lower = path.to_ascii_lowercase();
    let name = lower.rsplit('/').next().unwrap_or(&lower);
    DOCUMENTS.iter().any(|ending| name.ends_with(ending))
        || ["license", "authors", "notice", "copying"].iter().any(|it| name.starts_with(it))
}

const DOCUMENTS: &[&str] =
    &[".md", ".rst", ".adoc", ".txt", ".png", ".jpg", ".jpeg", ".svg", ".gif", ".pdf"];

#[cfg(test)]
mod tests {
    use super::*;

    fn work(before: &str, now: &str) -> ChangedFiles {
        let files = vec![(before.to_owned(), now.to_owned())];
        ChangedFiles { toolchain: Toolchain::named("Python"), files }
    }

    #[test]
    fn what_only_went_away_has_nothing_to_show() {
        assert!(!work("a = 1\nb = 2\n", "a = 1\n").has_news());
        assert!(work("a = 1\n", "a = 1\nb = 2\n").has_news());
        assert!(work("a = 1\n", "a = 2\n").has_news());
    }

    #[test]
    fn examples_in_comments_are_seen() {
        assert!(
            work("/// Adds.\n", "/// Adds.\n///\n/// ```\n/// add();\n/// ```\n").has_examples()
        );
        assert!(!work("", "/// ```text\n/// a drawing\n/// ```\nfn f() {}\n").has_examples());
        assert!(!work("/// ```\n/// ```\n", "/// ```\n/// ```\nfn f() {}\n").has_examples());
    }

    #[test]
    fn comments_and_descriptions_are_no_news() {
        let before = "def f():\n    \"\"\"Says one.\"\"\"\n    return 1\n";
        let now = "def f():  # pyright: ignore\n    \"\"\"Says\n    >>> f()\n    1\n    \"\"\"\n    return 1\n";
        assert!(!work(before, now).has_news());
        assert!(work(before, &now.replace("return 1", "return 2")).has_news());
    }

    #[test]
    fn comments_and_blank_lines_are_not_code() {
        let text = "# why\n\na = 1  \n    # more\n";
        assert_eq!(Toolchain::named("Python").unwrap().language().facts().lines(text), ["a = 1"]);
        assert_eq!(
            Toolchain::named("Rust").unwrap().language().facts().lines("/// why\nfn a() {}\n"),
            ["fn a() {}"]
        );
    }

    #[test]
    fn documents_are_for_people() {
        for path in ["README.md", "docs/a.RST", "LICENSE-MIT", "logo.svg"] {
            assert!(is_document(path), "{path}");
        }
        for path in ["src/a.rs", "ci.yml", "data.json", "Makefile"] {
            assert!(!is_document(path), "{path}");
        }
    }
}
