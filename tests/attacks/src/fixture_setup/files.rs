//! The files of a fixture and their owners.
//!
//! ```text
//! bin/      this program, for the agent to execute      host/     what it must not reach
//! view/     what it is given                            outside/  empty unless planted code runs on the host
//! taken/    files taken out of its work tree            record/   reports of the victim and the launcher
//! ```

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{PermissionsExt, lchown};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use super::{Agent, Ownership};
use crate::fixture::{Device, Fixture, Handle};
use crate::setting::SETUID_PROGRAM;
use crate::sys::{Word, call};

pub(super) fn lay(fixture: &Fixture, own: &Path, agent: Agent, ownership: Ownership) -> Result<()> {
    fs::set_permissions(&fixture.folder, Permissions::from_mode(0o755))?;
    write_all(fixture)?;
    for copy in [super::program(&fixture.folder), fixture.host.launcher.clone()] {
        fs::create_dir_all(copy.parent().context("a program lies in a folder")?)?;
        fs::copy(own, &copy)?;
        fs::set_permissions(&copy, Permissions::from_mode(0o755))?;
    }
    commit_store(fixture)?;
    if agent.is_apart {
        let uid = Some(agent.uid);
        for folder in ["view/work", "view/home", "outside", "taken", "record"] {
            give(&fixture.folder.join(folder), uid)?;
        }
        let rest = ["host", "view/modules", "view/frozen", "view/cache", "view"];
        match ownership {
            Ownership::Agent => {
                rest.iter().try_for_each(|folder| give(&fixture.folder.join(folder), uid))?
            }
            Ownership::Harness => {
                fs::set_permissions(fixture.folder.join("host"), Permissions::from_mode(0o700))?;
            }
        }
    }
    Ok(())
}

/// Puts a setuid-root program into the work tree, as an earlier privileged run could have.
pub(super) fn plant_setuid(fixture: &Fixture, program: &Path) -> Result<()> {
    let planted = fixture.inside.work.join(SETUID_PROGRAM);
    fs::copy(program, &planted)?;
    fs::set_permissions(&planted, Permissions::from_mode(0o4755))?;
    Ok(())
}

/// The kernel's handle of a file, which an attacker could guess.
pub(super) fn handle(path: &Path) -> Option<Handle> {
    let path = std::ffi::CString::new(path.as_os_str().as_bytes()).ok()?;
    let mut head = [0_u8; 8 + HANDLE_BYTES_MAX];
    head[..4].copy_from_slice(&u32::try_from(HANDLE_BYTES_MAX).ok()?.to_ne_bytes());
    let mut mount = [0_u8; 8];
    let here = Word::Number(libc::AT_FDCWD.into());
    let words = [
        here,
        Word::Text(&path),
        Word::Buffer(&mut head),
        Word::Buffer(&mut mount),
        Word::Number(0),
    ];
    call(libc::SYS_name_to_handle_at, words).ok()?;
    let length = usize::try_from(u32::from_ne_bytes(head[..4].try_into().ok()?)).ok()?;
    let kind = i32::from_ne_bytes(head[4..8].try_into().ok()?);
    Some(Handle { kind, bytes: head[8..8 + length].to_vec() })
}

/// The first disk of this machine with content.
pub(super) fn disk() -> Option<Device> {
    let table = fs::read_to_string("/proc/partitions").ok()?;
    let rows = table.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let (major, minor) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let (blocks, name) = (words.next()?.parse::<u64>().ok()?, words.next()?);
        let is_disk = !["loop", "ram", "zram"].iter().any(|kind| name.starts_with(kind));
        (blocks > 0 && is_disk).then_some(Device { major, minor })
    });
    rows.into_iter().next()
}

fn write_all(fixture: &Fixture) -> io::Result<()> {
    let (host, markers) = (&fixture.host, &fixture.markers);
    let store = &host.git_store;
    let inside = &fixture.inside;
    let module = inside.work.join("module");
    let sealed = format!("// {}\npub fn sealed() {{}}\n", markers.sealed);
    let source =
        format!("// {}\npub fn add(a: i32, b: i32) -> i32 {{ a + b }}\n", markers.own_source);
    let files = [
        (host.sealed.clone(), sealed.as_str()),
        (store.join("modules/a/contract.json"), "{\"module\":\"a\"}\n"),
        (host.journal.clone(), &markers.journal),
        (host.key.clone(), &markers.key),
        (host.other_work.join("private.txt"), &markers.other_work),
        (host.home.join(".netrc"), &markers.home),
        (inside.work.join("src/lib.rs"), &source),
        (module.join("contract.json"), "{\"module\":\"own\"}\n"),
        (module.join("examples.md"), "# Examples\n"),
        (module.join("ship.json"), "{}\n"),
        (module.join("docs/guide.md"), "# Guide\n"),
        (module.join("implementation/lib.rs"), &source),
        (module.join("implementation/guide.md"), &source),
        (inside.modules.join("a/contract.json"), "{\"module\":\"a\"}\n"),
        (inside.frozen.join("acceptance.rs"), "// Frozen.\nassert!(holds());\n"),
        (inside.cache.join("registry/dependency/lib.rs"), "pub fn honest() {}\n"),
    ];
    for (path, content) in files {
        fs::create_dir_all(path.parent().expect("every file lies in a folder"))?;
        fs::write(path, content)?;
    }
    for folder in [inside.work.join("tests"), inside.home.clone(), host.outside.clone()] {
        fs::create_dir_all(folder)?;
    }
    fs::create_dir_all(super::taken(fixture))?;
    fs::create_dir_all(super::record(fixture))
}

/// A repository with the sealed source in its history, stored uncompressed so that raw objects show the marker.
#[expect(clippy::disallowed_methods, reason = "the set holds a real repository")]
fn commit_store(fixture: &Fixture) -> Result<()> {
    let settings =
        ["-c", "core.looseCompression=0", "-c", "user.name=a", "-c", "user.email=a@host"];
    let steps: [&[&str]; 3] = [
        &["init", "--quiet", "--template=", "--initial-branch=main"],
        &["add", "--all"],
        &["commit", "--quiet", "--message", "sealed"],
    ];
    for step in steps {
        let mut git = Command::new("git");
        git.args(settings).args(step).current_dir(&fixture.host.git_store);
        git.env("GIT_CONFIG_NOSYSTEM", "1").env("HOME", &fixture.host.home).stdin(Stdio::null());
        let ended = git.output().context("cannot run git")?;
        ensure!(ended.status.success(), "git {step:?}: {}", String::from_utf8_lossy(&ended.stderr));
    }
    Ok(())
}

/// Changes the owner of a tree.
fn give(path: &Path, uid: Option<u32>) -> io::Result<()> {
    lchown(path, uid, uid)?;
    if path.symlink_metadata()?.is_dir() {
        for entry in fs::read_dir(path)? {
            give(&entry?.path(), uid)?;
        }
    }
    Ok(())
}

const HANDLE_BYTES_MAX: usize = 128;
