//! A sieve for decoded bytes: text stays, the rest falls through, and what was packed is unpacked.
//!
//! Nearly any output can be decoded as something; nearly all of that is noise. Noise does not stay text for twelve
//! bytes in a row, so what is left is either nothing or worth reading.

use super::passage::{Lines, Passage};
use super::search::{TooTangled, Work};

/// Takes decoded bytes one by one.
#[derive(Default)]
pub(super) struct Sieve {
    text: Passage,
    /// Where the present stretch of text began.
    begun: usize,
    /// How many bytes of a wide character are still to come.
    wanting: u8,
    /// The last four bytes.
    last: u32,
    parcels: Vec<Parcel>,
    /// How many parcels there was no room for.
    refused: usize,
}

/// What a sieve kept.
pub(super) struct Sifted {
    pub(super) text: Passage,
    /// What was packed, unpacked.
    pub(super) unpacked: Vec<Passage>,
}

impl Sieve {
    pub(super) fn push(&mut self, byte: u8, lines: Lines) {
        self.watch(byte, lines);
        match KINDS[usize::from(byte)] {
            Kind::Text if self.wanting == 0 => self.text.push(byte, lines),
            Kind::Lead(more) if self.wanting == 0 => {
                self.wanting = more;
                self.text.push(byte, lines);
            }
            Kind::Trail if self.wanting > 0 => {
                self.wanting -= 1;
                self.text.push(byte, lines);
            }
            Kind::Text | Kind::Lead(_) | Kind::Trail | Kind::Noise => self.gap(),
        }
    }

    /// Takes a piece that is worth nothing unless all of it is text.
    pub(super) fn push_whole(&mut self, piece: &[u8], lines: Lines) {
        for byte in piece {
            self.watch(*byte, lines);
        }
        if piece.iter().all(|byte| !matches!(KINDS[usize::from(*byte)], Kind::Noise)) {
            self.text.extend(piece, lines);
            self.begun = self.text.len();
        }
    }

    /// What came before and what comes after do not belong together.
    pub(super) fn gap(&mut self) {
        if self.text.len() - self.begun < STRETCH_MIN {
            self.text.shorten(self.begun);
        }
        self.begun = self.text.len();
        self.wanting = 0;
    }

    pub(super) fn finish(mut self, work: &mut Work) -> Result<Sifted, TooTangled> {
        self.gap();
        if self.refused > 0 {
            return Err(TooTangled);
        }
        let mut unpacked = Vec::new();
        for parcel in self.parcels {
            unpacked.extend(parcel.open(work)?);
        }
        Ok(Sifted { text: self.text, unpacked })
    }

    /// Notices where something packed begins, and keeps what follows.
    fn watch(&mut self, byte: u8, lines: Lines) {
        self.last = self.last << 8 | u32::from(byte);
        for parcel in &mut self.parcels {
            parcel.push(byte, lines);
        }
        let wrapping = match self.last & 0xffff {
            // The checks of RFC 1950: method 8, a window that exists, and a multiple of 31.
            head @ 0x7801..=0x78ff if head % 31 == 0 && head & 0x20 == 0 => Some(Wrapping::Zlib),
            _ if self.last & 0x00ff_ffff == 0x001f_8b08 => Some(Wrapping::Gzip),
            _ => None,
        };
        if let Some(wrapping) = wrapping {
            self.begin(Parcel { wrapping, content: Vec::new(), lines });
        }
    }

    fn begin(&mut self, parcel: Parcel) {
        if self.refused == 0 {
            self.parcels.retain(Parcel::is_promising);
        }
        // Noise looks packed once in a while. Whoever packs more at once hides something.
        if self.parcels.len() < PARCELS_MAX {
            self.parcels.push(parcel);
        } else {
            self.refused += 1;
        }
    }
}

/// Bytes after the head of something packed.
struct Parcel {
    wrapping: Wrapping,
    content: Vec<u8>,
    lines: Lines,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrapping {
    Gzip,
    Zlib,
}

impl Parcel {
    fn push(&mut self, byte: u8, lines: Lines) {
        if self.content.len() < PARCEL_BYTES_MAX {
            self.content.push(byte);
            self.lines = self.lines.with(lines);
        }
    }

    /// Whether it may still turn out to be text. One that is short gets the benefit of the doubt.
    fn is_promising(&self) -> bool {
        let sample = self.content.len().min(SAMPLE_BYTES);
        sample < SAMPLE_BYTES || !inflated(self.deflated(sample), SAMPLE_BYTES).is_empty()
    }

    fn open(self, work: &mut Work) -> Result<Option<Passage>, TooTangled> {
        let room = work.left().min(UNPACKED_BYTES_MAX);
        let content = inflated(self.deflated(self.content.len()), room);
        work.spend(content.len())?;
        let mut unpacked = Passage::default();
        unpacked.extend(&content, self.lines);
        Ok((content.len() >= STRETCH_MIN).then_some(unpacked))
    }

    /// What is inside the wrapping, as far as the first `length` bytes go.
    fn deflated(&self, length: usize) -> &[u8] {
        let content = &self.content[..length];
        match self.wrapping {
            Wrapping::Zlib => content,
            Wrapping::Gzip => gzip_body(content).unwrap_or_default(),
        }
    }
}

/// Skips the rest of the head of RFC 1952; its first three bytes were read already.
fn gzip_body(content: &[u8]) -> Option<&[u8]> {
    let flags = *content.first()?;
    let mut rest = content.get(7..)?;
    if flags & 4 != 0 {
        let length = usize::from(*rest.first()?) | usize::from(*rest.get(1)?) << 8;
        rest = rest.get(2 + length..)?;
    }
    // A name, then a comment, each ended by a zero.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = &rest[end + 1..];
        }
    }
    rest.get(if flags & 2 != 0 { 2 } else { 0 }..)
}

/// As much as can be unpacked. What is cut short or broken is unpacked as far as it goes.
fn inflated(deflated: &[u8], bytes_max: usize) -> Vec<u8> {
    match miniz_oxide::inflate::decompress_to_vec_with_limit(deflated, bytes_max) {
        Ok(content) => content,
        Err(stopped) => stopped.output,
    }
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// The first of a wide character, and how many follow.
    Lead(u8),
    Trail,
    Noise,
}

/// What each byte can be. Zero is text: two-byte text is full of it.
const KINDS: [Kind; 256] = {
    let mut kinds = [Kind::Noise; 256];
    let mut byte = 0;
    while byte < 256 {
        kinds[byte] = match byte {
            0 | 9 | 10 | 13 | 0x20..=0x7e => Kind::Text,
            0x80..=0xbf => Kind::Trail,
            0xc2..=0xdf => Kind::Lead(1),
            0xe0..=0xef => Kind::Lead(2),
            0xf0..=0xf4 => Kind::Lead(3),
            _ => Kind::Noise,
        };
        byte += 1;
    }
    kinds
};

/// Text shorter than this is noise that looks like text.
const STRETCH_MIN: usize = 12;
/// How much is looked at to see whether something packed is worth keeping.
const SAMPLE_BYTES: usize = 512;
/// How many packed things may be under way at once.
const PARCELS_MAX: usize = 32;
/// How much of something packed is kept.
const PARCEL_BYTES_MAX: usize = 1 << 20;
/// How much is unpacked from one parcel.
const UNPACKED_BYTES_MAX: usize = 8 << 20;
