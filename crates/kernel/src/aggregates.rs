//! Which machine keeps which stream: the one table of aggregates.
//!
//! A caller that has a stream and no machine type (replay, verify) implements [`MachineVisitor`] and is called with
//! the machine of that stream.

use crate::project::Project;
use crate::task::Task;
use crate::{Machine, StreamId};

/// Code that works on any machine.
pub trait MachineVisitor {
    type Output;

    /// Called with the machine that keeps the stream, and the aggregate's name.
    fn visit<M: Machine>(self, name: &'static str) -> Self::Output;
}

/// Calls `visitor` with the machine that keeps `stream`. `None` if no machine of this version does.
///
/// To make a machine known, add one line.
pub fn visit_machine_of<V: MachineVisitor>(stream: &StreamId, visitor: V) -> Option<V::Output> {
    match stream.as_str() {
        name if name.starts_with("project") => Some(visitor.visit::<Project>("project")),
        name if name.starts_with("T-") => Some(visitor.visit::<Task>("task")),
        _ => None,
    }
}
