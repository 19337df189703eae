//! The logins that a person lets be used, and what is known of their usage windows.
//!
//! ```text
//! sealwright login codex ──▶ logins/allowed.json ──▶ agent setup ──▶ Endpoint { key: Login }
//! answers of the maker ────▶ logins/windows.json ──▶ sealwright login
//! ```
//!
//! Both files are in the person's own state folder, outside of every repository, and hold no secret: which program, how
//! its login is used, and where its file is. A login is for one person: it is refused where another user could use it.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sealwright_agents::login::{Login, LoginError, LoginKind, LoginWay, UsageWindow};
use sealwright_host::{Clock as _, SystemClock};
use sealwright_kernel::TaskId;
use sealwright_store::Layout;
use serde::{Deserialize, Serialize};

use crate::confined::state_folder;
use crate::own_file::{self, OwnFileError};

/// What a person allowed.
#[derive(Clone, Debug, Default)]
pub struct Logins {
    allowed: BTreeMap<LoginKind, Allowed>,
}

/// How the login of one program is used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Allowed {
    way: LoginWay,
    file: PathBuf,
    /// An address of this machine that stands for the maker's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    base_url: Option<String>,
}

/// What the maker last said of the windows of a login.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenWindows {
    pub at_ms: u64,
    pub windows: Vec<UsageWindow>,
}

