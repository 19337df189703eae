//! Finding agents: which of the programs people have are on this machine, how new they are, whether there is a key or a
//! login for them that can be used, and what to do about what is missing.
//!
//! Files are looked at here; programs are asked through [`Machine::ask`], so that all of it can be tried without one.

mod asked;
mod version;

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

pub use asked::ask;
pub use version::Version;

/// An agent that can be driven, and what is known of it.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub kind: &'static str,
    pub programs: &'static [&'static str],
    /// The oldest one that is driven well.
    pub least: Version,
    /// Environment variables that may hold a key for it.
    pub variables: &'static [&'static str],
    /// What is said of its own login, where it cannot be used.
    pub own_login: &'static str,
    pub node: Node,
    pub package: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    Unneeded,
    /// It runs without, but an older one gets an old package.
    Wanted(u32),
    /// It does not run without this one or a newer one.
    Needed(u32),
}

pub struct Machine<'m> {
    /// Folders in which programs are looked for, in order.
    pub path: Vec<PathBuf>,
    pub home: Option<PathBuf>,
    /// Whether a variable is set, and not to nothing.
    pub is_set: &'m dyn Fn(&str) -> bool,
    /// Whether the login of a kind of agent can be used; nothing where no login of that kind ever can.
    pub login: &'m dyn Fn(&str) -> Option<OwnLogin>,
    /// What a program says of its version.
    pub ask: &'m dyn Fn(&Program) -> Result<String, String>,
}

/// The login of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum OwnLogin {
    /// Its person lets it be used, and this file can be.
    Works(PathBuf),
    /// Its person lets it be used, and it cannot be: why, and what to type.
    Unusable(String),
    /// Its person did not let it be used.
    NotAllowed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub path: PathBuf,
    /// The folder that holds it and no private files, with the program in `bin`.
    pub installed: Option<PathBuf>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Found {
    pub kind: &'static str,
    pub state: State,
    pub program: Option<PathBuf>,
    /// The folder that is shown to it when it runs.
    #[serde(skip)]
    pub installed: Option<PathBuf>,
    pub version: Option<Version>,
    pub access: Option<Access>,
    /// What to do, in sentences. Also for an agent that can be used there may be something.
    pub advice: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    Ready,
    /// Its program is not there.
    Missing,
    TooOld,
    /// It does not say its version, or does not start.
    Unclear,
    /// There is neither a key nor a login that can be used.
    NoAccess,
}

/// What lets an agent ask its model. Only its name is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "by")]
pub enum Access {
    /// An environment variable.
    Variable { name: String },
    /// The file of a login that its person lets be used.
    File { name: String },
}

/// Looks for one agent. `own` are variables that the configuration names for it.
pub fn find(known: &Known, own: &[String], machine: &Machine<'_>) -> Found {
    let program = known.programs.iter().find_map(|name| machine.program(name));
    let access = machine.access(known, own);
    let mut advice = Vec::new();
    let Some(program) = program else {
        advice.push(known.install());
        return Found {
            kind: known.kind,
            state: State::Missing,
            program: None,
            installed: None,
            version: None,
            access,
            advice,
        };
    };
    let said = (machine.ask)(&program);
    let version = said.as_deref().ok().and_then(Version::in_text);
    let state = match (version, &access) {
        (None, _) => {
            advice.push(match said {
                Err(why) => format!("run `{} --version` by hand: {why}", program.path.display()),
                Ok(_) => format!("`{} --version` names no version", program.path.display()),
            });
            State::Unclear
        }
        (Some(version), _) if version < known.least => {
            advice.push(format!("at least {} is needed: {}", known.least, known.install()));
            State::TooOld
        }
        (Some(_), None) => {
            advice.push(known.log_in((machine.login)(known.kind)));
            State::NoAccess
        }
        (Some(_), Some(_)) => State::Ready,
    };
    if program.installed.is_none() {
        advice.push(format!(
            "its folder holds more than this agent and is not shown to it: {}",
            known.install_apart()
        ));
    }
    advice.extend(machine.about_node(known.node));
    Found {
        kind: known.kind,
        state,
        program: Some(program.path),
        installed: program.installed,
        version,
        access,
        advice,
    }
}

