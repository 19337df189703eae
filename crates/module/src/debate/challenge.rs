//! The challenge: six criteria, each with evidence that can be looked up, and a verdict that follows from them.
//!
//! A mild review is refused here: vague approval, missing criteria, skipped dimensions, known defects with a PASS,
//! missing or borrowed evidence. After two more tries the machine writes the FAIL itself.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::{Digest, Ref};
use serde::{Deserialize, Serialize};

use super::answer::{Defect, bounded_list, phrase_in, prose, read, shown_chars, words};
use super::charter::{Charter, DIMENSIONS};
use super::dossier::{Dossier, Finding};
use super::probe::ProbeRecord;

/// A criterion of the evaluation rubric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Criterion {
    /// Contract conformance.
    R1,
    /// Test coverage.
    R2,
    /// Error handling completeness.
    R3,
    /// Dependency usage.
    R4,
    /// Acceptance criteria.
    R5,
    /// Decomposition compliance.
    R6,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Assessment {
    Met,
    NotMet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChallengeVerdict {
    Pass,
    Fail,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Failure {
    pub invariant: String,
    pub evidence: String,
    pub required_change: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RubricAssessment {
    pub criterion: Criterion,
    pub assessment: Assessment,
    pub evidence: String,
}

/// A challenger's answer. Ids are minted by the machine, so it names none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ChallengeAnswer {
    pub verdict: ChallengeVerdict,
    pub failures: Vec<Failure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional_alternative_ref: Option<Ref>,
    pub rubric_assessments: Vec<RubricAssessment>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Challenge {
    pub challenge_id: String,
    pub target_artifact_id: String,
    pub verdict: ChallengeVerdict,
    pub failures: Vec<Failure>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub optional_alternative_ref: Option<Ref>,
    pub rubric_assessments: Vec<RubricAssessment>,
}

/// What a challenge is held against.
#[derive(Clone, Copy, Debug)]
pub struct ChallengeBasis<'b> {
    pub charter: &'b Charter,
    pub locked: Digest,
    pub dossier: &'b Dossier,
    pub probes: &'b [ProbeRecord],
}

impl Criterion {
    pub const ALL: [Self; 6] = [Self::R1, Self::R2, Self::R3, Self::R4, Self::R5, Self::R6];
}

impl ChallengeAnswer {
    /// Reads an answer by its schema and nothing more.
    pub fn read(text: &str) -> Result<Self, Vec<Defect>> {
        read(text).map_err(|defect| vec![defect])
    }

    /// Everything that makes it non-compliant. An empty list means that it counts.
    pub fn defects(&self, basis: ChallengeBasis<'_>) -> Vec<Defect> {
        let mut defects = vec![];
        let lists = [
            ("rubric_assessments", self.rubric_assessments.len(), ENTRIES_MAX),
            ("failures", self.failures.len(), FAILURES_MAX),
        ];
        for (path, count, most) in lists {
            if let Err(defect) = bounded_list(path, count, most) {
                return vec![defect];
            }
        }
        self.rubric_once(&mut defects);
        self.verdict_follows(&mut defects);
        for (nth, entry) in self.rubric_assessments.iter().enumerate() {
            let path = format!("rubric_assessments[{nth}].evidence");
            evidence_counts(&path, entry, basis, &mut defects);
            let earlier = &self.rubric_assessments[..nth];
            if earlier.iter().any(|it| words(&it.evidence) == words(&entry.evidence)) {
                let wrong = "another criterion has the same evidence";
                defects.push(Defect::new(path, wrong, "give each criterion its own"));
            }
        }
        for (nth, failure) in self.failures.iter().enumerate() {
            for (field, text, chars_min) in [
                ("invariant", &failure.invariant, 3),
                ("evidence", &failure.evidence, 20),
                ("required_change", &failure.required_change, 20),
            ] {
                prose(&format!("failures[{nth}].{field}"), text, chars_min, &mut defects);
            }
        }
        for finding in basis.dossier.findings(basis.charter, basis.locked, basis.probes) {
            self.agrees_with(&finding, &mut defects);
        }
        defects.truncate(DEFECTS_MAX);
        defects
    }

    fn rubric_once(&self, defects: &mut Vec<Defect>) {
        for criterion in Criterion::ALL {
            let count = self.assessments(criterion).count();
            if count != 1 {
                let wrong = format!("{criterion:?} is assessed {count} times");
                defects.push(Defect::new(
                    "rubric_assessments",
                    wrong,
                    "assess each of R1 to R6 exactly once",
                ));
            }
        }
    }

    fn verdict_follows(&self, defects: &mut Vec<Defect>) {
        let unmet = self.rubric_assessments.iter().find(|it| it.assessment == Assessment::NotMet);
        match (self.verdict, unmet) {
            (ChallengeVerdict::Pass, Some(unmet)) => {
                let wrong = format!("it is PASS although {:?} is NOT_MET", unmet.criterion);
                defects.push(Defect::new("verdict", wrong, "any NOT_MET makes the verdict FAIL"));
            }
            (ChallengeVerdict::Fail, None) => {
                let mend = "assess the criterion that fails as NOT_MET";
                defects.push(Defect::new("verdict", "it is FAIL and every criterion is MET", mend));
            }
            (ChallengeVerdict::Pass, None) | (ChallengeVerdict::Fail, Some(_)) => {}
        }
        match (self.verdict, self.failures.is_empty()) {
            (ChallengeVerdict::Pass, false) => {
                let wrong = "there are failures and the verdict is PASS";
                defects.push(Defect::new("failures", wrong, "known defects make the verdict FAIL"));
            }
            (ChallengeVerdict::Fail, true) => {
                let mend = "name what is violated, the evidence and the required change";
                defects.push(Defect::new("failures", "the verdict is FAIL without one", mend));
            }
            (ChallengeVerdict::Pass, true) | (ChallengeVerdict::Fail, false) => {}
        }
    }

    fn agrees_with(&self, finding: &Finding, defects: &mut Vec<Defect>) {
        let Finding { criterion, item, wrong } = finding;
        let is_met = self.assessments(*criterion).any(|it| it.assessment == Assessment::Met);
        if is_met {
            let path = format!("rubric_assessments {criterion:?}");
            let said = format!("it is MET although the dossier shows: {wrong}");
            defects.push(Defect::new(path, said, "assess it as NOT_MET"));
        }
        let is_named = self.failures.iter().any(|it| {
            [&it.invariant, &it.evidence, &it.required_change]
                .iter()
                .any(|text| text.contains(item.as_str()))
        });
        if !is_named {
            let said = format!("none names `{item}`: {wrong}");
            defects.push(Defect::new("failures", said, format!("add a failure naming `{item}`")));
        }
    }

    fn assessments(&self, criterion: Criterion) -> impl Iterator<Item = &RubricAssessment> {
        self.rubric_assessments.iter().filter(move |it| it.criterion == criterion)
    }
}

impl Challenge {
    pub fn of(answer: ChallengeAnswer, challenge_id: String, target_artifact_id: String) -> Self {
        let ChallengeAnswer { verdict, failures, optional_alternative_ref, rubric_assessments } =
            answer;
        Self {
            challenge_id,
            target_artifact_id,
            verdict,
            failures,
            optional_alternative_ref,
            rubric_assessments,
        }
    }

    /// The FAIL that the machine writes when a challenger stays mild.
    pub fn of_mild(reason: &str, challenge_id: String, target_artifact_id: String) -> Self {
        let evidence = format!("{MILD}: {reason}");
        let entry = |criterion| RubricAssessment {
            criterion,
            assessment: Assessment::NotMet,
            evidence: evidence.clone(),
        };
        let failure = Failure {
            invariant: MILD.to_string(),
            evidence: evidence.clone(),
            required_change: "none is known: the challenge was not carried out".to_string(),
        };
        Self {
            challenge_id,
            target_artifact_id,
            verdict: ChallengeVerdict::Fail,
            failures: vec![failure],
            optional_alternative_ref: None,
            rubric_assessments: Criterion::ALL.into_iter().map(entry).collect(),
        }
    }

    pub fn assessment(&self, criterion: Criterion) -> Option<Assessment> {
        let entry = self.rubric_assessments.iter().find(|it| it.criterion == criterion);
        entry.map(|it| it.assessment)
    }
}

/// Checks one piece of evidence: long enough, not a stock phrase, and about something that exists.
fn evidence_counts(
    path: &str,
    entry: &RubricAssessment,
    basis: ChallengeBasis<'_>,
    defects: &mut Vec<Defect>,
) {
    let text = entry.evidence.as_str();
    prose(path, text, EVIDENCE_CHARS_MIN, defects);
    if shown_chars(text) == 0 || text.len() > super::answer::TEXT_BYTES_MAX {
        return;
    }
    let said = words(text);
    let distinct: BTreeSet<&String> = said.iter().collect();
    if text.split_whitespace().count() < EVIDENCE_WORDS_MIN || distinct.len() < DISTINCT_WORDS_MIN {
        let wrong = format!("it has {} different words", distinct.len());
        let mend = format!("use at least {EVIDENCE_WORDS_MIN}, and say what was tried");
        defects.push(Defect::new(path, wrong, mend));
    }
    let skips: &[&str] = if entry.assessment == Assessment::Met { &UNCHECKED } else { &[] };
    if let Some(phrase) = phrase_in(text, &STOCK).or_else(|| phrase_in(text, skips)) {
        let wrong = format!("`{phrase}` is no evidence");
        defects.push(Defect::new(path, wrong, "say what was checked and what it showed"));
    }
    let cited = Citations::of(text, basis);
    if let Some(unknown) = cited.unknown {
        let wrong = format!("`{unknown}` does not exist");
        defects.push(Defect::new(path, wrong, CITE));
    } else if cited.count == 0 {
        defects.push(Defect::new(path, "it cites nothing that can be looked up", CITE));
    }
    if entry.criterion == Criterion::R1 {
        for dimension in DIMENSIONS.iter().filter(|it| !cited.dimensions.contains(*it)) {
            let wrong = format!("it says nothing of contract:{dimension}");
            defects.push(Defect::new(path, wrong, "assess all five dimensions, each by its path"));
        }
    }
}

/// What a text cites.
#[derive(Debug, Default)]
struct Citations {
    count: usize,
    dimensions: BTreeSet<&'static str>,
    /// The first citation of something that does not exist.
    unknown: Option<String>,
}

impl Citations {
    fn of(text: &str, basis: ChallengeBasis<'_>) -> Self {
        let mut found = Self::default();
        for token in text.split_whitespace() {
            let token = token.trim_matches(|it: char| "\"'`()[]{}<>.,;!?*".contains(it));
            let (kind, name) = token.split_once(':').unwrap_or(("", token));
            let is_known = match kind {
                "contract" => basis.charter.has_pointer(name),
                "test" => basis.dossier.test(name).is_some(),
                "probe" => basis.probes.iter().any(|it| it.id() == name && it.result.is_some()),
                "dossier" => SECTIONS.contains(&name),
                _ => continue,
            };
            if !is_known {
                let shown = token.chars().take(120).collect();
                found.unknown.get_or_insert(shown);
                continue;
            }
            found.count += 1;
            let below = |root: &&&str| {
                let rest = name.strip_prefix(**root);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            };
            found.dimensions.extend(
                DIMENSIONS.iter().filter(|root| kind == "contract" && below(root)).copied(),
            );
        }
        // Names of tests may contain spaces, and need no prefix.
        let is_named = |name: &str| name.len() >= BARE_NAME_MIN && text.contains(name);
        found.count += basis.dossier.tests.iter().filter(|it| is_named(&it.name)).count();
        found
    }
}

/// The parts of a dossier that evidence may cite.
pub const SECTIONS: [&str; 7] = [
    "fingerprint",
    "entry_points",
    "tests",
    "inner_accesses",
    "imports",
    "dependencies",
    "examples",
];

/// The invariant of the failure that the machine enters for a challenger that stays mild.
pub const MILD: &str = "mild_review_violation";
/// How the invariant of a failure of the plan begins.
pub const PLAN_FAULT: &str = "PLAN:";

/// Least evidence of one criterion.
pub const EVIDENCE_CHARS_MIN: usize = 40;
pub const EVIDENCE_WORDS_MIN: usize = 8;
/// Repeated words are no evidence.
const DISTINCT_WORDS_MIN: usize = 7;
pub const FAILURES_MAX: usize = 64;
const ENTRIES_MAX: usize = 16;
/// Defects sent back at once.
pub const DEFECTS_MAX: usize = 32;
/// A shorter name would be found in any text.
const BARE_NAME_MIN: usize = 6;

const CITE: &str =
    "cite `test:<name>`, `contract:<json-pointer>`, `dossier:<part>` or `probe:<id>`";

#[rustfmt::skip]
const STOCK: [&str; 37] = [
    "looks good", "looks correct", "looks fine", "looks right", "looks ok", "looks okay", "looks solid", "looks great",
    "look good", "look correct", "look fine", "looks reasonable", "seems good", "seems correct", "seems fine",
    "seems right", "seems ok", "seems okay", "seems reasonable", "appears correct", "appears fine", "appears good",
    "lgtm", "works as expected", "behaves as expected", "works fine", "works well", "no issues", "no problems",
    "all good", "everything is fine", "everything works", "minor suggestions", "minor nits", "should be fine",
    "good enough", "as claimed",
];

#[rustfmt::skip]
const UNCHECKED: [&str; 14] = [
    "not checked", "not evaluated", "not verified", "not assessed", "not reviewed", "not examined", "not tested",
    "did not check", "did not verify", "didn t check", "unchecked", "skipped", "out of scope", "taken on trust",
];

#[cfg(test)]
mod tests;
