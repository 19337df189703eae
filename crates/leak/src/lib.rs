//! The leak filter: the part of an output over sealed source that a role may read.
//!
//! A gate runs over source that the calling role must not see, and its output goes back to the role. The filter makes
//! the output harmless, bounds it, reads it in every way a reader could, and cuts text that repeats sealed source. If
//! it cuts too much, it withholds the whole output.
//!
//! ```text
//! output ──tame──▶ text ──cap──▶ page ──search──▶ findings ──cut──▶ page … until nothing is found ──▶ text
//! ```
//!
//! The result is searched again with the filter's own words, so filtering it again changes nothing. The filter stops
//! copies, not paraphrases: `docs/leak-filter.md` lists its limits. The caller runs the command and decides what a
//! withheld output means.

mod bounds;
mod budget;
mod coding;
mod corpus;
mod labels;
mod letters;
mod notices;
mod page;
mod passage;
mod reading;
mod sealed;
mod search;
mod sieve;
mod tame;
mod unreadable;
mod words;

use sealwright_kernel::Digest;
use serde::{Deserialize, Serialize};

pub use bounds::Bounds;
pub use budget::Budget;
pub use coding::Coding;
pub use sealed::{SEALED_BYTES_MAX, Sealed, TooMuchSealed};

use budget::Rows;
use page::{Change, Page, Reason};
use search::{Finding, Grade, SearchBudget, search};
use tame::tame;
use unreadable::unreadable_bytes;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filtered {
    /// The text for the role.
    pub text: String,
    pub passed: Passed,
    /// The cuts, for evidence. Unlike `text`, they name sealed files.
    pub cut: Vec<Cut>,
    pub seal: Digest,
    /// The budget of the run after this output; pass it in with the next one.
    pub budget: Budget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Passed {
    /// All of it.
    Whole,
    /// Some of it was cut, left out or removed.
    InPart,
    /// None of it.
    Nothing { why: Refusal },
}

/// Why an output is withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Too much of it repeats sealed source.
    #[error("too much of it repeats sealed source")]
    TooMuchCut,
    /// Too many outputs of this run repeated sealed source.
    #[error("too many outputs of this run repeated sealed source")]
    BudgetSpent,
    /// Searching all of its encodings exceeds the search budget.
    #[error("it has too many nested encodings to be searched")]
    TooTangled,
}

/// Output lines that one notice replaces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cut {
    /// The first line, counted from one.
    pub first: u32,
    /// The last line.
    pub last: u32,
    pub why: Why,
    /// The sealed file that they repeat, or the first of several.
    pub file: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// They repeat sealed source.
    Repeats {
        /// The encodings to undo before the source is visible, outermost first.
        through: Vec<Coding>,
    },
    /// They hold fragments of more sealed lines than may be shown.
    SmallPieces,
    /// They hold more unreadable text than may pass.
    Unreadable,
}

/// Filters `output` against the sealed source. `budget` carries what the run has shown before.
pub fn filter(output: &[u8], sealed: &Sealed, bounds: &Bounds, budget: &Budget) -> Filtered {
    let budget = budget.under(sealed.digest());
    let tamed = tame(output);
    let mut page = Page::of(&tamed, bounds);
    let before = Before { output, sealed, bounds, budget };
    if before.budget.cuts() >= bounds.run_cuts_max {
        return before.withheld(&page, Refusal::BudgetSpent);
    }
    for _ in 0..ROUNDS_MAX {
        page.cap(bounds.output_bytes_max);
        let passage = page.passage();
        let mut work = SearchBudget::for_output(passage.len());
        let Ok(findings) = search(&passage, sealed, bounds, &mut work) else {
            return before.withheld(&page, Refusal::TooTangled);
        };
        match before.judged(&page, &findings) {
            Judgement::Clean { shown, unreadable } => {
                return before.settled(&page, &shown, unreadable);
            }
            Judgement::Cut(reasons) => {
                if page.cut(reasons) == Change::Same {
                    break;
                }
            }
        }
    }
    before.withheld(&page, Refusal::TooTangled)
}

struct Before<'a> {
    output: &'a [u8],
    sealed: &'a Sealed,
    bounds: &'a Bounds,
    budget: Budget,
}

enum Judgement {
    /// No line has to go.
    Clean { shown: Rows, unreadable: usize },
    /// For each line, the reason to cut it.
    Cut(Vec<Option<Reason>>),
}

