//! Repertoires: many scripts for one model, and the words by which it knows which of them is meant.
//!
//! Somebody who is asked many things in one run cannot play one script. Each piece names words; it is played when all
//! of them were said before the model's own first word. The first piece that fits is played, whoever asks and in
//! whatever order, so nothing is remembered here either. A piece in a file is a script with its words above it:
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

/// What a model can play.
#[derive(Clone, Debug, PartialEq)]
pub struct Repertoire {
    pieces: Vec<Piece>,
}

/// One script, and when it is played.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// What it is called in the log.
    pub name: String,
    /// Words that must all have been said. Without any, it fits whatever is said.
    pub words: Vec<String>,
    /// What is played.
    pub script: Script,
}

/// Why a folder is no repertoire.
#[derive(Debug, thiserror::Error)]
pub enum RepertoireError {
    /// It cannot be read.
    #[error("the folder cannot be read")]
    Unreadable(#[from] io::Error),
    /// One of its files is no piece.
    #[error("`{name}` cannot be played")]
    Piece {
        /// Which.
        name: String,
        /// Why.
        source: ScriptError,
    },
    /// It holds nothing to play, or more than anybody could know by heart.
    #[error("there are {pieces} pieces; it takes between 1 and {PIECES_MAX}")]
    Count {
        /// How many there are.
        pieces: usize,
    },
}

impl Repertoire {
    /// These pieces; the first that fits is played.
    pub fn new(pieces: impl IntoIterator<Item = Piece>) -> Self {
        Self { pieces: pieces.into_iter().collect() }
    }

    /// Reads every `.toml` file of a folder as a piece, in the order of their names.
    pub fn open(folder: &Path) -> Result<Self, RepertoireError> {
        let mut files = Vec::new();
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.extension().is_some_and(|it| it == "toml") {
                files.push(path);
            }
        }
        files.sort();
        if files.is_empty() || files.len() > PIECES_MAX {
            return Err(RepertoireError::Count { pieces: files.len() });
        }
        let read = |path: &std::path::PathBuf| {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            match script::open_with_words(path) {
                Ok((words, script)) => Ok(Piece { name, words, script }),
                Err(source) => Err(RepertoireError::Piece { name, source }),
            }
        };
        Ok(Self { pieces: files.iter().map(read).collect::<Result<_, _>>()? })
    }

    /// The pieces.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// The number of the piece that is meant, if one is.
    pub fn meant(&self, conversation: &Conversation) -> Option<usize> {
        let mut said = String::new();
        for item in &conversation.items {
            match item {
                Item::User(text) => said.extend([text.as_str(), "\n"]),
                Item::Said(_) | Item::Called(_) | Item::Fumbled(_) | Item::Result(_) => break,
            }
        }
        let said = letters(&said);
        let fits = |piece: &Piece| piece.words.iter().all(|words| said.contains(&letters(words)));
        self.pieces.iter().position(fits)
    }
}

impl From<Script> for Repertoire {
    /// One script for everything.
    fn from(script: Script) -> Self {
        Self { pieces: vec![Piece { name: String::new(), words: Vec::new(), script }] }
    }
}

/// A text without its white space: agents break lines as they like.
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
        let repertoire = Repertoire::new([
            piece("mend", &["change it", "what failed"]),
            piece("change", &["change it"]),
            piece("judge", &["try to disprove"]),
        ]);
        let conversation = Conversation { items: said.to_vec(), ..Conversation::default() };
        repertoire.meant(&conversation).map(|nth| repertoire.pieces()[nth].name.clone())
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
    fn a_single_script_fits_everything() {
        let repertoire = Repertoire::from(Script::new([Step::text("a")]));
        assert_eq!(repertoire.meant(&Conversation::default()), Some(0));
    }

    #[test]
    fn a_folder_of_files_is_read_in_the_order_of_their_names() {
        let folder = tempfile::tempdir().unwrap();
        let write =
            |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
        assert!(matches!(
            Repertoire::open(folder.path()),
            Err(RepertoireError::Count { pieces: 0 })
        ));
        write("2-any.toml", "step = [{ text = 'b' }]");
        write("1-one.toml", "when = ['one']\nstep = [{ text = 'a' }]");
        write("notes.md", "no piece");
        let expected = Repertoire::new([
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
        assert_eq!(Repertoire::open(folder.path()).unwrap(), expected);
        write("3-bad.toml", "steps = []");
        let error = Repertoire::open(folder.path()).unwrap_err();
        assert_eq!(error.to_string(), "`3-bad` cannot be played");
    }
}
