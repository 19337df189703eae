//! A script: an agent that does the same every time, for tests and demonstrations.
//!
//! ```toml
//! [[step]]
//! do = "write"
//! path = "src/lib.rs"
//! text = "pub fn one() -> u32 { 1 }\n"
//!
//! [[step]]
//! do = "run"
//! command = "cargo test"
//!
//! [[step]]
//! do = "submit"
//! answer = { done = true }
//! ```
//!
//! One file is one answer. A folder of them plays a whole task: the file `CALL.toml` plays every call of that name, such
//! as `edit.toml`, and `CALL-2.toml` the second one, if it is there. A folder in it that has the id of a task plays that
//! task, as far as it has the call.
//!
//! Writing and running become one shell script, which runs inside walls like any agent. The last step says how it
//! ends: with an answer, which is checked like any agent's, or with a failure.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sealwright_sandbox::{Ended, Terms};
use serde::Deserialize;
use serde_json::Value;

use super::words::brief;
use crate::agent_error::Trouble;
use crate::home::{HOME, Home};
use crate::outcome::Cut;
use crate::{
    Agent, AgentSandbox, Assignment, CallOutcome, Deed, End, Event, Failure, Said, Spent, conclude,
};

#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    key: String,
    deeds: Vec<Do>,
    last: Last,
}

/// Why a script cannot be followed.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    /// It is not TOML, or says something no step can be.
    #[error("cannot parse the script")]
    Unreadable { source: toml::de::Error },
    /// It does not say how it ends, or goes on afterwards.
    #[error("the script does not end with one `submit` or `fail`")]
    NoEnd,
    /// A shell cannot be told what one step says.
    #[error("step {step} has a zero byte in it")]
    Unspeakable {
        /// Which, counted from 1.
        step: usize,
    },
}

impl ScriptError {
    pub fn hint(&self) -> String {
        match self {
            Self::Unreadable { .. } => {
                "each `[[step]]` has a `do` of write, run, submit or fail, and what belongs to it"
            }
            Self::NoEnd => {
                "put `do = \"submit\"` or `do = \"fail\"` into the last step, and only there"
            }
            Self::Unspeakable { .. } => "let a command write what is no text",
        }
        .to_owned()
    }
}

impl Script {
    pub fn parse(key: &str, text: &str) -> Result<Self, ScriptError> {
        let Steps { step: steps } =
            toml::from_str(text).map_err(|source| ScriptError::Unreadable { source })?;
        let (mut deeds, mut last) = (Vec::new(), None);
        for (nth, step) in steps.into_iter().enumerate() {
            if last.is_some() {
                return Err(ScriptError::NoEnd);
            }
            let deed = match step {
                Step::Write { path, text } => Do::Write { path, text },
                Step::Run { command } => Do::Run { command },
                Step::Submit { answer } => {
                    last = Some(Last::Submit { answer });
                    continue;
                }
                Step::Fail { failure, why } => {
                    last = Some(Last::Fail { failure, why });
                    continue;
                }
            };
            if deed.words().iter().any(|word| word.contains('\0')) {
                return Err(ScriptError::Unspeakable { step: nth + 1 });
            }
            deeds.push(deed);
        }
        Ok(Self { key: key.to_owned(), deeds, last: last.ok_or(ScriptError::NoEnd)? })
    }

