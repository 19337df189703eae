//! Scripts: what the model does, one step for each of its turns.
//!
//! A script is a TOML file. A step does one thing, and something may go wrong with it:
//!
//! ```toml
//! # Writes a file with whatever tool for it is on offer.
//! [[step]]
//! write = { path = "hello.txt", text = "hello\n" }
//!
//! # Runs a command, and is asked to wait twice before.
//! [[step]]
//! run = { command = "cat hello.txt" }
//! fault = { rate_limited = { retry_after_s = 1 } }
//! times = 2
//!
//! [[step]]
//! read = { path = "hello.txt" }
//!
//! # Calls the first tool on offer whose name contains this.
//! [[step]]
//! tool = { name = "submit_result", input = { verdict = "accept" } }
//!
//! # The last words; `answer = { verdict = "accept" }` would be the last words as JSON.
//! [[step]]
//! text = "It says hello."
//! ```
//!
//! Values that TOML cannot express (`null`) may be JSON in a string, in `input` and `answer`. Faults are
//! `rate_limited`, `window_full` (with `resets_in_s`), `slow` (with `before_ms` and `between_ms`) and, as plain words, `unauthorised`, `server_error`,
//! `cut_stream`, `malformed`, `wrong_schema`, `refusal` and `truncated`; without `times` they strike always. A call
//! with the wrong schema is no progress: the step is repeated, with or without its fault.
//!
//! After the last step the model says that nothing is left to do. Text ends a turn without a call, so no step after the
//! first text is reached; if the user speaks after it, the script starts again.

use std::io;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::{Fault, Strike, Times};

#[derive(Clone, Debug, PartialEq)]
pub struct Script {
    steps: Vec<Step>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    pub action: Action,
    pub strike: Option<Strike>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    Write {
        path: String,
        text: String,
    },
    Read {
        path: String,
    },
    Run {
        command: String,
    },
    Tool {
        /// Part of its name; agents add prefixes to tool names.
        name: String,
        input: Value,
    },
    Text(String),
    /// Give the answer in the required form.
    Answer(Value),
}

/// Why a script cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ScriptError {
    #[error("the script cannot be read")]
    Unreadable { source: io::Error },
    #[error("that is no script")]
    NotAScript { source: toml::de::Error },
    #[error("step {step} {why}")]
    Step {
        /// Counted from one.
        step: usize,
        why: &'static str,
    },
    #[error("the script has {steps} steps, more than {STEPS_MAX}")]
    TooLong { steps: usize },
}

impl ScriptError {
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            Self::Unreadable { .. } | Self::TooLong { .. } => None,
            Self::NotAScript { .. } | Self::Step { .. } => Some(
                "a script is a list of `[[step]]`, each with one of write, read, run, tool, text or answer",
            ),
        }
    }
}

impl Script {
    pub fn new(steps: impl IntoIterator<Item = Step>) -> Self {
        Self { steps: steps.into_iter().collect() }
    }

    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        Ok(parse_with_words(text)?.1)
    }

    pub fn open(path: &Path) -> Result<Self, ScriptError> {
        Ok(open_with_words(path)?.1)
    }

    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// Whether any step needs a tool.
    pub(crate) fn has_deeds(&self) -> bool {
        self.steps.iter().any(|step| match step.action {
            Action::Write { .. }
            | Action::Read { .. }
            | Action::Run { .. }
            | Action::Tool { .. } => true,
            Action::Text(_) | Action::Answer(_) => false,
        })
    }
}

impl Step {
    pub fn new(action: Action) -> Self {
        Self { action, strike: None }
    }

    pub fn write(path: impl Into<String>, text: impl Into<String>) -> Self {
        Self::new(Action::Write { path: path.into(), text: text.into() })
    }

    pub fn read(path: impl Into<String>) -> Self {
        Self::new(Action::Read { path: path.into() })
    }

    pub fn run(command: impl Into<String>) -> Self {
        Self::new(Action::Run { command: command.into() })
    }

    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::new(Action::Tool { name: name.into(), input })
    }

    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Action::Text(text.into()))
    }

    pub fn answer(answer: Value) -> Self {
        Self::new(Action::Answer(answer))
    }

    /// Adds a fault that always strikes.
    pub fn always(mut self, fault: Fault) -> Self {
        self.strike = Some(Strike { fault, times: Times::Always });
        self
    }

    /// Adds a fault that strikes this many times.
    pub fn at_first(mut self, times: u32, fault: Fault) -> Self {
        self.strike = Some(Strike { fault, times: Times::First(times) });
        self
    }
}

/// Loads a script and the words that select it in a set. A single script needs none.
pub(crate) fn open_with_words(path: &Path) -> Result<(Vec<String>, Script), ScriptError> {
    let text =
        std::fs::read_to_string(path).map_err(|source| ScriptError::Unreadable { source })?;
    parse_with_words(&text)
}

fn parse_with_words(text: &str) -> Result<(Vec<String>, Script), ScriptError> {
    let read: File = toml::from_str(text).map_err(|source| ScriptError::NotAScript { source })?;
    if read.step.len() > STEPS_MAX {
        return Err(ScriptError::TooLong { steps: read.step.len() });
    }
    let steps =
        read.step.into_iter().enumerate().map(|(nth, entry)| {
            entry.step().map_err(|why| ScriptError::Step { step: nth + 1, why })
        });
    Ok((read.when, Script { steps: steps.collect::<Result<_, _>>()? }))
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    when: Vec<String>,
    step: Vec<Entry>,
}

