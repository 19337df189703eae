//! Ordinary changes as tasks: what people do every day ships.
//!
//! `xtask/ordinary` has a file for each. Some are commits of the repositories, made again by scripted agents: what the
//! commit shows is tested first, in a new file, then all its files are written. `init` sets the project up, `do` makes the
//! change.

mod case;
mod scripts;
mod time;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use sealwright_frauds::queue;

use super::known::reasons;
use super::repositories::{self, REPOSITORIES, Ready, git};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{root, say, scratch};
use case::{Case, Files};

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    for entry in fs::read_dir(root().join(FOLDER))? {
        let path = entry?.path();
        let name = path.file_stem().and_then(|name| name.to_str()).context("a name")?.to_owned();
        if path.extension().is_some_and(|it| it == "toml") {
            names.push(name);
        }
    }
    // The commits of others last: they take longer.
    names.sort_by_key(|name| (name.starts_with("commit-"), name.clone()));
    if let Size::Quick(sample) = size {
        // Commits need their repository and what it needs; the others are ready at once.
        names.retain(|name| !name.starts_with("commit-"));
        names = sample.of(&names, 2);
    }
    let cases: Vec<(String, Case)> = names
        .into_iter()
        .map(|name| {
            let case = Case::read(&root().join(FOLDER).join(format!("{name}.toml")))?;
            Ok((name, case))
        })
        .collect::<Result<_>>()?;
    let known = reasons("change")?;
    repositories::prepare(size)?;
    // What is timed has the machine to itself.
    let (timed, others): (Vec<_>, Vec<_>) =
        cases.into_iter().partition(|(name, _)| TIMED.contains(&name.as_str()));
    let one = |(name, case): &(String, Case)| told(size, name, case, &known);
    let mut ended: Vec<Result<Ended>> = timed.iter().map(one).collect();
    ended.extend(queue::each(&others, one));
    let ended: Vec<Ended> = ended.into_iter().collect::<Result<_>>()?;
    let count = |is: &dyn Fn(&Ended) -> bool| ended.iter().filter(|it| is(it)).count();
    let (all, shipped) = (ended.len(), count(&|it| it.is_shipped));
    let (real, unexplained) = (count(&|it| it.is_of_others), count(&|it| it.is_unexplained));
    figures.hold(
        format!("{shipped} of {all} ordinary changes shipped, {real} of them commits of others"),
        shipped + 1 >= all && shipped > 0,
    );
    // An independent trial of the first release; its changes were the same kinds, and fewer.
    figures.tell("before, 15 of 33 ordinary changes of an outside trial shipped".to_owned());
    figures.hold(format!("{unexplained} did not, for no known reason"), unexplained == 0);
    Ok(())
}

/// What came of a change.
struct Ended {
    is_shipped: bool,
    is_of_others: bool,
    /// It did not ship, and nobody knows why.
    is_unexplained: bool,
}

/// Makes one change and prints what came of it.
fn told(
    size: Size,
    name: &str,
    case: &Case,
    known: &BTreeMap<(String, String), String>,
) -> Result<Ended> {
    let began = Instant::now();
    let (ended, at_work) = ship(size, name, case).with_context(|| name.to_owned())?;
    let took = began.elapsed();
    let (seconds, about) = (took.as_secs(), &case.about);
    let reason = known.get(&("ordinary".to_owned(), name.to_owned()));
    let is_timed = TIMED.contains(&name) && matches!(size, Size::Full);
    match &ended {
        None if is_timed => {
            let rest = took.saturating_sub(at_work).as_secs_f64();
            say(&format!(
                "  ✓ {name}, {seconds} s from a clone to the branch, {rest:.1} s of them neither calls nor checks: {about}"
            ));
        }
        None => say(&format!("  ✓ {name}, {seconds} s: {about}")),
        Some(why) => {
            let why = reason.unwrap_or(why);
            say(&format!("  ✗ {name}, {seconds} s: {about}\n{why}"));
        }
    }
    Ok(Ended {
        is_shipped: ended.is_none(),
        is_of_others: case.commit.is_some(),
        is_unexplained: ended.is_some() && reason.is_none(),
    })
}

