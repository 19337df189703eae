//! Input from strangers, bent at random: nothing panics, nothing grows, and every refusal says
//! where and what to do.

use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::{Result, ensure};
use sealwright_factory::config::Config;
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::escalation::Resolution;
use sealwright_kernel::task::{Event, Input, Task};
use sealwright_kernel::{Lane, Machine as _, scripted};
use sealwright_views as views;
use sealwright_views::task_file::TaskFile;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::peak_memory_kib;

/// One kind of input: samples to be bent, and what reads them.
struct Kind {
    name: &'static str,
    samples: Vec<Vec<u8>>,
    read: fn(&[u8]) -> Result<(), String>,
}

pub(crate) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let (first, cases): (u64, u64) = match size {
        Size::Quick(sample) => (sample.number(), 20_000),
        Size::Full => (0, 2_000_000),
    };
    let kinds = kinds()?;
    let before = peak_memory_kib()?;
    std::panic::set_hook(Box::new(|_| {}));
    let mut broken = Vec::new();
    for kind in &kinds {
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

fn kinds() -> Result<Vec<Kind>> {
    let mut task = Task::default();
    let mut events: Vec<Vec<u8>> = Vec::new();
    let mut inputs: Vec<Vec<u8>> = Vec::new();
    let charter = scripted::charter("T-bent", Lane::Factory, Header::default());
    let mut said = Some(scripted::create(charter));
    while let Some(input) = said {
        let decided = task.decide(&input)?;
        decided.iter().for_each(|event| task.evolve(event));
        events.push(serde_json::to_vec(&decided)?);
        inputs.push(serde_json::to_vec(&input)?);
        said = task.owed().first().and_then(scripted::honest);
    }
    let text = TaskFile::draft(
        "# Limits\n\nper tenant\n\n## Criteria\n\n- apart (verify: tests)\n",
        Lane::Strict,
        Header::default(),
    );
    let config = "[project]\nname = \"x\"\nlane = \"quick\"\n[checks.tests]\ncommand = [\"cargo\", \"test\"]\ntimeout_s = 60\n[agents.main]\nkind = \"codex\"\n[budget]\ndollars = 2.50\n";
    let resolutions: Result<Vec<_>, _> =
        scripted::resolutions().iter().map(serde_json::to_vec).collect();
    Ok(vec![
        Kind { name: "task files", samples: vec![text.into_bytes()], read: task_file },
        Kind { name: "STATE.md edits", samples: vec![STATE.as_bytes().to_vec()], read: state },
        Kind { name: "resolutions", samples: resolutions?, read: resolution },
        Kind { name: "sealwright.toml", samples: vec![config.as_bytes().to_vec()], read: toml },
        Kind { name: "journal records", samples: [events, inputs].concat(), read: record },
    ])
}

fn task_file(bytes: &[u8]) -> Result<(), String> {
    match TaskFile::parse(&String::from_utf8_lossy(bytes), Lane::Quick, Header::default()) {
        Ok(file) if file.title.is_empty() => Err("a file without a title was read".to_owned()),
        Ok(_) => Ok(()),
        Err(error) if error.line == 0 || error.hint.is_empty() => Err(format!("{error:?}")),
        Err(_) => Ok(()),
    }
}

fn state(bytes: &[u8]) -> Result<(), String> {
    let found = String::from_utf8_lossy(bytes);
    let views::Edits { notes, ignored } = views::edits(STATE, &found);
    let is_bounded = notes.len() <= views::NOTES_MAX
        && ignored.len() <= views::NOTES_MAX + 2
        && notes.iter().all(|note| note.len() <= views::NOTE_BYTES_MAX);
    let _ = (views::footer_of(&found), views::is_as_rendered(&found));
    if is_bounded {
        Ok(())
    } else {
        Err(format!("{} notes, {} ignored", notes.len(), ignored.len()))
    }
}

fn resolution(bytes: &[u8]) -> Result<(), String> {
    match serde_json::from_slice::<Resolution>(bytes) {
        Ok(resolution) => {
            let _ = resolution.check();
            Ok(())
        }
        Err(error) if error.line() == 0 => Err(format!("no place: {error}")),
        Err(_) => Ok(()),
    }
}

fn toml(bytes: &[u8]) -> Result<(), String> {
    match Config::parse(&String::from_utf8_lossy(bytes)) {
        Ok(_) => Ok(()),
        Err(error) if error.hint().is_none() => Err(format!("no hint: {error}")),
        Err(error) if !error.to_string().starts_with("sealwright.toml:") => {
            Err(format!("no place: {error}"))
        }
        Err(_) => Ok(()),
    }
}

/// Events of a journal that somebody bent, folded; inputs, decided.
fn record(bytes: &[u8]) -> Result<(), String> {
    let mut task = Task::default();
    if let Ok(events) = serde_json::from_slice::<Vec<Event>>(bytes) {
        events.iter().for_each(|event| task.evolve(event));
        std::hint::black_box((task.owed().len(), task.status(), task.question().is_some()));
    }
    if let Ok(input) = serde_json::from_slice::<Input>(bytes)
        && let Ok(events) = task.decide(&input)
    {
        events.iter().for_each(|event| task.evolve(event));
    }
    Ok(())
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

const STATE: &str = "# T-x: limits\n\n- **Phase:** shape\n- **Status:** parked\n- **Blockers:** none\n- **Next step:** freeze\n- **Validation plan:**\n  - tests\n\n## Notes\n\n- Ada: small\n\n<!-- sealwright: seq=4 sha256=0000000000000000000000000000000000000000000000000000000000000000 -->\n";
