//! What a module version ships with: `ship.json`, and the log of its tests.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use sealwright_kernel::Digest;
use sealwright_kernel::pack::{Ref, RefKind, Version};
use serde::{Deserialize, Serialize};
use serde_json::Number;

use super::clauses::{TEST_NAME_BYTES_MAX, TESTS_MAX};
use super::json::{Fields, Node, Problems, Reader, Text, Tree};
use super::names::{MODULE_ID, ModuleId};
use super::read::{NAME, VERSION};

/// `ship.json`: the proof that one module version keeps its contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShipEvidence {
    pub module_id: ModuleId,
    pub module_version: Version,
    /// `SHIP-` and eight hex digits.
    pub ship_id: String,
    /// RFC 3339, in UTC.
    pub verified_at: String,
    pub verification: Verification,
    pub environment: Environment,
    /// Counts only: the tests themselves are sealed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub test_summary: Option<Summary>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub binding_fingerprint: Option<Digest>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verification {
    pub result: VerificationResult,
    pub interface_fingerprint: Digest,
    /// The execution log, never a narrative.
    pub evidence_ref: String,
}

/// How a verification or one test ended. Only `PASS` is ever shipped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
pub enum TestResult {
    Pass,
    Fail,
}

pub type VerificationResult = TestResult;

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Environment {
    pub repo_revision: String,
    pub dependency_lock_ref: String,
    pub runner_id: String,
}

