//! What a program is given of a login that it signs its requests with itself, and how it is kept out of what a role leaves.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Read as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sealwright_sandbox::plan::{Access, Mount};

use super::Token;
use crate::{CallOutcome, End, Event, Failure};

/// A token, and the account it is for. It is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Handed {
    pub(crate) word: String,
    pub(crate) account: Option<String>,
}

impl Handed {
    pub(super) fn of(token: &Token) -> Self {
        Self { word: token.word.clone(), account: token.account.clone() }
    }

    /// This text without the token.
    pub(crate) fn hidden(&self, text: &str) -> String {
        text.replace(&self.word, HIDDEN)
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
        (mounts, since_s): (&[Mount], i64),
    ) -> io::Result<CallOutcome> {
        let told = serde_json::to_string(&outcome)?;
        let plain = self.hidden(&told);
        let mut place = (is_said || plain != told).then(|| "what it said".to_owned());
        for mount in mounts.iter().filter(|mount| mount.access != Access::ReadOnly) {
            if let Some(path) = self.find_below(&mount.source, since_s)? {
                let below = path.strip_prefix(&mount.source).unwrap_or(&path);
                place.get_or_insert(format!("`{}`", self.hidden(&below.display().to_string())));
            }
        }
        let Some(place) = place else { return Ok(outcome) };
        let why = format!(
            "the role left the token of the login in {place}; sign in again to end that token, or let the host add it to \
             requests (`sealwright login NAME --way host`)"
        );
        let mut outcome: CallOutcome = serde_json::from_str(&plain)?;
        outcome.end = End::Failed { failure: Failure::Unauthorised, why };
        Ok(outcome)
    }

    /// The first file below `folder` that was written since `since_s` and holds the token.
    ///
    /// Only plain text is found. A role that writes the token in another form is not; the token ends by itself.
    pub(crate) fn find_below(&self, folder: &Path, since_s: i64) -> io::Result<Option<PathBuf>> {
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let entries = match fs::read_dir(&folder) {
                Ok(entries) => entries,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            for entry in entries {
                let entry = entry?;
                let Ok(about) = entry.metadata() else { continue };
                if about.is_dir() {
                    folders.push(entry.path());
                } else if about.is_file()
                    && about.ctime() >= since_s
                    && self.is_in(&entry.path())?
                {
                    return Ok(Some(entry.path()));
                }
            }
        }
        Ok(None)
    }

    fn is_in(&self, path: &Path) -> io::Result<bool> {
        let mut file = match File::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(error),
        };
        let finder = memchr::memmem::Finder::new(self.word.as_bytes());
        let mut piece = vec![0; PIECE_BYTES];
        let mut kept = 0;
        loop {
            let read = file.read(&mut piece[kept..])?;
            if read == 0 {
                return Ok(false);
            }
            let held = kept + read;
            if finder.find(&piece[..held]).is_some() {
                return Ok(true);
            }
            // It may begin at the end of this piece.
            kept = held.min(self.word.len().saturating_sub(1));
            piece.copy_within(held - kept..held, 0);
        }
    }
}

impl fmt::Debug for Handed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

const HIDDEN: &str = "«token»";
/// Far longer than a token.
const PIECE_BYTES: usize = 256 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_found_wherever_it_stands_in_a_file_that_was_written_since() {
        let token = Handed { word: "sk-of-ann".to_owned(), account: None };
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("a/b");
        fs::create_dir_all(&below).unwrap();
        let file = below.join("c");
        for before in [0, 1, PIECE_BYTES - 4, PIECE_BYTES - 1, PIECE_BYTES, 3 * PIECE_BYTES - 2] {
            fs::write(&file, "x".repeat(before)).unwrap();
            assert_eq!(token.find_below(folder.path(), 0).unwrap(), None);
            fs::write(&file, "x".repeat(before) + "sk-of-ann!").unwrap();
            assert_eq!(token.find_below(folder.path(), 0).unwrap(), Some(file.clone()), "{before}");
        }
        assert_eq!(token.find_below(folder.path(), i64::MAX).unwrap(), None);
        assert_eq!(token.find_below(&folder.path().join("gone"), 0).unwrap(), None);
    }

    #[test]
    fn a_role_that_leaves_the_token_anywhere_has_failed() {
        let token = Handed { word: "sk-of-ann".to_owned(), account: None };
        let folder = tempfile::tempdir().unwrap();
        let mounts = |access| [Mount::required(folder.path(), "/work", access)];
        let call = |answer: &str, is_said: bool, access| {
            let end = End::Answered { answer: serde_json::json!({"text": answer}) };
            let came = CallOutcome::unspent(end);
            let checked = token.checked(came, is_said, (&mounts(access), 0)).unwrap();
            assert!(!format!("{checked:?}").contains("sk-of-ann"));
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
        assert!(call("plain", false, Access::ReadWrite).unwrap().contains("`notes`"));
        assert_eq!(call("plain", false, Access::ReadOnly), None);
    }

    #[test]
    fn a_token_is_not_shown() {
        let token = Handed { word: "sk-of-ann".to_owned(), account: Some("acct".to_owned()) };
        assert_eq!(format!("{token:?}"), "«token»");
        assert_eq!(token.hidden("it is sk-of-ann."), "it is «token».");
    }
}
