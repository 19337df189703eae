//! The languages of the corpus, and how anybody runs their tests without Sealwright.

use serde::Deserialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Language {
    Rust,
    Python,
}

impl Language {
    /// The command that runs all tests and prints each result.
    pub fn test_command(self) -> &'static [&'static str] {
        match self {
            Self::Rust => &["cargo", "test", "--tests", "--no-fail-fast"],
            Self::Python => &["python3", "-m", "pytest", "-q", "-rA", "--tb=short"],
        }
    }

    /// A test that must fail: its name, and its text.
    pub fn failing_test(self) -> (&'static str, &'static str) {
        match self {
            Self::Rust => {
                ("that_must_fail", "\n#[test]\nfn that_must_fail() {\n    panic!();\n}\n")
            }
            Self::Python => {
                ("test_that_must_fail", "\n\ndef test_that_must_fail():\n    assert False\n")
            }
        }
    }

    pub fn has_lock(self) -> bool {
        self == Self::Rust
    }

    /// The program that runs tests, and the words that run them on a clean clone. None stands for the Python of the
    /// test environment.
    pub fn clone_command(self) -> (Option<&'static str>, &'static [&'static str]) {
        match self {
            Self::Rust => (Some("cargo"), &["test", "--quiet", "--offline"]),
            Self::Python => (None, &["-m", "pytest", "-q", "-p", "no:cacheprovider"]),
        }
    }
}
