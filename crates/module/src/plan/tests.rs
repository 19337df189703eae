//! Tables of what a plan is, and what is said about one that is not.

mod checking;
mod order;
mod reuse;
mod revising;
