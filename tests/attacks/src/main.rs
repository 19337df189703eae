//! `attacks`: hostile programs, their victims, and the control that shows that they are real.

mod proof;

use std::io::Write;
use std::process::ExitCode;

use anyhow::{Context, Result};
use clap::{Parser, Subcommand};
use sealwright_attacks::attack::{AGENT_EXIT, Attack};
use sealwright_attacks::control::{self, Shown, Unconfined};
use sealwright_attacks::ended::Ended;
use sealwright_attacks::scene::Scene;
use sealwright_attacks::{attacks, careless, confined, cost, crowd, victim};

/// Small hostile programs against the walls around an agent.
#[derive(Debug, Parser)]
struct Arguments {
    #[command(subcommand)]
    command: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lists every attack: key, row of the notes, wall, what it tries.
    List,
    /// Runs attacks without walls and shows that they succeed.
    Control {
        /// Only these; all of them if none is named.
        keys: Vec<String>,
    },
    /// Makes one attempt, as the agent, and says in one line how it ended.
    Attack {
        /// Which.
        key: String,
        /// All it knows, as JSON.
        scene: String,
        /// Begins below a changed root, as the control of an escape needs it.
        #[arg(long)]
        jail: bool,
    },
    /// Is a launcher that builds no walls.
    #[command(hide = true)]
    Careless { key: String, scene: String, limit_ms: u64 },
    /// Is a launcher that builds walls.
    #[command(hide = true)]
    Confined { key: String, scene: String, setup: String, agent: u32 },
    /// Runs attacks behind walls, each of them in each confinement that this machine can have, and without one wall
    /// after the other.
    Matrix {
        /// Only the preferred walls, and without a wall only the attacks that it is said to stop.
        #[arg(long)]
        quick: bool,
        /// Bubblewrap, for the confinements that need it.
        #[arg(long)]
        bubblewrap: Option<std::path::PathBuf>,
        /// Only these; all of them if none is named.
        keys: Vec<String>,
    },
    /// Measures what walls cost, beside a plain command.
    Cost { runs: usize, builds: usize },
    /// Runs many at one time, kills some of their hosts, and looks at what stays behind.
    Crowd { hosts: usize, runs: usize },
    /// Is a host in a crowd.
    #[command(hide = true)]
    CrowdHost { base: std::path::PathBuf, runs: usize, nth: usize, mark: String },
    /// Is a host that trusts what an agent left behind.
    #[command(hide = true)]
    Follow { key: String, scene: String },
    /// Is a process of the host.
    #[command(hide = true)]
    Victim,
    /// Says as whom it runs.
    #[command(hide = true)]
    Whoami,
}

fn main() -> Result<ExitCode> {
    // The launcher of a confined attack starts itself again to put walls up.
    sealwright_sandbox::launcher::take_over_if_asked();
    match Arguments::parse().command {
        What::List => list(),
        What::Control { keys } => control(&keys),
        What::Attack { key, scene, jail } => attempt(&key, &scene, jail),
        What::Careless { key, scene, limit_ms } => {
            careless::launch(&key, &serde_json::from_str(&scene)?, limit_ms)?;
            Ok(ExitCode::SUCCESS)
        }
        What::Confined { key, scene, setup, agent } => {
            let told = confined::launch(
                &key,
                &serde_json::from_str(&scene)?,
                &serde_json::from_str(&setup)?,
                agent,
            )?;
            say(&serde_json::to_string(&told)?)?;
            Ok(ExitCode::SUCCESS)
        }
        What::Matrix { quick, bubblewrap, keys } => proof::run(quick, bubblewrap, &keys),
        What::Cost { runs, builds } => {
            let cost = cost::measure(runs, builds)?;
            let (inside, outside) = cost.build;
            let figures = serde_json::json!({
                "plain": cost.plain, "landlock": cost.landlock, "namespaces": cost.namespaces,
                "inside_ms": inside.as_millis(), "outside_ms": outside.as_millis(),
            });
            say(&figures.to_string())?;
            Ok(ExitCode::SUCCESS)
        }
        What::Crowd { hosts, runs } => {
            let remains = crowd::gather(hosts, runs)?;
            say(&format!("{remains:?}"))?;
            Ok(if remains == crowd::Remains::default() {
                ExitCode::SUCCESS
            } else {
                ExitCode::FAILURE
            })
        }
        What::CrowdHost { base, runs, nth, mark } => {
            crowd::work(&base, runs, nth, &mark)?;
            Ok(ExitCode::SUCCESS)
        }
        What::Follow { key, scene } => {
            careless::follow::follow(&serde_json::from_str(&scene)?, find(&key)?.then)?;
            Ok(ExitCode::SUCCESS)
        }
        What::Victim => {
            victim::live()?;
            Ok(ExitCode::SUCCESS)
        }
        What::Whoami => {
            say(&rustix::process::geteuid().as_raw().to_string())?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

fn list() -> Result<ExitCode> {
    for attack in attacks::all() {
        say(&format!(
            "{} | {} | {} | {}",
            attack.key,
            attack.row,
            attack.wall.name(),
            attack.about
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// One attempt. Every agent ends with the same code, whatever came of it.
fn attempt(key: &str, scene: &str, jail: bool) -> Result<ExitCode> {
    let mut scene: Scene = serde_json::from_str(scene)?;
    // Where the way out is depends on the walls, and they tell it in the environment.
    let told = std::env::var("SEALWRIGHT_EGRESS").ok();
    if let Some(proxy) = told.and_then(|told| told.strip_prefix("http://")?.parse().ok()) {
        scene.egress.proxy = proxy;
    }
    let attack = find(key)?;
    if jail {
        rustix::process::chroot(&scene.inside.work)?;
        rustix::process::chdir("/")?;
    }
    say(&Ended::from((attack.attempt)(&scene)).line())?;
    Ok(ExitCode::from(u8::try_from(AGENT_EXIT)?))
}

fn control(keys: &[String]) -> Result<ExitCode> {
    let chosen: Vec<&Attack> = if keys.is_empty() {
        attacks::all().collect()
    } else {
        keys.iter().map(|key| find(key)).collect::<Result<_>>()?
    };
    let unconfined = Unconfined { program: std::env::current_exe()? };
    say("key | row | control | what")?;
    let mut shown = Vec::new();
    for attack in chosen {
        let control = control::show(&unconfined, attack);
        let (word, what) = control.words();
        say(&format!("{} | {} | {word} | {what}", attack.key, attack.row))?;
        shown.push(control);
    }
    let count = |is: fn(&Shown) -> bool| shown.iter().filter(|shown| is(shown)).count();
    let failed = count(|shown| matches!(shown, Shown::Fails(_)));
    say(&format!(
        "{} attacks: {} succeed without walls, {failed} fail, {} need a sandbox, {} cannot be shown here",
        shown.len(),
        count(|shown| matches!(shown, Shown::Succeeds(_))),
        count(|shown| matches!(shown, Shown::NeedsSandbox(_))),
        count(|shown| matches!(shown, Shown::NotHere(_))),
    ))?;
    Ok(if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn find(key: &str) -> Result<&'static Attack> {
    attacks::find(key).with_context(|| format!("no attack is called `{key}`"))
}

fn say(line: &str) -> Result<()> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}")?;
    Ok(out.flush()?)
}
