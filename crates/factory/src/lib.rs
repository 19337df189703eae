//! The factory: performs the effects that tasks owe.
//!
//! [`task_runner`] is behind `sealwright do`: it puts a host, a [`task_performer`], a [`gate_runner`] and an
//! [`agent_registry`] together. [`project_runner`] is behind `sealwright run`: it gives the tasks of a project their turns.
//! [`tasks`] and [`project`] are everything people do with tasks and with a project. No rule lives here; the kernel decides.

pub mod agent_registry;
pub mod agent_setup;
pub mod clean_rooms;
pub mod confined;
pub mod consent;
mod conversations;
mod error;
pub mod escalations;
pub mod fixes;
pub mod gate_runner;
pub mod logins;
mod own_file;
pub mod progress;
pub mod project;
mod project_performer;
pub mod project_runner;
pub mod restore;
pub mod role_calls;
mod scratch;
pub mod steering;
mod task_folder;
pub mod task_performer;
pub mod task_runner;
pub mod task_store;
pub mod tasks;

pub use error::{TaskError, whole};
pub use task_folder::TaskFolder;
