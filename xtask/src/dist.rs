//! `cargo xtask dist`: builds the release archive.
//!
//! ```text
//! dist/sealwright-<version>-<target>.tar.gz   sealwright, README.md, licences, completions/, man/
//! dist/install.sh
//! dist/SHA256SUMS
//! ```
//!
//! The program is linked statically against musl. If that cannot be built, it is linked against the glibc of this
//! machine, and its name and the output say so.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};
use sealwright_kernel::Digest;

use crate::workspace::{has_library, output_of, root, say, scratch, succeed, target};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// The folder for the archive and its checksums.
    #[arg(long, value_name = "FOLDER", default_value = "dist")]
    into: PathBuf,
}

/// How the program is linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Linked {
    Musl,
    /// Against the C library of the build machine; it runs with that or a newer one.
    Glibc,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let linked = Linked::here();
    let program = linked.build()?;
    linked.holds(&program)?;
    let name = format!("sealwright-{}-{}", version()?, linked.target());
    let folder = scratch("dist").join(&name);
    stage(&program, &folder)?;
    let into = root().join(&args.into);
    let archive = pack(&folder, &into)?;
    let bytes = std::fs::metadata(&archive)?.len();
    let size = std::fs::metadata(&program)?.len();
    say(&format!(
        "dist: {}, {:.1} MB, the program {:.1} MB, {}",
        archive.display(),
        bytes as f64 / 1e6,
        size as f64 / 1e6,
        linked.text()
    ));
    Ok(())
}

impl Linked {
    /// The best kind that can be built here.
    fn here() -> Self {
        let has_library = has_library(Self::Musl.target()).unwrap_or_default();
        let has_compiler = Command::new("musl-gcc").arg("--version").output().is_ok();
        if has_library && has_compiler {
            return Self::Musl;
        }
        say(
            "dist: a static program needs `rustup target add x86_64-unknown-linux-musl` and `apt-get install \
             musl-tools`; linking against glibc",
        );
        Self::Glibc
    }

    fn target(self) -> &'static str {
        match self {
            Self::Musl => "x86_64-unknown-linux-musl",
            Self::Glibc => "x86_64-unknown-linux-gnu",
        }
    }

    fn text(self) -> &'static str {
        match self {
            Self::Musl => "static",
            Self::Glibc => "NOT static: it needs the glibc of this machine or a newer one",
        }
    }

    fn build(self) -> Result<PathBuf> {
        let mut cargo = Command::new("cargo");
        cargo.args(["build", "--quiet", "--release", "--locked", "--package", "sealwright"]);
        cargo.args(["--target", self.target()]).current_dir(root());
        succeed(&mut cargo, &format!("sealwright does not compile for {}", self.target()))?;
        Ok(target().join(self.target()).join("release/sealwright"))
    }

    /// Checks that the program is stripped, and linked as claimed.
    fn holds(self, program: &Path) -> Result<()> {
        ensure!(is_stripped(&std::fs::read(program)?), "the program carries a table of symbols");
        let said = Command::new("ldd").arg(program).output().context("`ldd` is needed")?;
        let said = [said.stdout, said.stderr].concat();
        let said = String::from_utf8_lossy(&said).into_owned();
        let is_static = ["statically linked", "not a dynamic"].iter().any(|it| said.contains(it));
        match (self, is_static) {
            (Self::Musl, true) | (Self::Glibc, false) => Ok(()),
            (Self::Musl, false) => bail!("the program is not static:\n{said}"),
            (Self::Glibc, true) => bail!("the program is static, but its name says glibc"),
        }
    }
}

/// Whether no section of a program holds the names of its functions.
fn is_stripped(program: &[u8]) -> bool {
    const SYMBOLS: &[u8] = b"\0.symtab\0";
    !program.windows(SYMBOLS.len()).any(|window| window == SYMBOLS)
}

/// Copies all released files into a folder.
fn stage(program: &Path, folder: &Path) -> Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder)?;
    }
    std::fs::create_dir_all(folder.join("completions"))?;
    std::fs::create_dir_all(folder.join("man"))?;
    std::fs::copy(program, folder.join("sealwright"))?;
    for name in ["README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE"] {
        std::fs::copy(root().join(name), folder.join(name)).context(name)?;
    }
    for (shell, file) in
        [("bash", "sealwright.bash"), ("zsh", "_sealwright"), ("fish", "sealwright.fish")]
    {
        let script = output_of(Command::new(program).args(["completions", shell]))?;
        std::fs::write(folder.join("completions").join(file), script)?;
    }
    output_of(Command::new(program).arg("man").arg(folder.join("man")))?;
    Ok(())
}

/// Writes a reproducible archive with its checksum and the installer.
fn pack(folder: &Path, into: &Path) -> Result<PathBuf> {
    let name = folder.file_name().context("the folder has a name")?.to_string_lossy().into_owned();
    let above = folder.parent().context("the folder stands in another")?;
    std::fs::create_dir_all(into)?;
    let archive = into.join(format!("{name}.tar.gz"));
    output_of(
        Command::new("tar")
            .args(["--create", "--sort=name", "--owner=0", "--group=0", "--numeric-owner"])
            .args(["--mtime=@0", "--mode=u+rwX,go+rX,go-w", "--use-compress-program=gzip -9 -n"])
            .arg("--file")
            .arg(&archive)
            .arg("--directory")
            .arg(above)
            .arg(&name),
    )?;
    let installer = into.join("install.sh");
    std::fs::copy(root().join("install.sh"), &installer)?;
    let mut sums = String::new();
    for path in [&archive, &installer] {
        let name = path.file_name().context("a file has a name")?.to_string_lossy().into_owned();
        sums += &format!("{}  {name}\n", Digest::of(&std::fs::read(path)?));
    }
    std::fs::write(into.join("SHA256SUMS"), sums)?;
    Ok(archive)
}

fn version() -> Result<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml"))?;
    let (_, package) =
        manifest.split_once("[workspace.package]").context("no [workspace.package]")?;
    let version = package.lines().find_map(|line| line.strip_prefix("version = \""));
    let version = version.and_then(|rest| rest.strip_suffix('"')).context("no version")?;
    Ok(version.to_owned())
}

#[cfg(test)]
mod tests;
