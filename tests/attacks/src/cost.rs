//! The cost of the sandbox: the time to start and end a command, compared with a plain one.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use sealwright_kernel::Level;
use sealwright_sandbox::plan::{Access, Mount, Need};
use sealwright_sandbox::{Ended, Mechanism, SandboxSlot, SandboxSlots, Terms, system, tools};

pub struct Cost {
    /// A plain command: median and 99th percentile, in microseconds.
    pub plain: (u128, u128),
    pub landlock: (u128, u128),
    pub namespaces: (u128, u128),
    /// A build of a small crate, inside and outside.
    pub build: (Duration, Duration),
}

/// Measures `runs` starts of each kind, interleaved so that load affects all equally.
pub fn measure(runs: usize, builds: usize) -> Result<Cost> {
    let base = std::env::temp_dir().join("sealwright-cost-seats");
    let slot = SandboxSlots::open(&base)?.take()?;
    let plan = system::plan(&slot, &["/bin/true"])?;
    let mut times = [Vec::new(), Vec::new(), Vec::new()];
    for _ in 0..runs {
        let began = now();
        ensure!(plain("/bin/true").status()?.success(), "/bin/true fails");
        times[0].push(began.elapsed().as_micros());
        for (nth, mechanism) in [(1, Mechanism::Landlock), (2, Mechanism::Namespaces)] {
            let began = now();
            let outcome = slot.run(&plan, Terms::new(mechanism, Level::KernelRestricted))?;
            times[nth].push(began.elapsed().as_micros());
            ensure!(outcome.ended == Ended::Exited(0), "{:?}", outcome.ended);
        }
    }
    let [plain, landlock, namespaces] = times.map(|mut times| {
        times.sort_unstable();
        (times[times.len() / 2], times[times.len() * 99 / 100])
    });
    Ok(Cost { plain, landlock, namespaces, build: build(&slot, builds)? })
}

/// Builds a small crate inside and outside, interleaved; the shortest of each counts.
fn build(slot: &SandboxSlot, builds: usize) -> Result<(Duration, Duration)> {
    let rust =
        tools::found().iter().find(|tool| tool.at == "/opt/rust").context("no Rust was found")?;
    let crate_folder = slot.folder().join("crate");
    std::fs::create_dir_all(crate_folder.join("src"))?;
    std::fs::write(
        crate_folder.join("Cargo.toml"),
        "[package]\nname = \"small\"\nversion = \"1.0.0\"\nedition = \"2024\"\n",
    )?;
    let functions: String = (0..FUNCTIONS)
        .map(|n| format!("pub fn f{n}(text: &str) -> String {{ format!(\"{n} {{text:?}} {{}}\", text.len() + {n}) }}\n"))
        .collect();
    std::fs::write(crate_folder.join("src/lib.rs"), functions)?;
    give(slot, &crate_folder)?;
    let mut plan = system::plan(slot, &["cargo", "build", "--offline", "--quiet"])?;
    system::add_tool(&mut plan, &rust.source, rust.at)?;
    plan.mounts.push(Mount {
        source: crate_folder.clone(),
        at: system::WORK.to_owned(),
        access: Access::ReadWrite,
        need: Need::Required,
    });
    plan.folder = system::WORK.to_owned();
    let (mut inside, mut outside) = (Duration::MAX, Duration::MAX);
    for _ in 0..builds {
        let began = now();
        let outcome = slot.run(&plan, Terms::new(Mechanism::Namespaces, Level::KernelIsolated))?;
        inside = inside.min(began.elapsed());
        ensure!(
            outcome.ended == Ended::Exited(0),
            "{}",
            String::from_utf8_lossy(&outcome.stderr.kept)
        );
        clean(&crate_folder)?;
        let began = now();
        let mut cargo = plain(&rust.source.join("bin/cargo").display().to_string());
        cargo.args(["build", "--offline", "--quiet"]).current_dir(&crate_folder);
        // The environment is as small as inside, because variables of a shell can change a build.
        cargo
            .env_clear()
            .env("HOME", slot.folder())
            .env("PATH", format!("{}:/usr/bin:/bin", rust.source.join("bin").display()));
        ensure!(cargo.status()?.success(), "the build fails outside");
        outside = outside.min(began.elapsed());
        clean(&crate_folder)?;
    }
    Ok((inside, outside))
}

fn clean(folder: &Path) -> Result<()> {
    Ok(std::fs::remove_dir_all(folder.join("target"))?)
}

fn give(slot: &SandboxSlot, folder: &Path) -> Result<()> {
    if let Some(user) = slot.run_as() {
        for path in [
            folder.to_owned(),
            folder.join("src"),
            folder.join("src/lib.rs"),
            folder.join("Cargo.toml"),
        ] {
            std::os::unix::fs::chown(path, Some(user), Some(user))?;
        }
    }
    Ok(())
}

#[expect(clippy::disallowed_methods, reason = "the sandbox is measured beside a plain command")]
fn plain(program: &str) -> Command {
    Command::new(program)
}

#[expect(clippy::disallowed_methods, reason = "time is what is measured")]
fn now() -> Instant {
    Instant::now()
}

/// Enough for a build of some seconds; a shorter one would measure program starts.
const FUNCTIONS: usize = 2_500;
