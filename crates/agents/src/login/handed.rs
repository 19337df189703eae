//! What a program is given of a login that it signs its requests with itself, and how it is kept out of what a role leaves.

use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sealwright_kernel::shown;
use sealwright_sandbox::Cancel;
use sealwright_sandbox::plan::{Access, Mount};

use super::{LoginKind, Token};
use crate::{CallOutcome, End, Event, Failure};

/// A token, and the account it is for. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Handed {
    kind: LoginKind,
    pub(crate) word: String,
    pub(crate) account: Option<String>,
}

impl Handed {
    pub(super) fn of(kind: LoginKind, token: &Token) -> Self {
        Self { kind, word: token.word.clone(), account: token.account.clone() }
    }

    /// This text without the token, and without the beginning of one that was cut off.
    pub(crate) fn hidden(&self, text: &str) -> String {
        let begin = &self.word[..self.word.len().min(BEGIN_BYTES)];
        let mut hidden = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(begin) {
            let (before, found) = rest.split_at(at);
            let same = found.bytes().zip(self.word.bytes()).take_while(|(one, other)| one == other);
            hidden.push_str(before);
            hidden.push_str(HIDDEN);
            rest = &found[same.count()..];
        }
        hidden.push_str(rest);
        hidden
    }

    /// This event without the token.
    pub(crate) fn hidden_event(&self, event: Event) -> Event {
        match event {
            Event::Text { text } => Event::Text { text: self.hidden(&text) },
            Event::ToolUse { tool, deed, detail } => {
                Event::ToolUse { tool: self.hidden(&tool), deed, detail: self.hidden(&detail) }
            }
            Event::FileChange { path } => Event::FileChange { path: self.hidden(&path) },
            Event::Warning { text } => Event::Warning { text: self.hidden(&text) },
            Event::Usage { .. } | Event::GoesOn { .. } => event,
        }
    }

    /// What came of a call, without the token. A role that left it in what it answers, asks, says or writes has failed.
    pub(crate) fn checked(
        &self,
        outcome: CallOutcome,
        is_said: bool,
        (mounts, cancel): (&[Mount], &Cancel),
    ) -> CallOutcome {
        let told = serde_json::to_string(&outcome).unwrap_or_default();
        let plain = self.hidden(&told);
        let place = if is_said || plain != told {
            Some("what it said".to_owned())
        } else {
            let kept = |mount: &&Mount| match mount.access {
                Access::ReadWrite | Access::ReadWriteNoLinks => true,
                // What is written there is thrown away.
                Access::CopyOnWrite | Access::ReadOnly => false,
            };
            mounts.iter().filter(kept).find_map(|mount| self.place_below(&mount.source, cancel))
        };
        let Some(place) = place else { return outcome };
        let why = format!(
            "the role left the token of the login where others can read it; {}, or let the host add it to requests \
             (`sealwright login {} --way host`). It is in {place}",
            self.kind.ends(),
            self.kind.name()
        );
        let mut outcome: CallOutcome = serde_json::from_str(&plain).unwrap_or(outcome);
        outcome.end = End::Failed { failure: Failure::Unauthorised, why };
        outcome
    }

    fn place_below(&self, folder: &Path, cancel: &Cancel) -> Option<String> {
        match self.find_below(folder, cancel) {
            Ok(None) => None,
            Ok(Some(path)) => {
                let below = path.strip_prefix(folder).unwrap_or(&path);
                Some(format!("`{}`", shown(&self.hidden(&below.to_string_lossy()))))
            }
            Err(error) => Some(format!("a tree that cannot be searched for it ({error})")),
        }
    }

    /// The first file below `folder` that holds the token, or that is named by it.
    ///
    /// Only plain text is found: a role that writes the token in another form is not. Folders and files that cannot be
    /// read or are too large are not taken from a role either.
    fn find_below(&self, folder: &Path, cancel: &Cancel) -> io::Result<Option<PathBuf>> {
        let finder = memchr::memmem::Finder::new(self.word.as_bytes());
        let is_named = |name: &OsStr| finder.find(name.as_bytes()).is_some();
        let mut folders = vec![folder.to_owned()];
        let mut left = BYTES_MAX;
        while let Some(folder) = folders.pop() {
            let Some(entries) = unless_closed(fs::read_dir(&folder))? else { continue };
            for entry in entries {
                let entry = entry?;
                let (path, name) = (entry.path(), entry.file_name());
                let Some(about) = unless_closed(entry.metadata())? else { continue };
                let target = || fs::read_link(&path).unwrap_or_default();
                if is_named(&name) || about.is_symlink() && is_named(target().as_os_str()) {
                    return Ok(Some(path));
                }
                if about.is_dir() {
                    folders.push(path);
                } else if about.is_file() && about.len() <= FILE_BYTES_MAX && about.nlink() == 1 {
                    left = left.checked_sub(about.len()).ok_or(io::ErrorKind::FileTooLarge)?;
                    if cancel.is_cancelled() {
                        return Err(io::ErrorKind::Interrupted.into());
                    }
                    let Some(text) = unless_closed(fs::read(&path))? else { continue };
                    if finder.find(&text).is_some() {
                        return Ok(Some(path));
                    }
                }
            }
        }
        Ok(None)
    }
}

