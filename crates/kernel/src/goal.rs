//! Whether a goal could be judged without a person: every criterion cites how it is verified.
//!
//! The citation has the form `(verify: <test, command or metric>)`. It is looked for, not
//! believed: `(verify: it works)` is a citation too. Nothing is decided by it; the freeze
//! and the autonomy of a task are the same with and without.

use alloc::string::String;
use alloc::vec::Vec;

/// Whether there are criteria, and every one cites a verifier.
pub fn is_ready(criteria: &[String]) -> bool {
    !criteria.is_empty() && uncited(criteria).is_empty()
}

/// The criteria that cite no verifier.
pub fn uncited(criteria: &[String]) -> Vec<&str> {
    criteria.iter().map(String::as_str).filter(|criterion| !cites(criterion)).collect()
}

fn cites(criterion: &str) -> bool {
    criterion.split("(verify:").skip(1).any(|rest| match rest.split_once(')') {
        Some((verifier, _)) => !verifier.trim().is_empty(),
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use std::string::ToString as _;
    use std::vec;

    use super::*;

    /// Proves: A-037
    #[test]
    fn a_criterion_is_cited_by_its_form_alone() {
        let cited = ["fast (verify: cargo bench)", "it works (verify: it works)"];
        let plain = ["fast", "fast (verify: )", "fast (verify: bench", "verify: bench", ""];
        let all = cited.iter().chain(&plain).map(|it| it.to_string()).collect::<vec::Vec<_>>();
        assert_eq!(uncited(&all), plain);
        assert!(is_ready(&all[..2]) && !is_ready(&all) && !is_ready(&[]));
    }
}
