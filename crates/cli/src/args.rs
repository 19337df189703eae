//! The command line.

use std::path::PathBuf;

use clap::{CommandFactory as _, Parser, Subcommand, ValueEnum};

use crate::commands::{
    agents, allow, budget, completions, decide, demo, do_task, doctor, evaluate, evidence, gates,
    graph, hooks, inbox, init, journal, keys, log, login, manual, mcp, new, plan, pr, replay,
    restore, run_project, sandbox, show, sign, spec, status, validate, verify, watch, work,
};

/// A software factory: coding agents make a change, Sealwright proves it before you get a branch.
#[derive(Debug, Parser)]
#[command(name = "sealwright", version, after_long_help = AFTER_HELP)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,

    /// Repository folder [default: the nearest folder above that contains `.sealwright`].
    #[arg(long, global = true, value_name = "FOLDER")]
    pub(crate) repository: Option<PathBuf>,

    /// Output format.
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
}

/// The commands. The help text of a command is the doc comment of its `Args`, unless it is here.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Set up this repository.
    Init(init::Args),
    Demo(demo::Args),
    Do(do_task::Args),
    New(new::Args),
    Spec(spec::Args),
    Plan(plan::Args),
    Run(run_project::Args),
    Continue(work::Continue),
    Iterate(work::Iterate),
    Abandon(work::Abandon),
    Validate(validate::Validate),
    Stop(validate::Stop),
    Graph(graph::Args),
    Status(status::Args),
    Show(show::Args),
    Inbox(inbox::Args),
    Watch(watch::Args),
    Approve(decide::Approve),
    Decline(decide::Decline),
    Answer(decide::Answer),
    Resolve(decide::Resolve),
    Cancel(decide::Cancel),
    Note(decide::Note),
    Heal(decide::Heal),
    Adopt(decide::Adopt),
    Check(decide::Check),
    Acknowledge(decide::Acknowledge),
    Budget(budget::Args),
    Log(log::Args),
    Restore(restore::Args),
    Evidence(evidence::Args),
    Pr(pr::Args),
    /// Verify journal, decisions, evidence and signatures offline.
    Verify(verify::Args),
    Sign(sign::Args),
    Keys(keys::Args),
    Hooks(hooks::Args),
    /// Replay a stream and print its state.
    Replay(replay::Args),
    /// List streams, or the records of one stream.
    Journal(journal::Args),
    Doctor(doctor::Args),
    Agents(agents::Args),
    Allow(allow::Args),
    Login(login::Login),
    Logout(login::Logout),
    Gates(gates::Args),
    Evaluate(evaluate::Args),
    Sandbox(sandbox::Args),
    Mcp(mcp::Args),
    Completions(completions::Args),
    #[command(name = "man", hide = true)]
    Manual(manual::Args),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Text for people.
    Human,
    /// One JSON value, or one per line.
    Json,
}

/// The command line, with its commands grouped by what people want to do.
pub(crate) fn command() -> clap::Command {
    let command = Args::command();
    let about = |name: &str| {
        let about = command.find_subcommand(name).and_then(clap::Command::get_about);
        about.map(ToString::to_string).unwrap_or_default()
    };
    let listed = |names: &[&str]| -> String {
        names.iter().map(|name| format!("  {name:9}  {}\n", about(name))).collect()
    };
    let named = |names: &[&str]| {
        let names = names.join(", ");
        let lines = textwrap::wrap(&names, COLUMNS - 2);
        let lines = lines.iter().map(|line| format!("  {}\n", line.trim_end_matches(',')));
        lines.collect::<String>()
    };
    let (mut short, mut long) = (String::new(), String::new());
    for (title, names) in GROUPS {
        long.push_str(&format!("{title}:\n{}\n", listed(names)));
        let names = if BRIEF.contains(&title) { named(names) } else { listed(names) };
        short.push_str(&format!("{title}:\n{names}"));
    }
    let more = format!("More commands:\n{}", named(&MORE));
    let template = "{about-with-newline}\n{usage-heading} {usage}\n\n{before-help}Options:\n{options}{after-help}";
    command.before_help(short + &more).before_long_help(long + &more).help_template(template)
}

const GROUPS: [(&str, &[&str]); 6] = [
    ("Begin", &["init", "demo", "doctor", "allow", "login"]),
    ("Work", &["do", "new", "status", "show", "watch", "log"]),
    (
        "Project",
        &["spec", "plan", "run", "continue", "stop", "abandon", "validate", "iterate", "graph"],
    ),
    (
        "Decide",
        &[
            "inbox", "approve", "decline", "answer", "resolve", "cancel", "note", "heal", "budget",
            "sign",
        ],
    ),
    ("Prove", &["evidence", "pr", "verify", "restore"]),
    ("Try", &["gates", "evaluate", "agents", "sandbox"]),
];
/// Groups of which `-h` has the names only, so that it fits a screen. `--help` has all.
const BRIEF: [&str; 2] = ["Project", "Try"];
const MORE: [&str; 10] = [
    "check",
    "adopt",
    "acknowledge",
    "logout",
    "keys",
    "hooks",
    "journal",
    "replay",
    "mcp",
    "completions",
];

/// The groups of a help text fit a terminal as wide as this.
const COLUMNS: usize = 80;
const AFTER_HELP: &str = "\
Examples:
  sealwright do \"a day of parking never costs more than 2000 cents\"
  sealwright inbox
  sealwright help resolve

Exit codes:
   0  done
   2  usage error
  10  not proven
  11  waiting for a person
  12  refused
  13  nothing to verify, or changed since it was proven
  20  environment error";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_is_in_one_group() {
        let grouped = GROUPS.iter().flat_map(|(_, names)| names.iter()).chain(&MORE);
        let mut grouped: Vec<&str> = grouped.copied().collect();
        grouped.sort_unstable();
        let command = Args::command();
        let shown = command.get_subcommands().filter(|it| !it.is_hide_set());
        let mut shown: Vec<&str> = shown.map(clap::Command::get_name).collect();
        shown.sort_unstable();
        assert_eq!(grouped, shown);
    }

    #[test]
    fn the_short_help_fits_a_screen() {
        let mut command = command().term_width(COLUMNS);
        let (short, long) =
            (command.render_help().to_string(), command.render_long_help().to_string());
        let lines = short.trim_end().lines().count();
        assert!(lines <= 50, "{lines} lines:\n{short}");
        for line in short.lines().chain(long.lines()) {
            assert!(line.chars().count() <= 80, "{line}");
        }
        for (title, names) in GROUPS {
            for name in names {
                assert!(short.contains(&format!("  {name}")) || BRIEF.contains(&title), "{name}");
                assert!(long.contains(&format!("\n  {name} ")), "{name}");
            }
        }
    }
}
