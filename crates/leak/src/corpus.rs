//! Sealed text prepared for search: its letters, their weights, and a table of 16-letter grams.
//!
//! The table holds two of every four positions of the corpus (first and second), and the search looks up two of every
//! four positions of a stream (first and third). For any alignment one position is in both, so a run of nineteen
//! letters is always found. A hit is confirmed letter by letter and extended in both directions, so hash collisions
//! cause no false hits. The letters themselves are kept in memory only.

use std::ops::Range;

use super::letters::{Keep, each_letter};
use super::words::{IMPORT, RARE, SPOKEN, WORD};

/// The letters of some files, searchable.
#[derive(Clone)]
pub(super) struct Corpus {
    letters: Vec<u8>,
    marks: Vec<u8>,
    /// The start of each source line in `letters`.
    rows: Vec<u32>,
    grams: Grams,
}

/// A stretch of a stream that is also in the corpus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit {
    /// Its start in the stream.
    pub(super) at: usize,
    /// Its start in the corpus.
    pub(super) from: usize,
    pub(super) length: usize,
}

/// The weight of a run of letters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Weight {
    /// Letters of code and prose.
    pub(super) letters: usize,
    /// Rare words that begin among those.
    pub(super) words: usize,
    /// Letters inside one-line strings.
    pub(super) spoken: usize,
}

/// Letters of a corpus that do not count, because the role can read them elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Open(Vec<u64>);

impl Corpus {
    /// An empty corpus with capacity for `bytes` of source.
    pub(super) fn with_room(bytes: usize) -> Self {
        Self {
            letters: Vec::with_capacity(bytes / 2),
            marks: Vec::with_capacity(bytes / 2),
            rows: Vec::new(),
            grams: Grams::default(),
        }
    }

    /// Adds one file with the marks of its bytes. No hit spans two files.
    pub(super) fn add(&mut self, source: &[u8], marks: &[u8], keep: Keep) {
        self.rows.push(self.place());
        let mut begun = 0;
        let mut word = 0;
        let mut seen = 0;
        each_letter(source, keep, |at, letter| {
            for (nth, byte) in source[begun..=at].iter().enumerate() {
                if *byte == b'\n' {
                    self.rows.push(u32::try_from(self.letters.len()).unwrap_or(u32::MAX));
                }
                // A word begins with its first kept letter.
                word |= marks[begun + nth] & (WORD | RARE);
            }
            begun = at + 1;
            self.letters.push(letter);
            self.marks.push(word | marks[at] & (SPOKEN | IMPORT));
            word = 0;
            seen = at + 1;
        });
        let rest = source[seen..].iter().filter(|byte| **byte == b'\n').count();
        self.rows.extend(std::iter::repeat_n(self.place(), rest));
        self.letters.push(BETWEEN);
        self.marks.push(0);
    }

    pub(super) fn close(mut self) -> Self {
        self.grams = Grams::of(&self.letters);
        self
    }

    pub(super) fn len(&self) -> usize {
        self.letters.len()
    }

