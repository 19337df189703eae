//! The conversation of one role, kept between its calls: the one file in which its program stores it, and whose it is.
//!
//! ```text
//! home of a call ──keep──▶ a file of ours ──text──▶ home of the next call
//! ```
//!
//! The role could write to that file, so it is hostile: it is found without following a link, bounded, rid of what its
//! program would take for settings, and given to the same role in the same program, and to nobody else.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read as _, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;

use sealwright_kernel::Digest;
use sealwright_sandbox::view;
use serde::{Deserialize, Serialize};

use crate::{Assignment, Usage};

/// Where a program stores a conversation in its home, and how it is read.
#[derive(Clone, Copy)]
pub struct Storage {
    /// The folder of all its conversations.
    pub folder: &'static str,
    /// The folders between that and a conversation.
    pub depth: usize,
    /// Whether a file of this name is the conversation of that name.
    pub is_of: fn(&str, &str) -> bool,
    /// A line as it is kept: without what would be a setting.
    pub line: fn(&str) -> Option<String>,
    /// What the calls of the conversation used, where the program counts on from there.
    pub used: fn(&str) -> Usage,
}

/// Whose a conversation is. It is nobody else's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Whose {
    /// The agent, as the configuration names it.
    agent: String,
    program: String,
    model: String,
    role: String,
    /// The address of the model, and how it is asked there.
    endpoint: String,
    /// The form of the answer: a model's owner caches it before anything that is said.
    form: Digest,
}

/// A conversation that was kept.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Kept {
    whose: Whose,
    /// The name that the program has for it.
    pub(crate) session: String,
    /// Where it is in the home.
    pub(crate) path: String,
    pub(crate) text: String,
}

impl Whose {
    pub(crate) fn of(agent: &str, program: &str, assignment: &Assignment) -> Self {
        let endpoint = &assignment.endpoint;
        let way = if endpoint.key.login().is_some() { "login" } else { "key" };
        Self {
            agent: agent.to_owned(),
            program: program.to_owned(),
            model: assignment.model.clone(),
            role: assignment.role.name().to_owned(),
            endpoint: format!("{} {:?} {way}", endpoint.base, endpoint.protocol),
            form: Digest::of(assignment.schema.value().to_string().as_bytes()),
        }
    }
}

impl Kept {
    /// The conversation in this file, if it is theirs.
    pub(crate) fn of(file: &Path, whose: &Whose) -> Option<Self> {
        let mut bytes = Vec::new();
        File::open(file).ok()?.take(FILE_BYTES_MAX).read_to_end(&mut bytes).ok()?;
        let kept: Self = serde_json::from_slice(&bytes).ok()?;
        (kept.whose == *whose && is_name(&kept.session)).then_some(kept)
    }

    /// The conversation of this name, as its program left it in a home. Nothing if none can be kept.
    pub(crate) fn left(
        whose: Whose,
        storage: &Storage,
        session: String,
        home: &Path,
    ) -> Option<Self> {
        let is_it = |name: &str| is_name(&session) && (storage.is_of)(name, &session);
        let found = view::find_file(home, storage.folder, storage.depth, &is_it, BYTES_MAX);
        let (path, bytes) = found.ok().flatten()?;
        let text = String::from_utf8(bytes).ok()?;
        let mut plain = String::with_capacity(text.len());
        for line in text.lines() {
            plain.push_str(&(storage.line)(line)?);
            plain.push('\n');
        }
        Some(Self { whose, session, path, text: plain })
    }

    /// Keeps it in `file`, for its owner alone.
    pub(crate) fn keep(&self, file: &Path) -> io::Result<()> {
        if let Some(folder) = file.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        let new = file.with_extension("new");
        forget(&new);
        let written = File::options().write(true).create_new(true).mode(0o600).open(&new);
        let written = written.and_then(|mut it| {
            it.write_all(&serde_json::to_vec(self).map_err(io::Error::other)?)?;
            fs::rename(&new, file)
        });
        written.inspect_err(|_| forget(&new))
    }

