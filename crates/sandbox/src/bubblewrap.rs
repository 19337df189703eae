//! Bubblewrap: the same root and namespaces, made by a program that some systems allow what they refuse to us.
//!
//! Only from the release that does not follow planted links; what goes wrong in older ones goes wrong silently.

use std::io;
use std::path::{Path, PathBuf};

use crate::channel::Order;
use crate::plan::{Access, Need, Network};

pub(crate) const LAUNCHER_INSIDE: &str = "/.sealwright-stage";

pub const OLDEST: (u32, u32, u32) = (0, 12, 0);

/// Whether a program that calls itself `version` is new enough. It prints `bubblewrap 0.12.0`.
pub fn is_new_enough(version: &str) -> bool {
    let mut numbers = version
        .trim()
        .rsplit(' ')
        .next()
        .unwrap_or_default()
        .split('.')
        .map(|number| number.parse::<u32>().ok());
    let mut next = || numbers.next().flatten();
    match (next(), next()) {
        (Some(major), Some(minor)) => (major, minor, next().unwrap_or(0)) >= OLDEST,
        (Some(_) | None, None) | (None, Some(_)) => false,
    }
}

/// What bubblewrap is told, each word ended by a zero byte, so that no path shows in a list of processes.
pub(crate) fn words(order: &Order) -> io::Result<Vec<u8>> {
    let mut words: Vec<String> = FIXED.iter().map(|word| (*word).to_owned()).collect();
    let mut say = |said: &[&str]| words.extend(said.iter().map(|word| (*word).to_owned()));
    match order.plan.network {
        Network::Off | Network::Egress => say(&["--unshare-net"]),
    }
    for link in &order.plan.links {
        say(&["--symlink", &link.to, &link.at]);
    }
    for mount in &order.plan.mounts {
        let source = text(&mount.source)?;
        match (mount.access, mount.need) {
            // Bubblewrap cannot keep links from being followed, so nothing may be exchanged there.
            (Access::ReadOnly | Access::ReadWriteNoLinks, Need::Required) => {
                say(&["--ro-bind", source, &mount.at]);
            }
            (Access::ReadOnly | Access::ReadWriteNoLinks, Need::Optional) => {
                say(&["--ro-bind-try", source, &mount.at]);
            }
            (Access::ReadWrite, Need::Required) => say(&["--bind", source, &mount.at]),
            (Access::ReadWrite, Need::Optional) => say(&["--bind-try", source, &mount.at]),
            (Access::CopyOnWrite, Need::Required | Need::Optional) => {
                say(&["--overlay-src", source, "--tmp-overlay", &mount.at]);
            }
        }
    }
    for scratch in &order.plan.scratch {
        say(&["--size", &scratch.bytes_max.to_string(), "--tmpfs", &scratch.at]);
    }
    let launcher = std::env::current_exe()?;
    say(&["--proc", "/proc", "--dev", "/dev", "--size", "67108864", "--tmpfs", "/dev/shm"]);
    say(&["--ro-bind", text(&launcher)?, LAUNCHER_INSIDE, "--remount-ro", "/"]);
    let mut bytes = Vec::new();
    for word in words {
        bytes.extend_from_slice(word.as_bytes());
        bytes.push(0);
    }
    Ok(bytes)
}

pub(crate) fn usual_place() -> PathBuf {
    PathBuf::from("/usr/bin/bwrap")
}

fn text(path: &Path) -> io::Result<&str> {
    path.to_str().ok_or_else(|| io::Error::other("a path that is not text"))
}

const FIXED: &[&str] = &[
    "--unshare-user",
    "--unshare-ipc",
    "--unshare-pid",
    "--unshare-uts",
    "--unshare-cgroup",
    "--disable-userns",
    "--die-with-parent",
    "--new-session",
    "--clearenv",
    "--cap-drop",
    "ALL",
    "--hostname",
    "sealwright",
    "--uid",
    "1000",
    "--gid",
    "1000",
];

#[cfg(test)]
mod tests {
    use super::is_new_enough;

    #[test]
    fn releases_that_follow_planted_links_are_refused() {
        for old in ["bubblewrap 0.8.0", "bubblewrap 0.11.9", "bubblewrap", "", "bubblewrap x.y"] {
            assert!(!is_new_enough(old), "{old}");
        }
        for new in ["bubblewrap 0.12.0", "bubblewrap 0.12", "bubblewrap 1.0.0\n"] {
            assert!(is_new_enough(new), "{new}");
        }
    }
}
