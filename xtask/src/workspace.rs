//! Where the repository is, and how to walk and talk in it.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};

pub(crate) fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().expect("xtask stands in the repository").to_owned()
}

/// Every file below `folder` that ends in `.{extension}`, in order, build products left out.
pub(crate) fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        let entries =
            std::fs::read_dir(&folder).with_context(|| format!("{}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                open.push(path);
            } else if path.extension().is_some_and(|it| it == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

/// The path below the root, as people write it.
pub(crate) fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Every source file of the repository, by its path below the root.
pub(crate) fn sources() -> Result<BTreeMap<String, String>> {
    let mut sources = BTreeMap::new();
    for path in files(&root(), "rs")? {
        sources.insert(shown(&path), std::fs::read_to_string(&path)?);
    }
    Ok(sources)
}

/// Prints a line of figures.
#[expect(clippy::print_stdout, reason = "figures are what a proof prints")]
pub(crate) fn say(line: &str) {
    println!("{line}");
}

/// Copies what git knows of the repository into `target`, as it stands in the work tree, with `changed` files in
/// place of its own.
///
/// A file whose content is already right is not written again, so a copy that is kept has nothing to rebuild.
pub(crate) fn copy_to(target: &Path, changed: &BTreeMap<String, String>) -> Result<()> {
    let mut git = Command::new("git");
    git.args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
    let listed = output_of(git.current_dir(root()))?;
    let mut names: BTreeSet<&str> = listed.split('\0').filter(|name| !name.is_empty()).collect();
    names.extend(changed.keys().map(String::as_str));
    // What was deleted in the repository must not live on in a copy that is kept.
    for extension in ["rs", "toml", "md"] {
        let kept = if target.exists() { files(target, extension)? } else { vec![] };
        for path in kept {
            let name = path.strip_prefix(target)?.to_string_lossy().into_owned();
            if !names.contains(name.as_str()) {
                std::fs::remove_file(path)?;
            }
        }
    }
    for name in names {
        let (from, to) = (root().join(name), target.join(name));
        let content = match changed.get(name) {
            Some(text) => text.clone().into_bytes(),
            None if from.is_file() => std::fs::read(&from)?,
            None => continue,
        };
        let folder = to.parent().context("a file stands in a folder")?;
        std::fs::create_dir_all(folder)?;
        if std::fs::read(&to).ok().as_deref() != Some(&content) {
            std::fs::write(&to, content)?;
        }
    }
    Ok(())
}

/// `cargo` in a copy of the repository, with a build folder beside the copy. It leaves its programs in `programs`.
pub(crate) fn cargo_in(copy: &Path, programs: &Path) -> Command {
    let mut cargo = Command::new("cargo");
    cargo
        .current_dir(copy)
        // Cargo names what it builds by paths below the workspace, so a copy must not share a folder with the original:
        // the original would be linked with the copy's code.
        .env("CARGO_BUILD_BUILD_DIR", copy.with_extension("build"))
        .env("CARGO_TARGET_DIR", programs);
    cargo
}

/// Where cargo puts what it builds.
pub(crate) fn target() -> PathBuf {
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    target.unwrap_or_else(|| root().join("target"))
}

/// Builds the program of `package` as it is released, from the repository as it stands.
pub(crate) fn build(package: &str) -> Result<PathBuf> {
    cargo_build(&["build", "--quiet", "--release", "--locked", "--package", package], package)?;
    Ok(target().join("release").join(package))
}

/// Builds all programs of ours from the crates that the tests have compiled already; where one of them is.
pub(crate) fn build_quickly(program: &str) -> Result<PathBuf> {
    cargo_build(&["build", "--quiet", "--locked", "--workspace", "--bins"], program)?;
    Ok(target().join("debug").join(program))
}

fn cargo_build(args: &[&str], package: &str) -> Result<()> {
    let mut cargo = Command::new("cargo");
    succeed(cargo.args(args).current_dir(root()), &format!("{package} does not compile"))
}

/// Runs a command to a successful end; `otherwise` says what a failure means.
pub(crate) fn succeed(command: &mut Command, otherwise: &str) -> Result<()> {
    let status = command.status().with_context(|| not_started(command))?;
    ensure!(status.success(), "{otherwise}");
    Ok(())
}

/// Runs a command to a successful end and returns its standard output.
pub(crate) fn output_of(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| not_started(command))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{command:?} failed: {said}");
    Ok(String::from_utf8(output.stdout)?)
}

/// Runs a command, passes each line of its standard output to `hear`, and returns whether it succeeded, with the last
/// line that is not blank.
pub(crate) fn last_line_of(command: &mut Command, hear: impl Fn(&str)) -> Result<(bool, String)> {
    let mut child = command.stdout(Stdio::piped()).spawn().with_context(|| not_started(command))?;
    let stdout = child.stdout.take().context("its output is missing")?;
    let mut last = String::new();
    for line in BufReader::new(stdout).lines() {
        let line = line?;
        hear(&line);
        if !line.trim().is_empty() {
            last = line;
        }
    }
    Ok((child.wait()?.success(), last))
}

/// The figures in the last line of a program.
pub(crate) fn figures_in(last: &str) -> Result<serde_json::Value> {
    serde_json::from_str(last).with_context(|| format!("no figures in `{last}`"))
}

fn not_started(command: &Command) -> String {
    format!("`{}` could not be started", command.get_program().display())
}

/// Whether the toolchain has the standard library of a target.
pub(crate) fn has_library(target: &str) -> Result<bool> {
    let mut rustc = Command::new("rustc");
    let output = rustc.args(["--print", "target-libdir", "--target", target]).output()?;
    let folder = String::from_utf8(output.stdout)?;
    Ok(output.status.success() && Path::new(folder.trim()).is_dir())
}

/// The most memory this process has had, in KiB.
pub(crate) fn peak_memory_kib() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next()).context("no VmHWM")?;
    Ok(number.parse()?)
}

/// A folder for copies and large files, outside the repository.
pub(crate) fn scratch(name: &str) -> PathBuf {
    target().join("xtask").join(name)
}
