//! The agent trait.

use std::path::Path;
use std::sync::Arc;

use sealwright_kernel::Level;
use sealwright_sandbox::plan::Mount;
use sealwright_sandbox::{Cancel, Mechanism, SandboxSlot};

use crate::tools::Tool;
use crate::{Assignment, CallOutcome, Event};

/// An agent that can be given an assignment.
///
/// The call blocks; a caller with other work gives it a thread. It never fails: everything that can go wrong is
/// an end.
pub trait Agent: Send + Sync {
    /// Its name, as the configuration has it.
    fn key(&self) -> &str;

    /// Whose models it runs on, to tell a second opinion from the same one twice.
    fn family(&self) -> &str;

    /// Carries an assignment out, tells what happens as it happens, and says how it ended.
    fn carry_out(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> CallOutcome;
}

pub struct AgentSandbox<'p> {
    pub slot: &'p SandboxSlot,
    pub mechanism: Mechanism,
    /// How strong they must be.
    pub least: Level,
    pub mounts: &'p [Mount],
    /// What it finds in its environment, beside the variables of every run.
    pub environment: &'p [(String, String)],
    /// Where it starts, inside.
    pub folder: &'p str,
    /// What it can ask for, beside handing its answer in.
    pub tools: &'p [Arc<dyn Tool>],
    /// The folder of the role's conversation with its model, in which it goes on if its program can. Without one the call
    /// is a conversation of its own.
    pub conversation: Option<&'p Path>,
    /// Ends it early. One serves one assignment.
    pub cancel: &'p Cancel,
}
