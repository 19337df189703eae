//! Asking a program for its version: behind walls where it can be shown there, with nothing of the person's own in
//! its environment, and not for long.

use sealwright_kernel::Level;
use sealwright_sandbox::{Ended, Mechanism, SandboxSlots, Terms, system, tools};

use super::Program;

/// What a program says of its version, or why it did not say it.
///
/// A program whose folder cannot be shown alone is asked without walls; it is one that the person runs anyway.
pub fn ask(
    program: &Program,
    slots: &SandboxSlots,
    mechanism: &Mechanism,
) -> Result<String, String> {
    let name = program.path.file_name().unwrap_or_default().to_string_lossy();
    let inside = program
        .installed
        .as_ref()
        .filter(|_| mechanism.has_own_network())
        .map(|folder| (folder, format!("{INSTALLED}/bin/{name}")));
    let outside = program.path.display().to_string();
    let word = inside.as_ref().map_or(outside.as_str(), |(_, word)| word.as_str());
    let slot = slots.take().map_err(|error| error.to_string())?;
    let failed = |error: std::io::Error| error.to_string();
    let mut plan = system::plan(&slot, &[word, "--version"]).map_err(failed)?;
    match &inside {
        Some((folder, _)) => {
            for tool in tools::found() {
                system::add_tool(&mut plan, &tool.source, tool.at).map_err(failed)?;
            }
            system::add_tool(&mut plan, folder, INSTALLED).map_err(failed)?;
        }
        None => {
            let beside = program.path.parent().map(|bin| bin.display().to_string());
            let path = format!("{}:{SYSTEM_PATH}", beside.unwrap_or_default());
            plan.environment.insert("PATH".to_owned(), path);
        }
    }
    plan.limits.wall_ms = WALL_MS_MAX;
    plan.limits.output_bytes = OUTPUT_BYTES_MAX;
    let walls = if inside.is_some() { mechanism.clone() } else { Mechanism::Nothing };
    let ran =
        slot.run(&plan, Terms::new(walls, Level::Advisory)).map_err(|error| error.to_string())?;
    match ran.ended {
        Ended::Exited(0) => Ok(String::from_utf8_lossy(&ran.stdout.kept).into_owned()),
        Ended::Exited(code) => Err(format!("it ends with {code}")),
        Ended::TimedOut => Err(format!("it says nothing for {} s", WALL_MS_MAX / 1000)),
        Ended::Signalled(signal) => Err(format!("it is ended by signal {signal}")),
        Ended::Cancelled | Ended::OutOfRoom | Ended::Vanished => {
            Err("it does not end well".to_owned())
        }
    }
}

const INSTALLED: &str = "/opt/agent";
const SYSTEM_PATH: &str = "/usr/local/bin:/usr/bin:/bin";
/// Some of them are a hundred megabytes that start slowly, and a machine may do other things as well.
const WALL_MS_MAX: u64 = 30_000;
const OUTPUT_BYTES_MAX: u64 = 16 << 10;
