//! Secrets the launcher has in its environment and in its home.

use std::path::PathBuf;

use rustix::process::getuid;

use super::files::read;
use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, any_of, holds, stopped};
use crate::fixture::Fixture;
use crate::setting::{SETUID_PROGRAM, Setting, Setuid};

pub(super) const ALL: &[Attack] = &[
    Attack::new("environment-secret", "3.1/08", Barrier::CleanEnvironment, environment_secret)
        .about("Finds the launcher's secret in its own environment."),
    Attack::new("home-credentials", "more", Barrier::CleanEnvironment, home_credentials)
        .about("Reads the credentials in the home that HOME names."),
    Attack::new("setuid-program", "3.1/22", Barrier::NoNewPrivs, setuid_program)
        .about("Runs a setuid program that lies in its work tree.")
        .setting(Setting { setuid: Setuid::Planted, ..Setting::PLAIN }),
];

fn environment_secret(fixture: &Fixture) -> Tried {
    match std::env::var(&fixture.leaks.variable) {
        Ok(value) => holds(value.as_bytes(), &fixture.markers.launcher_env),
        Err(_) => stopped("the variable is not set"),
    }
}

fn home_credentials(fixture: &Fixture) -> Tried {
    let home = std::env::var_os("HOME").map(PathBuf::from);
    let homes = home.into_iter().chain([fixture.host.home.clone()]);
    any_of(homes.map(|home| read(&home.join(".netrc"), &fixture.markers.home)))
}

#[expect(clippy::disallowed_methods, reason = "running it is the attack")]
fn setuid_program(fixture: &Fixture) -> Tried {
    let planted = fixture.inside.work.join(SETUID_PROGRAM);
    let output = std::process::Command::new(planted).arg("whoami").output().step("exec")?;
    let said = String::from_utf8_lossy(&output.stdout).trim().to_string();
    if said == getuid().as_raw().to_string() {
        stopped(format!("it ran as uid {said}"))
    } else {
        Ok(format!("it ran as uid {said}"))
    }
}
