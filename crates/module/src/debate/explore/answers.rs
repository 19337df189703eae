//! A module to argue over, and answers of its roles: good ones, and the mild reviews that must not count.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::{Digest, Ref, SliceId, TaskId, Timestamp, scripted};
use serde_json::{Value, json};

use crate::debate::charter::{Charter, Clause, ClauseKind, Dependency, PlannedSlice};
use crate::debate::dossier::{CoveredTest, Dossier, Import, ImportKind, Resolved};
use crate::debate::ship::{ExecutionLog, LoggedTest, Summary, TestResult};

/// A charter and what belongs to it.
#[derive(Clone, Debug)]
pub struct Sample {
    pub charter: Charter,
}

pub fn sample() -> Sample {
    let reference = |text| Ref::new(text).expect("it is a reference");
    let clause = |pointer: &str, kind| Clause { pointer: pointer.to_string(), kind };
    let slice = PlannedSlice { id: SliceId::new(1), planned: scripted::planned(vec![]) };
    Sample {
        charter: Charter {
            task: TaskId::new("T-limits-001").expect("it is a task"),
            task_ref: reference("T-limits-001@1.0.0"),
            module: reference("MM-limiter@1.0.0"),
            contract: reference("CTR-0a0a0a0a@1.0.0"),
            fingerprint: scripted::fingerprint(),
            clauses: vec![
                clause("/inputs/0/constraints/0", ClauseKind::InputConstraint),
                clause("/outputs/0/invariants/0", ClauseKind::OutputInvariant),
                clause("/error_surfaces/0", ClauseKind::ErrorSurface),
            ],
            inputs: vec!["tenant".to_string()],
            error_surfaces: vec!["TooMany".to_string()],
            criteria: vec!["two tenants are counted apart".to_string()],
            dependencies: vec![Dependency {
                reference: reference("MM-clock@1.2.0"),
                fingerprint: Digest::of(b"clock"),
            }],
            index_results: vec![reference("RSR-0b0b0b0b@1.0.0")],
            slices: vec![slice],
            tree: Digest::of(b"start"),
        },
    }
}

impl Sample {
    /// A dossier in which the machine finds nothing wrong.
    pub fn dossier(&self, tree: Digest) -> Dossier {
        let test = |name: &str, covers: &[&str]| CoveredTest {
            name: name.to_string(),
            result: TestResult::Pass,
            covers: covers.iter().map(|it| it.to_string()).collect(),
            criteria: vec![0],
            is_happy_path: true,
        };
        let resolved = |it: &Dependency| Resolved {
            reference: it.reference.clone(),
            fingerprint: it.fingerprint,
        };
        Dossier {
            tree,
            fingerprint: self.charter.fingerprint,
            entry_points: vec!["limiter::admit".to_string()],
            tests: vec![
                test("counts_apart", &["/inputs/0/constraints/0", "/outputs/0/invariants/0"]),
                test("refuses_the_101st", &["/error_surfaces/0"]),
            ],
            inner_accesses: vec![],
            imports: vec![Import { name: "clock".to_string(), kind: ImportKind::Declared }],
            dependencies: self.charter.dependencies.iter().map(resolved).collect(),
            example_faults: vec![],
            example_headings: vec!["Admit a request".to_string()],
        }
    }

    /// A log of these results.
    pub fn log(&self, results: &[TestResult]) -> ExecutionLog {
        let failed = results.iter().filter(|it| **it == TestResult::Fail).count();
        let count = |it: usize| u32::try_from(it).unwrap_or(u32::MAX);
        let logged = |(nth, result): (usize, &TestResult)| LoggedTest {
            name: format!("test {nth}"),
            result: *result,
            duration_ms: Some(1),
        };
        ExecutionLog {
            module_id: self.charter.module.id().to_string(),
            module_version: self.charter.module.version().to_string(),
            executed_at: Timestamp::default(),
            tests: results.iter().enumerate().map(logged).collect(),
            summary: Summary {
                total: count(results.len()),
                passed: count(results.len() - failed),
                failed: count(failed),
            },
        }
    }
}

