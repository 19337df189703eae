//! Uncommitted files: those that `--dirty take` refuses, and how a refusal names them.
//!
//! Installed packages and caches of tools are no work of a person. A file that holds secrets by its name would end in a
//! commit, and a branch is pushed.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_gates::toolchain::ecosystems;
use sealwright_repo::git::uncommitted::{ChangedFile, ChangedFiles};

use super::TaskRunnerError;

/// Refuses untracked files that do not belong into a commit.
pub(super) fn refuse(changed: &ChangedFiles) -> Result<(), TaskRunnerError> {
    let folders = folders_of_tools(&changed.listed);
    if !folders.is_empty() {
        let files = folders.iter().map(with_count).collect();
        return Err(TaskRunnerError::NotTaken { files, why: "tools made these files" });
    }
    let untracked = changed.listed.iter().filter(|file| file.is_untracked);
    let files: Vec<String> =
        untracked.filter(|file| names_a_secret(&file.path)).map(|file| file.path.clone()).collect();
    if files.is_empty() {
        Ok(())
    } else {
        Err(TaskRunnerError::NotTaken { files, why: "files with such names hold secrets" })
    }
}

/// Names uncommitted files. A folder of tools counts as one.
pub(super) fn uncommitted(changed: &ChangedFiles) -> TaskRunnerError {
    let folders = folders_of_tools(&changed.listed);
    let is_own = |file: &&ChangedFile| folder_around(&file.path, &folders).is_none();
    let own = changed.listed.iter().filter(is_own).map(|file| file.path.clone());
    let files: Vec<String> = own.chain(folders.iter().map(with_count)).collect();
    let more = changed.count - changed.listed.len();
    let folders = folders.into_keys().map(|folder| format!("`{folder}`")).collect();
    TaskRunnerError::Uncommitted { files, more, folders }
}

/// Untracked folders that tools made, such as a virtual environment, and the number of files in each.
fn folders_of_tools(files: &[ChangedFile]) -> BTreeMap<String, usize> {
    let untracked = || files.iter().filter(|file| file.is_untracked).map(|file| &file.path);
    let found: BTreeSet<String> = untracked().filter_map(|path| folder_of_a_tool(path)).collect();
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    for folder in found {
        // The folder around this one comes before it.
        if folder_around(&folder, &folders).is_none() {
            folders.insert(folder, 0);
        }
    }
    for path in untracked() {
        let around = folder_around(path, &folders).cloned();
        around.and_then(|folder| folders.get_mut(&folder)).into_iter().for_each(|it| *it += 1);
    }
    folders
}

fn folder_around<'f>(path: &str, folders: &'f BTreeMap<String, usize>) -> Option<&'f String> {
    folders.keys().find(|folder| path.starts_with(folder.as_str()))
}

/// The outermost folder of a tool that a file lies in, with a slash at its end.
fn folder_of_a_tool(path: &str) -> Option<String> {
    let mut end = 0;
    for part in path.split_inclusive('/').filter(|part| part.ends_with('/')) {
        end += part.len();
        let name = part.trim_end_matches('/');
        if ecosystems().any(|it| it.by_products.contains(&name)) {
            return Some(path[..end].to_owned());
        }
    }
    path.ends_with(VIRTUAL_ENVIRONMENT)
        .then(|| path[..=path.len() - VIRTUAL_ENVIRONMENT.len()].to_owned())
}

fn with_count((folder, count): (&String, &usize)) -> String {
    match count {
        1 => format!("{folder} (1 file)"),
        count => format!("{folder} ({count} files)"),
    }
}

fn names_a_secret(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_example = EXAMPLES.iter().any(|it| name.ends_with(it));
    let is_environment = name == ".env" || name.starts_with(".env.");
    is_environment && !is_example
        || SECRET_NAMES.contains(&name)
        || SECRET_ENDINGS.iter().any(|it| name.ends_with(it))
}

/// The file that makes a folder a virtual environment of Python.
const VIRTUAL_ENVIRONMENT: &str = "/pyvenv.cfg";
const EXAMPLES: [&str; 4] = [".example", ".sample", ".template", ".dist"];
const SECRET_NAMES: [&str; 6] = [".netrc", ".pypirc", "id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];
const SECRET_ENDINGS: [&str; 4] = [".key", ".p12", ".pem", ".pfx"];

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(tracked: &[&str], untracked: &[&str]) -> ChangedFiles {
        let file = |is_untracked| {
            move |path: &&str| ChangedFile { path: (*path).to_owned(), is_untracked }
        };
        let listed: Vec<ChangedFile> =
            tracked.iter().map(file(false)).chain(untracked.iter().map(file(true))).collect();
        ChangedFiles { count: listed.len(), listed }
    }

    /// The message and its hint.
    fn told(error: &TaskRunnerError) -> String {
        format!("{error}; {}", error.hint().unwrap())
    }

    #[test]
    fn a_folder_of_tools_is_named_once_and_belongs_into_gitignore() {
        let tools = [
            "web/node_modules/a.js",
            "web/node_modules/b/c.js",
            "env-3/a/__pycache__/b.pyc",
            "env-3/pyvenv.cfg",
        ];
        assert_eq!(
            told(&uncommitted(&changed(&[], &tools))),
            "uncommitted changes: env-3/ (2 files), web/node_modules/ (2 files); \
             put `env-3/`, `web/node_modules/` into .gitignore and commit that"
        );
        assert_eq!(
            told(&uncommitted(&changed(&["a.py"], &[".venv/bin/pip"]))),
            "uncommitted changes: a.py, .venv/ (1 file); \
             put `.venv/` into .gitignore; commit the rest, or pass `--dirty leave` to ignore all of it"
        );
        let many = ["a", "b", "c", "d", "e", "f"];
        let cut = ChangedFiles { count: 3_000, ..changed(&many, &[]) };
        assert_eq!(
            told(&uncommitted(&cut)),
            "uncommitted changes: a, b, c, d, e and 2995 more; \
             commit them, or pass `--dirty take` to include or `--dirty leave` to ignore them"
        );
    }

    #[test]
    fn untracked_secrets_and_folders_of_tools_are_not_taken() {
        assert!(
            refuse(&changed(&["src/.env", "target/x"], &[".env.example", "notes.txt"])).is_ok()
        );
        for secret in [".env", "app/.env.local", "home/id_rsa", "tls/server.key"] {
            let refused = refuse(&changed(&[], &["notes.txt", secret])).unwrap_err();
            assert_eq!(
                told(&refused),
                format!(
                    "cannot take {secret}: files with such names hold secrets; \
                     put them into .gitignore, commit them yourself, or pass `--dirty leave`"
                )
            );
        }
        let refused = refuse(&changed(&[], &["venv/bin/pip", "a.py"])).unwrap_err();
        assert_eq!(refused.to_string(), "cannot take venv/ (1 file): tools made these files");
    }
}
