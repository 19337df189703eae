//! The project of the demonstration in each language, with the scripts of its agents.

use std::path::Path;

use sealwright_factory::gate_runner::Tools;
use sealwright_factory::task_performer::Key;

pub(super) struct Project {
    /// The language, as gates name it.
    pub(super) language: &'static str,
    pub(super) files: &'static [(&'static str, &'static str)],
    pub(super) configuration: &'static str,
    /// Every mutant of a Rust project is a build, which takes too long here.
    pub(super) strength: Strength,
    parts: Parts,
}

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
    Honest,
    /// Hard-codes the expected values and reports success.
    Cheat,
}

impl Project {
    /// The project whose toolchain this machine has.
    pub(super) fn for_machine(tools: &Tools) -> Option<&'static Self> {
        PROJECTS.iter().copied().find(|project| tools.can_make_rooms(project.language))
    }

    pub(super) fn write(&self, folder: &Path) -> std::io::Result<()> {
        for (path, text) in self.files {
            let path = folder.join(path);
            if let Some(above) = path.parent() {
                std::fs::create_dir_all(above)?;
            }
            std::fs::write(path, text)?;
        }
        let rehearsal = folder.join(REHEARSAL);
        std::fs::create_dir_all(&rehearsal)?;
        for key in Key::ALL {
            if let Some(text) = self.script(key, Builder::Honest) {
                std::fs::write(rehearsal.join(format!("{}.toml", key.name())), text)?;
            }
        }
        let agent = format!(
            "\n# The agent of the demonstration: a script for each call.\n[agents.rehearsed]\nkind = \"script\"\n\
             command = [{}]\n\n[roles]\ndefault = \"rehearsed\"\n",
            serde_json::Value::from(rehearsal.to_string_lossy().as_ref())
        );
        let text = format!("{}{agent}", self.configuration);
        std::fs::write(folder.join(sealwright_config::FILE_NAME), text)
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
            Key::Scout | Key::Audit | Key::Adjudicate | Key::Refute | Key::Inspect => None,
        }
    }
}

/// The folder with the scripts of the honest builder, for whoever wants to play on.
pub(super) const REHEARSAL: &str = "rehearsal";

pub(super) const WANTED: &str = "a day of parking never costs more than 2000 cents";

/// The languages it can be shown in, the quickest first.
const PROJECTS: &[&Project] = &[&PYTHON, &RUST];

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
    use sealwright_agents::adapters::script::Script;
    use sealwright_config::Config;

    use super::*;

    #[test]
    fn what_is_left_behind_is_a_configuration_with_its_scripts() {
        for project in PROJECTS {
            let folder = tempfile::tempdir().unwrap();
            project.write(folder.path()).unwrap();
            let config = Config::load(folder.path().join("sealwright.toml")).unwrap();
            assert!(config.agents().any(|agent| agent.name == "rehearsed"));
            assert!(folder.path().join(REHEARSAL).join("edit.toml").is_file());
        }
    }

    #[test]
    fn every_part_is_a_script() {
        for project in PROJECTS {
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
        for project in PROJECTS {
            let config = sealwright_config::Config::parse(project.configuration).unwrap();
            assert_eq!(config.checks().len(), 1);
        }
    }
}