#[derive(Debug, thiserror::Error)]
pub enum LoginsError {
    /// Somebody else could have written what is allowed.
    #[error("`{}` is no file of yours alone", .path.display())]
    Unsafe { path: PathBuf },
    #[error("cannot read or write `{}`", .path.display())]
    Record { path: PathBuf, source: io::Error },
    /// The file was changed by hand, or written by a newer version.
    #[error("`{}` says nothing that this version understands", .path.display())]
    Form { path: PathBuf },
    /// Neither a home nor a folder of the program is known.
    #[error("no folder is known in which {kind} keeps its login")]
    NoFolder { kind: &'static str },
    /// A login is for its maker. Only an address of this machine may stand in its place.
    #[error("a login is not sent to `{base}`")]
    Elsewhere { base: String },
    /// Another user owns what a login would be used for.
    #[error("`{}` belongs to another user, and a login is for one person", .path.display())]
    Shared { path: PathBuf },
    /// It was started with the rights of another user.
    #[error("this program acts for another user than the one who started it")]
    ForAnother,
    #[error(transparent)]
    Login(#[from] LoginError),
}

impl LoginsError {
    pub fn hint(&self) -> String {
        match self {
            Self::Unsafe { .. } => "remove it, then `sealwright login NAME`".to_owned(),
            Self::Record { .. } => "see that the folder is yours and the disk has room".to_owned(),
            Self::Form { .. } => "remove it, then `sealwright login NAME`".to_owned(),
            Self::NoFolder { .. } => {
                "set HOME, or the folder of the program to a path from the root".to_owned()
            }
            Self::Elsewhere { .. } => {
                "leave --base-url out, or name an address such as http://127.0.0.1:8080".to_owned()
            }
            Self::Shared { .. } => {
                "work in a clone of your own, or set an API key, which can be shared".to_owned()
            }
            Self::ForAnother => "start it as the user whose login it is".to_owned(),
            Self::Login(error) => error.hint(),
        }
    }
}

impl From<OwnFileError> for LoginsError {
    fn from(error: OwnFileError) -> Self {
        match error {
            OwnFileError::Unsafe { path } => Self::Unsafe { path },
            OwnFileError::Io { path, source } => Self::Record { path, source },
        }
    }
}

impl Logins {
    /// What this user allowed.
    pub fn open() -> Result<Self, LoginsError> {
        let path = allowed_file();
        let Some(text) = own_file::read(&path, BYTES_MAX)? else { return Ok(Self::default()) };
        let allowed: Result<BTreeMap<LoginKind, Allowed>, _> = serde_json::from_slice(&text);
        // An address that `allow` refuses was not written by it.
        let is_own = |it: &Allowed| it.base_url.as_deref().is_none_or(is_of_this_machine);
        let allowed = allowed.ok().filter(|it| it.values().all(is_own));
        Ok(Self { allowed: allowed.ok_or(LoginsError::Form { path })? })
    }

    /// The login of a program, if it was allowed. Whether it works is another question.
    pub fn login(&self, kind: LoginKind) -> Option<Login> {
        self.allowed.get(&kind).map(|allowed| login(kind, allowed))
    }

    /// Allows the login that the environment of this process leads to, once it works.
    pub fn allow(
        &mut self,
        kind: LoginKind,
        way: Option<LoginWay>,
        base: Option<&str>,
    ) -> Result<Login, LoginsError> {
        is_for_oneself()?;
        if let Some(base) = base.filter(|base| !is_of_this_machine(base)) {
            return Err(LoginsError::Elsewhere { base: base.to_owned() });
        }
        let file = file(kind).ok_or(LoginsError::NoFolder { kind: kind.name() })?;
        let base_url = base.map(str::to_owned);
        let way = way.unwrap_or(kind.default_way());
        let allowed = Allowed { way, file, base_url };
        let login = login(kind, &allowed);
        login.check()?;
        self.allowed.insert(kind, allowed);
        self.write()?;
        Ok(login)
    }

    /// Takes it back. Says whether it was allowed.
    pub fn forget(&mut self, kind: LoginKind) -> Result<bool, LoginsError> {
        let was_allowed = self.allowed.remove(&kind).is_some();
        if was_allowed {
            self.write()?;
        }
        Ok(was_allowed)
    }

    fn write(&self) -> Result<(), LoginsError> {
        let path = allowed_file();
        let text = serde_json::to_vec_pretty(&self.allowed)
            .map_err(|error| LoginsError::Record { path: path.clone(), source: error.into() })?;
        Ok(own_file::write(&path, &text)?)
    }
}

/// Where a program keeps its login, by the environment of this process.
pub fn file(kind: LoginKind) -> Option<PathBuf> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let file = kind.file(std::env::home_dir().as_deref(), &variable)?;
    // By its one true name: a folder that is a link could lead elsewhere tomorrow.
    let folder = file.parent().and_then(|folder| folder.canonicalize().ok());
    Some(match (folder, file.file_name()) {
        (Some(folder), Some(name)) => folder.join(name),
        (_, _) => file,
    })
}

/// Refuses a login for a repository whose records another user owns.
pub fn check_repository(root: &Path) -> Result<(), LoginsError> {
    is_for_oneself()?;
    let records = root.join(sealwright_repo::git::objects::RECORDS);
    [records, state_folder()].iter().try_for_each(|path| check_owner(path, own_file::user()))
}

/// Refuses a login for a task that another user began or went on with.
pub fn check_task(layout: &Layout, task: &TaskId) -> Result<(), LoginsError> {
    let (folder, user) = (layout.stream(task.stream()), own_file::user());
    check_owner(&folder, user)?;
    let Ok(entries) = std::fs::read_dir(&folder) else { return Ok(()) };
    entries.flatten().take(FILES_MAX).try_for_each(|entry| check_owner(&entry.path(), user))
}

/// Keeps what the maker last said. It is a convenience: a failure is no error.
pub(crate) fn note_windows(kind: LoginKind, windows: &[UsageWindow]) {
    if windows.is_empty() {
        return;
    }
    let at_ms = SystemClock.now().as_millis();
    let mut all = seen_windows();
    all.insert(kind, SeenWindows { at_ms, windows: windows.to_vec() });
    if let Ok(text) = serde_json::to_vec_pretty(&all) {
        let _ = own_file::write(&folder().join("windows.json"), &text);
    }
}

/// What the makers last said of their windows.
pub fn seen_windows() -> BTreeMap<LoginKind, SeenWindows> {
    let text = own_file::read(&folder().join("windows.json"), BYTES_MAX).ok().flatten();
    text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}

fn login(kind: LoginKind, allowed: &Allowed) -> Login {
    let base = allowed.base_url.as_deref().unwrap_or(kind.base()).trim_end_matches('/').to_owned();
    // Another address stands for all of its maker's.
    let named = allowed.base_url.as_ref().map(|_| base.as_str());
    let account_base = kind.account_base().map(|own| named.unwrap_or(own).to_owned());
    let (way, file, user) = (allowed.way, allowed.file.clone(), own_file::user());
    Login { kind, way, file, base, account_base, user }
}

fn check_owner(path: &Path, user: u32) -> Result<(), LoginsError> {
    match path.symlink_metadata() {
        Ok(about) if about.uid() == user => Ok(()),
        Ok(_) => Err(LoginsError::Shared { path: path.to_owned() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(source) => Err(LoginsError::Record { path: path.to_owned(), source }),
    }
}

fn is_for_oneself() -> Result<(), LoginsError> {
    if rustix::process::getuid().as_raw() == own_file::user() {
        Ok(())
    } else {
        Err(LoginsError::ForAnother)
    }
}

/// Whether this is a plain address of the loopback of this machine.
fn is_of_this_machine(base: &str) -> bool {
    let Some(base) = sealwright_config::plain_address(base) else { return false };
    let authority = base.strip_prefix("http://").and_then(|rest| rest.split('/').next());
    let address = authority.and_then(|text| text.parse::<std::net::SocketAddr>().ok());
    address.is_some_and(|address| address.ip().is_loopback())
}

fn allowed_file() -> PathBuf {
    folder().join("allowed.json")
}

fn folder() -> PathBuf {
    state_folder().join("logins")
}

const BYTES_MAX: u64 = 64 << 10;
/// Segments of a task that are looked at.
const FILES_MAX: usize = 10_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_loopback_may_stand_for_a_maker() {
        for good in ["http://127.0.0.1:8080", "http://127.0.0.1:8080/codex", "http://[::1]:9"] {
            assert!(is_of_this_machine(good), "{good}");
        }
        for bad in [
            "https://chatgpt.com",
            "http://localhost:8080",
            "http://127.0.0.1",
            "http://10.0.0.1:80",
            "http://ann@127.0.0.1:80",
            "http://127.0.0.1:80@evil.example",
            "ftp://127.0.0.1:80",
            "",
        ] {
            assert!(!is_of_this_machine(bad), "{bad}");
        }
    }

    #[test]
    fn what_another_user_owns_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        check_owner(folder.path(), own_file::user()).unwrap();
        check_owner(&folder.path().join("missing"), own_file::user()).unwrap();
        let shared = check_owner(folder.path(), own_file::user() + 1).unwrap_err();
        assert!(matches!(shared, LoginsError::Shared { .. }), "{shared:?}");
    }

    #[test]
    fn what_is_written_down_is_no_secret() {
        let file = PathBuf::from("/home/ann/.codex/auth.json");
        let allowed = Allowed { way: LoginWay::Host, file, base_url: None };
        let logins = Logins { allowed: [(LoginKind::Codex, allowed)].into() };
        let text = serde_json::to_string(&logins.allowed).unwrap();
        assert_eq!(text, r#"{"codex":{"way":"host","file":"/home/ann/.codex/auth.json"}}"#);
        let login = logins.login(LoginKind::Codex).unwrap();
        assert_eq!(login.base, "https://chatgpt.com/backend-api/codex");
        assert_eq!(logins.login(LoginKind::ClaudeCode), None);
    }
}
