//! The repositories: where they are, what their tests need, and how they are made ready.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;

use anyhow::{Context as _, Result};

use crate::prove::Size;
use crate::workspace::{output_of, root, scratch, succeed};

/// A repository that other people wrote.
pub(in crate::prove) struct Repository {
    pub(in crate::prove) name: &'static str,
    /// The packages that its tests need, for a Python project.
    packages: Option<&'static [&'static str]>,
    /// Whether its tests and what they need are ready within a minute.
    pub(in crate::prove) is_small: bool,
}

/// A repository with everything that its tests need.
pub(in crate::prove) struct Ready {
    pub(in crate::prove) name: &'static str,
    pub(in crate::prove) folder: PathBuf,
    /// The virtual environment of a Python project.
    pub(in crate::prove) python: Option<PathBuf>,
    program: PathBuf,
    state: PathBuf,
}

pub(in crate::prove) const REPOSITORIES: [Repository; 12] = [
    python("click", &["pytest"], false),
    python(
        "requests",
        &["pytest", "pytest-httpbin", "httpbin", "trustme", "PySocks", "pytest-mock"],
        false,
    ),
    python("attrs", &["pytest", "hypothesis", "cloudpickle", "pympler"], false),
    python("more-itertools", &["pytest"], false),
    python("itsdangerous", &["pytest", "freezegun"], true),
    python(
        "httpx",
        &[
            "pytest",
            "trio",
            "trustme",
            "uvicorn",
            "chardet",
            "brotli",
            "zstandard",
            "h2",
            "socksio",
            "click",
            "rich",
            "pygments",
        ],
        false,
    ),
    rust("fd", false),
    rust("hexyl", false),
    rust("anyhow", false),
    rust("semver", false),
    rust("bytes", false),
    rust("either", true),
];

const fn python(
    name: &'static str,
    packages: &'static [&'static str],
    is_small: bool,
) -> Repository {
    Repository { name, packages: Some(packages), is_small }
}

const fn rust(name: &'static str, is_small: bool) -> Repository {
    Repository { name, packages: None, is_small }
}

/// Where the repositories are kept.
pub(in crate::prove) fn folder() -> PathBuf {
    root().join("../shared/data/repos")
}

impl Repository {
    pub(in crate::prove) fn is_python(&self) -> bool {
        self.packages.is_some()
    }

    /// A fresh clone, with what its tests need. Packages are installed once.
    pub(in crate::prove) fn ready(&self, size: Size) -> Result<Ready> {
        let place = scratch("reality");
        let (bare, folder) = (place.join("bare"), place.join(self.name));
        std::fs::create_dir_all(&bare)?;
        let archive = folder_of(self.name);
        let unpack = ["-xf", &archive.display().to_string(), "-C", &bare.display().to_string()];
        succeed(Command::new("tar").args(unpack), "a repository could not be unpacked")?;
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        let bare = bare.join(format!("{}.git", self.name));
        git(&place, &["clone", "--quiet", &bare.display().to_string(), self.name])?;
        git(&folder, &["config", "user.name", "Ada"])?;
        git(&folder, &["config", "user.email", "ada@example.org"])?;
        let python = match self.packages {
            Some(packages) => Some(self.installed(&place, &folder, packages)?),
            None => {
                fetch(&folder)?;
                None
            }
        };
        let program = program(size)?;
        Ok(Ready { name: self.name, folder, python, program, state: place.join("state") })
    }

    /// The virtual environment of the project, with the project itself, as its developers have it.
    fn installed(&self, place: &Path, folder: &Path, packages: &[&str]) -> Result<PathBuf> {
        let folder = folder.display().to_string();
        let words = [&["--editable", &folder], packages].concat();
        environment(place, &format!("{}-python", self.name), &words)
    }
}

/// The repository of this name, ready to work in.
pub(in crate::prove) fn ready(name: &str, size: Size) -> Result<Ready> {
    REPOSITORIES.iter().find(|it| it.name == name).context("no such name")?.ready(size)
}

/// A virtual environment with these packages, made once.
fn environment(place: &Path, name: &str, packages: &[&str]) -> Result<PathBuf> {
    let python = place.join(name);
    let is_whole = python.join("whole-2");
    if !is_whole.is_file() {
        let made = python.display().to_string();
        let mut make = Command::new("python3");
        succeed(make.args(["-m", "venv", "--clear", &made]), "no virtual environment")?;
        let mut install = Command::new(python.join("bin/pip"));
        install.args(["install", "--quiet", "--disable-pip-version-check"]);
        install.args(packages).stdout(Stdio::null());
        succeed(&mut install, "packages could not be installed")?;
        std::fs::write(is_whole, "")?;
    }
    Ok(python)
}

fn folder_of(name: &str) -> PathBuf {
    folder().join(format!("{name}.tar"))
}

/// Makes what all of them share, so that two of them can begin at once.
pub(super) fn prepare(size: Size) -> Result<()> {
    tools()?;
    program(size).map(drop)
}

