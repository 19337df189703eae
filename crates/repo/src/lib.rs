//! The user's git repository, and candidate trees on top of its commits.
//!
//! [`git`] reads history and objects and writes new commits beside the user's own; [`trees`] describes a candidate as a
//! commit and what differs from it. No branch, index or file of the user is touched.

pub mod git;
pub mod trees;

pub use git::patches::PatchError;
pub use git::{GitError, HookHome, hooks_of, remote, signing, user_name};
