//! `sealwright agents`: tries one configured agent.

use std::path::Path;

use sealwright_agents::find::Known;
use sealwright_agents::{Deed, Event};
use sealwright_config::ActsOn;
use sealwright_factory::agent_setup::{self, Around, ConfiguredAgent};
use sealwright_factory::confined;
use sealwright_factory::consent::Consent;
use sealwright_factory::logins::Logins;
use sealwright_kernel::Lane;
use sealwright_sandbox::Mechanism;
use sealwright_sandbox::probe;
use sealwright_views::watch::cut;
use sealwright_views::wire::{AgentClaim, AgentTrial, TokenUsage, TrialConfinement, TrialResult};

mod attempt;

use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::{Output, bad, good, sanitize, say, table, table_text};
use crate::repository;
use attempt::{Claim, Trial, Verdict, attempt};

/// Try a configured agent.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// Run one agent with its configured model in a scratch folder, for at most a minute.
    ///
    /// The agent has to write a file, read it in a shell and submit a word with a tool call. Sealwright reads the file
    /// and the tool call itself; what the agent reports about itself proves nothing. The call costs money. Exit code 10:
    /// the agent ran and a claim does not hold; 20: it could not run.
    Try {
        /// NAME of `[agents.NAME]` in sealwright.toml, or a kind, such as `codex`.
        name: String,
        /// Word the agent has to write and to submit.
        #[arg(long, default_value = WORD, value_parser = word)]
        word: String,
    },
}

pub(crate) fn run(args: &Args, root: &Path, output: &mut Output) -> CliResult {
    let What::Try { name, word } = &args.what;
    let config = repository::configuration(root)?.unwrap_or_default();
    Consent::of_settings(root, &config)?.require(ActsOn::Agents)?;
    let kind = agent_setup::meant(name, &config)?.kind;
    let slots = confined::slots()?;
    let report = probe::first_good(&slots)?;
    let mechanism = report.best().map_or(Mechanism::Nothing, |best| best.mechanism.clone());
    let found = agent_setup::look(Known::of(kind.name()), &config, &slots, &mechanism);
    let logins = Logins::open()?;
    let variable = &agent_setup::variable;
    let around = Around { found: &found, root, variable, logins: &logins };
    let hired = agent_setup::agent(name, &config, &around)?;
    let least = config.sandbox.least(Lane::Quick);
    let mut talk = Talk { lines_left: LINES_MAX };
    let trial = attempt(&hired, word, &slots, (&report, least), &mut |event| talk.tell(event))?;
    match output.format {
        Format::Human => people(&trial, output)?,
        Format::Json => output.json(&wire(&hired, word, &trial))?,
    }
    let hint = trial.hint();
    match trial.verdict() {
        Verdict::Held => Ok(()),
        Verdict::NotProven => Err(CliError::TrialFailed { name: name.clone(), hint }),
        Verdict::Environment => Err(CliError::TrialImpossible { name: name.clone(), hint }),
    }
}

fn people(trial: &Trial, output: &mut Output) -> CliResult {
    let mut claims = table(&["claim", "expected", "found", "holds"], &["found"]);
    for claim in trial.claims() {
        let holds = if claim.holds { good("yes") } else { bad("no") };
        claims.add_row([claim.about, &sanitize(&claim.expected), &sanitize(&claim.found), &holds]);
    }
    output.line(&table_text(&claims))?;
    output.line("")?;
    let spent = &trial.outcome.spent;
    let usage = spent.usage;
    let read = usage.input.saturating_add(usage.cached).saturating_add(usage.cache_written);
    output.line(&format!("tokens: {read} in, {} out, in {} turns", usage.output, spent.turns))?;
    let dollars = spent.micro_dollars.map(|micro| format!("{:.6}", micro as f64 / 1e6));
    output.line(&format!("dollars: {}", dollars.as_deref().unwrap_or("unknown")))?;
    output.line(&format!("seconds: {:.1}", spent.wall_ms as f64 / 1e3))?;
    let sandbox = match &trial.outcome.confinement {
        Some(sandbox) => format!("{} by {}", sandbox.level.name(), sanitize(&sandbox.mechanism)),
        None => "none; the agent did not start".to_owned(),
    };
    output.line(&format!("sandbox: {sandbox}"))?;
    let calls: Vec<String> = trial.outcome.calls.iter().map(|call| sanitize(&call.tool)).collect();
    let calls = if calls.is_empty() { "none".to_owned() } else { calls.join(", ") };
    output.line(&format!("role tools called: {calls}"))?;
    output.line(&format!("commands it reports: {}", trial.commands_told))
}

