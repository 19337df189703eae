//! Vectors of one embedder, in the order of the entries: exact numbers on disk, small codes in memory.
//!
//! A search compares the codes of all rows that passed the filters, eight bits for each number. The code of a row is
//! off by at most its stored error, so the rows that can be among the best are known for certain; their exact numbers
//! are read and compared. The result is that of comparing all exact numbers.
//!
//! ```text
//! codes    one frame for each row: checksum, scale, error (4 bytes each), then one byte for each number
//! floats   one frame for each row: checksum, then four bytes for each number
//! ```
//!
//! A checksum covers the hash of the row's record, so that vectors of another index do not pass. All of it can be
//! computed again from the entries.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use multiversion::multiversion;
use sealwright_kernel::Digest;

use crate::embedder::{EmbedderInfo, dot};
use crate::files::Folder;

pub(crate) struct Vectors {
    dims: usize,
    /// The frames of `codes`.
    frames: Vec<u8>,
    floats: File,
    /// Only a writer has it.
    codes: Option<File>,
}

/// Whether files may be written to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

impl Vectors {
    /// Makes an empty set of vectors, or empties one that was begun.
    pub(crate) fn create(folder: &Folder, info: &EmbedderInfo) -> io::Result<Self> {
        let text = serde_json::to_vec_pretty(info).expect("names and numbers are JSON");
        let about = folder.write(ABOUT)?;
        about.set_len(0)?;
        about.write_all_at(&text, 0)?;
        let (codes, floats) = (folder.write(CODES)?, folder.write(FLOATS)?);
        for file in [&codes, &floats, &about] {
            file.sync_all()?;
        }
        codes.set_len(0)?;
        floats.set_len(0)?;
        Ok(Self { dims: info.dims, frames: Vec::new(), floats, codes: Some(codes) })
    }

    /// Reads the rows whose checksums hold, up to the first that is missing. `None` if there are no such files.
    pub(crate) fn open(
        folder: &Folder,
        dims: usize,
        records: impl Iterator<Item = Digest>,
        access: Access,
    ) -> io::Result<Option<Self>> {
        let open = |name: &str| match access {
            Access::Read => folder.read(name),
            Access::Write => folder.write(name).map(Some),
        };
        let (Some(codes), Some(floats)) = (open(CODES)?, open(FLOATS)?) else { return Ok(None) };
        let stride = CODE_HEAD + dims;
        let whole = |file: &File, stride: usize| -> io::Result<usize> {
            Ok(usize::try_from(file.metadata()?.size()).unwrap_or(usize::MAX) / stride)
        };
        let known = whole(&codes, stride)?.min(whole(&floats, float_stride(dims))?);
        let records: Vec<Digest> = records.take(known).collect();
        let mut frames = vec![0; records.len() * stride];
        codes.read_exact_at(&mut frames, 0)?;
        let holds = |(frame, record): (&[u8], &Digest)| {
            let number = |at: usize| {
                f32::from_le_bytes([frame[at], frame[at + 1], frame[at + 2], frame[at + 3]])
            };
            let is_number = |value: f32| value.is_finite() && value >= 0.0;
            frame[..4] == checksum(record, &frame[4..])
                && is_number(number(4))
                && is_number(number(8))
        };
        let sound = frames.chunks_exact(stride).zip(&records).take_while(|it| holds(*it)).count();
        frames.truncate(sound * stride);
        let codes = (access == Access::Write).then_some(codes);
        Ok(Some(Self { dims, frames, floats, codes }))
    }

    pub(crate) fn rows(&self) -> usize {
        self.frames.len() / (CODE_HEAD + self.dims)
    }

    pub(crate) fn truncate(&mut self, rows: usize) {
        self.frames.truncate(rows * (CODE_HEAD + self.dims));
    }

