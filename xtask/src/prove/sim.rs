//! `prove sim`: a careless world breaks nothing, and would have found what is broken.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use crate::planted::{Bug, Build, Hunt};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::scratch;

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
        file: "tests/sample_machine/src/lib.rs",
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
    pub(crate) fn build(size: Size) -> Result<Self> {
        let program = size.build("sealwright-sim", "sealwright-sim")?;
        std::fs::create_dir_all(scratch(""))?;
        Ok(Self { program })
    }

    /// Plays the seeds of `size` with one machine, and tells how that went.
    pub(crate) fn play(&self, machine: &str, size: Size, resume: bool) -> Result<(bool, String)> {
        let progress = self.progress(machine);
        if !resume && progress.exists() {
            std::fs::remove_file(&progress)?;
        }
        let mut run = Command::new(&self.program);
        run.args(["--machine", machine]);
        match size {
            Size::Quick(sample) => {
                run.args(["--from", &sample.number().to_string()]);
                run.args(["--seeds", &QUICK_SEEDS.to_string()]);
            }
            Size::Full => {
                run.args(["--seeds", &FULL_SEEDS.to_string()]).arg("--resume").arg(progress);
            }
        }
        let output = run.output().context("the simulator could not be started")?;
        let told = String::from_utf8_lossy(&output.stdout).trim().replace('\n', "; ");
        Ok((output.status.success(), told))
    }

    /// How far this very program came; another one begins again.
    fn progress(&self, machine: &str) -> PathBuf {
        let program = std::fs::read(&self.program).unwrap_or_default();
        let digest = sealwright_kernel::Digest::of(&program);
        scratch("").join(format!("sim-progress-{machine}-{digest}"))
    }
}

pub(crate) fn run(size: Size, resume: bool) -> Result<()> {
    let mut figures = Figures::new("sim", size);
    let sim = Sim::build(size)?;
    let (held, told) = sim.play("errand", size, resume)?;
    figures.hold(told, held);
    // They are found within a few seeds, so what counts is how quickly they are built.
    let hunt = Hunt { program: "sealwright-sim", build: Build::Quick };
    let planted = match size {
        Size::Quick(sample) => sample.of(BUGS, QUICK_BUGS),
        Size::Full => BUGS.to_vec(),
    };
    let found = hunt.count(&planted, &[&["--seeds", "10000"]])?;
    let text = format!("{found} of {} planted bugs found", planted.len());
    figures.hold(text, found == planted.len());
    figures.close()
}

const QUICK_SEEDS: u64 = 1_500;
const FULL_SEEDS: u64 = 1_000_000;
/// How many bugs are planted with every change; building them is most of the time.
const QUICK_BUGS: usize = 1;
