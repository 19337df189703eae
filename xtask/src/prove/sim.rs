//! `prove sim`: a careless world breaks nothing, and would have found what is broken.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::planted::{Bug, Build, Hunt};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{build, scratch};

/// One bug in each place where something could be lost.
pub(crate) const BUGS: &[Bug] = &[
    Bug {
        name: "skip an fsync",
        file: "crates/store/src/files/writer.rs",
        right: "        segment.file.write_at(segment.bytes, lines).map_err(failed)?;\n        segment.file.sync().map_err(failed)?;\n",
        wrong: "        segment.file.write_at(segment.bytes, lines).map_err(failed)?;\n",
    },
    Bug {
        name: "forget an owed effect after a restart",
        file: "crates/host/src/host.rs",
        right: "        agenda.add(machine.owed());\n",
        wrong: "",
    },
    Bug {
        name: "accept a duplicate report",
        file: "crates/kernel/src/invocation.rs",
        right: "        if self.owes(effect) {\n",
        wrong: "        if self.owes(effect) || true {\n",
    },
    Bug {
        name: "evolve before append",
        file: "crates/host/src/host.rs",
        right: "        self.writer.append(draft).await.map_err(|error| not_durable(error.into()))?;\n        events.iter().for_each(|event| self.machine.evolve(event));\n        self.agenda.add(self.machine.owed_after(&events));\n",
        wrong: "        events.iter().for_each(|event| self.machine.evolve(event));\n        self.agenda.add(self.machine.owed_after(&events));\n        self.writer.append(draft).await.map_err(|error| not_durable(error.into()))?;\n",
    },
    Bug {
        name: "drop a cancelled effect",
        file: "crates/host/src/host.rs",
        right: "        if self.is_due(&work) {\n            self.agenda.try_again",
        wrong: "        if self.is_due(&work) && why != NotPerformed::Cancelled.to_string() {\n            self.agenda.try_again",
    },
];

/// The simulator, built from the repository as it stands.
pub(crate) struct Sim {
    program: PathBuf,
}

impl Sim {
    pub(crate) fn build() -> Result<Self> {
        let program = build("sealwright-sim")?;
        std::fs::create_dir_all(scratch(""))?;
        Ok(Self { program })
    }

    /// How far this very program came; another one begins again.
    pub(crate) fn progress(&self, machine: &str) -> PathBuf {
        let program = std::fs::read(&self.program).unwrap_or_default();
        let digest = sealwright_kernel::Digest::of(&program);
        scratch("").join(format!("sim-progress-{machine}-{digest}"))
    }

    pub(crate) fn run(&self, args: &[&str]) -> Result<(bool, String)> {
        let output = Command::new(&self.program).args(args).output()?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned()))
    }
}

pub(crate) fn run(size: Size, resume: bool) -> Result<()> {
    let mut figures = Figures::new("sim", size);
    let seeds = match size {
        Size::Quick => 10_000_u64,
        Size::Full => 1_000_000,
    };
    let sim = Sim::build()?;
    let progress = sim.progress("invocation");
    if !resume && progress.exists() {
        std::fs::remove_file(&progress)?;
    }
    let (held, output) =
        sim.run(&["--seeds", &seeds.to_string(), "--resume", &progress.display().to_string()])?;
    figures.hold(output.trim().replace('\n', "; "), held);
    // They are found within a few seeds, so what counts is how quickly they are built.
    let hunt = Hunt { proof: "sim", package: "sealwright-sim", build: Build::Quick };
    let planted = match size {
        Size::Quick => &BUGS[..QUICK],
        Size::Full => BUGS,
    };
    let found = hunt.count(planted, &[&["--seeds", "10000"]])?;
    figures
        .hold(format!("{found} of {} planted bugs found", planted.len()), found == planted.len());
    figures.close()
}

/// How many bugs are planted with every change; building them is most of the time.
const QUICK: usize = 1;
