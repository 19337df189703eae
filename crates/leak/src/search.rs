//! The search: compares every reading of an output, and of its possible decodings, with the seal.
//!
//! Plain readings come first, then one decoding, then two. All of them share one search budget; an output that exceeds
//! it is refused.

use std::ops::Range;

use super::bounds::Bounds;
use super::budget::Rows;
use super::coding::{Coding, Turned, decoded};
use super::corpus::{Hit, Weight};
use super::letters::Keep;
use super::passage::{Lines, Passage};
use super::reading::{Care, Reading, read_in_every_way};
use super::sealed::Sealed;

/// Sealed source in an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) lines: Vec<Lines>,
    /// The sealed lines it comes from, counted over all files.
    pub(super) rows: Rows,
    pub(super) grade: Grade,
    /// The encodings to undo, outermost first.
    pub(super) through: Vec<Coding>,
}

/// How much a finding shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Grade {
    /// Enough to cut.
    Run,
    /// Too little to cut once, enough to count.
    Faint,
}

/// The work that is left for one output.
#[derive(Debug)]
pub(super) struct SearchBudget {
    left: usize,
}

/// The search budget is used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TooTangled;

impl SearchBudget {
    /// Many times the work that honest output of `bytes` needs.
    pub(super) fn for_output(bytes: usize) -> Self {
        Self { left: bytes.saturating_mul(WORK_PER_BYTE).saturating_add(WORK_MIN) }
    }

    pub(super) fn left(&self) -> usize {
        self.left
    }

    pub(super) fn spend(&mut self, amount: usize) -> Result<(), TooTangled> {
        self.left = self.left.checked_sub(amount).ok_or(TooTangled)?;
        Ok(())
    }
}

/// All findings in `text`, least decoding first.
pub(super) fn search(
    text: &Passage,
    sealed: &Sealed,
    bounds: &Bounds,
    work: &mut SearchBudget,
) -> Result<Vec<Finding>, TooTangled> {
    let mut findings = plain(text, sealed, bounds, &[], work)?;
    let mut outer = decoded(text, Turned::NotYet, work)?;
    for depth in 1..=CODINGS_MAX {
        let mut inner = Vec::new();
        // Rot47 makes honest text look encoded everywhere, so its results are not decoded further.
        for coded in &outer {
            findings.extend(plain(&coded.text, sealed, bounds, &coded.codings, work)?);
            if depth == CODINGS_MAX
                || coded.codings.len() >= CODINGS_MAX
                || coded.codings == [Coding::Rot47]
            {
                continue;
            }
            let turned = coded.codings.last().map_or(Turned::NotYet, |coding| coding.turns());
            for mut further in decoded(&coded.text, turned, work)? {
                further.codings.splice(0..0, coded.codings.iter().copied());
                inner.push(further);
            }
        }
        outer = inner;
    }
    Ok(findings)
}

/// Findings of every plain reading of `text`.
fn plain(
    text: &Passage,
    sealed: &Sealed,
    bounds: &Bounds,
    through: &[Coding],
    work: &mut SearchBudget,
) -> Result<Vec<Finding>, TooTangled> {
    let mut findings = Vec::new();
    work.spend(text.len())?;
    let whole = read_in_every_way(text, care(through), sealed, |reading| {
        work.spend(reading.letters.len())?;
        runs(reading, sealed, bounds, through, &mut findings);
        Ok(())
    })?;
    let (corpus, open) = sealed.corpus(Keep::Letters);
    for line in whole {
        let weight = corpus.weight(line.part, open);
        if weight.letters >= WHOLE_LINE_LETTERS_MIN && weight.words >= WHOLE_LINE_WORDS_MIN {
            let (rows, through) = (Rows::of([(line.row, line.row)]), through.to_vec());
            findings.push(Finding { lines: vec![line.lines], rows, grade: Grade::Faint, through });
        }
    }
    Ok(findings)
}

/// A rotated text is as long as the output and most likely not text.
fn care(through: &[Coding]) -> Care {
    match through {
        [] => Care::All,
        [coding, ..] => match coding.turns() {
            Turned::Yes => Care::Some,
            Turned::NotYet => Care::All,
        },
    }
}

/// Adjacent hits form one run, wherever in the seal they come from: text that the seal holds twice may be found in one
/// place and continue in the other, and lines may be reordered.
fn runs(
    reading: &Reading,
    sealed: &Sealed,
    bounds: &Bounds,
    through: &[Coding],
    findings: &mut Vec<Finding>,
) {
    let (corpus, open) = sealed.corpus(reading.keep);
    let hits = corpus.hits(reading.letters.bytes());
    for run in hits.chunk_by(|one, next| next.at <= one.at + one.length) {
        let mut all = Weight::default();
        let mut longest = Weight::default();
        let mut reached = 0;
        // Hits that touch without overlap are separate lines. Common words add up within one piece of source, not
        // across many.
        for piece in run.chunk_by(|one, next| next.at + OVERLAP_MIN <= one.at + one.length) {
            let mut weight = Weight::default();
            for hit in piece {
                weight = weight.and(corpus.weight(fresh(hit, reached), open));
                reached = reached.max(hit.at + hit.length);
            }
            all = all.and(weight);
            longest.letters = longest.letters.max(weight.letters);
            longest.spoken = longest.spoken.max(weight.spoken);
        }
        let Some(grade) = grade(all, longest, bounds) else { continue };
        let rows =
            run.iter().map(|hit| (corpus.row(hit.from), corpus.row(hit.from + hit.length - 1)));
        // A letter or two at either end may match by chance, in an innocent line.
        let begin = run.first().map_or(0, |hit| hit.at);
        findings.push(Finding {
            lines: reading.letters.origin(begin + CHANCE_LETTERS..reached - CHANCE_LETTERS),
            rows: Rows::of(rows),
            grade,
            through: through.to_vec(),
        });
    }
}

/// The part of a hit that lies beyond `reached`.
fn fresh(hit: &Hit, reached: usize) -> Range<usize> {
    let known = reached.saturating_sub(hit.at).min(hit.length);
    hit.from + known..hit.from + hit.length
}

fn grade(all: Weight, longest: Weight, bounds: &Bounds) -> Option<Grade> {
    let has_rare_words = all.letters > bounds.run_letters_max && all.words > bounds.run_words_max;
    let long = longest.letters > bounds.common_letters_max;
    let spoken = longest.spoken > bounds.spoken_letters_max;
    if has_rare_words || long || spoken {
        return Some(Grade::Run);
    }
    (all.letters >= FAINT_LETTERS_MIN && all.words >= FAINT_WORDS_MIN).then_some(Grade::Faint)
}

/// The most nested encodings.
const CODINGS_MAX: usize = 2;
/// Two hits of one piece share at least this much, because a lookup takes sixteen letters.
const OVERLAP_MIN: usize = 8;
/// Less is not counted. Visible text is recognised from nineteen letters on.
const FAINT_LETTERS_MIN: usize = 20;
const FAINT_WORDS_MIN: usize = 2;
/// A whole line counts from fewer letters on.
const WHOLE_LINE_LETTERS_MIN: usize = 12;
const WHOLE_LINE_WORDS_MIN: usize = 1;
/// Letters that may match by chance.
const CHANCE_LETTERS: usize = 3;
/// Work per byte of honest output, with reserve.
const WORK_PER_BYTE: usize = 96;
const WORK_MIN: usize = 16 << 20;
