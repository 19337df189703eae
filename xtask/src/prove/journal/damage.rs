//! Flipped bits and truncated files: verify detects each one and names the right record.

use std::fs::File;
use std::os::unix::fs::FileExt as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use sealwright_kernel::{Seq, StreamId, Timestamp};
use sealwright_store::{Anchor, FileJournal, Finding, Head, Writer as _, verify};

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::prove::writer::draft;

pub(super) fn run(size: Size, folder: &Path, figures: &mut Figures) -> Result<()> {
    let (flips, cuts) = size.choose((2_000, 200), (20_000, 2_000));
    let mut dice = fastrand::Rng::with_seed(2);
    let marked = Victim::make(&folder.join("marked"), Knowledge::Mark)?;
    let anchored = Victim::make(&folder.join("anchored"), Knowledge::Anchor)?;
    let damages: [(u64, &str, Damage); 2] = [
        (flips, "flipped bits found in their record", Victim::flip),
        (cuts, "truncations found at their record", Victim::cut),
    ];
    for (count, what, damage) in damages {
        let mut missed = 0;
        for nth in 0..count {
            let victim = if nth % 2 == 0 { &marked } else { &anchored };
            missed += u64::from(!damage(victim, &mut dice)?);
        }
        figures.hold(format!("{} of {count} {what}", count - missed), missed == 0);
    }
    for victim in [&marked, &anchored] {
        anyhow::ensure!(victim.first_finding()?.is_none(), "a stream was not restored");
    }
    Ok(())
}

type Damage = fn(&Victim, &mut fastrand::Rng) -> Result<bool>;

/// How the end of the stream is known.
#[derive(Clone, Copy)]
enum Knowledge {
    /// By the mark of its last writer.
    Mark,
    /// By a commit, as in a clone.
    Anchor,
}

/// A stream of several segments that is damaged and restored.
struct Victim {
    journal: FileJournal,
    anchors: Vec<Anchor>,
    segments: Vec<Segment>,
}

struct Segment {
    path: PathBuf,
    content: Vec<u8>,
    first: u64,
}

impl Victim {
    fn make(folder: &Path, knowledge: Knowledge) -> Result<Self> {
        let root = folder.join(".sealwright");
        let journal = FileJournal::create(&root)?.with_segments_of(20_000);
        let stream: StreamId = "T-victim".parse()?;
        let runtime = tokio::runtime::Builder::new_current_thread().build()?;
        let mut writer = journal.open_blocking(&stream, Head::START, &mut |_| Ok(()))?;
        for number in 0..200 {
            runtime.block_on(writer.append(draft(number)))?;
        }
        let anchor = runtime.block_on(writer.end(Timestamp::from_millis(1)))?;
        drop(writer);
        let anchors = match knowledge {
            Knowledge::Mark => vec![],
            Knowledge::Anchor => {
                std::fs::remove_dir_all(root.join("work"))?;
                vec![anchor]
            }
        };
        let mut segments = Vec::new();
        for entry in std::fs::read_dir(journal.layout().stream(&stream))? {
            let path = entry?.path();
            let name = path.file_stem().context("a segment has a name")?.to_string_lossy();
            let first = name.parse()?;
            segments.push(Segment { content: std::fs::read(&path)?, first, path });
        }
        segments.sort_by_key(|segment| segment.first);
        anyhow::ensure!(segments.len() >= 4, "too few segments to be cut between");
        Ok(Self { journal, anchors, segments })
    }

    /// Flips one bit. Returns whether the right record was named.
    fn flip(&self, dice: &mut fastrand::Rng) -> Result<bool> {
        let (segment, at) = self.somewhere(dice);
        let file = File::options().write(true).open(&segment.path)?;
        let bent = segment.content[at] ^ (1 << dice.u8(0..8));
        file.write_all_at(&[bent], at as u64)?;
        let found = self.first_finding()?;
        file.write_all_at(&segment.content[at..=at], at as u64)?;
        Ok(found == Some(segment.record_at(at)))
    }

    /// Truncates a segment, with or without removing later ones. Returns whether the first incomplete record was named.
    fn cut(&self, dice: &mut fastrand::Rng) -> Result<bool> {
        let (segment, at) = self.somewhere(dice);
        let behind: Vec<&Segment> = if dice.bool() {
            self.segments.iter().filter(|other| other.first > segment.first).collect()
        } else {
            vec![]
        };
        File::options().write(true).open(&segment.path)?.set_len(at as u64)?;
        for other in &behind {
            std::fs::remove_file(&other.path)?;
        }
        let found = self.first_finding()?;
        for damaged in behind.into_iter().chain([segment]) {
            std::fs::write(&damaged.path, &damaged.content)?;
        }
        Ok(found == Some(segment.record_at(at)))
    }

    fn somewhere(&self, dice: &mut fastrand::Rng) -> (&Segment, usize) {
        let all: usize = self.segments.iter().map(|segment| segment.content.len()).sum();
        let mut at = dice.usize(0..all);
        for segment in &self.segments {
            if at < segment.content.len() {
                return (segment, at);
            }
            at -= segment.content.len();
        }
        unreachable!("the place lies in one of the segments")
    }

    fn first_finding(&self) -> Result<Option<Seq>> {
        let verified = verify(&self.journal, &self.anchors, 1)?;
        Ok(verified.findings.first().map(|finding| match finding {
            Finding::Record(damage) => damage.seq,
            Finding::Blob { seq, .. } => *seq,
            Finding::Stray { .. } | Finding::Unlisted { .. } | Finding::Unreadable { .. } => {
                Seq::ZERO
            }
        }))
    }
}

impl Segment {
    /// The record at byte `at`; a line feed belongs to the line it ends.
    fn record_at(&self, at: usize) -> Seq {
        let before = self.content[..at].iter().filter(|byte| **byte == b'\n').count();
        Seq::new(self.first + before as u64)
    }
}
