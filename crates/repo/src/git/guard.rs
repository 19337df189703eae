//! Keeps `git` from starting programs that a repository names, and from obeying what it says of an index.
//!
//! What a person set for all of their repositories is theirs and stays in force. What stands in the repository's own
//! folder (`.git/config`, and what that includes) came with it: with an archive, a shared disk, another user.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// Lets `command`, which is a `git` in `repository`, start nothing that the repository names, and reach no network.
pub(super) fn guarded<'c>(command: &'c mut Command, repository: &Path) -> &'c mut Command {
    command
        .args(["--no-pager", "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"])
        // A folder that only looks like a repository may be part of somebody's commit.
        .args(["-c", "log.showSignature=false", "-c", "safe.bareRepository=explicit"])
        .args(PLAIN_INDEX)
        .current_dir(repository)
        // Objects that a clone left out would be fetched, by whatever program its address names.
        .env("GIT_NO_LAZY_FETCH", "1")
        // An object is what its name says, also where another was put in its place with `git replace`.
        .env("GIT_NO_REPLACE_OBJECTS", "1")
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("LC_ALL", "C");
    // By variables and not by `-c`, which a name with a `=` in it would mislead.
    let before = std::env::var("GIT_CONFIG_COUNT").ok().and_then(|count| count.parse().ok());
    let mut count: usize = before.unwrap_or(0);
    for (name, value) in overrides(&own_programs(repository)) {
        command.env(format!("GIT_CONFIG_KEY_{count}"), OsStr::from_bytes(&name));
        command.env(format!("GIT_CONFIG_VALUE_{count}"), value);
        count += 1;
    }
    command.env("GIT_CONFIG_COUNT", count.to_string())
}

/// The filters and merge drivers that are configured, as `git config` lists them. Nothing where there is no repository.
#[expect(clippy::disallowed_methods, reason = "the repository's own configuration, read only")]
fn own_programs(repository: &Path) -> Vec<u8> {
    let listed = Command::new("git")
        .args(["-c", "safe.bareRepository=explicit", "config", "--null", "--show-scope"])
        .args(["--name-only", "--get-regexp", PROGRAMS])
        .current_dir(repository)
        // In other languages a pattern means no name that is not text.
        .env("LC_ALL", "C")
        .stdin(Stdio::null())
        .output();
    listed.map(|listed| listed.stdout).unwrap_or_default()
}

/// What takes back those of a list that are the repository's own: a filter then passes everything on as it is, and a merge
/// is a conflict.
fn overrides(listed: &[u8]) -> Vec<(Vec<u8>, &'static str)> {
    let mut parts = listed.split(|byte| *byte == 0);
    let mut overrides = Vec::new();
    while let (Some(scope), Some(name)) = (parts.next(), parts.next()) {
        if !matches!(scope, b"local" | b"worktree") {
            continue;
        }
        if name.starts_with(b"merge.") {
            overrides.push((name.to_vec(), "false"));
        } else if let Some(at) = name.iter().rposition(|byte| *byte == b'.') {
            overrides.push((name.to_vec(), ""));
            overrides.push(([&name[..at], b".required"].concat(), "false"));
        }
    }
    overrides
}

/// An index of ours is one whole file with its own hash. A repository can ask for one that is split or without a hash, and
/// git then writes the empty tree from it.
const PLAIN_INDEX: [&str; 10] = [
    "-c",
    "core.splitIndex=false",
    "-c",
    "index.skipHash=false",
    "-c",
    "feature.manyFiles=false",
    "-c",
    "core.untrackedCache=false",
    "-c",
    "index.sparse=false",
];
/// What git runs while it looks at files or joins two commits.
const PROGRAMS: &str = r"^(filter\..*\.(clean|smudge|process)|merge\..*\.driver)$";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_the_repository_itself_names_is_taken_back() {
        let listed =
            b"global\0filter.lfs.clean\0local\0filter.a=b.c.smudge\0local\0merge.m.driver\0worktree\0filter.x.process\0";
        let found: Vec<(String, &str)> = overrides(listed)
            .into_iter()
            .map(|(name, value)| (String::from_utf8(name).unwrap(), value))
            .collect();
        assert_eq!(
            found,
            [
                ("filter.a=b.c.smudge".to_owned(), ""),
                ("filter.a=b.c.required".to_owned(), "false"),
                ("merge.m.driver".to_owned(), "false"),
                ("filter.x.process".to_owned(), ""),
                ("filter.x.required".to_owned(), "false"),
            ]
        );
        assert!(overrides(b"").is_empty());
    }
}