    fn attempt(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> Result<CallOutcome, Trouble> {
        if self.deeds.is_empty() {
            let (answer, said) = self.close(assignment);
            return Ok(CallOutcome::unspent(conclude(None, answer, said)));
        }
        let files = [(NAME.to_owned(), self.shell()), (BRIEF.to_owned(), assignment.brief.clone())];
        let home = Home::make(place, &files)?;
        let words = ["/bin/sh".to_owned(), format!("{HOME}/{NAME}")];
        let plan = home.plan(place, &assignment.budget, &words)?;
        for deed in &self.deeds {
            deed.told(hear);
        }
        let mut terms = Terms::new(place.mechanism.clone(), place.least);
        terms.cancel = Some(place.cancel);
        let ran = place.slot.run(&plan, terms)?;
        let output = String::from_utf8_lossy(&ran.stdout.kept);
        if !output.trim().is_empty() {
            hear(Event::Text { text: brief(&output) });
        }
        let (answer, said) = match ran.ended {
            Ended::Exited(0) => self.close(assignment),
            Ended::Exited(code) => {
                let complaints = String::from_utf8_lossy(&ran.stderr.kept);
                // Some programs complain on their output.
                let said = [&complaints, &output].map(|it| it.trim());
                let said = said.into_iter().find(|it| !it.is_empty()).unwrap_or("it said nothing");
                let text = format!("the script ended with {code}: {}", brief(said));
                (None, Said::Finished { text })
            }
            Ended::Signalled(_) | Ended::OutOfRoom | Ended::Vanished => {
                let why = format!("the script was ended from outside: {:?}", ran.ended);
                (None, Said::Failed { failure: Failure::Died, why })
            }
            Ended::TimedOut | Ended::Cancelled => (None, Said::Nothing),
        };
        let wall_ms = u64::try_from(ran.wall.as_millis()).unwrap_or(u64::MAX);
        let end = conclude(Cut::of(ran.ended), answer, said);
        Ok(CallOutcome {
            spent: Spent { wall_ms, ..Spent::default() },
            confinement: Some(ran.confinement),
            leftovers: ran.leftovers,
            ..CallOutcome::unspent(end)
        })
    }

    /// How it ends once everything is done.
    fn close(&self, assignment: &Assignment) -> (Option<Value>, Said) {
        let failed = |failure, why: String| (None, Said::Failed { failure, why });
        match &self.last {
            Last::Fail { failure, why } => failed(*failure, why.clone()),
            Last::Submit { answer } => match assignment.schema.check(answer) {
                Ok(()) => (Some(answer.clone()), Said::Nothing),
                Err(problems) => failed(Failure::WrongShape, problems.join("; ")),
            },
        }
    }

    fn shell(&self) -> String {
        let mut shell = "set -eu\n".to_owned();
        for deed in &self.deeds {
            // Writing to a string does not fail.
            let _ = match deed {
                Do::Write { path, text } => {
                    let path = quoted(path);
                    let text = quoted(text);
                    writeln!(
                        shell,
                        "mkdir -p -- \"$(dirname -- {path})\"\nprintf %s {text} > {path}"
                    )
                }
                // A shell of its own, so that no step changes another's folder or variables.
                Do::Run { command } => writeln!(shell, "/bin/sh -euc {}", quoted(command)),
            };
        }
        shell
    }
}

/// Scripts for the calls of a task.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptFolder {
    key: String,
    /// By the name of the file, without its ending; behind the id of a task and a slash, those of that task.
    scripts: BTreeMap<String, Script>,
}

impl ScriptFolder {
    pub fn new(key: &str, scripts: BTreeMap<String, Script>) -> Self {
        Self { key: key.to_owned(), scripts }
    }

    /// The script of the `nth` call of this name in a task.
    fn of(&self, task: &str, call: &str, nth: u32) -> Option<&Script> {
        let of = |call: &str| {
            self.scripts.get(&format!("{call}-{nth}")).or_else(|| self.scripts.get(call))
        };
        of(&format!("{task}/{call}")).or_else(|| of(call))
    }
}

impl Agent for ScriptFolder {
    fn key(&self) -> &str {
        &self.key
    }

    fn family(&self) -> &str {
        "script"
    }

    fn carry_out(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> CallOutcome {
        match self.of(&assignment.task, &assignment.call, assignment.nth) {
            Some(script) => script.carry_out(assignment, place, hear),
            None => {
                let why = format!("the folder of scripts has no `{}.toml`", assignment.call);
                CallOutcome::unspent(End::Failed { failure: Failure::NotStarted, why })
            }
        }
    }
}

impl Agent for Script {
    fn key(&self) -> &str {
        &self.key
    }

    fn family(&self) -> &str {
        "script"
    }

