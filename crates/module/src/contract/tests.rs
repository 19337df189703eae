//! Tables of what a contract is, what changes its fingerprint, and what a change does to callers.

mod bounds;
mod changes;
mod clauses;
mod evidence;
mod hostile;
mod reading;
mod versions;
