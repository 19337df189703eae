//! Clean rooms around real cargo and pytest projects: an honest implementation passes, a broken one fails, and no
//! trick turns a broken one green.
//!
//! Every trick has a control: the naive check, which runs the tool in the tree as the role left it, is fooled by
//! it. Where it is not, the trick is dead and the test says so.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod lab;
mod python;
mod rust;
mod strength;
