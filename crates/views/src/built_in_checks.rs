//! The checks that the machine brings itself, by name. Whoever performs them and whoever tells of them means the same.

/// The tests everybody sees, and those that were there before.
pub const ACCEPTANCE: &str = "acceptance";
/// The tests nobody sees but the machine.
pub const HOLD_OUT: &str = "hold-out";
/// Mutants of the change that no test notices.
pub const STRENGTH: &str = "strength";
/// How the words begin that stand where a command would, if the machine found something out without running any.
pub const LOOK: [&str; 2] = ["sealwright", "look"];
