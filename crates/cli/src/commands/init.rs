//! `sealwright init`: sets up a repository.
//!
//! It reads files and `PATH` and writes what is missing. Then it tries the checks that it wrote, in a sandbox.

use std::io;
use std::path::{Path, PathBuf};

use sealwright_config::Config;
use sealwright_store::disk::{Disk as _, RealDisk};
use sealwright_store::{FileJournal, Layout};
use sealwright_views::wire::{self, InitReport, TriedCheck};

use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::output::{Output, good, sanitize, say};

mod detect;
mod later;
mod next;
mod template;
mod trial;

use detect::Detected;
use later::Later;
use sealwright_gates::toolchain::SuggestedCheck;

/// Write `sealwright.toml` and `.sealwright` into the repository around the current folder, or the folder given with
/// --repository.
///
/// New checks are tried on the last commit, in a sandbox. Existing files are kept; agents that were installed since, and
/// folders with tests that no check runs, are added to `sealwright.toml`.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Print what would be written, and write nothing.
    #[arg(long)]
    dry_run: bool,

    /// Do not try the checks.
    #[arg(long)]
    no_try: bool,

    /// Also `preferences.md` and `docs/input`, which a version of a project begins with.
    #[arg(long)]
    project: bool,
}

pub(crate) fn run(args: &Args, named: Option<&Path>, output: &mut Output) -> CliResult {
    let here = folder(named)?;
    let top = here.ancestors().find(|folder| named.is_none() && folder.join(".git").exists());
    let folder = top.unwrap_or(&here);
    let detected = Detected::in_folder(folder, std::env::var_os("PATH").as_deref());
    let name = folder.file_name().and_then(|name| name.to_str());
    let configuration = template::configuration(name, &detected);
    // Check everything before the first write.
    let (written, kept) = plan(folder, if args.project { PROJECT } else { &[] })?;
    let is_new = written.iter().any(|file| file == Path::new(sealwright_config::FILE_NAME));
    let added = if is_new { Later::default() } else { Later::find(folder, &detected)? };
    if output.format == Format::Human && !is_in_git(folder) {
        say(
            "• this is no git repository: no check can be tried and nothing can be proven before `git init` and a commit",
        );
    }
    if !args.dry_run {
        write(folder, &written, &configuration)?;
        added.add(folder)?;
    }
    if folder != here {
        say(&format!("• the repository is {}", sanitize(&folder.display().to_string())));
    }
    let setup = Setup { written, kept, added, detected, dry_run: args.dry_run };
    if output.format == Format::Human {
        setup.tell(&configuration, output)?;
    }
    let is_tried = |name: &str| is_new || setup.added.checks.iter().any(|it| it.0 == name);
    let tried = if args.dry_run || args.no_try || !is_in_git(folder) {
        vec![]
    } else {
        trial::those(folder, &is_tried, output)?
    };
    if output.format == Format::Json {
        output.json(&setup.wire(tried.clone()))?;
    }
    if output.format == Format::Human && !args.dry_run {
        say(&format!("next: {}", next::step(folder, &tried)?));
    }
    Ok(())
}

/// Sets up the git repository around `named` or the current folder, prints what it wrote, and returns the folder.
pub(crate) fn around(named: Option<&Path>) -> CliResult<PathBuf> {
    let here = folder(named)?;
    let top = here.ancestors().find(|folder| folder.join(".git").exists());
    let Some(top) = top else { return Err(CliError::NoGit) };
    let detected = Detected::in_folder(top, std::env::var_os("PATH").as_deref());
    let name = top.file_name().and_then(|name| name.to_str());
    let (written, _) = plan(top, &[])?;
    write(top, &written, &template::configuration(name, &detected))?;
    let files: Vec<String> = written.iter().map(|file| file.display().to_string()).collect();
    say(&format!("• set up this repository; wrote {}", files.join(", ")));
    if written.iter().any(|file| file == Path::new(sealwright_config::FILE_NAME)) {
        detected.lines().iter().for_each(|line| say(line));
    }
    Ok(top.to_owned())
}

/// The configuration of a folder without one: what `init` would write, without the tests of languages that have a clean
/// room; `evaluate` finds those itself.
pub(crate) fn found(folder: &Path) -> CliResult<Config> {
    let mut detected = Detected::in_folder(folder, std::env::var_os("PATH").as_deref());
    let with_room = std::mem::take(&mut detected.with_room);
    detected.tests.retain(|name, _| !with_room.contains(name));
    Ok(Config::parse(&template::configuration(None, &detected))?)
}

#[derive(Debug)]
struct Setup {
    written: Vec<PathBuf>,
    kept: Vec<PathBuf>,
    /// What was added to an existing `sealwright.toml`.
    added: Later,
    detected: Detected,
    dry_run: bool,
}

impl Setup {
    fn wire(&self, tried: Vec<TriedCheck>) -> InitReport {
        let names = |files: &[PathBuf]| -> Vec<String> {
            files.iter().map(|file| file.display().to_string()).collect()
        };
        let Detected { languages, tests, agents, .. } = &self.detected;
        let command =
            |test: &SuggestedCheck| test.command.iter().map(|word| word.as_str().into()).collect();
        InitReport {
            written: names(&self.written),
            kept: names(&self.kept),
            added: self.added.agents.iter().map(|it| (*it).into()).collect(),
            added_checks: self.added.checks.iter().map(|(name, _)| name.clone()).collect(),
            tried,
            detected: wire::Detected {
                languages: languages.iter().map(|it| (*it).into()).collect(),
                checks: tests.iter().map(|(name, it)| (name.clone(), command(it))).collect(),
                kinds: tests.iter().map(|(name, it)| (name.clone(), it.kind.into())).collect(),
                agents: agents.iter().map(|it| (*it).into()).collect(),
            },
            dry_run: self.dry_run,
        }
    }

