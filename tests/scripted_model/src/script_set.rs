//! Several scripts for one model, selected by words of the request.
//!
//! Each piece has words; it is selected if all of them occur before the model's first message. The first match wins,
//! independent of the client and of the order of requests. Where a client goes on with an earlier conversation, its last
//! message with all the words of a piece counts, and the piece is played from there. In a file, the words precede the
//! script:
//!
//! ```toml
//! when = ["Try to disprove", "the contract"]
//!
//! [[step]]
//! tool = { name = "submit_result", input = { failures = [] } }
//! ```

use std::io;
use std::path::Path;

use crate::script::{self, ScriptError};
use crate::{Conversation, Item, Script};

#[derive(Clone, Debug, PartialEq)]
pub struct ScriptSet {
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// Its name in the log.
    pub name: String,
    /// Words that must all occur. Without any, it always matches.
    pub words: Vec<String>,
    pub script: Script,
}

/// A script that plays a part in a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meant {
    /// Its index.
    pub piece: usize,
    /// The first item of its part.
    pub from: usize,
}

/// Why a folder cannot be loaded.
#[derive(Debug, thiserror::Error)]
pub enum ScriptSetError {
    #[error("the folder cannot be read")]
    Unreadable(#[from] io::Error),
    /// One of its files is not a valid script.
    #[error("`{name}` is not a valid script")]
    Piece { name: String, source: ScriptError },
    /// It holds no script, or too many.
    #[error("there are {pieces} scripts; it takes between 1 and {PIECES_MAX}")]
    Count { pieces: usize },
}

impl ScriptSet {
    /// These scripts; the first match wins.
    pub fn new(pieces: impl IntoIterator<Item = Piece>) -> Self {
        Self { pieces: pieces.into_iter().collect() }
    }

    /// Loads every `.toml` file of a folder, in the order of their names.
    pub fn open(folder: &Path) -> Result<Self, ScriptSetError> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "toml") {
                files.push(path);
            }
        }
        files.sort();
        if files.is_empty() || files.len() > PIECES_MAX {
            return Err(ScriptSetError::Count { pieces: files.len() });
        }
        let read = |path: &std::path::PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match script::open_with_words(path) {
                Ok((words, script)) => Ok(Piece { name, words, script }),
                Err(source) => Err(ScriptSetError::Piece { name, source }),
            }
        };
        Ok(Self { pieces: files.iter().map(read).collect::<Result<_, _>>()? })
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The matching script, and where in the conversation it begins.
    pub fn meant(&self, conversation: &Conversation) -> Option<Meant> {
        let items = &conversation.items;
        let is_user = |at: usize| matches!(items.get(at), Some(Item::User(_)));
        let later = (1..items.len()).rev().filter(|at| is_user(*at) && !is_user(at - 1));
        let fits = |piece: &Piece, said: &str| {
            piece.words.iter().all(|words| said.contains(&letters(words)))
        };
        let mut again = later.filter_map(|from| {
            let said = said_at(&items[from..]);
            let piece =
                self.pieces.iter().position(|it| !it.words.is_empty() && fits(it, &said))?;
            Some(Meant { piece, from })
        });
        again.next().or_else(|| {
            let said = said_at(items);
            let piece = self.pieces.iter().position(|it| fits(it, &said))?;
            Some(Meant { piece, from: 0 })
        })
    }
}

/// What the user says before anybody else does.
fn said_at(items: &[Item]) -> String {
    let said = items.iter().map_while(|item| match item {
        Item::User(text) => Some(letters(text)),
        Item::Said(_) | Item::Called(_) | Item::Fumbled(_) | Item::Result(_) => None,
    });
    said.collect()
}

impl From<Script> for ScriptSet {
    /// One script for every request.
    fn from(script: Script) -> Self {
        Self { pieces: vec![Piece { name: String::new(), words: Vec::new(), script }] }
    }
}

/// A text without white space: agents break lines differently.
fn letters(text: &str) -> String {
    text.split_whitespace().collect()
}

const PIECES_MAX: usize = 100;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Step;

    fn piece(name: &str, words: &[&str]) -> Piece {
        Piece {
            name: name.to_owned(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            script: Script::new([Step::text(name)]),
        }
    }

    fn told(said: &[Item]) -> Option<String> {
        let scripts = ScriptSet::new([
            piece("mend", &["change it", "what failed"]),
            piece("change", &["change it"]),
            piece("judge", &["try to disprove"]),
        ]);
        let conversation = Conversation { items: said.to_vec(), ..Conversation::default() };
        scripts.meant(&conversation).map(|it| scripts.pieces()[it.piece].name.clone())
    }

    fn user(text: &str) -> Item {
        Item::User(text.to_owned())
    }

    #[test]
    fn the_first_piece_is_played_whose_words_were_all_said() {
        assert_eq!(told(&[user("now change it")]).as_deref(), Some("change"));
        assert_eq!(told(&[user("change\n   it; what failed: x")]).as_deref(), Some("mend"));
        assert_eq!(told(&[user("rules"), user("try to disprove it")]).as_deref(), Some("judge"));
        assert_eq!(told(&[user("something else")]), None);
        assert_eq!(told(&[]), None);
    }

    #[test]
    fn what_is_said_after_the_models_first_word_chooses_no_other_piece() {
        let story =
            [user("change it"), Item::Result("what failed".to_owned()), user("what failed")];
        assert_eq!(told(&story).as_deref(), Some("change"));
    }

    #[test]
    fn a_conversation_that_goes_on_is_played_from_its_last_brief() {
        let done = || Item::Said("done".to_owned());
        let story = [user("change it"), done(), user("try to disprove it")];
        assert_eq!(told(&story).as_deref(), Some("judge"));
        let story = [user("try to disprove it"), done(), user("go on"), done(), user("change it")];
        let scripts = ScriptSet::new([piece("change", &["change it"]), piece("any", &[])]);
        let meant = |items: &[Item]| {
            scripts.meant(&Conversation { items: items.to_vec(), ..Conversation::default() })
        };
        assert_eq!(meant(&story), Some(Meant { piece: 0, from: 4 }));
        assert_eq!(meant(&story[..3]), Some(Meant { piece: 1, from: 0 }));
    }

    #[test]
    fn a_single_script_fits_everything() {
        let scripts = ScriptSet::from(Script::new([Step::text("a")]));
        let meant = scripts.meant(&Conversation::default());
        assert_eq!(meant, Some(Meant { piece: 0, from: 0 }));
    }

    #[test]
    fn a_folder_of_files_is_read_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        assert!(matches!(ScriptSet::open(folder.path()), Err(ScriptSetError::Count { pieces: 0 })));
        write("2-any.toml", "step = [{ text = 'b' }]");
        write("1-one.toml", "when = ['one']\nstep = [{ text = 'a' }]");
        write("notes.md", "no piece");
        let expected = ScriptSet::new([
            Piece {
                name: "1-one".to_owned(),
                words: vec!["one".to_owned()],
                script: Script::new([Step::text("a")]),
            },
            Piece {
                name: "2-any".to_owned(),
                words: Vec::new(),
                script: Script::new([Step::text("b")]),
            },
        ]);
        assert_eq!(ScriptSet::open(folder.path()).unwrap(), expected);
        write("3-bad.toml", "steps = []");
        let error = ScriptSet::open(folder.path()).unwrap_err();
        assert_eq!(error.to_string(), "`3-bad` is not a valid script");
    }
}
