//! Sealed source, indexed once and compared with many outputs.
//!
//! It is built in memory from the files and cannot be stored or printed; evidence records its digest. Text that a role
//! may read elsewhere (contracts, examples, its own files) is no secret: [`Sealed::beside`] subtracts it.

use std::collections::HashMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use sealwright_kernel::{Digest, Hasher};

use super::corpus::{Corpus, Open};
use super::letters::Keep;
use super::{notices, words};

#[derive(Clone)]
pub struct Sealed {
    material: Arc<Material>,
    open: [Open; 2],
    digest: Digest,
}

/// The sealed source is larger than [`SEALED_BYTES_MAX`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("more than {SEALED_BYTES_MAX} bytes are sealed")]
pub struct TooMuchSealed;

/// The most source that one filter holds. It takes about twelve times as much memory.
pub const SEALED_BYTES_MAX: usize = 32 << 20;

impl Sealed {
    /// Indexes files. Names go into evidence and never to a role.
    pub fn of<Name: Into<String>, Content: AsRef<[u8]>>(
        files: impl IntoIterator<Item = (Name, Content)>,
    ) -> Result<Self, TooMuchSealed> {
        let mut hasher = Hasher::default();
        hasher.update(SCHEME.as_bytes());
        let mut with_digits = Corpus::with_room(0);
        let mut letters = Corpus::with_room(0);
        let mut names = Vec::new();
        let mut bytes = 0_usize;
        let mut rows = 0;
        for (name, content) in files {
            let (name, content) = (name.into(), content.as_ref());
            bytes = bytes.saturating_add(content.len());
            if bytes > SEALED_BYTES_MAX {
                return Err(TooMuchSealed);
            }
            hasher.update(Digest::of(name.as_bytes()).to_string().as_bytes());
            hasher.update(Digest::of(content).to_string().as_bytes());
            let marks = words::marks(content);
            with_digits.add(content, &marks, Keep::Digits);
            letters.add(content, &marks, Keep::Letters);
            names.push((rows, name));
            rows += 1 + content.iter().filter(|byte| **byte == b'\n').count();
        }
        let corpora = [with_digits.close(), letters.close()];
        let whole = whole_rows(&corpora[1]);
        let material = Arc::new(Material { corpora, whole, names, bytes });
        let known = notices::ALL.iter().map(|notice| notice.as_bytes());
        Ok(Self { open: material.open_in(known), digest: hasher.finish(), material })
    }

    /// The seal for a role that sees `visible`: contracts, examples, its own files.
    ///
    /// The order of `visible` has no effect. Text subtracted earlier counts again.
    pub fn beside<Content: AsRef<[u8]>>(&self, visible: impl IntoIterator<Item = Content>) -> Self {
        let visible: Vec<Content> = visible.into_iter().collect();
        let texts = visible.iter().map(AsRef::as_ref);
        let known = notices::ALL.iter().map(|notice| notice.as_bytes());
        let open = self.material.open_in(texts.chain(known));
        Self { material: Arc::clone(&self.material), open, digest: self.digest }
    }

    /// The digest of the sealed names and contents, without the text that the role may see.
    pub fn digest(&self) -> Digest {
        self.digest
    }

    pub(super) fn corpus(&self, keep: Keep) -> (&Corpus, &Open) {
        let nth = match keep {
            Keep::Digits => 0,
            Keep::Letters => 1,
        };
        (&self.material.corpora[nth], &self.open[nth])
    }

    /// The sealed line that has exactly these letters, and their range in the corpus without digits.
    pub(super) fn whole_row(&self, letters: &[u8]) -> Option<(u32, Range<usize>)> {
        let (row, begin) = *self.material.whole.get(&mixed(letters))?;
        let part = begin as usize..begin as usize + letters.len();
        let (corpus, _) = self.corpus(Keep::Letters);
        (part.end <= corpus.len() && corpus.letters(part.clone()) == letters).then_some((row, part))
    }

    pub(super) fn file(&self, row: u32) -> Option<&str> {
        let names = &self.material.names;
        let after = names.partition_point(|(begin, _)| *begin <= row as usize);
        Some(&names.get(after.checked_sub(1)?)?.1)
    }
}

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sealed")
            .field("digest", &self.digest)
            .field("files", &self.material.names.len())
            .field("bytes", &self.material.bytes)
            .finish_non_exhaustive()
    }
}

