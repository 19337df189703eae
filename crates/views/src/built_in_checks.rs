//! The names of the built-in checks.

/// The frozen tests and the tests that existed before the task.
pub const ACCEPTANCE: &str = "acceptance";
/// The tests that no agent sees.
pub const HOLD_OUT: &str = "hold-out";
/// How a criterion is named that a held-out test disproved; the criterion follows.
pub const DISPROVED: &str = "a held-out test shows that this does not hold: ";
/// Mutants of the change that no test detects.
pub const STRENGTH: &str = "strength";
/// What the check of mutants says if it could try none.
pub const NO_MUTANTS: &str = "no mutant of the change could be tried";
/// Source that recognises its tests or does nothing.
pub const HONESTY: &str = "honesty";
/// What the tripwire does.
pub const TRIPWIRE: &str = "compares every frozen file with its frozen version";

/// What a built-in check does.
pub fn describe(name: &str) -> Option<&'static str> {
    Some(match name {
        ACCEPTANCE => "runs the frozen acceptance tests and the tests that were there before",
        HOLD_OUT => "runs the acceptance tests that no agent sees",
        HONESTY => "looks for source that recognises its tests or does nothing",
        STRENGTH => "runs the tests on mutants of the change",
        _ => return None,
    })
}

/// The first words of `argv` in evidence that the engine produced without running a command.
pub const LOOK: [&str; 2] = ["sealwright", "look"];