pub(in crate::debate) fn proposal() -> Value {
    json!({
        "claim": "The limiter counts requests per tenant and refuses the 101st in a window.",
        "acceptance_checks": ["counts_apart passes", "refuses_the_101st passes"],
    })
}

/// A challenge that found nothing.
pub(in crate::debate) fn pass() -> Value {
    let entry = |criterion: &str, evidence: &str| json!({ "criterion": criterion, "assessment": "MET", "evidence": evidence });
    json!({
        "verdict": "PASS",
        "failures": [],
        "rubric_assessments": [
            entry("R1", "dossier:fingerprint equals the lock; contract:/inputs, contract:/outputs, \
                contract:/error_surfaces, contract:/effects and contract:/modes were each compared with it."),
            entry("R2", "test:counts_apart covers contract:/inputs/0/constraints/0 and contract:/outputs/0/invariants/0, \
                test:refuses_the_101st covers contract:/error_surfaces/0."),
            entry("R3", "The only declared surface contract:/error_surfaces/0 is raised by test:refuses_the_101st, and no \
                probe raised another."),
            entry("R4", "dossier:imports lists only the declared clock, and dossier:dependencies resolves MM-clock to its \
                locked digest."),
            entry("R5", "Criterion one is traced to test:counts_apart, which admits two tenants in one window and compares \
                both counts."),
            entry("R6", "dossier:entry_points names a single function, so one sentence from tenant to verdict describes \
                the module."),
        ],
    })
}

/// A challenge in which `criterion` is not met.
pub(in crate::debate) fn fail(criterion: usize, invariant: &str) -> Value {
    let mut answer = pass();
    answer["verdict"] = json!("FAIL");
    answer["rubric_assessments"][criterion - 1]["assessment"] = json!("NOT_MET");
    answer["failures"] = json!([{
        "invariant": invariant,
        "evidence": "the probe with an empty tenant is admitted although contract:/inputs/0 forbids it",
        "required_change": "refuse an empty tenant with the declared error surface",
    }]);
    answer
}

