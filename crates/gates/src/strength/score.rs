//! The score: what came of the mutants, and what that says about the tests.

use std::collections::BTreeMap;

use sealwright_kernel::Verdict;

use crate::Judgement;
use crate::mutants::{Aim, Mutant};
use crate::red::Trace;
use crate::toolchain::Outline;

/// Everything a verdict rests on.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'m> {
    pub aim: &'m Aim,
    pub outlines: &'m [Outline],
    pub chosen: &'m [Mutant],
    /// How they ended, in this order. Shorter, if time ran out.
    pub ended: &'m [End],
    /// How the tests ended without any mutant.
    pub baseline: Baseline,
    /// How long each mutant was given, in milliseconds.
    pub limit_ms: u64,
    pub trace: &'m Trace,
    pub criteria: &'m [String],
    pub rules: Rules,
}

/// How the tests ended without any mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    Passed {
        millis: u64,
    },
    /// They did not, so nothing can be said of mutants.
    Failed,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// Tests failed: these, as they are called in a trace, where that is known.
    Killed {
        by: Vec<String>,
    },
    Survived,
    /// It is no program any more. That says nothing about tests.
    Unviable,
    TimedOut,
    Lost,
}

/// What is enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rules {
    /// How many of a hundred must be killed.
    pub least_percent: usize,
    /// How many must have been tried, if there are so many.
    pub tried_min: usize,
}

/// The mutants, counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Score {
    pub killed: usize,
    /// Mutants that no test noticed, with the difference.
    pub survivors: Vec<(String, String)>,
    pub unviable: usize,
    pub unknown: usize,
    pub untried: usize,
    /// For each criterion, how many were noticed by a test that proves it.
    pub by_criterion: BTreeMap<String, usize>,
    /// Notes for a person, beside the verdict.
    pub notes: Vec<String>,
}

/// Judges the tests by the mutants they killed.
pub fn judge(measure: &Measure<'_>) -> (Judgement, Score) {
    let score = count(measure);
    let judgement = decide(measure, &score);
    (judgement, score)
}

impl Default for Rules {
    fn default() -> Self {
        Self { least_percent: 80, tried_min: 10 }
    }
}

impl Score {
    /// How many of a hundred were killed, of those that say anything.
    pub fn percent(&self) -> Option<usize> {
        (self.killed * 100).checked_div(self.viable())
    }

    /// The counts for a person; nothing if no mutant could be tried.
    pub fn counts(&self) -> Option<String> {
        let mut said = match self.viable() {
            0 => return None,
            1 => format!("{} of 1 mutant killed", self.killed),
            viable => format!("{} of {viable} mutants killed", self.killed),
        };
        let others = [
            (self.unviable, "did not build"),
            (self.unknown, "ended unknown"),
            (self.untried, "not tried in time"),
        ];
        for (count, what) in others.into_iter().filter(|(count, _)| *count > 0) {
            said.push_str(&format!(", {count} {what}"));
        }
        Some(said)
    }

    fn viable(&self) -> usize {
        self.killed + self.survivors.len()
    }
}

fn count(measure: &Measure<'_>) -> Score {
    let by_criterion = measure.criteria.iter().map(|one| (one.clone(), 0)).collect();
    let mut score = Score { by_criterion, ..Score::default() };
    // A mutant that hangs is noticed only if the tests alone are far from hanging.
    let is_fast = match measure.baseline {
        Baseline::Passed { millis } => millis.saturating_mul(SLACK) <= measure.limit_ms,
        Baseline::Failed => false,
    };
    let mut survived: Vec<&Mutant> = Vec::new();
    for (mutant, end) in measure.chosen.iter().zip(measure.ended) {
        match end {
            End::Killed { by } => {
                score.killed += 1;
                for (criterion, count) in &mut score.by_criterion {
                    let proves = |test: &String| {
                        measure.trace.0.get(test).is_some_and(|it| it.contains(criterion))
                    };
                    *count += usize::from(by.iter().any(proves));
                }
            }
            End::Survived if survived.iter().any(|it| is_alike(it, mutant)) => {}
            End::Survived => {
                survived.push(mutant);
                let text = measure.aim.files.get(&mutant.path).map(|target| target.text.as_str());
                let difference = mutant.difference(text.unwrap_or_default());
                score.survivors.push((mutant.line(), difference));
            }
            End::Unviable => score.unviable += 1,
            End::TimedOut if is_fast => score.killed += 1,
            End::TimedOut | End::Lost => score.unknown += 1,
        }
    }
    score.untried = measure.chosen.len().saturating_sub(measure.ended.len());
    for (criterion, count) in &score.by_criterion {
        if *count == 0 && score.viable() > 0 {
            score.notes.push(format!("no mutant was noticed by a test of {criterion}"));
        }
    }
    if !touches_code(measure) && !measure.aim.files.is_empty() {
        score.notes.push("the change touches no function".to_owned());
    }
    score
}