    /// What it holds, by its content.
    pub(crate) fn digest(&self) -> Digest {
        Digest::of(self.text.as_bytes())
    }
}

/// Without its file a role begins anew, and one that cannot be removed is held against whose it is.
pub(crate) fn forget(file: &Path) {
    let _ = fs::remove_file(file);
}

/// Whether this is a name as programs give it, a UUID: it becomes a word of a command line.
pub(crate) fn is_name(session: &str) -> bool {
    let parts: Vec<usize> = session.split('-').map(str::len).collect();
    parts == [8, 4, 4, 4, 12] && session.bytes().all(|it| it == b'-' || it.is_ascii_hexdigit())
}

/// A longer conversation is begun anew.
const BYTES_MAX: u64 = 16 << 20;
/// The same as a JSON string, which can be twice as long and more.
const FILE_BYTES_MAX: u64 = 64 << 20;

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    const NAME: &str = "01a1f528-6668-7410-9c66-724a3b5a292c";
    const STORAGE: Storage = Storage {
        folder: ".codex/sessions",
        depth: 1,
        is_of: |file, name| file.contains(name),
        line: |line| (!line.contains("refused")).then(|| line.replace("setting", "")),
        used: |_| Usage { input: 0, cached: 0, cache_written: 0, output: 0 },
    };

    fn whose(role: &str) -> Whose {
        let [agent, program, model, endpoint] = ["main", "codex", "m", "e"].map(str::to_owned);
        Whose { agent, program, model, role: role.to_owned(), endpoint, form: Digest::of(b"f") }
    }

    fn left(home: &Path, text: &str) -> Option<Kept> {
        fs::create_dir_all(home.join(".codex/sessions/2026")).unwrap();
        fs::write(home.join(format!(".codex/sessions/2026/rollout-{NAME}.jsonl")), text).unwrap();
        Kept::left(whose("builder"), &STORAGE, NAME.to_owned(), home)
    }

    #[test]
    fn a_conversation_is_kept_without_settings_and_for_its_owner() {
        let place = tempfile::tempdir().unwrap();
        let kept = left(&place.path().join("home"), "said\na setting\n").unwrap();
        assert_eq!(kept.text, "said\na \n");
        assert_eq!(kept.path, format!(".codex/sessions/2026/rollout-{NAME}.jsonl"));
        let file = place.path().join("conversations/T-1/build.json");
        kept.keep(&file).unwrap();
        assert_eq!(Kept::of(&file, &whose("builder")), Some(kept));
        let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        assert!(!file.with_extension("new").exists());
    }

    #[test]
    fn what_cannot_be_plain_is_not_kept() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(left(place.path(), "said\nrefused\n"), None);
        assert!(left(place.path(), "said\n").is_some());
        let other = "00000000-0000-0000-0000-000000000000".to_owned();
        assert_eq!(Kept::left(whose("builder"), &STORAGE, other, place.path()), None);
    }

    #[test]
    fn a_conversation_belongs_to_one_role_of_one_agent_and_model() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("build.json");
        left(&place.path().join("home"), "said").unwrap().keep(&file).unwrap();
        let own = whose("builder");
        assert!(Kept::of(&file, &own).is_some());
        let other = |change: fn(&mut Whose)| {
            let mut other = own.clone();
            change(&mut other);
            Kept::of(&file, &other)
        };
        assert_eq!(other(|it| it.agent.push('x')), None);
        assert_eq!(other(|it| it.program.push('x')), None);
        assert_eq!(other(|it| it.model.push('x')), None);
        assert_eq!(other(|it| it.role.push('x')), None);
        assert_eq!(other(|it| it.endpoint.push('x')), None);
        assert_eq!(other(|it| it.form = Digest::of(b"another")), None);
    }

    #[test]
    fn a_name_is_no_option_and_no_path() {
        assert!(is_name(NAME));
        for name in ["", "--last", "../a", "a/b", "a b", "not-a-uuid", &NAME.replace('0', "g")] {
            assert!(!is_name(name), "{name:?}");
        }
    }
}