    fn tell(&self, configuration: &str, output: &mut Output) -> CliResult {
        let mark = if self.dry_run { "would write".to_owned() } else { good("✓") };
        for file in &self.written {
            output.line(&format!("{mark} {}", file.display()))?;
        }
        for file in &self.kept {
            output.line(&format!("· {} exists", file.display()))?;
        }
        for (name, check) in &self.added.checks {
            let (file, command) = (sealwright_config::FILE_NAME, check.command.join(" "));
            output.line(&format!("{mark} check {name} in {file}: `{command}`"))?;
        }
        for agent in &self.added.agents {
            output.line(&format!("{mark} agent {agent} in {}", sealwright_config::FILE_NAME))?;
        }
        if !self.written.iter().any(|file| file == Path::new(sealwright_config::FILE_NAME)) {
            return Ok(());
        }
        if self.dry_run {
            output.line("")?;
            for line in configuration.lines() {
                output.line(&sanitize(line))?;
            }
        }
        self.detected.lines().iter().for_each(|line| say(line));
        Ok(())
    }
}

fn folder(named: Option<&Path>) -> CliResult<PathBuf> {
    let Some(named) = named else {
        return std::env::current_dir().map_err(CliError::Nowhere);
    };
    let failed = |source| CliError::NoFolder { place: named.display().to_string(), source };
    let folder = named.canonicalize().map_err(failed)?;
    if folder.is_dir() { Ok(folder) } else { Err(failed(io::ErrorKind::NotADirectory.into())) }
}

/// The missing files and the existing ones; fails if something is in the way.
fn plan(folder: &Path, more: &[(&str, &str)]) -> CliResult<(Vec<PathBuf>, Vec<PathBuf>)> {
    let sealwright = Path::new(SEALWRIGHT);
    if !matches!(standing(folder, sealwright)?, Standing::Folder | Standing::Nothing) {
        return Err(CliError::InTheWay { file: SEALWRIGHT.to_owned() });
    }
    let first = Layout::new(sealwright).first_files().map(|(file, _)| file);
    let (mut missing, mut kept) = (Vec::new(), Vec::new());
    let more = more.iter().map(|(file, _)| PathBuf::from(file));
    for file in [PathBuf::from(sealwright_config::FILE_NAME)].into_iter().chain(first).chain(more) {
        for above in file.ancestors().skip(1).filter(|it| !it.as_os_str().is_empty()) {
            // Nothing is written through a link.
            standing(folder, above)?;
        }
        match standing(folder, &file)? {
            Standing::Nothing => missing.push(file),
            Standing::File => kept.push(file),
            Standing::Folder | Standing::Other => {
                return Err(CliError::InTheWay { file: file.display().to_string() });
            }
        }
    }
    Ok((missing, kept))
}

enum Standing {
    Nothing,
    File,
    Folder,
    Other,
}

fn standing(folder: &Path, file: &Path) -> CliResult<Standing> {
    let name = || file.display().to_string();
    match std::fs::symlink_metadata(folder.join(file)) {
        Ok(meta) if meta.is_symlink() => Err(CliError::Link { file: name() }),
        Ok(meta) if meta.is_dir() => Ok(Standing::Folder),
        Ok(meta) if meta.is_file() => Ok(Standing::File),
        Ok(_) => Ok(Standing::Other),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Standing::Nothing),
        Err(source) => Err(CliError::NotWritten { file: name(), source }),
    }
}

fn write(folder: &Path, missing: &[PathBuf], configuration: &str) -> CliResult {
    if missing.iter().any(|file| file == Path::new(sealwright_config::FILE_NAME)) {
        let failed =
            |source| CliError::NotWritten { file: sealwright_config::FILE_NAME.to_owned(), source };
        let path = folder.join(sealwright_config::FILE_NAME);
        RealDisk::new(folder).replace(&path, configuration.as_bytes()).map_err(failed)?;
    }
    for (file, text) in
        PROJECT.iter().filter(|(file, _)| missing.iter().any(|it| it == Path::new(file)))
    {
        let failed = |source| CliError::NotWritten { file: (*file).to_owned(), source };
        let path = folder.join(file);
        std::fs::create_dir_all(path.parent().unwrap_or(folder)).map_err(failed)?;
        RealDisk::new(folder).replace(&path, text.as_bytes()).map_err(failed)?;
    }
    FileJournal::create(folder.join(SEALWRIGHT))?;
    Ok(())
}

/// Whether the folder or one above has a `.git`, which is a file in a work tree.
/// Whether a folder is in a git repository.
pub(crate) fn is_in_git(folder: &Path) -> bool {
    folder.ancestors().any(|folder| folder.join(".git").exists())
}

const SEALWRIGHT: &str = ".sealwright";
/// What a project begins with.
const PROJECT: &[(&str, &str)] = &[
    ("preferences.md", include_str!("init/project/preferences.md")),
    ("docs/input/README.md", include_str!("init/project/inputs.md")),
];