/// A step in a file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    write: Option<WriteEntry>,
    read: Option<ReadEntry>,
    run: Option<RunEntry>,
    tool: Option<ToolEntry>,
    text: Option<String>,
    answer: Option<Value>,
    fault: Option<Fault>,
    times: Option<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteEntry {
    path: String,
    text: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadEntry {
    path: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RunEntry {
    command: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ToolEntry {
    name: String,
    input: Value,
}

impl Entry {
    fn step(self) -> Result<Step, &'static str> {
        let strike = match (self.fault, self.times) {
            (Some(Fault::Slow { before_ms, between_ms }), _)
                if before_ms.max(between_ms) > WAIT_MS_MAX =>
            {
                return Err("waits for longer than ten minutes");
            }
            (Some(fault), Some(times)) => Some(Strike { fault, times: Times::First(times) }),
            (Some(fault), None) => Some(Strike { fault, times: Times::Always }),
            (None, Some(_)) => return Err("says how often a fault strikes, and has none"),
            (None, None) => None,
        };
        let tool = match self.tool {
            Some(it) => Some((it.name, meant(it.input)?)),
            None => None,
        };
        let mut actions = [
            self.write.map(|it| Action::Write { path: it.path, text: it.text }),
            self.read.map(|it| Action::Read { path: it.path }),
            self.run.map(|it| Action::Run { command: it.command }),
            tool.map(|(name, input)| Action::Tool { name, input }),
            self.text.map(Action::Text),
            self.answer.map(meant).transpose()?.map(Action::Answer),
        ]
        .into_iter()
        .flatten();
        match (actions.next(), actions.next()) {
            (Some(action), None) => Ok(Step { action, strike }),
            (Some(_), Some(_)) => Err("does more than one thing"),
            (None, _) => Err("does nothing"),
        }
    }
}

/// A value, or JSON in a string for values that TOML cannot express.
fn meant(value: Value) -> Result<Value, &'static str> {
    match value {
        Value::String(text) => serde_json::from_str(&text)
            .map_err(|_| "has a string where a value belongs, and it is no JSON"),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            Ok(value)
        }
    }
}

const STEPS_MAX: usize = 1000;
const WAIT_MS_MAX: u32 = 600_000;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The example at the head of this file.
    fn example() -> String {
        include_str!("script.rs")
            .lines()
            .filter_map(|line| line.strip_prefix("//!"))
            .map(|line| line.strip_prefix(' ').unwrap_or(line))
            .skip_while(|line| *line != "```toml")
            .skip(1)
            .take_while(|line| *line != "```")
            .map(|line| format!("{line}\n"))
            .collect()
    }

    #[test]
    fn the_example_above_is_a_script() {
        let expected = Script::new([
            Step::write("hello.txt", "hello\n"),
            Step::run("cat hello.txt").at_first(2, Fault::RateLimited { retry_after_s: 1 }),
            Step::read("hello.txt"),
            Step::tool("submit_result", json!({"verdict": "accept"})),
            Step::text("It says hello."),
        ]);
        assert_eq!(Script::parse(&example()).unwrap(), expected);
    }

    #[test]
    fn every_script_beside_this_crate_can_be_played() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
        let mut played = 0;
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let script = Script::open(&path);
            assert!(script.is_ok_and(|script| !script.steps().is_empty()), "{}", path.display());
            played += 1;
        }
        assert!(played >= 3, "only {played} scripts were found");
    }

    #[test]
    fn faults_are_words_or_tables_and_strike_always_unless_told() {
        let script = "step = [\n\
            { text = 'a', fault = 'refusal' },\n\
            { text = 'b', fault = { slow = { between_ms = 5 } }, times = 3 },\n\
            { answer = '{\"note\": null}' },\n]";
        let slow = Fault::Slow { before_ms: 0, between_ms: 5 };
        let expected = Script::new([
            Step::text("a").always(Fault::Refusal),
            Step::text("b").at_first(3, slow),
            Step::answer(json!({"note": null})),
        ]);
        assert_eq!(Script::parse(script).unwrap(), expected);
    }

    #[test]
    fn a_script_that_makes_no_sense_is_refused_with_the_step() {
        for (script, expected) in [
            ("step = [{ text = 'a' }, {}]", "step 2 does nothing"),
            ("step = [{ text = 'a', read = { path = 'b' } }]", "step 1 does more than one thing"),
            (
                "step = [{ text = 'a', times = 1 }]",
                "step 1 says how often a fault strikes, and has none",
            ),
            (
                "step = [{ answer = 'a' }]",
                "step 1 has a string where a value belongs, and it is no JSON",
            ),
            (
                "step = [{ text = 'a', fault = { slow = { before_ms = 600001 } } }]",
                "step 1 waits for longer than ten minutes",
            ),
            ("step = [{ text = 'a', fault = 'flood' }]", "that is no script"),
            ("step = [{ txt = 'a' }]", "that is no script"),
            ("steps = []", "that is no script"),
        ] {
            let error = Script::parse(script).unwrap_err();
            assert_eq!(error.to_string(), expected, "{script}");
            assert!(error.hint().is_some(), "{script}");
        }
        let long = format!("step = [{}]", "{ text = 'a' },".repeat(STEPS_MAX + 1));
        assert!(matches!(Script::parse(&long), Err(ScriptError::TooLong { steps: 1001 })));
    }
}
