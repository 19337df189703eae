//! The project of the demonstration in each language, with the scripts of its agents.

use std::path::Path;

use sealwright_engine::gate_runner::Tools;
use sealwright_engine::task_performer::Key;

/// A small project and the scripts of its agents.
pub(super) struct Project {
    pub(super) language: &'static str,
    pub(super) files: &'static [(&'static str, &'static str)],
    /// The text of its sealwright.toml.
    pub(super) configuration: &'static str,
    /// Every mutant of a Rust project is a build, which takes too long here.
    pub(super) strength: Strength,
    parts: Parts,
}

/// Whether mutants are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// If a mutation tool is installed.
    Tried,
    LeftOut,
}

struct Parts {
    frame: &'static str,
    shape: &'static str,
    tests: &'static str,
    edit: &'static str,
    cheat: &'static str,
    challenge: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Builder {
    /// Does the task.
    Honest,
    /// Hard-codes the expected values and reports success.
    Cheat,
}

impl Project {
    /// The project whose toolchain this machine has.
    pub(super) fn for_machine(tools: &Tools) -> Option<&'static Self> {
        if tools.python.is_some() {
            return Some(&PYTHON);
        }
        (tools.rust.is_some() && tools.cargo_home.is_some()).then_some(&RUST)
    }

    pub(super) fn write(&self, folder: &Path) -> std::io::Result<()> {
        for (path, text) in self.files {
            let path = folder.join(path);
            if let Some(above) = path.parent() {
                std::fs::create_dir_all(above)?;
            }
            std::fs::write(path, text)?;
        }
        std::fs::write(folder.join(sealwright_engine::config::FILE_NAME), self.configuration)
    }

    /// The script for a call; other calls do not occur in the demonstration.
    pub(super) fn script(&self, key: Key, builder: Builder) -> Option<&'static str> {
        let parts = &self.parts;
        match key {
            Key::Frame => Some(parts.frame),
            Key::Shape => Some(parts.shape),
            Key::Tests => Some(parts.tests),
            Key::Edit | Key::Repair => Some(match builder {
                Builder::Honest => parts.edit,
                Builder::Cheat => parts.cheat,
            }),
            Key::Challenge => Some(parts.challenge),
            Key::Scout
            | Key::Consolidate
            | Key::Plan
            | Key::Audit
            | Key::Adjudicate
            | Key::Read => None,
        }
    }
}

pub(super) const WANTED: &str = "a day of parking never costs more than 2000 cents";

const PYTHON: Project = Project {
    language: "Python",
    files: &[
        ("pyproject.toml", include_str!("python/project/pyproject.toml")),
        ("parking/__init__.py", include_str!("python/project/parking/__init__.py")),
        ("parking/fees.py", include_str!("python/project/parking/fees.py")),
        ("tests/test_fees.py", include_str!("python/project/tests/test_fees.py")),
    ],
    configuration: "[checks.tests]\nkind = \"pytest\"\nsets = [\"iteration\"]\nsources = [\"parking\"]\n",
    strength: Strength::Tried,
    parts: Parts {
        frame: include_str!("python/frame.toml"),
        shape: include_str!("python/shape.toml"),
        tests: include_str!("python/tests.toml"),
        edit: include_str!("python/edit.toml"),
        cheat: include_str!("python/cheat.toml"),
        challenge: include_str!("python/challenge.toml"),
    },
};

const RUST: Project = Project {
    language: "Rust",
    files: &[
        ("Cargo.toml", include_str!("rust/manifest.toml")),
        ("Cargo.lock", include_str!("rust/lock.toml")),
        ("src/lib.rs", include_str!("rust/project/src/lib.rs")),
        ("tests/fees.rs", include_str!("rust/project/tests/fees.rs")),
    ],
    configuration: "[checks.tests]\nkind = \"cargo-test\"\nsets = [\"iteration\"]\nsources = [\"src\"]\n",
    strength: Strength::LeftOut,
    parts: Parts {
        frame: include_str!("rust/frame.toml"),
        shape: include_str!("rust/shape.toml"),
        tests: include_str!("rust/tests.toml"),
        edit: include_str!("rust/edit.toml"),
        cheat: include_str!("rust/cheat.toml"),
        challenge: include_str!("rust/challenge.toml"),
    },
};

#[cfg(test)]
mod tests {
    use sealwright_engine::agents::adapters::script::Script;

    use super::*;

    #[test]
    fn every_part_is_a_script() {
        for project in [&PYTHON, &RUST] {
            for key in [Key::Frame, Key::Shape, Key::Tests, Key::Edit, Key::Repair, Key::Challenge]
            {
                for builder in [Builder::Honest, Builder::Cheat] {
                    let text = project.script(key, builder).unwrap();
                    assert!(
                        Script::parse(key.name(), text).is_ok(),
                        "{} {}",
                        project.language,
                        key.name()
                    );
                }
            }
        }
    }

    #[test]
    fn the_configuration_can_be_read() {
        for project in [&PYTHON, &RUST] {
            let config = sealwright_engine::config::Config::parse(project.configuration).unwrap();
            assert_eq!(config.checks().len(), 1);
        }
    }
}
