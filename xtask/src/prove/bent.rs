//! Input from strangers, bent at random: nothing panics, nothing grows, and every refusal says where and what to do.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, ensure};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::peak_memory_kib;

/// One kind of input: samples to be bent, and what reads them.
pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) samples: Vec<Vec<u8>>,
    pub(super) read: fn(&[u8]) -> Result<(), String>,
}

/// Reads `full` bent inputs of each kind, or `quick` ones.
pub(super) fn prove(
    kinds: &[Kind],
    (quick, full): (u64, u64),
    size: Size,
    figures: &mut Figures,
) -> Result<()> {
    let first = match size {
        Size::Quick(sample) => sample.number(),
        Size::Full => 0,
    };
    let cases = size.choose(quick, full);
    let before = peak_memory_kib()?;
    std::panic::set_hook(Box::new(|_| {}));
    let mut broken = Vec::new();
    for kind in kinds {
        broken.extend(bend(kind, first..first + cases));
    }
    drop(std::panic::take_hook());
    let grown = peak_memory_kib()?.saturating_sub(before) / 1024;
    let all = cases * kinds.len() as u64;
    let names: Vec<&str> = kinds.iter().map(|kind| kind.name).collect();
    let text =
        format!("{all} bent inputs ({}): {} broke something", names.join(", "), broken.len());
    figures.hold(text, broken.is_empty());
    figures.hold(format!("memory grew by {grown} MiB (≤ 256)"), grown <= 256);
    ensure!(broken.is_empty(), "{}", broken.join("\n"));
    Ok(())
}

/// Reads one bent sample for each seed, on every core; what went wrong, if anything.
fn bend(kind: &Kind, seeds: Range<u64>) -> Vec<String> {
    let next = AtomicU64::new(seeds.start);
    let broken: Mutex<Vec<String>> = Mutex::default();
    let cores = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    let is_enough = broken.lock().is_ok_and(|broken| broken.len() >= 3);
                    if seed >= seeds.end || is_enough {
                        break;
                    }
                    let mut dice = fastrand::Rng::with_seed(seed);
                    let bent = bent(&kind.samples, &mut dice);
                    let read = catch_unwind(AssertUnwindSafe(|| (kind.read)(&bent)));
                    let wrong = match read {
                        Ok(Ok(())) => continue,
                        Ok(Err(why)) => why,
                        Err(_) => "it panicked".to_owned(),
                    };
                    let shown =
                        String::from_utf8_lossy(&bent).chars().take(200).collect::<String>();
                    if let Ok(mut broken) = broken.lock() {
                        broken.push(format!("{} seed {seed}: {wrong}: {shown:?}", kind.name));
                    }
                }
            });
        }
    });
    broken.into_inner().unwrap_or_default()
}

fn bent(samples: &[Vec<u8>], dice: &mut fastrand::Rng) -> Vec<u8> {
    let mut bytes = samples[dice.usize(0..samples.len())].clone();
    for _ in 0..dice.usize(1..6) {
        let at = dice.usize(0..=bytes.len());
        match dice.u8(0..8) {
            0 if at < bytes.len() => bytes[at] = dice.u8(..),
            1 => bytes.insert(at, dice.u8(..)),
            2 => bytes.truncate(at),
            3 => {
                let other = &samples[dice.usize(0..samples.len())];
                let from = dice.usize(0..=other.len());
                bytes.splice(at..at, other[from..].iter().copied());
            }
            4 => {
                let piece = PIECES[dice.usize(0..PIECES.len())];
                bytes.splice(at..at, piece.bytes());
            }
            5 if at < bytes.len() => {
                let end = (at + dice.usize(1..40)).min(bytes.len());
                bytes.drain(at..end);
            }
            6 if at < bytes.len() => {
                let end = (at + dice.usize(1..40)).min(bytes.len());
                let copy = bytes[at..end].to_vec();
                bytes.splice(at..at, copy);
            }
            _ => {}
        }
    }
    bytes.truncate(BENT_BYTES_MAX);
    bytes
}

/// What bends most.
const PIECES: &[&str] = &[
    "---\n",
    "# ",
    "## Criteria\n",
    "- **Phase:** done\n",
    "<!-- sealwright: seq=1 sha256=",
    "\u{202e}",
    "{\"",
    "null",
    "-1",
    "18446744073709551616",
    "[[",
    "]]",
    "\\u0000",
    "```",
    "= ",
    "\u{1b}[2J",
    "é",
];

const BENT_BYTES_MAX: usize = 64 * 1024;