impl Machine<'_> {
    fn program(&self, name: &str) -> Option<Program> {
        let is_program = |path: &PathBuf| {
            std::fs::metadata(path)
                .is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
        };
        // A relative folder would depend on the current folder.
        let places = self.path.iter().filter(|place| place.is_absolute());
        let path = places.map(|place| place.join(name)).find(is_program)?;
        let installed = self.installed(&path);
        Some(Program { path, installed })
    }

    /// The folder around `bin`, unless a person's own things are in it.
    fn installed(&self, program: &Path) -> Option<PathBuf> {
        let bin = program.parent().filter(|bin| bin.ends_with("bin"))?;
        let folder = bin.parent()?.canonicalize().ok()?;
        let home = self.home.as_ref().and_then(|home| home.canonicalize().ok());
        let holds_people = home.is_some_and(|home| {
            home.starts_with(&folder)
                || folder == home.join(".local")
                || folder == home.join(".config")
        });
        // All of it is what the program needs to run, and no less: links that lead elsewhere are dead inside.
        let stays = program.canonicalize().ok()?.starts_with(&folder);
        (!holds_people && folder.parent().is_some() && stays).then_some(folder)
    }

    fn access(&self, known: &Known, own: &[String]) -> Option<Access> {
        let variables = own.iter().map(String::as_str).chain(known.variables.iter().copied());
        let variable = variables.into_iter().find(|name| (self.is_set)(name));
        if let Some(name) = variable {
            return Some(Access::Variable { name: name.to_owned() });
        }
        match (self.login)(known.kind)? {
            OwnLogin::Works(file) => Some(Access::File { name: file.display().to_string() }),
            OwnLogin::Unusable(_) | OwnLogin::NotAllowed => None,
        }
    }

    fn about_node(&self, node: Node) -> Option<String> {
        let (least, verb) = match node {
            Node::Unneeded => return None,
            Node::Wanted(least) => (least, "is wanted to install a new one of it"),
            Node::Needed(least) => (least, "is needed to run it"),
        };
        let found = self.program("node").and_then(|node| (self.ask)(&node).ok());
        match found.as_deref().and_then(Version::in_text) {
            Some(version) if version.major >= least => None,
            Some(version) => Some(format!("node {least} {verb}, and this is {version}")),
            None => Some(format!("node {least} {verb}, and none was found")),
        }
    }
}

impl Known {
    pub fn of(kind: &str) -> Option<&'static Self> {
        ALL.iter().find(|known| known.kind == kind)
    }

    fn install(&self) -> String {
        format!("`npm install --global {}@latest`", self.package)
    }

    fn install_apart(&self) -> String {
        format!(
            "`npm install --global --prefix FOLDER {}@latest`, and name the folder in SEALWRIGHT_AGENTS",
            self.package
        )
    }

    fn log_in(&self, login: Option<OwnLogin>) -> String {
        let set = format!("set {}", self.variables.join(" or "));
        match login {
            Some(OwnLogin::Unusable(why)) => format!("{why}; or {set}"),
            Some(OwnLogin::NotAllowed) => {
                format!("{set}, or let its own login be used: `sealwright login {}`", self.kind)
            }
            Some(OwnLogin::Works(_)) | None => format!("{set}; {}", self.own_login),
        }
    }
}

pub const ALL: &[Known] = &[
    Known {
        kind: "claude-code",
        programs: &["claude"],
        least: Version { major: 2, minor: 1, patch: 300 },
        variables: &["ANTHROPIC_API_KEY"],
        own_login: NOT_USED,
        node: Node::Wanted(22),
        package: "@anthropic-ai/claude-code",
    },
    Known {
        kind: "codex",
        programs: &["codex"],
        least: Version { major: 0, minor: 160, patch: 0 },
        variables: &["OPENAI_API_KEY", "CODEX_API_KEY"],
        own_login: NOT_USED,
        node: Node::Wanted(16),
        package: "@openai/codex",
    },
    Known {
        kind: "gemini",
        programs: &["gemini"],
        least: Version { major: 0, minor: 60, patch: 0 },
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        own_login: "Google ended the consumer login of Gemini CLI in June 2026",
        node: Node::Needed(20),
        package: "@google/gemini-cli",
    },
    Known {
        kind: "opencode",
        programs: &["opencode"],
        least: Version { major: 1, minor: 18, patch: 0 },
        variables: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY"],
        own_login: NOT_USED,
        node: Node::Unneeded,
        package: "opencode-ai",
    },
    Known {
        kind: "goose",
        programs: &["goose", "goose-binary-linux-x64"],
        least: Version { major: 1, minor: 50, patch: 0 },
        variables: &["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GOOGLE_API_KEY", "OPENROUTER_API_KEY"],
        own_login: NOT_USED,
        node: Node::Unneeded,
        package: "@aaif/goose-binary-linux-x64",
    },
    Known {
        kind: "copilot",
        programs: &["copilot"],
        least: Version { major: 1, minor: 0, patch: 0 },
        variables: &["OPENAI_API_KEY"],
        own_login: NOT_USED,
        node: Node::Wanted(22),
        package: "@github/copilot",
    },
];

const NOT_USED: &str = "a login of the program itself is not used";

#[cfg(test)]
mod tests;