    fn carry_out(
        &self,
        assignment: &Assignment,
        place: &AgentSandbox<'_>,
        hear: &mut dyn FnMut(Event),
    ) -> CallOutcome {
        self.attempt(assignment, place, hear).unwrap_or_else(CallOutcome::from)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Steps {
    #[serde(default)]
    step: Vec<Step>,
}

#[derive(Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
enum Step {
    Write { path: String, text: String },
    Run { command: String },
    Submit { answer: Value },
    Fail { failure: Failure, why: String },
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Do {
    Write { path: String, text: String },
    Run { command: String },
}

#[derive(Clone, Debug, PartialEq)]
enum Last {
    Submit { answer: Value },
    Fail { failure: Failure, why: String },
}

impl Do {
    fn words(&self) -> Vec<&str> {
        match self {
            Self::Write { path, text } => vec![path, text],
            Self::Run { command } => vec![command],
        }
    }

    fn told(&self, hear: &mut dyn FnMut(Event)) {
        match self {
            Self::Write { path, .. } => hear(Event::FileChange { path: brief(path) }),
            Self::Run { command } => hear(Event::ToolUse {
                tool: "sh".to_owned(),
                deed: Deed::Command,
                detail: brief(command),
            }),
        }
    }
}

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    format!("'{}'", word.replace('\'', r"'\''"))
}

const NAME: &str = "script.sh";
/// Beside the script, so that its commands can look at what the role was told.
const BRIEF: &str = "brief.md";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_becomes_one_for_a_shell() {
        let script = Script::parse(
            "script",
            r#"
            [[step]]
            do = "write"
            path = "a b/it's"
            text = "$HOME `id` 'x'\n"
            [[step]]
            do = "run"
            command = "cd /; ls"
            [[step]]
            do = "submit"
            answer = { done = true, count = 2 }
            "#,
        )
        .unwrap();
        assert_eq!(
            script.shell(),
            "set -eu\nmkdir -p -- \"$(dirname -- 'a b/it'\\''s')\"\n\
             printf %s '$HOME `id` '\\''x'\\''\n' > 'a b/it'\\''s'\n/bin/sh -euc 'cd /; ls'\n"
        );
        let answer = serde_json::json!({"done": true, "count": 2});
        assert_eq!(script.last, Last::Submit { answer });
    }

    #[test]
    fn a_folder_plays_each_call_by_its_own_file() {
        let script = |why: &str| {
            let text = format!("[[step]]\ndo = \"fail\"\nfailure = \"refused\"\nwhy = \"{why}\"\n");
            Script::parse("script", &text).unwrap()
        };
        let scripts = [
            ("edit", script("any")),
            ("edit-2", script("second")),
            ("T-b/edit", script("of one task")),
        ];
        let scripts = scripts.map(|(name, script)| (name.to_owned(), script)).into();
        let folder = ScriptFolder::new("script", scripts);
        let why = |call: &str, nth| folder.of("T-a", call, nth).map(|script| script.last.clone());
        assert_eq!(why("edit", 1), Some(script("any").last));
        assert_eq!(why("edit", 2), Some(script("second").last));
        assert_eq!(why("edit", 3), Some(script("any").last));
        assert_eq!(why("shape", 1), None);
        let own = folder.of("T-b", "edit", 2).map(|script| script.last.clone());
        assert_eq!(own, Some(script("of one task").last));
    }

    #[test]
    fn a_script_that_cannot_be_followed_is_refused_with_a_hint() {
        let run = "[[step]]\ndo = \"run\"\ncommand = \"ls\"\n";
        let fail = "[[step]]\ndo = \"fail\"\nfailure = \"refused\"\nwhy = \"no\"\n";
        for (text, expected) in [
            ("", "the script does not end with one `submit` or `fail`"),
            (run, "the script does not end with one `submit` or `fail`"),
            (&format!("{fail}{run}"), "the script does not end with one `submit` or `fail`"),
            ("[[step]]\ndo = \"sing\"\n", "cannot parse the script"),
            ("[[step]]\ndo = \"run\"\ncommand = 1\n", "cannot parse the script"),
            (
                &format!("[[step]]\ndo = \"run\"\ncommand = \"a\\u0000\"\n{fail}"),
                "step 1 has a zero byte in it",
            ),
        ] {
            let error = Script::parse("script", text).unwrap_err();
            assert_eq!(error.to_string(), expected, "{text}");
            assert!(!error.hint().is_empty());
        }
        assert!(Script::parse("script", &format!("{run}{fail}")).is_ok());
    }
}