/// The mild reviews of the rubric's standard, and variants of them, each with its name.
pub fn mild_reviews() -> Vec<(&'static str, Value)> {
    let mut reviews = vec![];
    let mut mild = |name, change: &dyn Fn(&mut Value)| {
        let mut answer = pass();
        change(&mut answer);
        reviews.push((name, answer));
    };
    let evidence = |nth: usize, text: &'static str| {
        move |answer: &mut Value| answer["rubric_assessments"][nth]["evidence"] = json!(text)
    };
    // 1. Vague approval.
    mild("looks good, minor suggestions", &|answer| {
        for nth in 0..6 {
            answer["rubric_assessments"][nth]["evidence"] = json!("looks good, minor suggestions");
        }
    });
    mild(
        "a long vague approval",
        &evidence(
            1,
            "I went through all of it with care and, all in all, my impression of the work is favourable",
        ),
    );
    mild(
        "vague approval beside a real citation",
        &evidence(
            1,
            "test:counts_apart was read from top to bottom and everything in it looks good to me",
        ),
    );
    mild(
        "vague approval with invisible characters",
        &evidence(
            1,
            "test:counts_apart was read from top to bottom and everything in it lo\u{200b}oks go\u{2060}od to me",
        ),
    );
    // 2. A PASS without all six criteria.
    mild("five criteria", &|answer| {
        answer["rubric_assessments"].as_array_mut().map(Vec::pop);
    });
    mild("no criteria", &|answer| answer["rubric_assessments"] = json!([]));
    mild("a criterion twice instead of another", &|answer| {
        answer["rubric_assessments"][5]["criterion"] = json!("R5");
    });
    mild("seven entries", &|answer| {
        let mut again = answer["rubric_assessments"][0].clone();
        again["evidence"] = json!(
            "dossier:fingerprint was compared with the lock a second time, and contract:/modes too"
        );
        if let Some(all) = answer["rubric_assessments"].as_array_mut() {
            all.push(again);
        }
    });
    // 3. Dimensions left out.
    mild(
        "inputs and outputs only",
        &evidence(
            0,
            "contract:/inputs and contract:/outputs were compared with dossier:fingerprint and agree in every part",
        ),
    );
    mild(
        "dimensions named as not checked",
        &evidence(
            0,
            "contract:/inputs and contract:/outputs agree; contract:/error_surfaces, contract:/effects and \
            contract:/modes were not checked",
        ),
    );
    // 4. PASS although a criterion is not met.
    mild("PASS with NOT_MET", &|answer| {
        answer["rubric_assessments"][2]["assessment"] = json!("NOT_MET");
    });
    // 5. PASS although defects are listed.
    mild("PASS with failures", &|answer| {
        answer["failures"] = fail(3, "contract:/inputs/0")["failures"].clone()
    });
    // 6. MET without specific evidence.
    mild("looks correct", &evidence(3, "looks correct"));
    mild(
        "evidence without a citation",
        &evidence(
            3,
            "every dependency is used by its published contract only, and none of its insides are assumed",
        ),
    );
    mild(
        "a citation of something that does not exist",
        &evidence(
            3,
            "test:uses_the_clock shows that the dependency is called by its contract and never by its insides",
        ),
    );
    mild("one evidence for two criteria", &|answer| {
        answer["rubric_assessments"][3]["evidence"] =
            answer["rubric_assessments"][2]["evidence"].clone();
    });
    // 7. Empty or too short evidence.
    mild("empty evidence", &evidence(4, ""));
    mild("blank evidence", &evidence(4, " \u{200b}\n\t "));
    mild("short evidence", &evidence(4, "test:counts_apart passes"));
    mild(
        "stretched evidence",
        &evidence(
            4,
            "test:counts_apart passes passes passes passes passes passes passes passes passes",
        ),
    );
    // The other way round.
    mild("FAIL without a failure", &|answer| {
        *answer = fail(3, "contract:/inputs/0");
        answer["failures"] = json!([]);
    });
    mild("FAIL with every criterion met", &|answer| {
        *answer = fail(3, "contract:/inputs/0");
        answer["rubric_assessments"][2]["assessment"] = json!("MET");
    });
    reviews
}

pub(in crate::debate) fn approve() -> Value {
    decision("APPROVE", "SHIP", json!([]))
}

pub(in crate::debate) fn reject() -> Value {
    decision("REJECT", "NO_SHIP", json!([]))
}

pub(in crate::debate) fn amend(target: &str) -> Value {
    let detail = "state the window of `60` seconds in the first sentence, instead of \"a while\"";
    decision(
        "APPROVE_WITH_AMENDMENTS",
        "SHIP",
        json!([{ "action": "MODIFY", "target": target, "detail": detail }]),
    )
}

pub(in crate::debate) fn amend_vaguely() -> Value {
    let vague = json!([{ "action": "MODIFY", "target": "test:counts_apart", "detail": "improve error handling" }]);
    decision("APPROVE_WITH_AMENDMENTS", "SHIP", vague)
}

pub(in crate::debate) fn decision(decision: &str, directive: &str, amendments: Value) -> Value {
    json!({
        "decision": decision,
        "amendments": amendments,
        "rationale": "the record of this round leaves no other decision open",
        "ship_directive": directive,
    })
}

pub(in crate::debate) fn applied(is_applied: bool) -> Value {
    json!({ "records": [{
        "amendment_index": 0,
        "applied": is_applied,
        "note": "the heading is generated from the contract and cannot be changed alone",
    }] })
}

/// Something that is no answer at all.
pub(in crate::debate) fn garbage() -> String {
    "Sure! Here is my review:".to_string()
}