impl Before<'_> {
    /// Cuts runs first, then fragments if there are too many, then unreadable text.
    fn judged(&self, page: &Page, findings: &[Finding]) -> Judgement {
        let runs = findings.iter().filter(|finding| finding.grade == Grade::Run);
        let mut reasons = Reasons::for_page(page);
        for finding in runs {
            let why = Why::Repeats { through: finding.through.clone() };
            reasons.add(finding, &why, self.sealed);
        }
        if let Some(reasons) = reasons.any() {
            return Judgement::Cut(reasons);
        }

        let is_new = |finding: &&Finding| {
            finding.grade == Grade::Faint && !self.budget.shown().hold(&finding.rows)
        };
        let shown =
            Rows::of(findings.iter().filter(is_new).flat_map(|finding| finding.rows.ranges()));
        let in_run = self.budget.lines_shown() + shown.count();
        if shown.count() > self.bounds.faint_lines_max
            || shown.count() > 0 && in_run > self.bounds.run_faint_lines_max
        {
            let mut reasons = Reasons::for_page(page);
            for finding in findings.iter().filter(is_new) {
                reasons.add(finding, &Why::SmallPieces, self.sealed);
            }
            if let Some(reasons) = reasons.any() {
                return Judgement::Cut(reasons);
            }
        }

        let left =
            self.bounds.run_unreadable_bytes_max.saturating_sub(self.budget.unreadable_bytes());
        let allowed = left.min(self.bounds.unreadable_bytes_max);
        let mut unreadable = 0;
        let mut reasons = Reasons::for_page(page);
        for (nth, text) in page.texts().enumerate() {
            let bytes = text.map_or(0, unreadable_bytes);
            if bytes > 0 && unreadable + bytes > allowed {
                reasons
                    .set(nth, Reason { why: Why::Unreadable, file: None, rows: Rows::default() });
            } else {
                unreadable += bytes;
            }
        }
        match reasons.any() {
            Some(reasons) => Judgement::Cut(reasons),
            None => Judgement::Clean { shown, unreadable },
        }
    }

    /// Decides whether a clean page has enough lines left to pass.
    fn settled(&self, page: &Page, shown: &Rows, unreadable: usize) -> Filtered {
        let (cut, all) = page.lines_cut();
        let most_is_gone = cut > CUT_LINES_ALWAYS && cut * 100 > all * self.bounds.cut_percent_max;
        let text = page.shown();
        if cut > self.bounds.cut_lines_max
            || most_is_gone
            || text.len() > self.bounds.output_bytes_max
        {
            return self.withheld(page, Refusal::TooMuchCut);
        }
        let passed = if text.as_bytes() == self.output { Passed::Whole } else { Passed::InPart };
        let mut filtered = self.filtered(page, text, passed);
        filtered.budget.show(shown);
        filtered.budget.show_unreadable(unreadable);
        filtered
    }

    fn withheld(&self, page: &Page, why: Refusal) -> Filtered {
        let mut text = format!("[{}]", notices::REFUSAL);
        text.truncate(text.floor_char_boundary(self.bounds.output_bytes_max));
        self.filtered(page, text, Passed::Nothing { why })
    }

    fn filtered(&self, page: &Page, text: String, passed: Passed) -> Filtered {
        let mut budget = self.budget.clone();
        for (_, rows) in page.cuts() {
            budget.cut(rows);
        }
        let cut = page.cuts().map(|(cut, _)| cut.clone()).collect();
        Filtered { text, passed, cut, seal: self.sealed.digest(), budget }
    }
}

struct Reasons(Vec<Option<Reason>>);

impl Reasons {
    fn for_page(page: &Page) -> Self {
        Self(page.texts().map(|_| None).collect())
    }

    /// Marks every line that a finding touches. The first reason for a line wins.
    ///
    /// Only the first line carries the sealed rows, so that one finding counts as one cut.
    fn add(&mut self, finding: &Finding, why: &Why, sealed: &Sealed) {
        let file =
            finding.rows.ranges().next().and_then(|(row, _)| sealed.file(row)).map(str::to_owned);
        let mut rows = finding.rows.clone();
        for lines in &finding.lines {
            for line in lines.first..=lines.last {
                let Some(slot) = self.0.get_mut(line as usize) else { continue };
                let rows = std::mem::take(&mut rows);
                match slot {
                    Some(reason) if reason.rows.hold(&rows) => {}
                    Some(reason) => reason.rows = reason.rows.with(&rows),
                    None => *slot = Some(Reason { why: why.clone(), file: file.clone(), rows }),
                }
            }
        }
    }

    fn set(&mut self, line: usize, reason: Reason) {
        if let Some(slot) = self.0.get_mut(line) {
            *slot = Some(reason);
        }
    }

    fn any(self) -> Option<Vec<Option<Reason>>> {
        self.0.iter().any(Option::is_some).then_some(self.0)
    }
}

impl Filtered {
    /// What a person can do if text was withheld.
    pub fn hint(&self) -> Option<String> {
        match self.passed {
            Passed::Whole => None,
            Passed::InPart if self.cut.is_empty() => None,
            Passed::InPart | Passed::Nothing { why: Refusal::TooMuchCut } => Some(
                "have the check print names of tests and short messages instead of source lines"
                    .to_owned(),
            ),
            Passed::Nothing { why: Refusal::BudgetSpent } => {
                Some("look at the evidence of this run; a person has to let it go on".to_owned())
            }
            Passed::Nothing { why: Refusal::TooTangled } => {
                Some("have the check print plain text".to_owned())
            }
        }
    }
}

/// The most rounds of cutting and searching again.
const ROUNDS_MAX: usize = 8;
/// This many lines may always be cut, however short the output.
const CUT_LINES_ALWAYS: usize = 12;