impl TooMuchSealed {
    pub fn hint(&self) -> String {
        "seal fewer files behind one filter: only what the command could read has to be held back"
            .to_owned()
    }
}

struct Material {
    /// With digits, and without.
    corpora: [Corpus; 2],
    /// Whole lines by the hash of their letters: the line, and its start in the corpus without digits.
    whole: HashMap<u64, (u32, u32)>,
    /// Files by their first line.
    names: Vec<(usize, String)>,
    bytes: usize,
}

impl Material {
    fn open_in<'a>(&self, visible: impl Iterator<Item = &'a [u8]>) -> [Open; 2] {
        let mut corpora = [Corpus::with_room(0), Corpus::with_room(0)];
        let mut bytes = 0_usize;
        for text in visible {
            bytes = bytes.saturating_add(text.len());
            if bytes > SEALED_BYTES_MAX {
                // Subtracting too little is safe.
                break;
            }
            let marks = vec![0; text.len()];
            corpora[0].add(text, &marks, Keep::Digits);
            corpora[1].add(text, &marks, Keep::Letters);
        }
        let [with_digits, letters] = corpora.map(Corpus::close);
        [self.corpora[0].open_in(&with_digits), self.corpora[1].open_in(&letters)]
    }
}

fn whole_rows(corpus: &Corpus) -> HashMap<u64, (u32, u32)> {
    let mut whole = HashMap::new();
    for (row, part) in corpus.rows().filter(|(_, part)| !part.is_empty()) {
        let begin = u32::try_from(part.start).unwrap_or(u32::MAX);
        whole.entry(mixed(corpus.letters(part))).or_insert((row, begin));
    }
    whole
}

/// A hash of a line. The caller also compares the letters.
fn mixed(letters: &[u8]) -> u64 {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for letter in letters {
        hash = (hash ^ u64::from(*letter)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

/// Changes when the same files would be indexed differently.
const SCHEME: &str = "sealwright leak filter 1\n";

#[cfg(test)]
mod tests {
    use super::*;

    fn sealed() -> Sealed {
        Sealed::of([("a.rs", "fn one() {\n    two();\n}\n"), ("b.rs", "fn three() {}\n")]).unwrap()
    }

    #[test]
    fn the_digest_follows_names_and_contents() {
        let same =
            Sealed::of([("a.rs", "fn one() {\n    two();\n}\n"), ("b.rs", "fn three() {}\n")]);
        assert_eq!(sealed().digest(), same.unwrap().digest());
        let other =
            Sealed::of([("a.rs", "fn one() {\n    two();\n}\n"), ("b.rs", "fn three() { }\n")]);
        assert_ne!(sealed().digest(), other.unwrap().digest());
        assert_eq!(sealed().digest(), sealed().beside(["fn three"]).digest());
    }

    #[test]
    fn nothing_of_the_source_is_shown() {
        let shown = format!("{:?}", sealed());
        assert!(shown.contains("files: 2") && !shown.contains("three"), "{shown}");
    }

    #[test]
    fn a_line_knows_its_file() {
        let sealed = sealed();
        let (row, _) = sealed.whole_row(b"fnthree").unwrap();
        assert_eq!(sealed.file(row), Some("b.rs"));
        let (row, _) = sealed.whole_row(b"two").unwrap();
        assert_eq!((row, sealed.file(row)), (1, Some("a.rs")));
        assert_eq!(sealed.whole_row(b"twoo"), None);
    }

    #[test]
    fn too_much_is_refused() {
        let rest = vec![b'x'; SEALED_BYTES_MAX];
        let refused = Sealed::of([("a", b"x".as_slice()), ("b", &rest)]).unwrap_err();
        assert_eq!(refused.to_string(), "more than 33554432 bytes are sealed");
    }

    #[test]
    fn nothing_can_be_sealed() {
        let sealed = Sealed::of(Vec::<(String, Vec<u8>)>::new()).unwrap();
        assert_eq!(sealed.file(0), None);
        assert_eq!(sealed.whole_row(b"x"), None);
    }
}
