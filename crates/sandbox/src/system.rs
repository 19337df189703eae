//! The system: what every run sees of the machine it runs on, all of it read-only.
//!
//! Programs and libraries, and a handful of files that tools cannot do without. Nothing of the users there are.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::SandboxSlot;
use crate::plan::{Access, Limits, Link, Mount, Network, Plan, Scratch};
use crate::readable;

/// Where work happens, inside. The same everywhere, so that a build means the same everywhere.
pub const WORK: &str = "/work";
/// Where a Python interpreter is, inside.
pub const PYTHON: &str = "/opt/python";
/// The home of the role, inside. Empty at the start of each run.
pub const HOME: &str = "/home/role";

/// A plan that sees the system and nothing else: an empty home, an empty `/tmp`, no network.
pub fn plan(slot: &SandboxSlot, argv: &[&str]) -> io::Result<Plan> {
    let (mut mounts, links) = programs()?;
    mounts.extend(settings(slot)?);
    let environment =
        ENVIRONMENT.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    Ok(Plan {
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        folder: "/tmp".to_owned(),
        environment: environment.collect::<BTreeMap<_, _>>(),
        mounts,
        scratch: vec![
            Scratch { at: "/tmp".to_owned(), bytes_max: 512 << 20 },
            Scratch { at: HOME.to_owned(), bytes_max: 512 << 20 },
        ],
        links,
        network: Network::Off,
        limits: Limits::default(),
    })
}

/// A folder of the host that holds a tool, read-only at `at`, with its programs found first.
pub fn add_tool(plan: &mut Plan, source: &Path, at: &str) -> io::Result<()> {
    plan.mounts.push(read_only(source.canonicalize()?, at));
    let path = plan.environment.entry("PATH".to_owned()).or_default();
    *path = format!("{at}/bin:{path}");
    Ok(())
}

/// A Python interpreter, at [`PYTHON`]. One that was built with a shared library finds it, and not another of the system.
pub fn add_python(plan: &mut Plan, interpreter: &Path) -> io::Result<()> {
    add_tool(plan, interpreter, PYTHON)?;
    let mut beside = fs::read_dir(interpreter.join("lib"))?.flatten();
    let is_shared = |name: &str| name.starts_with("libpython3") && name.contains(".so");
    if beside.any(|entry| is_shared(&entry.file_name().to_string_lossy())) {
        plan.environment.insert("LD_LIBRARY_PATH".to_owned(), format!("{PYTHON}/lib"));
    }
    Ok(())
}

fn programs() -> io::Result<(Vec<Mount>, Vec<Link>)> {
    let mut mounts = vec![read_only("/usr".into(), "/usr")];
    let mut links = Vec::new();
    for at in ["/bin", "/sbin", "/lib", "/lib32", "/lib64"] {
        match fs::read_link(at) {
            Ok(to) => links.push(Link { at: at.to_owned(), to: to.display().to_string() }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                mounts.push(read_only(at.into(), at));
            }
            Err(error) => return Err(error),
        }
    }
    Ok((mounts, links))
}

/// What stands in `/etc`: what the linker and TLS need of the host, and a name for the role.
fn settings(slot: &SandboxSlot) -> io::Result<Vec<Mount>> {
    let folder = slot.folder().join("etc");
    if !folder.exists() {
        readable::make_folder(&folder)?;
        let user = slot.run_as().unwrap_or(INSIDE);
        for (name, text) in [
            (
                "passwd",
                format!("role:x:{user}:{user}:role:{HOME}:/bin/sh\nroot:x:0:0:root:/:/bin/false\n"),
            ),
            ("group", format!("role:x:{user}:\nroot:x:0:\n")),
            ("hosts", "127.0.0.1 localhost\n::1 localhost\n".to_owned()),
            ("nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n".to_owned()),
        ] {
            readable::make_file(&folder.join(name), text.as_bytes())?;
        }
        for name in TAKEN {
            // A link is followed here, once, on the host; what it leads to is what is mounted.
            let Ok(from) = Path::new("/etc").join(name).canonicalize() else { continue };
            if from.is_file() {
                readable::make_file(&folder.join(name), &fs::read(from)?)?;
            }
        }
    }
    let mut mounts = vec![read_only(folder, "/etc")];
    for name in ["alternatives", "ssl/certs"] {
        let at = Path::new("/etc").join(name);
        if let Ok(source) = at.canonicalize() {
            readable::make_folders(&slot.folder().join("etc"), Path::new(name))?;
            mounts.push(read_only(source, &at.display().to_string()));
        }
    }
    Ok(mounts)
}

fn read_only(source: PathBuf, at: &str) -> Mount {
    Mount::required(source, at, Access::ReadOnly)
}

const INSIDE: u32 = 1000;

/// Files of the host's `/etc` that tools read.
const TAKEN: &[&str] = &["ld.so.cache", "localtime", "mime.types", "services", "protocols"];

const ENVIRONMENT: &[(&str, &str)] = &[
    ("HOME", HOME),
    ("LANG", "C.UTF-8"),
    ("LOGNAME", "role"),
    ("PATH", "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"),
    ("SHELL", "/bin/sh"),
    ("SOURCE_DATE_EPOCH", "1"),
    ("TERM", "dumb"),
    ("TMPDIR", "/tmp"),
    ("TZ", "UTC"),
    ("USER", "role"),
];
