//! What an attack is: one row of the table.
//!
//! The attacks themselves are in `attacks`, one file per theme; how an attempt ends is in `ended`.

use crate::confinement::Ran;
use crate::ended::Tried;
use crate::scene::Scene;
use crate::setting::Setting;
use crate::stage_set::StageSet;
use crate::wall::Barrier;

/// One thing an agent could try.
#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// Its name; never reused.
    pub key: &'static str,
    /// The row of the notes it stands for, or `more`.
    pub row: &'static str,
    /// What it tries, in a sentence.
    pub about: &'static str,
    /// What is expected to stop it at `kernel-isolated`.
    pub wall: Barrier,
    /// How it is shown to be real.
    pub control: Control,
    /// What it needs around it.
    pub setting: Setting,
    /// What the host does after the run.
    pub then: Follow,
    /// The attempt, made as the agent.
    pub attempt: fn(&Scene) -> Tried,
    /// Who says whether it worked.
    pub judge: Judge,
}

/// How an attack is shown to be real.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Without walls it succeeds, run as this user.
    Unconfined(RunAs),
    /// Without walls there is nothing to attack, for this reason.
    NeedsSandbox(&'static str),
    /// It cannot succeed on every kernel; where it does not, this is why.
    NoControlHere(&'static str),
}

/// As whom a control is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunAs {
    /// As the agent's own user.
    SameUid,
    /// As root, because the kernel refuses it to an ordinary user even without walls.
    Root,
}

/// What the host does after the run, with what the agent left behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// Nothing.
    Nothing,
    /// The same attack runs again, as another role.
    RunAgain,
    /// What was changed in the work tree is taken out.
    Collect,
    /// What was changed is committed, with the repository the agent may have made.
    Commit,
    /// What was changed is committed twice, with a repository of the host's own.
    CommitApart,
    /// Somebody asks for the status in a folder of the tree.
    StatusBelow,
    /// The module in the work tree is shown to another role: contract, examples, evidence, guide.
    Materialise,
    /// Frozen tests are put where the work tree has its `tests`.
    MountTests,
}

/// Who says whether an attack worked.
#[derive(Clone, Copy, Debug)]
pub enum Judge {
    /// The attack itself: it holds the bytes it wanted, or the kernel said yes.
    Attack,
    /// The harness, by what it finds outside. It alone decides.
    Outside(fn(&StageSet, &Ran) -> Option<String>),
}

impl Attack {
    /// An attack that judges itself, by an implementer without a network, whose control is the same user.
    pub(crate) const fn new(
        key: &'static str,
        row: &'static str,
        wall: Barrier,
        about: &'static str,
        attempt: fn(&Scene) -> Tried,
    ) -> Self {
        let control = Control::Unconfined(RunAs::SameUid);
        let (setting, then, judge) = (Setting::PLAIN, Follow::Nothing, Judge::Attack);
        Self { key, row, about, wall, control, setting, then, attempt, judge }
    }

    /// Its control is run as root.
    pub(crate) const fn control_as_root(mut self) -> Self {
        self.control = Control::Unconfined(RunAs::Root);
        self
    }

    /// Its control is this.
    pub(crate) const fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    /// It needs this around it.
    pub(crate) const fn setting(mut self, setting: Setting) -> Self {
        self.setting = setting;
        self
    }

    /// The host does this after it.
    pub(crate) const fn then(mut self, then: Follow) -> Self {
        self.then = then;
        self
    }

    /// The harness decides, by what it finds outside.
    pub(crate) const fn judged(mut self, look: fn(&StageSet, &Ran) -> Option<String>) -> Self {
        self.judge = Judge::Outside(look);
        self
    }
}

/// What the agent's program ends with, always: a launcher that reports anything else was deceived.
pub const AGENT_EXIT: i32 = 7;