    /// The source line, counted over all files, at a position.
    pub(super) fn row(&self, place: usize) -> u32 {
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        let after = self.rows.partition_point(|begin| *begin <= place);
        u32::try_from(after.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// The letters of each line of the source.
    pub(super) fn rows(&self) -> impl Iterator<Item = (u32, Range<usize>)> {
        (0..).zip(0..self.rows.len()).map(|(row, nth)| {
            let end = self.rows.get(nth + 1).map_or(self.letters.len(), |end| *end as usize);
            let begin = self.rows[nth] as usize;
            let end = end - usize::from(end > begin && self.letters[end - 1] == BETWEEN);
            (row, begin..end)
        })
    }

    pub(super) fn letters(&self, part: Range<usize>) -> &[u8] {
        &self.letters[part]
    }

    /// All hits in `stream`, in order. Hits may overlap.
    pub(super) fn hits(&self, stream: &[u8]) -> Vec<Hit> {
        let mut hits = Vec::new();
        let mut at = 0;
        while let Some(gram) = gram(stream, at) {
            debug_assert!(at % 2 == 0, "every second place is looked up");
            match self.grams.find(gram, &self.letters) {
                Some(place) => {
                    let hit = self.followed(stream, at, place);
                    // A hit that ends inside this one adds nothing; one that extends beyond it may.
                    at = (hit.at + hit.length + 1)
                        .saturating_sub(GRAM)
                        .next_multiple_of(2)
                        .max(at + 2);
                    hits.push(hit);
                }
                None => at += 2,
            }
        }
        hits
    }

    /// Extends a matching gram in both directions.
    fn followed(&self, stream: &[u8], at: usize, place: usize) -> Hit {
        let same = |(here, there): &(&u8, &u8)| here == there;
        let before = stream[..at].iter().rev().zip(self.letters[..place].iter().rev());
        // Further back, an earlier position of the table would have matched.
        let before = before.take(GRAM).take_while(same).count();
        let after = stream[at..].iter().zip(&self.letters[place..]).take_while(same).count();
        Hit { at: at - before, from: place - before, length: before + after }
    }

    /// The weight of a part without its open letters.
    pub(super) fn weight(&self, part: Range<usize>, open: &Open) -> Weight {
        let mut weight = Weight::default();
        for place in part {
            let mark = self.marks[place];
            if mark & IMPORT != 0 || open.holds(place) {
                continue;
            }
            if mark & SPOKEN != 0 {
                weight.spoken += 1;
            } else {
                weight.letters += 1;
                weight.words += usize::from(mark & RARE != 0);
            }
        }
        weight
    }

    fn place(&self) -> u32 {
        u32::try_from(self.letters.len()).unwrap_or(u32::MAX)
    }

    /// The letters that are also in `visible`.
    pub(super) fn open_in(&self, visible: &Self) -> Open {
        let mut open = Open(vec![0; self.letters.len().div_ceil(64)]);
        for hit in visible.hits(&self.letters) {
            for place in hit.at..hit.at + hit.length {
                open.0[place / 64] |= 1 << (place % 64);
            }
        }
        open
    }
}

impl Weight {
    pub(super) fn and(self, other: Self) -> Self {
        Self {
            letters: self.letters + other.letters,
            words: self.words + other.words,
            spoken: self.spoken + other.spoken,
        }
    }
}

impl Open {
    fn holds(&self, place: usize) -> bool {
        self.0.get(place / 64).is_some_and(|word| word >> (place % 64) & 1 == 1)
    }
}

/// Positions by gram. The bit set rules out most absent grams quickly.
#[derive(Clone, Default)]
struct Grams {
    bits: Vec<u64>,
    slots: Vec<Slot>,
}

impl Grams {
    fn of(letters: &[u8]) -> Self {
        let count = letters.len() / 2 + 1;
        let mut grams = Self {
            bits: vec![0; (count * 8).next_power_of_two().max(1024) / 64],
            slots: vec![Slot::default(); (count * 2).next_power_of_two()],
        };
        for place in (0..letters.len()).filter(|place| place % 4 < 2) {
            let Some(gram) = gram(letters, place) else { break };
            // A gram that spans two files is skipped.
            if gram.to_le_bytes().contains(&BETWEEN) {
                continue;
            }
            grams.insert(gram, place, letters);
        }
        grams
    }

    fn insert(&mut self, gram: u128, place: usize, letters: &[u8]) {
        let hash = mixed(gram);
        let bit = self.bit(hash);
        self.bits[bit / 64] |= 1 << (bit % 64);
        let mut at = self.slot(hash);
        while let Some(taken) = self.slots[at].place(hash) {
            if taken.is_some_and(|taken| self::gram(letters, taken) == Some(gram)) {
                return;
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        self.slots[at] = Slot::of(hash, place);
    }

    fn find(&self, gram: u128, letters: &[u8]) -> Option<usize> {
        let hash = mixed(gram);
        let bit = self.bit(hash);
        if self.bits.get(bit / 64)? >> (bit % 64) & 1 == 0 {
            return None;
        }
        let mut at = self.slot(hash);
        while let Some(place) = self.slots[at].place(hash) {
            if let Some(place) = place.filter(|place| self::gram(letters, *place) == Some(gram)) {
                return Some(place);
            }
            at = (at + 1) & (self.slots.len() - 1);
        }
        None
    }

    fn bit(&self, hash: u64) -> usize {
        (hash >> 32) as usize & (self.bits.len() * 64).wrapping_sub(1)
    }

    fn slot(&self, hash: u64) -> usize {
        hash as usize & (self.slots.len() - 1)
    }
}

/// A position with seven bits of its hash, which rules out most others without comparing letters. Zero means free.
#[derive(Clone, Copy, Default)]
struct Slot(u32);

impl Slot {
    /// The bits of the position.
    const NTH: u32 = 0x01ff_ffff;

    fn of(hash: u64, place: usize) -> Self {
        let nth = place / 4 * 2 + place % 4 + 1;
        Self(u32::try_from(nth).unwrap_or_default() & Self::NTH | Self::tag(hash))
    }

    /// `None` if the slot is free; otherwise its position, if the hash bits match.
    fn place(self, hash: u64) -> Option<Option<usize>> {
        let nth = (self.0 & Self::NTH).checked_sub(1)? as usize;
        Some((self.0 & !Self::NTH == Self::tag(hash)).then_some(nth / 2 * 4 + nth % 2))
    }

    fn tag(hash: u64) -> u32 {
        (hash >> 24) as u32 & !Self::NTH
    }
}

/// The sixteen letters at a position, as one number.
fn gram(letters: &[u8], at: usize) -> Option<u128> {
    let bytes = letters.get(at..at + GRAM)?;
    Some(u128::from_le_bytes(bytes.try_into().ok()?))
}

fn mixed(gram: u128) -> u64 {
    // Multiply each half by an odd constant, then fold.
    let (low, high) = (gram as u64, (gram >> 64) as u64);
    let mixed = (low ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xff51_afd7_ed55_8ccd)
        ^ (high ^ 0xc2b2_ae3d_27d4_eb4f).wrapping_mul(0xc4ce_b9fe_1a85_ec53).rotate_left(32);
    let mixed = (mixed ^ mixed >> 29).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 32
}

/// The letters of one lookup.
pub(super) const GRAM: usize = 16;
/// Separates two files. No letter is zero.
const BETWEEN: u8 = 0;

#[cfg(test)]
mod tests {
    use super::super::words;
    use super::*;

    fn corpus(files: &[&str]) -> Corpus {
        let mut corpus = Corpus::with_room(0);
        for file in files {
            corpus.add(file.as_bytes(), &words::marks(file.as_bytes()), Keep::Digits);
        }
        corpus.close()
    }

    const TEXT: &str =
        "the quick brown fox jumps over the lazy dog and runs far away into distant hills";

    #[test]
    fn nineteen_letters_are_found_wherever_they_begin() {
        let corpus = corpus(&[TEXT]);
        let letters = corpus.letters(0..corpus.len() - 1);
        for begin in 0..=letters.len() - 19 {
            // Neither side has a letter of the text, so the length is exact.
            let mut stream = b"####".to_vec();
            stream.extend(&letters[begin..begin + 19]);
            stream.extend(b"####");
            let hits = corpus.hits(&stream);
            assert_eq!(hits, [Hit { at: 4, from: begin, length: 19 }], "from {begin}");
        }
    }

    #[test]
    fn nothing_is_found_across_two_files() {
        let corpus = corpus(&["alphabetagammadelta", "epsilonzetaetatheta"]);
        assert_eq!(corpus.hits(b"gammadeltaepsilonzeta"), []);
        assert_eq!(corpus.hits(b"xxbetagammadelta").len(), 0);
        assert_eq!(corpus.hits(b"xxabetagammadelta").len(), 0);
        assert_eq!(corpus.hits(b"xxlphabetagammadelta").len(), 1);
    }

    #[test]
    fn a_place_knows_its_line() {
        let corpus = corpus(&["one two\n\n three\nfour\n", "five"]);
        let rows: Vec<_> = corpus
            .rows()
            .map(|(row, part)| (row, String::from_utf8_lossy(corpus.letters(part)).into_owned()))
            .collect();
        let expected = [(0, "onetwo"), (1, ""), (2, "three"), (3, "four"), (4, ""), (5, "five")];
        assert_eq!(rows, expected.map(|(row, text)| (row, text.to_owned())));
        assert_eq!(corpus.row(0), 0);
        assert_eq!(corpus.row(6), 2);
        assert_eq!(corpus.row(corpus.len() - 2), 5);
    }

    #[test]
    fn what_can_be_read_elsewhere_weighs_nothing() {
        let sealed = corpus(&[TEXT]);
        let all = sealed.weight(0..sealed.len() - 1, &Open::default());
        let open = sealed.open_in(&corpus(&["jumps over the lazy dog and"]));
        let rest = sealed.weight(0..sealed.len() - 1, &open);
        assert_eq!((all.letters, rest.letters), (65, 65 - 22));
        assert!(rest.words < all.words);
    }

    #[test]
    fn nothing_is_in_nothing() {
        assert_eq!(corpus(&[]).hits(b"some letters that are not there"), []);
        assert_eq!(corpus(&[""]).hits(b""), []);
    }
}