/// Whether two mutants are the same error at the same place, such as a number that is one more and one less. If nobody
/// notices either, nobody notices one thing.
fn is_alike(one: &Mutant, other: &Mutant) -> bool {
    let meets = one.edit.start == other.edit.start
        || (one.edit.start < other.edit.end && other.edit.start < one.edit.end);
    meets && (&one.path, one.line, &one.what) == (&other.path, other.line, &other.what)
}

/// A line of which enough mutants were tried, and none was noticed.
fn unnoticed<'m>(measure: &Measure<'m>) -> Option<((&'m str, u32), usize)> {
    let mut lines: BTreeMap<(&str, u32), (usize, usize)> = BTreeMap::new();
    for (mutant, end) in measure.chosen.iter().zip(measure.ended) {
        let (survived, noticed) = lines.entry((&mutant.path, mutant.line)).or_default();
        match end {
            End::Survived => *survived += 1,
            End::Killed { .. } | End::TimedOut => *noticed += 1,
            End::Unviable | End::Lost => {}
        }
    }
    let is_unnoticed =
        |(survived, noticed): &(usize, usize)| *noticed == 0 && *survived >= ON_A_LINE;
    let mut found = lines.into_iter().filter(|(_, counts)| is_unnoticed(counts));
    found.next().map(|(place, (survived, _))| (place, survived))
}

/// Whether mutants say nothing about a change, because there are none that could be tried.
pub fn is_silent(judgement: &Judgement) -> bool {
    judgement.verdict == Verdict::CannotTell
        && matches!(&judgement.because[..], [why] if SILENT.contains(&why.as_str()))
}

const SILENT: [&str; 2] =
    ["code changed, and no mutant of it was found", "no mutant could be built"];

fn decide(measure: &Measure<'_>, score: &Score) -> Judgement {
    if measure.aim.files.is_empty() {
        return Judgement::pass();
    }
    if measure.baseline == Baseline::Failed {
        return Judgement::cannot_tell("the tests fail without any mutant");
    }
    if measure.chosen.is_empty() {
        return if touches_code(measure) {
            Judgement::cannot_tell(SILENT[0])
        } else {
            Judgement::pass()
        };
    }
    let tried = measure.ended.len().min(measure.chosen.len());
    if tried < measure.rules.tried_min.min(measure.chosen.len()) {
        return Judgement::cannot_tell(format!(
            "only {tried} of {} mutants could be tried in time",
            measure.chosen.len()
        ));
    }
    if score.unknown * UNKNOWN_SHARE > tried {
        return Judgement::cannot_tell(format!(
            "{} of {tried} mutants ended unknown",
            score.unknown
        ));
    }
    let viable = score.viable();
    if viable == 0 {
        return Judgement::cannot_tell(SILENT[1]);
    }
    let least = measure.rules.least_percent.min(100);
    // One mutant may mean the same as what it replaces; a suite that notices none notices nothing.
    let one = usize::from(score.killed > 0);
    let may_survive = (viable * (100 - least) / 100).max(one);
    if let Some(((path, line), tried)) = unnoticed(measure) {
        return Judgement::fail(vec![format!(
            "no test notices anything on {path}:{line}, where {tried} mutants were tried"
        )]);
    }
    if score.survivors.len() <= may_survive {
        return Judgement::pass();
    }
    let mut because = vec![format!(
        "{} of {viable} mutants of the change survive; {may_survive} may",
        score.survivors.len()
    )];
    because.extend(score.survivors.iter().take(SHOWN_MAX).map(|(line, _)| line.clone()));
    Judgement::fail(because)
}

/// Whether any function was touched. Declarations, texts and comments have no mutants.
fn touches_code(measure: &Measure<'_>) -> bool {
    measure.outlines.iter().any(|outline| {
        let functions = outline.functions.iter();
        functions.into_iter().any(|it| measure.aim.touches(&outline.path, it.first, it.last))
    })
}

/// How much longer than the tests alone a mutant must have been given.
const SLACK: u64 = 5;
/// One of so many may end unknown.
const UNKNOWN_SHARE: usize = 5;
/// So many surviving mutants of one line are no accident.
const ON_A_LINE: usize = 3;
const SHOWN_MAX: usize = 50;