    /// Adds the next rows. They count once the log has their records.
    pub(crate) fn append(&mut self, rows: &[(Digest, Vec<f32>)]) -> io::Result<()> {
        let first = self.rows() as u64;
        let (stride, float_stride) = (CODE_HEAD + self.dims, float_stride(self.dims));
        let mut floats = Vec::with_capacity(rows.len() * float_stride);
        let mut frames = Vec::with_capacity(rows.len() * stride);
        for (record, vector) in rows {
            let numbers: Vec<u8> = vector.iter().flat_map(|value| value.to_le_bytes()).collect();
            floats.extend(checksum(record, &numbers));
            floats.extend(numbers);
            let coded = coded(vector);
            frames.extend(checksum(record, &coded));
            frames.extend(coded);
        }
        let codes = self.codes.as_ref().ok_or(io::ErrorKind::PermissionDenied)?;
        self.floats.write_all_at(&floats, first * float_stride as u64)?;
        codes.write_all_at(&frames, first * stride as u64)?;
        self.frames.extend(frames);
        Ok(())
    }

    pub(crate) fn sync(&self) -> io::Result<()> {
        self.floats.sync_data()?;
        self.codes.as_ref().map_or(Ok(()), File::sync_data)
    }

    /// The exact numbers of a row. `None` if its checksum does not hold.
    pub(crate) fn exact(&self, row: u32, record: &Digest) -> io::Result<Option<Vec<f32>>> {
        let stride = float_stride(self.dims);
        let mut frame = vec![0; stride];
        self.floats.read_exact_at(&mut frame, u64::from(row) * stride as u64)?;
        if frame[..4] != checksum(record, &frame[4..]) {
            return Ok(None);
        }
        let numbers = frame[4..].as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        Ok(Some(numbers.collect()))
    }

    /// The rows that can be among the best `count` of `rows`: a few more than that, and never fewer.
    pub(crate) fn nearest(
        &self,
        query: &[f32],
        rows: Rows<'_>,
        is_out: &dyn Fn(u32) -> bool,
        count: usize,
    ) -> Vec<u32> {
        let query = CodedQuery::new(query);
        let estimates = match rows {
            Rows::First(rows) => self.estimate_first(&query, rows),
            Rows::Listed(rows) => {
                let stride = CODE_HEAD + self.dims;
                let mut estimates = vec![Estimate::default(); rows.len()];
                for (row, estimate) in rows.iter().zip(&mut estimates) {
                    let frame = &self.frames[*row as usize * stride..][..stride];
                    query.estimate(frame, stride, std::slice::from_mut(estimate));
                }
                estimates
            }
        };
        let row_at = |at: usize| match rows {
            Rows::First(_) => u32::try_from(at).unwrap_or(u32::MAX),
            Rows::Listed(rows) => rows[at],
        };
        // The least value that is certain for `count` rows: a row that cannot reach it is out.
        let mut certain: Vec<f32> = Vec::with_capacity(count + 1);
        for (at, estimate) in estimates.iter().enumerate() {
            let least = estimate.value - estimate.error;
            let is_better = certain.len() < count || certain.last().is_some_and(|it| least > *it);
            if is_better && !is_out(row_at(at)) {
                certain.insert(certain.partition_point(|it| *it >= least), least);
                certain.truncate(count);
            }
        }
        let bar = if certain.len() < count {
            f32::MIN
        } else {
            certain.last().copied().unwrap_or(f32::MIN)
        };
        let reaches = |(at, estimate): (usize, &Estimate)| {
            let row = row_at(at);
            (estimate.value + estimate.error >= bar && !is_out(row)).then_some(row)
        };
        estimates.iter().enumerate().filter_map(reaches).collect()
    }

    fn estimate_first(&self, query: &CodedQuery, rows: usize) -> Vec<Estimate> {
        let stride = CODE_HEAD + self.dims;
        let frames = &self.frames[..rows * stride];
        let mut estimates = vec![Estimate::default(); rows];
        // Asking for the number of processors costs more than comparing a few rows.
        let threads = if rows > ROWS_PER_THREAD_MIN {
            std::thread::available_parallelism().map_or(1, usize::from).min(THREADS_MAX)
        } else {
            1
        };
        let part = rows.div_ceil(threads).max(ROWS_PER_THREAD_MIN);
        let parts = frames.chunks(part * stride).zip(estimates.chunks_mut(part));
        std::thread::scope(|scope| {
            let mut parts = parts.peekable();
            while let Some((frames, estimates)) = parts.next() {
                let mut work = move || query.estimate(frames, stride, estimates);
                if parts.peek().is_some() {
                    scope.spawn(work);
                } else {
                    work();
                }
            }
        });
        estimates
    }
}

