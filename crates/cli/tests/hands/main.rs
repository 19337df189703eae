//! What the rules promise, done by the program: git, sandbox, gates and Python are the real ones; only what a model would
//! say is read from scripts.

#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]
#![expect(clippy::unwrap_used, reason = "helpers of tests")]

mod across;
mod audits;
mod documented;
mod documents;
mod endings;
mod gates;
mod halts;
mod hostile;
mod implement;
mod intake;
mod killed;
mod lessons;
mod lost;
mod people;
mod phases;
mod projects;
mod rehearsal;
mod resolved;
mod rungs;
mod shipped;
mod slices;
mod specification;
mod specs;
mod strict_lane;
mod terminal;
mod traces;
mod uncommitted;