/// Nothing where this user is not let in: it is not taken from the role then either.
fn unless_closed<T>(read: io::Result<T>) -> io::Result<Option<T>> {
    match read {
        Ok(read) => Ok(Some(read)),
        Err(error) => match error.kind() {
            io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied => Ok(None),
            _ => Err(error),
        },
    }
}

impl fmt::Debug for Handed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

const HIDDEN: &str = "«token»";
/// So many bytes of a token are no secret alone.
const BEGIN_BYTES: usize = 40;
/// A larger file is not taken from a role.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// All that is searched after one call.
const BYTES_MAX: u64 = 4 << 30;

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn token(word: &str) -> Handed {
        Handed { kind: LoginKind::ClaudeCode, word: word.to_owned(), account: None }
    }

    fn found(folder: &Path) -> Option<PathBuf> {
        token("sk-of-ann").find_below(folder, &Cancel::new().unwrap()).unwrap()
    }

    #[test]
    fn a_token_is_found_wherever_it_stands() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        let file = below.join("c");
        for before in [0, 1, 1 << 20] {
            fs::write(&file, "x".repeat(before)).unwrap();
            assert_eq!(found(folder.path()), None);
            fs::write(&file, "x".repeat(before) + "sk-of-ann!").unwrap();
            assert_eq!(found(folder.path()), Some(file.clone()), "{before}");
        }
        assert_eq!(found(&folder.path().join("gone")), None);
    }

    /// What has its name, links to it, or hides it behind what cannot be read or has no end.
    #[test]
    fn names_and_links_count_and_nothing_takes_for_ever() {
        type Make = fn(&Path) -> io::Result<()>;
        let make: [(Make, bool); 6] = [
            (|path| fs::create_dir(path.join("is sk-of-ann")), true),
            (|path| fs::write(path.join("sk-of-ann.txt"), ""), true),
            (|path| std::os::unix::fs::symlink("/sk-of-ann/x", path.join("link")), true),
            (|path| std::os::unix::fs::symlink("/", path.join("link")), false),
            (|path| File::create(path.join("sparse"))?.set_len(1 << 40), false),
            (
                |path| {
                    fs::create_dir(path.join("shut"))?;
                    fs::set_permissions(path.join("shut"), fs::Permissions::from_mode(0o000))
                },
                false,
            ),
        ];
        for (nth, (make, is_found)) in make.into_iter().enumerate() {
            let folder = tempfile::tempdir().unwrap();
            make(folder.path()).unwrap();
            assert_eq!(found(folder.path()).is_some(), is_found, "{nth}");
        }
    }

    #[test]
    fn a_role_that_leaves_the_token_anywhere_has_failed() {
        let token = token("sk-of-ann");
        let cancel = Cancel::new().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mounts = |access| [Mount::required(folder.path(), "/work", access)];
        let call = |answer: &str, is_said: bool, access| {
            let end = End::Answered { answer: serde_json::json!({"text": answer}) };
            let mut came = CallOutcome::unspent(end);
            came.spent.turns = 7;
            let checked = token.checked(came, is_said, (&mounts(access), &cancel));
            assert!(!format!("{checked:?}").contains("sk-of-ann"));
            assert_eq!(checked.spent.turns, 7, "what was spent stays");
            match checked.end {
                End::Failed { failure: Failure::Unauthorised, why } => Some(why),
                _ => None,
            }
        };
        assert_eq!(call("plain", false, Access::ReadWrite), None);
        assert!(
            call("it is sk-of-ann", false, Access::ReadWrite).unwrap().contains("what it said")
        );
        assert!(call("plain", true, Access::ReadWrite).unwrap().contains("what it said"));
        fs::write(folder.path().join("notes"), "sk-of-ann").unwrap();
        assert!(call("plain", false, Access::ReadWrite).unwrap().ends_with("It is in `notes`"));
        assert_eq!(call("plain", false, Access::CopyOnWrite), None);
        cancel.cancel();
        let cut = call("plain", false, Access::ReadWrite).unwrap();
        assert!(cut.contains("cannot be searched"), "{cut}");
    }

    #[test]
    fn a_token_is_not_shown() {
        let short = token("sk-of-ann");
        assert_eq!(format!("{short:?}"), "«token»");
        assert_eq!(short.hidden("it is sk-of-ann, sk-of-an"), "it is «token», sk-of-an");
        let long = token(&("sk-ant-".to_owned() + &"0123456789".repeat(9)));
        let cut = &long.word[..BEGIN_BYTES + 3];
        assert_eq!(long.hidden(&format!("{cut}… {}!", long.word)), "«token»… «token»!");
        assert_eq!(long.hidden(&cut[..BEGIN_BYTES - 1]), cut[..BEGIN_BYTES - 1]);
    }
}
