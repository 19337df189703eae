//! What a person allowed a repository to name.
//!
//! ```text
//! sealwright.toml ─ personal settings ─┐
//! scripts, .sealwright/briefs ─ digests ┼─▶ Consent ──▶ each was allowed, or which were not
//! state folder ─ what a person allowed ─┘
//! ```
//!
//! The record is outside the repository, one file per folder, and holds values and digests: whatever changes has to be
//! allowed again. `SEALWRIGHT_ALLOW` names folders below which everything is allowed, for machines where nobody is
//! asked.

use std::collections::BTreeSet;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use sealwright_agents::Briefs;
use sealwright_config::{ActsOn, Config};
use sealwright_kernel::Digest;
use serde::{Deserialize, Serialize};

use crate::confined::state_folder;
use crate::own_file::{self, OwnFileError};

/// One thing that a repository names and a person allows.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Item {
    /// The setting as the file names it, or a file.
    pub name: String,
    /// Its value in one line, or the digest of the file.
    pub value: String,
}

/// What a repository names that needs a person, and where it is kept whether they allowed it.
#[derive(Debug)]
pub struct Consent {
    root: PathBuf,
    items: Vec<(ActsOn, Item)>,
    record: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum ConsentError {
    /// The repository names something that nobody allowed.
    #[error("nobody allowed what this repository names: {}", listed(items))]
    Missing { items: Vec<Item> },
    #[error("cannot read the script `{file}`")]
    Script { file: String, source: io::Error },
    /// Somebody else could have written it.
    #[error("`{}` is no file of yours alone", .path.display())]
    Unsafe { path: PathBuf },
    #[error("cannot read or write `{}`", .path.display())]
    Record { path: PathBuf, source: io::Error },
}

impl ConsentError {
    pub fn hint(&self) -> String {
        match self {
            Self::Missing { .. } => {
                "`sealwright allow --show` lists them with their values; `sealwright allow` allows exactly these".to_owned()
            }
            Self::Script { .. } => {
                "name a script, or a folder with nothing but scripts; links are not followed".to_owned()
            }
            Self::Unsafe { .. } => "remove it, then `sealwright allow`".to_owned(),
            Self::Record { .. } => "see that the folder is yours and the disk has room".to_owned(),
        }
    }
}

impl From<OwnFileError> for ConsentError {
    fn from(error: OwnFileError) -> Self {
        match error {
            OwnFileError::Unsafe { path } => Self::Unsafe { path },
            OwnFileError::Io { path, source } => Self::Record { path, source },
        }
    }
}

impl Consent {
    /// What the repository at `root` names.
    pub fn of(root: &Path, config: &Config, briefs: &Briefs) -> Result<Self, ConsentError> {
        let mut items = settings(root, config)?;
        let files = briefs.own().map(|(file, text)| Item {
            name: format!(".sealwright/briefs/{file}"),
            value: Digest::of(text.as_bytes()).to_string(),
        });
        items.extend(files.map(|item| (ActsOn::Agents, item)));
        Self::with(root, items)
    }

    /// The same without texts for roles, for commands that write none.
    pub fn of_settings(root: &Path, config: &Config) -> Result<Self, ConsentError> {
        Self::with(root, settings(root, config)?)
    }

    fn with(root: &Path, items: Vec<(ActsOn, Item)>) -> Result<Self, ConsentError> {
        // By its one true name: a link that leads elsewhere later is another folder then.
        let failed = |source| ConsentError::Record { path: root.to_owned(), source };
        let root = root.canonicalize().map_err(failed)?;
        let name = Digest::of(root.as_os_str().as_encoded_bytes());
        let record = state_folder().join(FOLDER).join(format!("{name}.json"));
        Ok(Self { root, items, record })
    }

    pub fn items(&self) -> impl Iterator<Item = &Item> {
        self.items.iter().map(|(_, item)| item)
    }

    /// Whether `SEALWRIGHT_ALLOW` names a folder that this repository is in.
    pub fn is_allowed_by_environment(&self) -> bool {
        let named = std::env::var_os(VARIABLE).unwrap_or_default();
        std::env::split_paths(&named)
            .filter(|folder| folder.is_absolute())
            .filter_map(|folder| folder.canonicalize().ok())
            .any(|folder| self.root.starts_with(folder))
    }

    /// What nobody allowed yet.
    pub fn missing(&self) -> Result<Vec<Item>, ConsentError> {
        if self.items.is_empty() || self.is_allowed_by_environment() {
            return Ok(Vec::new());
        }
        let allowed = self.allowed()?;
        Ok(self.items().filter(|item| !allowed.contains(item)).cloned().collect())
    }

