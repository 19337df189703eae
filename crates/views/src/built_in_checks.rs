//! The names of the built-in checks.

/// The frozen tests and the tests that existed before the task.
pub const ACCEPTANCE: &str = "acceptance";
/// The tests that no agent sees.
pub const HOLD_OUT: &str = "hold-out";
/// Mutants of the change that no test detects.
pub const STRENGTH: &str = "strength";
/// The first words of `argv` in evidence that the engine produced without running a command.
pub const LOOK: [&str; 2] = ["sealwright", "look"];
