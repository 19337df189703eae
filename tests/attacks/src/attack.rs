//! An attack: one row of the table.
//!
//! `attacks` has one file per theme; `ended` describes the results.

use crate::barrier::Barrier;
use crate::confinement::Ran;
use crate::ended::Tried;
use crate::fixture::Fixture;
use crate::fixture_setup::FixtureSetup;
use crate::setting::Setting;

#[derive(Clone, Copy, Debug)]
pub struct Attack {
    /// Its name; never reused.
    pub key: &'static str,
    /// The row of the notes it covers, or `more`.
    pub row: &'static str,
    /// One sentence.
    pub about: &'static str,
    /// The barrier that stops it at `kernel-isolated`.
    pub barrier: Barrier,
    /// How the control shows that it is real.
    pub control: Control,
    /// The environment it needs.
    pub setting: Setting,
    /// What the host does after the run.
    pub then: Follow,
    pub attempt: fn(&Fixture) -> Tried,
    pub judge: Judge,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// Without a sandbox it succeeds as this user.
    Unconfined(RunAs),
    /// Without a sandbox there is nothing to attack, for this reason.
    NeedsSandbox(&'static str),
    /// It cannot succeed on every kernel, for this reason.
    NoControlHere(&'static str),
}

/// The user of a control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunAs {
    /// The agent's own user.
    SameUid,
    /// Root, because the kernel refuses it to an ordinary user even without a sandbox.
    Root,
}

/// What the host does after the run with the agent's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    Nothing,
    /// Run the same attack again as another role.
    RunAgain,
    /// Take the changes out of the work tree.
    Collect,
    /// Commit the changes in a repository that the agent may have created.
    Commit,
    /// Commit the changes twice in a repository of the host.
    CommitApart,
    /// Run `git status` in a folder of the tree.
    StatusBelow,
    /// Show the module in the work tree to another role: contract, examples, evidence, guide.
    Materialise,
    /// Mount frozen tests over `tests` in the work tree.
    MountTests,
}

/// Who decides whether an attack succeeded.
#[derive(Clone, Copy, Debug)]
pub enum Judge {
    /// The attack itself: it has the bytes it wanted, or the kernel allowed the call.
    Attack,
    /// The harness, by observations from outside.
    Outside(fn(&FixtureSetup, &Ran) -> Option<String>),
}

impl Attack {
    /// An attack that judges itself, by an implementer without a network, with a control as the same user.
    pub(crate) const fn new(
        key: &'static str,
        row: &'static str,
        barrier: Barrier,
        attempt: fn(&Fixture) -> Tried,
    ) -> Self {
        let control = Control::Unconfined(RunAs::SameUid);
        let (setting, then, judge) = (Setting::PLAIN, Follow::Nothing, Judge::Attack);
        Self { key, row, about: "", barrier, control, setting, then, attempt, judge }
    }

    pub(crate) const fn about(mut self, about: &'static str) -> Self {
        self.about = about;
        self
    }

    pub(crate) const fn control_as_root(mut self) -> Self {
        self.control = Control::Unconfined(RunAs::Root);
        self
    }

    pub(crate) const fn control(mut self, control: Control) -> Self {
        self.control = control;
        self
    }

    pub(crate) const fn setting(mut self, setting: Setting) -> Self {
        self.setting = setting;
        self
    }

    pub(crate) const fn then(mut self, then: Follow) -> Self {
        self.then = then;
        self
    }

    /// The harness decides by observations from outside.
    pub(crate) const fn judged(mut self, look: fn(&FixtureSetup, &Ran) -> Option<String>) -> Self {
        self.judge = Judge::Outside(look);
        self
    }
}

/// The exit code of every agent program; a launcher that reports another one was deceived.
pub const AGENT_EXIT: i32 = 7;