/// What lists mutants is no package of a project: it may itself need the project.
fn tools() -> Result<PathBuf> {
    environment(&scratch("reality"), "tools-python", &["cosmic-ray"])
}

/// The program, built once: all of a proof is about the same one.
fn program(size: Size) -> Result<PathBuf> {
    static BUILT: OnceLock<PathBuf> = OnceLock::new();
    if let Some(program) = BUILT.get() {
        return Ok(program.clone());
    }
    let place = scratch("reality").join("program");
    std::fs::create_dir_all(&place)?;
    let copy = place.join("sealwright");
    // A copy: what is built meanwhile does not change it.
    std::fs::copy(size.build("sealwright", "sealwright")?, &copy)?;
    Ok(BUILT.get_or_init(|| copy).clone())
}

/// `cargo` of this machine in somebody's repository, which may ask for another toolchain: it would be installed, and what
/// is here replaced.
pub(in crate::prove) fn cargo(folder: &Path) -> Result<Command> {
    let mut ours = Command::new("rustc");
    let ours = output_of(ours.args(["--print", "sysroot"]).current_dir(root()))?;
    let mut cargo = Command::new("cargo");
    cargo.current_dir(folder).env("RUSTUP_TOOLCHAIN", ours.trim());
    Ok(cargo)
}

/// Fetches the packages that a Rust project needs now.
fn fetch(folder: &Path) -> Result<()> {
    succeed(cargo(folder)?.args(["fetch", "--quiet"]), "packages could not be fetched")?;
    // A lock that was made for this is not part of the repository.
    git(folder, &["clean", "--quiet", "-fdX", "Cargo.lock"])?;
    git(folder, &["clean", "--quiet", "-fd"])
}

impl Ready {
    /// Goes to another commit, with what that needs.
    pub(in crate::prove) fn check_out(&self, revision: &str) -> Result<()> {
        git(&self.folder, &["checkout", "--quiet", "-B", "work", revision])?;
        if self.python.is_none() { fetch(&self.folder) } else { Ok(()) }
    }

    /// What the last commits needed, each at its time.
    pub(in crate::prove) fn fetch_last(&self, count: usize) -> Result<()> {
        if self.python.is_some() {
            return Ok(());
        }
        git(&self.folder, &["branch", "--force", "newest"])?;
        for back in 1..=count {
            git(&self.folder, &["checkout", "--quiet", "--detach", &format!("newest~{back}")])?;
            fetch(&self.folder)?;
        }
        git(&self.folder, &["checkout", "--quiet", "newest"])
    }

    /// The report of its tests, as a developer runs them.
    pub(in crate::prove) fn pytest(&self, words: &[&str]) -> Result<Vec<u8>> {
        let report = scratch("reality").join("native.xml");
        let python = self.python.as_ref().context("no Python")?;
        let mut pytest = Command::new(python.join("bin/python3"));
        pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "junit_family=xunit2"]);
        pytest.arg("--junitxml").arg(&report).args(words).current_dir(&self.folder);
        pytest.stdout(Stdio::null()).stderr(Stdio::null()).stdin(Stdio::null()).status()?;
        Ok(std::fs::read(report)?)
    }

    /// A project that a proof made, with the Python of the tests.
    pub(in crate::prove) fn own(size: Size, folder: PathBuf) -> Result<Self> {
        let program = program(size)?;
        let python = std::env::var_os("SEALWRIGHT_PYTHON").map(PathBuf::from);
        Ok(Self { name: "own", folder, python, program, state: scratch("reality").join("state") })
    }

    /// `sealwright` with these words, as somebody who works on this repository starts it: what it prints, and how it ended.
    pub(in crate::prove) fn sealwright(&self, words: &[&str]) -> Result<(String, Option<i32>)> {
        let output = self.started(words)?;
        Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code()))
    }

    /// The same, with everything it says beside what it prints.
    pub(in crate::prove) fn everything(&self, words: &[&str]) -> Result<(String, Option<i32>)> {
        let output = self.started(words)?;
        let text = [output.stdout, output.stderr].concat();
        Ok((String::from_utf8_lossy(&text).into_owned(), output.status.code()))
    }

    fn started(&self, words: &[&str]) -> Result<Output> {
        let mut command = Command::new(&self.program);
        command.args(words).current_dir(&self.folder).env("SEALWRIGHT_STATE", &self.state);
        command.env("SEALWRIGHT_ALLOW", "/");
        command.env_remove("RUST_BACKTRACE").stdin(Stdio::null());
        if let Some(python) = &self.python {
            let path = std::env::var("PATH").unwrap_or_default();
            command.env("VIRTUAL_ENV", python);
            // An environment that is in use has its programs on the path.
            let (own, tools) = (python.join("bin"), tools()?.join("bin"));
            command.env("PATH", format!("{}:{}:{path}", tools.display(), own.display()));
        }
        command.output().context("the program could not be started")
    }
}

pub(in crate::prove) fn git(folder: &Path, words: &[&str]) -> Result<()> {
    succeed(Command::new("git").args(words).current_dir(folder), "git failed")
}