    /// Refuses if nobody allowed something of this kind.
    pub fn require(mut self, acts_on: ActsOn) -> Result<(), ConsentError> {
        // What acts on sandboxes acts on those of agents as well.
        self.items.retain(|(of, _)| acts_on == ActsOn::Agents || *of == acts_on);
        match self.missing()? {
            items if items.is_empty() => Ok(()),
            items => Err(ConsentError::Missing { items }),
        }
    }

    /// Keeps that a person allowed exactly this, and nothing else any more.
    pub fn allow(&self) -> Result<(), ConsentError> {
        if self.items.is_empty() {
            return Self::revoke(&self.root).map(|_| ());
        }
        let failed = |source| ConsentError::Record { path: self.record.clone(), source };
        let record = Record {
            folder: self.root.to_string_lossy().into_owned(),
            items: self.items().cloned().collect(),
        };
        let text = serde_json::to_vec_pretty(&record).map_err(|error| failed(error.into()))?;
        Ok(own_file::write(&self.record, &text)?)
    }

    /// Forgets what was allowed in a folder. Says whether there was something.
    pub fn revoke(root: &Path) -> Result<bool, ConsentError> {
        let Self { record, .. } = Self::with(root, Vec::new())?;
        match std::fs::remove_file(&record) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(source) => Err(ConsentError::Record { path: record, source }),
        }
    }

    fn allowed(&self) -> Result<BTreeSet<Item>, ConsentError> {
        let Some(text) = own_file::read(&self.record, RECORD_BYTES_MAX)? else {
            return Ok(BTreeSet::new());
        };
        // A record that cannot be read allows nothing.
        let record = serde_json::from_slice::<Record>(&text).ok();
        let record = record.filter(|record| record.folder == self.root.to_string_lossy());
        Ok(record.map(|record| record.items.into_iter().collect()).unwrap_or_default())
    }
}

#[derive(Serialize, Deserialize)]
struct Record {
    /// What it is for.
    folder: String,
    items: Vec<Item>,
}

fn settings(root: &Path, config: &Config) -> Result<Vec<(ActsOn, Item)>, ConsentError> {
    let mut items = Vec::new();
    for setting in config.personal() {
        items.push((setting.acts_on, Item { name: setting.name, value: setting.value }));
        let Some(file) = setting.script else { continue };
        let mut texts = Vec::new();
        let read = collect(&root.join(&file), &file, 0, &mut texts);
        read.map_err(|source| ConsentError::Script { file, source })?;
        texts.sort();
        items.extend(
            texts
                .into_iter()
                .map(|(name, digest)| (setting.acts_on, Item { name, value: digest.to_string() })),
        );
    }
    Ok(items)
}

/// The scripts at `path`, each with its digest. What is not there plays nothing.
fn collect(
    path: &Path,
    shown: &str,
    depth: usize,
    texts: &mut Vec<(String, Digest)>,
) -> io::Result<()> {
    let about = match path.symlink_metadata() {
        Ok(about) => about,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(error),
    };
    if about.is_symlink() {
        // What it leads to could be another thing tomorrow.
        return Err(io::Error::new(io::ErrorKind::InvalidInput, format!("`{shown}` is a link")));
    }
    let too_much = |why: &str| io::Error::new(io::ErrorKind::FileTooLarge, why.to_owned());
    if about.is_dir() {
        if depth > DEPTH_MAX {
            return Err(too_much("folders that are too deep"));
        }
        for entry in std::fs::read_dir(path)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            collect(&entry.path(), &format!("{shown}/{name}"), depth + 1, texts)?;
        }
        return Ok(());
    }
    if about.len() > SCRIPT_BYTES_MAX {
        return Err(too_much(&format!("`{shown}` is too long")));
    }
    if texts.len() == SCRIPTS_MAX {
        return Err(too_much("there are too many files"));
    }
    // Anything else than a file is never played.
    if about.is_file() {
        let mut text = Vec::new();
        std::fs::File::open(path)?.take(SCRIPT_BYTES_MAX).read_to_end(&mut text)?;
        texts.push((shown.to_owned(), Digest::of(&text)));
    }
    Ok(())
}

fn listed(items: &[Item]) -> String {
    let shown: Vec<&str> = items.iter().take(SHOWN_MAX).map(|item| item.name.as_str()).collect();
    match items.len().checked_sub(SHOWN_MAX) {
        None | Some(0) => shown.join(", "),
        Some(more) => format!("{} and {more} more", shown.join(", ")),
    }
}

const FOLDER: &str = "allowed";
pub const VARIABLE: &str = "SEALWRIGHT_ALLOW";
const RECORD_BYTES_MAX: u64 = 16 << 20;
const SCRIPT_BYTES_MAX: u64 = 4 << 20;
const SCRIPTS_MAX: usize = 1024;
const DEPTH_MAX: usize = 4;
const SHOWN_MAX: usize = 5;
