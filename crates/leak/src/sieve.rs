//! A sieve for decoded bytes: it keeps text, drops the rest, and decompresses compressed data.
//!
//! Nearly any output decodes to something, and nearly all of that is noise. Noise rarely looks like text for twelve
//! bytes in a row, so the rest is worth reading.

use miniz_oxide::inflate::{TINFLStatus, decompress_to_vec_with_limit};

use super::passage::{Lines, Passage};
use super::search::{SearchBudget, TooTangled};

/// Takes decoded bytes one by one.
#[derive(Default)]
pub(super) struct Sieve {
    text: Passage,
    /// The start of a stretch that may be text, kept apart because most of it is noise.
    begun: [(u8, Lines); STRETCH_MIN],
    /// The length of the stretch, until it counts as text.
    length: usize,
    /// Missing bytes of a multi-byte character.
    wanting: u8,
    /// The last four bytes.
    last: u32,
    /// Compressed data that is still incomplete.
    parcels: Vec<Parcel>,
    /// Compressed data that is complete.
    closed: Vec<Parcel>,
    /// Compressed data that had no room.
    refused: usize,
}

pub(super) struct Sifted {
    pub(super) text: Passage,
    pub(super) unpacked: Vec<Passage>,
}

impl Sieve {
    pub(super) fn push(&mut self, byte: u8, lines: Lines) {
        self.watch(byte, lines);
        match KINDS[usize::from(byte)] {
            Kind::Text if self.wanting == 0 => {}
            Kind::Lead(more) if self.wanting == 0 => self.wanting = more,
            Kind::Trail if self.wanting > 0 => self.wanting -= 1,
            Kind::Text | Kind::Lead(_) | Kind::Trail | Kind::Noise => return self.gap(),
        }
        match self.begun.get_mut(self.length) {
            Some(place) => {
                *place = (byte, lines);
                self.length += 1;
                if self.length == STRETCH_MIN {
                    for (byte, lines) in self.begun {
                        self.text.push(byte, lines);
                    }
                }
            }
            None => self.text.push(byte, lines),
        }
    }

    /// Adds a piece only if all of it is text.
    pub(super) fn push_whole(&mut self, piece: &[u8], lines: Lines) {
        for byte in piece {
            self.watch(*byte, lines);
        }
        let is_noise = |byte: &u8| matches!(KINDS[usize::from(*byte)], Kind::Noise);
        if !piece.iter().any(is_noise) && core::str::from_utf8(piece).is_ok() {
            self.text.extend(piece, lines);
        }
    }

    /// Separates the bytes before from the bytes after.
    pub(super) fn gap(&mut self) {
        self.length = 0;
        self.wanting = 0;
    }

    pub(super) fn finish(self, work: &mut SearchBudget) -> Result<Sifted, TooTangled> {
        if self.refused > 0 {
            return Err(TooTangled);
        }
        let mut unpacked = Vec::new();
        for parcel in self.closed.into_iter().chain(self.parcels) {
            unpacked.extend(parcel.open(work)?);
        }
        Ok(Sifted { text: self.text, unpacked })
    }

    /// Detects the start of compressed data and collects it.
    fn watch(&mut self, byte: u8, lines: Lines) {
        self.last = self.last << 8 | u32::from(byte);
        if !self.parcels.is_empty() {
            self.deliver(byte, lines);
        }
        let wrapping = match self.last & 0xffff {
            // The checks of RFC 1950: method 8, a valid window, and a multiple of 31.
            head @ 0x7801..=0x78ff if head % 31 == 0 && head & 0x20 == 0 => Wrapping::Zlib,
            0x8b08 if self.last & 0x00ff_0000 == 0x001f_0000 => Wrapping::Gzip,
            _ => return,
        };
        // Noise rarely looks compressed and is dropped soon. More at once means that something is hidden.
        if self.parcels.len() < PARCELS_MAX {
            self.parcels.push(Parcel { wrapping, content: Vec::new(), lines });
        } else {
            self.refused += 1;
        }
    }

    fn deliver(&mut self, byte: u8, lines: Lines) {
        let mut nth = 0;
        while let Some(parcel) = self.parcels.get_mut(nth) {
            match parcel.push(byte, lines) {
                Prospect::Open => nth += 1,
                Prospect::Noise => drop(self.parcels.swap_remove(nth)),
                Prospect::Closed if self.closed.len() < CLOSED_MAX => {
                    self.closed.push(self.parcels.swap_remove(nth));
                }
                Prospect::Closed => {
                    self.parcels.swap_remove(nth);
                    self.refused += 1;
                }
            }
        }
    }
}

