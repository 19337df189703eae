//! Unreadable words: long, and without the shape of a name, a path or a type.
//!
//! An encrypted text cannot be recognised, but the filter can see that it is not text and how long it is. Digests and
//! checksums look the same, so a little passes.

/// The number of bytes in unreadable words.
pub(super) fn unreadable_bytes(line: &str) -> usize {
    line.split(|character: char| character.is_whitespace() || matches!(character, '"' | '\'' | '`'))
        .filter(|word| word.len() >= WORD_BYTES_MIN && is_unreadable(word))
        .map(str::len)
        .sum()
}

/// Names, paths and types keep one kind of character for a while; random text does not.
fn is_unreadable(word: &str) -> bool {
    let bytes = word.as_bytes();
    let changes = bytes.windows(2).filter(|two| kind(two[0]) != kind(two[1])).count();
    let capitals =
        bytes.windows(2).filter(|two| two[0].is_ascii_uppercase() && two[1].is_ascii_lowercase());
    // `HashMap` changes kind at every capital, as names do.
    let changes = changes.saturating_sub(capitals.count());
    changes * 100 >= bytes.len() * CHANGES_PERCENT_MIN
}

fn kind(byte: u8) -> u8 {
    match byte {
        b'a'..=b'z' => 0,
        b'A'..=b'Z' => 1,
        b'0'..=b'9' => 2,
        0x80.. => 3,
        _ => 4,
    }
}

/// Shorter words always count as readable.
const WORD_BYTES_MIN: usize = 48;
/// How often the kind of character changes in random text, with reserve. Hex has the fewest changes.
const CHANGES_PERCENT_MIN: usize = 34;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn random_words_are_unreadable() {
        for word in [
            "b8c59f84d1e7a20395ff6c1b7d4e8a90b8c59f84d1e7a20395ff6c1b7d4e8a90",
            "sha512-Kq9xVb2WlT0aYdRzU7nH4cJm1sPfE8gXoL3iBvN6kQyZtAeCwDhGuSjF5rM0p==",
            "aGVsbG8gd29ybGQgdGhpcyBpcyBhIGxvbmcgdGV4dCBpbiBiYXNlNjQ",
            "9jqo^BlbD-BleB1DJ+*+F(f,q/0JhKF<GL>Cj@.4Gp$d7F!,L7@<6@)",
        ] {
            assert_eq!(unreadable_bytes(word), word.len(), "{word}");
        }
    }

    #[test]
    fn names_paths_and_types_are_readable() {
        for word in [
            "crates/sandbox/src/leak/unreadable.rs:123:45:warning",
            "a_transfer_between_accounts_of_two_currencies_is_refused_with_a_hint",
            "core::result::Result<alloc::string::String,std::io::Error>::unwrap_or_default",
            "AbstractSingletonProxyFactoryBeanDefinitionRegistrarImplementation",
            "https://doc.rust-lang.org/stable/error_codes/E0308.html#mismatched-types",
            "================================================================",
            "target/debug/deps/ledger-1a2b3c4d5e6f7a8b",
            "tests/test_ledger.py::TestRefunds::test_refund_of_unknown_entry[usd-eur]",
            "::::::::::::::::::::::::::::::::::::::::::::::::::",
        ] {
            assert_eq!(unreadable_bytes(word), 0, "{word}");
        }
    }
}
