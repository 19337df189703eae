//! Confined runs: where they happen on this machine, and what is known of the walls there.

use std::path::PathBuf;

use sealwright_kernel::{Lane, Level};
use sealwright_sandbox::probe::Report;
use sealwright_sandbox::{SandboxError, Seats};

use crate::config::Sandbox;

/// The seats of this user. Root keeps them where a user without rights can pass through.
pub fn seats() -> Result<Seats, SandboxError> {
    Seats::open(&seats_folder())
}

/// Whether the walls that were found are strong enough for each lane.
pub fn lanes(report: &Report, asked: &Sandbox) -> [(Lane, Level, bool); 3] {
    [Lane::Quick, Lane::Factory, Lane::Strict].map(|lane| {
        let least = asked.least(lane);
        (lane, least, report.level() >= least)
    })
}

/// What a person can do to have stronger walls than were found.
pub fn remedies(report: &Report) -> Vec<String> {
    let mut remedies = Vec::new();
    if report.level() == Level::KernelIsolated {
        return remedies;
    }
    for tried in &report.tried {
        let Some(why) = &tried.why else { continue };
        if tried.mechanism.name() == "namespaces" {
            remedies.push(match why {
                why if why.contains("make namespaces") => {
                    "allow user namespaces: `sysctl user.max_user_namespaces=10000`, on Debian also \
                     `kernel.unprivileged_userns_clone=1`, on Ubuntu an AppArmor profile with `userns`; in a \
                     container `--security-opt seccomp=unconfined --security-opt apparmor=unconfined \
                     --security-opt systempaths=unconfined`"
                        .to_owned()
                }
                why => format!("namespaces could not be used: {why}"),
            });
        }
        if tried.mechanism.name() == "bubblewrap" {
            remedies.push("install bubblewrap 0.12 or newer, which some systems allow what they refuse to others".to_owned());
        }
        if tried.mechanism.name() == "landlock" {
            remedies
                .push("use a kernel with Landlock (5.13 or newer, `lsm=landlock,…`)".to_owned());
        }
    }
    remedies
}

fn seats_folder() -> PathBuf {
    let of_user = || {
        let given = std::env::var_os("XDG_STATE_HOME").filter(|folder| !folder.is_empty());
        let home = || Some(PathBuf::from(std::env::var_os("HOME")?).join(".local/state"));
        given.map(PathBuf::from).or_else(home).unwrap_or_else(std::env::temp_dir)
    };
    let base = if sealwright_sandbox::is_root() { PathBuf::from("/var/lib") } else { of_user() };
    base.join("sealwright").join("seats")
}