/// Bytes after the header of compressed data.
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

/// Whether data that looks compressed is worth keeping.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prospect {
    Open,
    Closed,
    /// Not compressed text.
    Noise,
}

impl Parcel {
    fn push(&mut self, byte: u8, lines: Lines) -> Prospect {
        if self.content.len() < PARCEL_BYTES_MAX {
            self.content.push(byte);
            self.lines = self.lines.with(lines);
        }
        if SAMPLES.contains(&self.content.len()) { self.prospect() } else { Prospect::Open }
    }

    /// Noise breaks off after a few bytes, or decompresses to noise.
    fn prospect(&self) -> Prospect {
        let (content, end) = inflated(self.deflated(), SAMPLE_UNPACKED_MAX);
        let noise =
            content.iter().filter(|byte| matches!(KINDS[usize::from(**byte)], Kind::Noise)).count();
        match end {
            Prospect::Closed if content.len() < CLOSED_BYTES_MIN => Prospect::Noise,
            // Corrupt, but only after enough text.
            Prospect::Noise if content.len() >= SAMPLES[0] && noise * 20 < content.len() => {
                Prospect::Closed
            }
            _ if noise * 20 > content.len() => Prospect::Noise,
            end => end,
        }
    }

    fn open(self, work: &mut SearchBudget) -> Result<Option<Passage>, TooTangled> {
        let room = work.left().min(UNPACKED_BYTES_MAX);
        let (content, _) = inflated(self.deflated(), room);
        work.spend(content.len())?;
        let mut unpacked = Passage::default();
        unpacked.extend(&content, self.lines);
        Ok((content.len() >= STRETCH_MIN).then_some(unpacked))
    }

    fn deflated(&self) -> &[u8] {
        match self.wrapping {
            Wrapping::Zlib => &self.content,
            Wrapping::Gzip => gzip_body(&self.content).unwrap_or_default(),
        }
    }
}

/// Decompresses as far as possible, also corrupt data, and says whether more is to come.
fn inflated(deflated: &[u8], bytes_max: usize) -> (Vec<u8>, Prospect) {
    match decompress_to_vec_with_limit(deflated, bytes_max) {
        Ok(content) => (content, Prospect::Closed),
        Err(mut stopped) => {
            // The output has the length of its allocation; the unused rest is zero.
            let length =
                stopped.output.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
            stopped.output.truncate(length);
            let prospect = match stopped.status {
                TINFLStatus::FailedCannotMakeProgress
                | TINFLStatus::NeedsMoreInput
                | TINFLStatus::HasMoreOutput => Prospect::Open,
                _ => Prospect::Noise,
            };
            (stopped.output, prospect)
        }
    }
}

/// Skips the rest of the header of RFC 1952; its first three bytes were read already.
fn gzip_body(content: &[u8]) -> Option<&[u8]> {
    let flags = *content.first()?;
    let mut rest = content.get(7..)?;
    if flags & 4 != 0 {
        let length = usize::from(*rest.first()?) | usize::from(*rest.get(1)?) << 8;
        rest = rest.get(2 + length..)?;
    }
    // A name, then a comment, each terminated by zero.
    for flag in [8, 16] {
        if flags & flag != 0 {
            let end = rest.iter().position(|byte| *byte == 0)?;
            rest = &rest[end + 1..];
        }
    }
    rest.get(if flags & 2 != 0 { 2 } else { 0 }..)
}

#[derive(Clone, Copy)]
enum Kind {
    Text,
    /// The first byte of a multi-byte character, and how many follow.
    Lead(u8),
    Trail,
    Noise,
}

/// The kind of each byte. Zero counts as text, because UTF-16 text is full of it.
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

/// Shorter stretches are noise.
const STRETCH_MIN: usize = 12;
/// After this many bytes, compressed data is tested.
const SAMPLES: [usize; 3] = [64, 512, 4096];
/// The most bytes decompressed for a test.
const SAMPLE_UNPACKED_MAX: usize = 16 << 10;
/// The most incomplete parcels at once.
const PARCELS_MAX: usize = 32;
/// A parcel that decompresses to less is noise, or too little to matter.
const CLOSED_BYTES_MIN: usize = 40;
/// The most complete parcels.
const CLOSED_MAX: usize = 1024;
/// The most bytes of one parcel.
const PARCEL_BYTES_MAX: usize = 1 << 20;
/// The most bytes decompressed from one parcel.
const UNPACKED_BYTES_MAX: usize = 8 << 20;
