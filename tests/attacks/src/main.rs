//! `attacks`: the attacks, their victims, and the control that shows that they are real.

mod proof;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use sealwright_attacks::attack::{AGENT_EXIT, Attack};
use sealwright_attacks::control::{self, Shown, Unconfined};
use sealwright_attacks::ended::Ended;
use sealwright_attacks::fixture::Fixture;
use sealwright_attacks::{attacks, careless, confined, cost, crowd, victim};

/// Attacks against the sandbox of an agent.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// List every attack: key, row of the notes, barrier, description.
    List,
    /// Run attacks without a sandbox and show that they succeed.
    Control {
        /// Only these keys; all by default.
        keys: Vec<String>,
    },
    /// Make one attempt as the agent, and print its result in one line.
    Attack {
        key: String,
        /// The fixture as JSON.
        fixture: String,
        /// Start below a changed root, for the control of an escape.
        #[arg(long)]
        jail: bool,
    },
    /// A launcher without a sandbox.
    #[command(hide = true)]
    Careless { key: String, fixture: String, limit_ms: u64 },
    /// A launcher with a sandbox.
    #[command(hide = true)]
    Confined { key: String, fixture: String, setup: String, agent: u32 },
    /// Run attacks in each confinement of this machine, and with one barrier removed at a time.
    Matrix {
        /// Only the preferred sandbox, and without a barrier only the attacks that it should stop.
        #[arg(long)]
        quick: bool,
        /// The path of bubblewrap, for the confinements that need it.
        #[arg(long)]
        bubblewrap: Option<std::path::PathBuf>,
        /// Only these keys; all by default.
        keys: Vec<String>,
    },
    /// Measure the cost of the sandbox, compared with a plain command.
    Cost { runs: usize, builds: usize },
    /// Run many at once, kill some of their hosts, and count what remains.
    Crowd { hosts: usize, runs: usize },
    /// A host of `crowd`.
    #[command(hide = true)]
    CrowdHost { base: std::path::PathBuf, runs: usize, nth: usize, mark: String },
    /// A host that trusts the agent's files.
    #[command(hide = true)]
    Follow { key: String, fixture: String },
    /// A victim process of the host.
    #[command(hide = true)]
    Victim,
    /// Print the user.
    #[command(hide = true)]
    Whoami,
}

fn main() -> Result<ExitCode> {
    // The launcher of a confined attack starts itself again to set up the sandbox.
    sealwright_sandbox::launcher::take_over_if_asked();
    match Arguments::parse().command {
        What::List => list()?,
        What::Control { keys } => return control(&keys),
        What::Attack { key, fixture, jail } => return attempt(&key, &fixture, jail),
        What::Careless { key, fixture, limit_ms } => {
            careless::launch(&key, &serde_json::from_str(&fixture)?, limit_ms)?;
        }
        What::Confined { key, fixture, setup, agent } => {
            let (fixture, setup) = (serde_json::from_str(&fixture)?, serde_json::from_str(&setup)?);
            let report = confined::launch(&key, &fixture, &setup, agent)?;
            say(&serde_json::to_string(&report)?)?;
        }
        What::Matrix { quick, bubblewrap, keys } => return proof::run(quick, bubblewrap, &keys),
        What::Cost { runs, builds } => {
            let cost = cost::measure(runs, builds)?;
            let (inside, outside) = cost.build;
            let figures = serde_json::json!({
                "plain": cost.plain, "landlock": cost.landlock, "namespaces": cost.namespaces,
                "inside_ms": inside.as_millis(), "outside_ms": outside.as_millis(),
            });
            say(&figures.to_string())?;
        }
        What::Crowd { hosts, runs } => {
            let remains = crowd::gather(hosts, runs)?;
            say(&format!("{remains:?}"))?;
            return Ok(exit(remains == crowd::Remains::default()));
        }
        What::CrowdHost { base, runs, nth, mark } => crowd::work(&base, runs, nth, &mark)?,
        What::Follow { key, fixture } => {
            careless::follow::follow(&serde_json::from_str(&fixture)?, find(&key)?.then)?;
        }
        What::Victim => victim::live()?,
        What::Whoami => say(&rustix::process::geteuid().as_raw().to_string())?,
    }
    Ok(ExitCode::SUCCESS)
}

fn exit(holds: bool) -> ExitCode {
    if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn list() -> Result<()> {
    for Attack { key, row, barrier, about, .. } in attacks::all() {
        say(&format!("{key} | {row} | {} | {about}", barrier.name()))?;
    }
    Ok(())
}

/// One attempt. Every agent ends with the same code, whatever the result.
fn attempt(key: &str, fixture: &str, jail: bool) -> Result<ExitCode> {
    let mut fixture: Fixture = serde_json::from_str(fixture)?;
    // The sandbox announces its egress proxy in the environment.
    let egress = std::env::var("SEALWRIGHT_EGRESS").ok();
    if let Some(proxy) = egress.and_then(|egress| egress.strip_prefix("http://")?.parse().ok()) {
        fixture.egress.proxy = proxy;
    }
    let attack = find(key)?;
    if jail {
        rustix::process::chroot(&fixture.inside.work)?;
        rustix::process::chdir("/")?;
    }
    say(&Ended::from((attack.attempt)(&fixture)).line())?;
    Ok(ExitCode::from(u8::try_from(AGENT_EXIT)?))
}

fn control(keys: &[String]) -> Result<ExitCode> {
    let unconfined = Unconfined { program: std::env::current_exe()? };
    say("key | row | control | what")?;
    let mut shown = Vec::new();
    for attack in chosen(keys)? {
        let control = control::show(&unconfined, attack);
        let (word, what) = control.words();
        say(&format!("{} | {} | {word} | {what}", attack.key, attack.row))?;
        shown.push(control);
    }
    let count = |is: fn(&Shown) -> bool| shown.iter().filter(|shown| is(shown)).count();
    let failed = count(|shown| matches!(shown, Shown::Fails(_)));
    say(&format!(
        "{} attacks: {} succeed without a sandbox, {failed} fail, {} need a sandbox, {} cannot be shown here",
        shown.len(),
        count(|shown| matches!(shown, Shown::Succeeds(_))),
        count(|shown| matches!(shown, Shown::NeedsSandbox(_))),
        count(|shown| matches!(shown, Shown::NotHere(_))),
    ))?;
    Ok(exit(failed == 0))
}

/// The attacks with these keys; all without any.
fn chosen(keys: &[String]) -> Result<Vec<&'static Attack>> {
    if keys.is_empty() {
        return Ok(attacks::all().collect());
    }
    keys.iter().map(|key| find(key)).collect()
}

fn find(key: &str) -> Result<&'static Attack> {
    attacks::find(key).with_context(|| format!("no attack is called `{key}`"))
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