/// `execution_log.json`: what the runner of the engine saw.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ExecutionLog {
    pub module_id: ModuleId,
    pub module_version: Version,
    /// The start of the run: RFC 3339, in UTC.
    pub executed_at: String,
    pub tests: Vec<TestEntry>,
    pub summary: Summary,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct TestEntry {
    pub name: String,
    pub result: TestResult,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<Number>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Summary {
    pub total: usize,
    pub passed: usize,
    pub failed: usize,
}

impl ShipEvidence {
    pub fn parse(text: &[u8]) -> Result<Self, Problems> {
        let tree = Tree::parse(text, SHIP_BYTES_MAX)?;
        let mut reader = Reader::default();
        let evidence = ship_evidence(&mut reader, &Node::root(&tree));
        reader.finish(evidence)
    }
}

impl ExecutionLog {
    pub fn parse(text: &[u8]) -> Result<Self, Problems> {
        let tree = Tree::parse(text, LOG_BYTES_MAX)?;
        let mut reader = Reader::default();
        let log = execution_log(&mut reader, &Node::root(&tree));
        reader.finish(log)
    }

    /// Whether the tests let the module ship: at least one ran, and none failed.
    pub fn lets_ship(&self) -> bool {
        let is_pass = |it: &TestEntry| it.result == TestResult::Pass;
        !self.tests.is_empty() && self.tests.iter().all(is_pass) && self.summary.failed == 0
    }
}

impl Summary {
    pub fn of(tests: &[TestEntry]) -> Self {
        let passed = tests.iter().filter(|it| it.result == TestResult::Pass).count();
        Self { total: tests.len(), passed, failed: tests.len() - passed }
    }
}

fn ship_evidence(reader: &mut Reader, node: &Node<'_>) -> Option<ShipEvidence> {
    let it = reader.fields(node, &SHIP_FIELDS)?;
    let module_id = reader.need_parsed(&it, "module_id", MODULE_ID);
    let module_version = reader.need_parsed(&it, "module_version", VERSION);
    let ship_id = reader.need_text(&it, "ship_id", NAME);
    if let Some(id) = &ship_id {
        let is_ship = |it: Ref| it.kind() == RefKind::ShipEvidence;
        if !Ref::new(&format!("{id}@1.0.0")).is_ok_and(is_ship) {
            let what = format!("`{}` is not a ship id", sealwright_kernel::shown(id));
            reader.add(&it.path("ship_id"), what, "write an id such as SHIP-1a2b3c4d");
        }
    }
    let verified_at = time(reader, &it, "verified_at");
    let verification = reader.need(&it, "verification").and_then(|it| {
        let it = reader.fields(&it, &["result", "interface_fingerprint", "evidence_ref"])?;
        let result = reader.need_one_of(&it, "result", &RESULTS);
        let fingerprint = reader.need_parsed(&it, "interface_fingerprint", FINGERPRINT);
        let evidence_ref = reader.need_text(&it, "evidence_ref", REFERENCE);
        Some(Verification {
            result: result?,
            interface_fingerprint: fingerprint?,
            evidence_ref: evidence_ref?,
        })
    });
    let environment = reader.need(&it, "environment").and_then(|it| {
        let it = reader.fields(&it, &["repo_revision", "dependency_lock_ref", "runner_id"])?;
        let repo_revision = reader.need_text(&it, "repo_revision", NAME);
        let dependency_lock_ref = reader.need_text(&it, "dependency_lock_ref", REFERENCE);
        let runner_id = reader.need_text(&it, "runner_id", NAME);
        Some(Environment {
            repo_revision: repo_revision?,
            dependency_lock_ref: dependency_lock_ref?,
            runner_id: runner_id?,
        })
    });
    let test_summary = it.optional("test_summary").and_then(|it| summary(reader, &it));
    let binding = it.optional("binding_fingerprint");
    let binding_fingerprint = binding.and_then(|it| reader.parsed(&it, FINGERPRINT));
    Some(ShipEvidence {
        module_id: module_id?,
        module_version: module_version?,
        ship_id: ship_id?,
        verified_at: verified_at?,
        verification: verification?,
        environment: environment?,
        test_summary,
        binding_fingerprint,
    })
}

fn execution_log(reader: &mut Reader, node: &Node<'_>) -> Option<ExecutionLog> {
    let known = ["module_id", "module_version", "executed_at", "tests", "summary"];
    let it = reader.fields(node, &known)?;
    let module_id = reader.need_parsed(&it, "module_id", MODULE_ID);
    let module_version = reader.need_parsed(&it, "module_version", VERSION);
    let executed_at = time(reader, &it, "executed_at");
    let tests = reader.need_list(&it, "tests", LOG_TESTS_MAX, test);
    let given = reader.need(&it, "summary").and_then(|it| summary(reader, &it));
    if let (Some(tests), true) = (&tests, reader.is_clean()) {
        reader.distinct(&it.path("tests"), tests.iter().map(|it| it.name.as_str()));
        let counted = Summary::of(tests);
        if tests.is_empty() {
            reader.add(&it.path("tests"), "no test ran", "run at least one test");
        }
        if given != Some(counted) {
            let Summary { total, passed, failed } = counted;
            let fix = format!("the tests count total {total}, passed {passed}, failed {failed}");
            reader.add(&it.path("summary"), "the summary does not count the tests", fix);
        }
    }
    Some(ExecutionLog {
        module_id: module_id?,
        module_version: module_version?,
        executed_at: executed_at?,
        tests: tests?,
        summary: given?,
    })
}

fn test(reader: &mut Reader, node: &Node<'_>) -> Option<TestEntry> {
    let it = reader.fields(node, &["name", "result", "duration_ms"])?;
    let name = reader.need_text(&it, "name", Text::Line(TEST_NAME_BYTES_MAX));
    let result = reader.need_one_of(&it, "result", &RESULTS);
    let duration_ms = match it.optional("duration_ms") {
        Some(Node { tree: Tree::Number(number), .. })
            if number.as_f64().is_some_and(|it| (0.0..=DURATION_MS_MAX).contains(&it)) =>
        {
            Some(number.clone())
        }
        Some(node) => {
            reader.add(&node.path, "this is no duration", "write milliseconds from 0 to 1e15");
            None
        }
        None => None,
    };
    Some(TestEntry { name: name?, result: result?, duration_ms })
}

fn summary(reader: &mut Reader, node: &Node<'_>) -> Option<Summary> {
    let it = reader.fields(node, &["total", "passed", "failed"])?;
    let mut count = |name| {
        let node = reader.need(&it, name)?;
        reader.count(&node, LOG_TESTS_MAX)
    };
    let (total, passed, failed) = (count("total"), count("passed"), count("failed"));
    Some(Summary { total: total?, passed: passed?, failed: failed? })
}

/// The engine writes times itself: one form, `2026-01-31T12:00:00Z`, with a fraction or without.
fn time(reader: &mut Reader, of: &Fields<'_>, name: &str) -> Option<String> {
    let text = reader.need_text(of, name, NAME)?;
    let is_time = || {
        let (whole, fraction) = text.strip_suffix('Z')?.split_at_checked(FORM.len())?;
        let fits = |(it, form): (u8, u8)| match form {
            b'0' => it.is_ascii_digit(),
            form => it == form,
        };
        let digits = fraction.is_empty()
            || fraction.strip_prefix('.').is_some_and(|it| {
                (1..=9).contains(&it.len()) && it.bytes().all(|it| it.is_ascii_digit())
            });
        let in_range = |at: core::ops::Range<usize>, least: u8, most: u8| {
            whole
                .get(at)
                .and_then(|it| it.parse().ok())
                .is_some_and(|it: u8| least <= it && it <= most)
        };
        let is_form = whole.bytes().zip(FORM.bytes()).all(fits) && digits;
        let is_date = in_range(5..7, 1, 12) && in_range(8..10, 1, 31);
        let is_clock =
            in_range(11..13, 0, 23) && in_range(14..16, 0, 59) && in_range(17..19, 0, 60);
        (is_form && is_date && is_clock).then_some(())
    };
    if is_time().is_none() {
        let what = format!("`{}` is not a time", sealwright_kernel::shown(&text));
        reader.add(&of.path(name), what, "write a time in UTC such as 2026-01-31T12:00:00Z");
    }
    Some(text)
}

const FORM: &str = "0000-00-00T00:00:00";
const RESULTS: [(&str, TestResult); 2] = [("PASS", TestResult::Pass), ("FAIL", TestResult::Fail)];
const SHIP_FIELDS: [&str; 8] = [
    "module_id",
    "module_version",
    "ship_id",
    "verified_at",
    "verification",
    "environment",
    "test_summary",
    "binding_fingerprint",
];
const FINGERPRINT: &str = "a fingerprint of 64 lower-case hex digits";
const REFERENCE: Text = Text::Line(1024);
const DURATION_MS_MAX: f64 = 1e15;
pub const SHIP_BYTES_MAX: usize = 64 << 10;
pub const LOG_BYTES_MAX: usize = 8 << 20;
/// The most tests of one log.
pub const LOG_TESTS_MAX: usize = TESTS_MAX;