/// Which rows are compared.
#[derive(Clone, Copy)]
pub(crate) enum Rows<'a> {
    First(usize),
    Listed(&'a [u32]),
}

/// A similarity that is off by no more than `error`.
#[derive(Clone, Copy, Default)]
struct Estimate {
    value: f32,
    error: f32,
}

/// A query of length one, in fourteen bits for each number: its own error is far below that of a row.
struct CodedQuery {
    codes: Vec<i16>,
    scale: f32,
    length: f32,
    error: f32,
}

impl CodedQuery {
    fn new(query: &[f32]) -> Self {
        let scale =
            query.iter().fold(0.0_f32, |most, value| most.max(value.abs())) / QUERY_CODE_MAX;
        let code = |value: &f32| if scale > 0.0 { (value / scale).round() } else { 0.0 };
        let coded: Vec<f32> = query.iter().map(code).collect();
        let rest: Vec<f32> =
            query.iter().zip(&coded).map(|(value, code)| value - code * scale).collect();
        let length = above(dot(&coded, &coded).sqrt()) * scale;
        let codes = coded.iter().map(|code| *code as i16).collect();
        Self { codes, scale, length, error: above(dot(&rest, &rest).sqrt()) + ROUNDING }
    }

    fn estimate(&self, frames: &[u8], stride: usize, out: &mut [Estimate]) {
        estimate(frames, stride, &self.codes, out);
        for estimate in out {
            estimate.value *= self.scale;
            estimate.error = estimate.error * self.length + self.error;
        }
    }
}

/// The product of the codes of each frame with those of the query, and the error of the frame.
#[multiversion(targets("x86_64+avx512f+avx512bw+avx512vl", "x86_64+avx2", "aarch64+neon"))]
fn estimate(frames: &[u8], stride: usize, query: &[i16], out: &mut [Estimate]) {
    for (frame, estimate) in frames.chunks_exact(stride).zip(out) {
        let (head, codes) = frame.split_at(CODE_HEAD);
        let mut sum = 0_i32;
        for (code, query) in codes.iter().zip(query) {
            sum += i32::from(code.cast_signed()) * i32::from(*query);
        }
        let number =
            |at: usize| f32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        *estimate = Estimate { value: sum as f32 * number(4), error: number(8) };
    }
}

/// A scale, the length of what the codes leave out, and the codes.
fn coded(vector: &[f32]) -> Vec<u8> {
    let scale = vector.iter().fold(0.0_f32, |most, value| most.max(value.abs())) / CODE_MAX;
    let code = |value: &f32| if scale > 0.0 { (value / scale).round() } else { 0.0 };
    let rest: Vec<f32> = vector.iter().map(|value| value - code(value) * scale).collect();
    let mut out = Vec::with_capacity(CODE_HEAD - 4 + vector.len());
    out.extend(scale.to_le_bytes());
    out.extend(above(dot(&rest, &rest).sqrt()).to_le_bytes());
    out.extend(vector.iter().map(|value| (code(value) as i8).cast_unsigned()));
    out
}

/// A number that rounding did not make smaller.
fn above(value: f64) -> f32 {
    (value as f32) * (1.0 + 4.0 * f32::EPSILON)
}

fn checksum(record: &Digest, payload: &[u8]) -> [u8; 4] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&record.hex());
    hasher.update(payload);
    hasher.finalize().to_le_bytes()
}

fn float_stride(dims: usize) -> usize {
    4 + 4 * dims
}

const CODE_HEAD: usize = 12;
const CODE_MAX: f32 = 127.0;
/// With 1536 numbers of 127 the sum still fits 32 bits.
const QUERY_CODE_MAX: f32 = 8191.0;
/// Above what sums of 1536 numbers of single precision can be off by.
const ROUNDING: f32 = 4e-6;
const THREADS_MAX: usize = 8;
/// Below this many rows, starting a thread costs more than it saves.
const ROWS_PER_THREAD_MIN: usize = 16_384;
const ABOUT: &str = "embedder.json";
const CODES: &str = "codes";
const FLOATS: &str = "floats";

#[cfg(test)]
mod tests;