/// Makes one change. If it does not ship, gives what was printed; else the time of its calls and checks.
fn ship(size: Size, name: &str, case: &Case) -> Result<(Option<String>, Duration)> {
    let place = scratch("reality").join("changes").join(name);
    if place.exists() {
        fs::remove_dir_all(&place)?;
    }
    fs::create_dir_all(&place)?;
    let project = match &case.commit {
        Some(commit) => {
            let mut known = REPOSITORIES.iter();
            let known = known.find(|it| it.name == commit.repository).context("no repository")?;
            let project = known.ready(size)?;
            project.check_out(&format!("{}^", commit.id))?;
            project
        }
        None => own(size, &place, case)?,
    };
    let files = case.files(&project.folder)?;
    let (told, _) = project.sealwright(&["init", "--no-try"])?;
    let scripts = place.join("scripts");
    fs::create_dir_all(&scripts)?;
    scripts::write(&scripts, case, &files)?;
    let config = project.folder.join("sealwright.toml");
    let text = fs::read_to_string(&config).with_context(|| told)?;
    let agent =
        format!("\n[agents.rehearsed]\nkind = \"script\"\ncommand = [\"{}\"]\n", scripts.display());
    // No other agent of this machine is asked.
    let roles = "\n[roles]\ndefault = \"rehearsed\"\n";
    fs::write(&config, format!("{text}{agent}{roles}"))?;
    git(&project.folder, &["add", "--all"])?;
    git(&project.folder, &["commit", "--quiet", "--message", "set up"])?;
    // A person reads the contract, approves it, and the task goes on.
    let (asked, exit) = project.everything(&["do", &case.about, "--lane", "quick"])?;
    if exit != Some(11) || project.everything(&["approve"])?.1 != Some(0) {
        return Ok((Some(last(&asked)), Duration::ZERO));
    }
    let (mut told, mut exit) = project.everything(&["do", "--continue"])?;
    // What a person should see first is a question at the last gate; a halt takes no approval.
    if exit == Some(11) && project.everything(&["approve", "--because", "I read it"])?.1 == Some(0)
    {
        (told, exit) = project.everything(&["do", "--continue"])?;
    }
    let is_shipped = exit == Some(0) && is_kept(&project, &files)?;
    Ok(((!is_shipped).then(|| last(&told)), time::at_work(&project)?))
}

/// Whether there is one branch with the change, and all of it.
fn is_kept(project: &Ready, files: &Files) -> Result<bool> {
    let folder = &project.folder;
    let branches =
        printed(folder, &["branch", "--list", "--format=%(refname:short)", "sealwright/*"])?;
    let [branch] = branches.lines().collect::<Vec<_>>()[..] else { return Ok(false) };
    for (path, text) in &files.after {
        if printed(folder, &["show", &format!("{branch}:{path}")])? != *text {
            return Ok(false);
        }
    }
    let listed = printed(folder, &["ls-tree", "-r", "--name-only", branch])?;
    Ok(files.removed.iter().all(|path| listed.lines().all(|line| line != path)))
}

/// A small project of its own.
fn own(size: Size, place: &Path, case: &Case) -> Result<Ready> {
    let folder = place.join("project");
    for (path, text) in case.before(&root().join(FOLDER))? {
        write(&folder.join(path), &text)?;
    }
    for (path, target) in &case.links {
        let path = folder.join(path);
        fs::create_dir_all(path.parent().context("a link")?)?;
        std::os::unix::fs::symlink(target, path)?;
    }
    git(&folder, &["init", "--quiet", "--initial-branch", "main"])?;
    git(&folder, &["config", "user.name", "Ada"])?;
    git(&folder, &["config", "user.email", "ada@example.org"])?;
    git(&folder, &["add", "--all"])?;
    git(&folder, &["commit", "--quiet", "--message", "as it is"])?;
    Ready::own(size, folder)
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::create_dir_all(path.parent().context("a file")?)?;
    Ok(fs::write(path, text)?)
}

fn printed(folder: &Path, words: &[&str]) -> Result<String> {
    let mut command = Command::new("git");
    let output = command.args(words).current_dir(folder).stderr(Stdio::null()).output()?;
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

fn last(told: &str) -> String {
    let lines: Vec<&str> = told.lines().filter(|line| !line.trim().is_empty()).collect();
    let from = lines.len().saturating_sub(LINES_MAX);
    lines[from..].iter().map(|line| format!("      {line}\n")).collect()
}

/// Changes of which it is told how long they took, and how much of that is the engine: they run alone, the others two at
/// a time.
const TIMED: &[&str] = &["commit-click", "commit-fd"];
const FOLDER: &str = "xtask/ordinary";
const LINES_MAX: usize = 14;
