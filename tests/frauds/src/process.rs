//! Processes without a sandbox, with a time limit and a minimal environment.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use anyhow::{Context as _, Result, ensure};

#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    pub folder: &'p Path,
    /// A private home.
    pub home: &'p Path,
    pub limit_s: u32,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// Its exit code; `None` after a signal, 124 after a timeout.
    pub code: Option<i32>,
    /// The end of its output.
    pub said: String,
}

impl Ran {
    pub fn is_well(&self) -> bool {
        self.code == Some(0)
    }

    pub fn ended(&self) -> String {
        match self.code {
            Some(TIMED_OUT) => "it took too long".to_owned(),
            Some(code) => format!("it exited with {code}"),
            None => "a signal ended it".to_owned(),
        }
    }
}

pub fn shell(place: Place<'_>, script: &str) -> Result<Ran> {
    let file = place.home.join("script.sh");
    fs::write(&file, script)?;
    run(place, &["/bin/sh", &file.to_string_lossy()])
}

/// Runs a command. Descendants in its process group end with its time limit.
pub fn run(place: Place<'_>, argv: &[&str]) -> Result<Ran> {
    let output = place.home.join("output");
    // A file, not a pipe: a process it leaves behind must not block us.
    let (out, err) = (File::create(&output)?, File::options().append(true).open(&output)?);
    #[expect(clippy::disallowed_methods, reason = "a naive loop runs things as they are")]
    let mut command = Command::new("timeout");
    command.arg("--kill-after=2").arg(place.limit_s.to_string()).args(argv);
    command.current_dir(place.folder).env_clear().envs(environment(place)?);
    command.stdin(Stdio::null()).stdout(out).stderr(err);
    let status = command.status().context("`timeout` of coreutils could not be started")?;
    Ok(Ran { code: status.code(), said: end_of(&output)? })
}

/// As on a developer's machine: local programs come first, and Python finds the project.
fn environment(place: Place<'_>) -> Result<Vec<(&'static str, String)>> {
    let home = place.home.to_string_lossy().into_owned();
    let path = std::env::var("PATH").context("there is no PATH")?;
    let site = site()?.display();
    let mut environment = vec![
        ("PATH", format!("{home}/.local/bin:{path}")),
        ("PYTHONPATH", format!("{}:{site}", place.folder.display())),
        ("CARGO_HOME", format!("{home}/.cargo")),
        ("CARGO_NET_OFFLINE", "true".to_owned()),
        ("CARGO_INCREMENTAL", "0".to_owned()),
        ("CARGO_PROFILE_DEV_DEBUG", "0".to_owned()),
        ("CARGO_TERM_COLOR", "never".to_owned()),
        ("GIT_CONFIG_GLOBAL", "/dev/null".to_owned()),
        ("GIT_CONFIG_NOSYSTEM", "1".to_owned()),
        ("LANG", "C.UTF-8".to_owned()),
        ("HOME", home),
    ];
    for (who, at) in
        [("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL"), ("GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL")]
    {
        environment.push((who, "somebody".to_owned()));
        environment.push((at, "somebody@example.com".to_owned()));
    }
    // The toolchain must not depend on the private home.
    let user = std::env::var("HOME").unwrap_or_default();
    let rustup = std::env::var("RUSTUP_HOME").unwrap_or_else(|_| format!("{user}/.rustup"));
    environment.push(("RUSTUP_HOME", rustup));
    if let Ok(pyenv) = std::env::var("PYENV_VERSION") {
        environment.push(("PYENV_VERSION", pyenv));
    }
    Ok(environment)
}

/// A folder with pytest, fetched once per machine.
pub fn site() -> Result<&'static Path> {
    static SITE: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let site = SITE.get_or_init(|| fetched().map_err(|error| format!("{error:#}")));
    site.as_deref().map_err(|why| anyhow::anyhow!("there is no pytest: {why}"))
}

fn fetched() -> Result<PathBuf> {
    let home = || std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).or_else(home);
    let cache = cache.context("there is no home")?.join("sealwright/tests");
    let site = cache.join("pytest-9");
    if site.exists() {
        return Ok(site);
    }
    fs::create_dir_all(&cache)?;
    let making = tempfile::tempdir_in(&cache)?;
    #[expect(clippy::disallowed_methods, reason = "pytest is fetched once per machine")]
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--target"]).arg(making.path().join("site"));
    let done = pip.arg("pytest>=9,<10").output().context("`python3` could not be started")?;
    ensure!(done.status.success(), "pip failed: {}", String::from_utf8_lossy(&done.stderr));
    // Another process may have been faster.
    if fs::rename(making.path().join("site"), &site).is_err() {
        ensure!(site.exists(), "pytest could not be put into its place");
    }
    Ok(site)
}

fn end_of(output: &Path) -> Result<String> {
    use std::io::{Read as _, Seek as _, SeekFrom};
    let mut file = File::open(output)?;
    let length = file.metadata()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(SAID_BYTES_MAX)))?;
    let mut said = Vec::new();
    file.take(SAID_BYTES_MAX).read_to_end(&mut said)?;
    Ok(String::from_utf8_lossy(&said).into_owned())
}

/// The exit code of `timeout`.
const TIMED_OUT: i32 = 124;
const SAID_BYTES_MAX: u64 = 64 << 10;