fn wire(hired: &ConfiguredAgent, word: &str, trial: &Trial) -> AgentTrial {
    let outcome = &trial.outcome;
    let claim = |it: &Claim| AgentClaim {
        about: it.about.into(),
        expected: it.expected.clone(),
        found: it.found.clone(),
        holds: it.holds,
    };
    let usage = outcome.spent.usage;
    AgentTrial {
        agent: hired.agent.key().to_owned(),
        kind: hired.kind.name().into(),
        model: hired.model.clone(),
        word: word.to_owned(),
        result: match trial.verdict() {
            Verdict::Held => TrialResult::Held,
            Verdict::NotProven => TrialResult::NotProven,
            Verdict::Environment => TrialResult::Environment,
        },
        claims: trial.claims().iter().map(claim).collect(),
        tokens: TokenUsage {
            input: usage.input,
            cached: usage.cached,
            cache_written: usage.cache_written,
            output: usage.output,
        },
        micro_dollars: outcome.spent.micro_dollars,
        turns: outcome.spent.turns.into(),
        wall_ms: outcome.spent.wall_ms,
        confinement: outcome
            .confinement
            .as_ref()
            .map(|it| TrialConfinement { level: it.level.into(), mechanism: it.mechanism.clone() }),
        calls: outcome.calls.iter().map(|call| call.tool.clone()).collect(),
        commands_told: trial.commands_told.into(),
        hint: trial.hint(),
    }
}

/// Prints what the agent does, up to a number of lines.
struct Talk {
    lines_left: u32,
}

impl Talk {
    fn tell(&mut self, event: &Event) {
        let line = match event {
            Event::Text { text } => format!("says: {}", short(text)),
            Event::ToolUse { tool, deed, detail } => {
                let deed = match deed {
                    Deed::Command => "runs",
                    Deed::Edit => "edits",
                    Deed::Read => "reads",
                    Deed::Role => "calls",
                    Deed::Other => "uses",
                };
                format!("{deed}: {} {}", short(tool), short(detail))
            }
            Event::FileChange { path } => format!("changes: {}", short(path)),
            Event::Usage { usage } => format!("tokens so far: {}", usage.total()),
            Event::Warning { text } => format!("warns: {}", short(text)),
            Event::GoesOn { bytes, .. } => format!("goes on with a conversation of {bytes} bytes"),
        };
        match self.lines_left {
            0 => return,
            1 => say("… truncated"),
            _ => say(line.trim_end()),
        }
        self.lines_left -= 1;
    }
}

/// The first words of untrusted text, on one line.
fn short(text: &str) -> String {
    let words: Vec<&str> = text.split_whitespace().take(WORDS_MAX).collect();
    sanitize(&cut(&words.join(" "), LINE_CHARS_MAX))
}

/// A word that needs no quoting in a brief, a file or JSON.
fn word(text: &str) -> Result<String, String> {
    let fits = |c: char| c.is_ascii_alphanumeric() || c == '-';
    let is_word = !text.is_empty() && text.len() <= WORD_BYTES_MAX && text.chars().all(fits);
    if is_word {
        Ok(text.to_owned())
    } else {
        Err(format!("letters, digits and `-`, at most {WORD_BYTES_MAX}"))
    }
}

const WORD: &str = "marigold-71";
const WORD_BYTES_MAX: usize = 40;
const LINES_MAX: u32 = 200;
const LINE_CHARS_MAX: usize = 120;
const WORDS_MAX: usize = 80;
