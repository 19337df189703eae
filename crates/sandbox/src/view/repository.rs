//! A fresh repository of what is visible, made inside the view, because agents work better with one.
//!
//! These are commands for the inside. The host never runs git over a tree that a role could write: a hook, a filter
//! or a watcher that git finds there would run outside the walls.

/// The commands that make a repository of `folder` with one commit. Same files, same commit.
pub fn fresh_repository(folder: &str) -> Vec<Vec<String>> {
    let git = |words: &[&str]| {
        let fixed = ["env"].into_iter().chain(ENVIRONMENT).chain(["git", "-C", folder]);
        let settings = SETTINGS.iter().flat_map(|setting| ["-c", *setting]);
        fixed.chain(settings).chain(words.iter().copied()).map(str::to_owned).collect()
    };
    vec![
        // Without a template there are no hooks to begin with.
        git(&["init", "--quiet", "--template=", "--initial-branch=main"]),
        git(&["add", "--all"]),
        git(&[
            "commit",
            "--quiet",
            "--allow-empty",
            "--no-verify",
            "--message",
            "What you were given",
        ]),
    ]
}

/// Settings of the caller have no effect.
const ENVIRONMENT: [&str; 9] = [
    "GIT_CONFIG_NOSYSTEM=1",
    "GIT_CONFIG_GLOBAL=/dev/null",
    "GIT_ATTR_NOSYSTEM=1",
    "GIT_AUTHOR_NAME=sealwright",
    "GIT_AUTHOR_EMAIL=sealwright@localhost",
    "GIT_COMMITTER_NAME=sealwright",
    "GIT_COMMITTER_EMAIL=sealwright@localhost",
    "GIT_AUTHOR_DATE=2000-01-01T00:00:00Z",
    "GIT_COMMITTER_DATE=2000-01-01T00:00:00Z",
];

/// Nothing that git would start by itself. A filter that a tree names has no command without configuration.
const SETTINGS: [&str; 11] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "core.untrackedCache=false",
    "core.attributesFile=/dev/null",
    "core.excludesFile=/dev/null",
    "core.autocrlf=false",
    "commit.gpgSign=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "protocol.allow=never",
    "safe.directory=*",
];

#[cfg(test)]
mod tests;
