//! Random words: for addresses on a shared loopback, and for names that a role under judgement must not guess.

use std::fs::File;
use std::io::{self, Read as _};

use sealwright_kernel::Digest;

/// A new one, of 64 small letters and digits.
pub fn word() -> io::Result<String> {
    let mut bytes = [0; 32];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(String::from_utf8_lossy(&Digest::of(&bytes).hex()).into_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn no_word_is_like_another() {
        let (first, second) = (super::word().unwrap(), super::word().unwrap());
        assert_ne!(first, second);
        assert_eq!((first.len(), second.len()), (64, 64));
    }
}
