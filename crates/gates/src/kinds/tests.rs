//! What holds for every kind, and what no report may achieve however it is bent.

use std::collections::BTreeSet;

use proptest::prelude::*;
use sealwright_kernel::Verdict;

use crate::kinds::story::{captured, judged, left, ran, setting, skipping, visited};
use crate::kinds::{ALL, Key, Kind, PYTEST_REPORT, Setting, Tool};
use crate::reports::fuzz::{bent, edits};
use crate::{Canary, Ended, Judgement, Ran, Said, Seen, Step, Visited};

#[test]
fn every_kind_has_a_key_of_its_own_and_says_what_it_proves() {
    let keys: BTreeSet<&str> = ALL.iter().map(|kind| kind.key).collect();
    assert_eq!(keys.len(), ALL.len());
    for kind in ALL {
        assert_eq!(Kind::of(kind.key), Some(kind));
        assert!(!kind.proves.is_empty() && !kind.needs.is_empty(), "{}", kind.key);
        let taken: BTreeSet<Key> = kind.takes.iter().map(|(key, _)| *key).collect();
        assert_eq!(taken.len(), kind.takes.len(), "{}", kind.key);
    }
    assert_eq!(Kind::of("nothing"), None);
}

#[test]
fn no_kind_passes_on_nothing_or_on_an_answer_to_another_question() {
    let answers = [
        Seen::Nothing { why: "no walls".to_owned() },
        Seen::Listing(vec![]),
        Seen::Files(vec![]),
        Seen::Ran(ran(0, "")),
        Seen::Visited(Visited { canary: Canary::NotNeeded, ..visited(vec![]) }),
    ];
    let setting = Setting { report: Some("r".to_owned()), ..setting() };
    for kind in ALL {
        let gate = kind.gate(setting.clone());
        assert!(!matches!(gate.next(&[]), Step::Say(Judgement { verdict: Verdict::Pass, .. })));
        for first in &answers {
            for second in &answers {
                for seen in [vec![first.clone()], vec![first.clone(), second.clone()]] {
                    let Step::Say(judgement) = gate.next(&seen) else { continue };
                    // A clean tree is one in which nothing was found; a command is believed by its exit code.
                    let is_own = matches!(
                        (kind.key, seen.as_slice()),
                        ("clean-tree" | "size" | "lockfile", [Seen::Listing(_), Seen::Files(_)])
                            | ("command", [Seen::Ran(_)])
                    );
                    assert!(is_own || judgement.verdict != Verdict::Pass, "{}: {seen:?}", kind.key);
                }
            }
        }
    }
}

#[test]
fn a_command_is_believed_by_its_exit_code() {
    let verdict =
        |ended| judged("command", &setting(), &[Seen::Ran(Ran { ended, ..ran(0, "") })]).verdict;
    assert_eq!(verdict(Ended::Exited(0)), Verdict::Pass);
    for ended in [
        Ended::Exited(1),
        Ended::Exited(-1),
        Ended::Signalled(11),
        Ended::TimedOut,
        Ended::OutOfRoom,
    ] {
        assert_eq!(verdict(ended), Verdict::Fail, "{ended:?}");
    }
    for ended in [Ended::Exited(127), Ended::Exited(126), Ended::Signalled(9), Ended::Lost] {
        assert_eq!(verdict(ended), Verdict::CannotTell, "{ended:?}");
    }
}

#[test]
fn a_tool_is_known_by_its_command() {
    let of = |command: &str| {
        let words: Vec<String> = command.split(' ').map(str::to_owned).collect();
        Tool::of_command(&words).map(Tool::name)
    };
    assert_eq!(of("cargo deny check"), Some("cargo-deny"));
    assert_eq!(of("cargo-audit audit --json"), Some("cargo-audit"));
    assert_eq!(of("/opt/bin/gitleaks dir ."), Some("gitleaks"));
    assert_eq!(of("npm audit"), Some("npm-audit"));
    assert_eq!(of("npm test"), None);
    assert_eq!(of("make audit"), None);
    for tool in Tool::all() {
        assert_eq!(Tool::of(tool.name()), Some(tool));
    }
}

/// A run of a kind, as a tool really made it.
#[derive(Clone, Copy, Debug)]
struct Story {
    kind: &'static str,
    file: &'static str,
    code: i32,
}

const RED: &[Story] = &[
    Story { kind: "junit", file: "pytest-red.xml", code: 1 },
    Story { kind: "junit", file: "vitest-red.xml", code: 1 },
    Story { kind: "junit", file: "jest-red.xml", code: 1 },
    Story { kind: "junit", file: "node-red.xml", code: 1 },
    Story { kind: "junit", file: "pytest-none.xml", code: 5 },
    Story { kind: "junit", file: "pytest-collect.xml", code: 2 },
    Story { kind: "pytest", file: "pytest-red.xml", code: 1 },
    Story { kind: "nextest", file: "nextest-red.out", code: 100 },
    Story { kind: "nextest", file: "libtest-json-red.out", code: 101 },
    Story { kind: "cargo-test", file: "libtest-red.out", code: 101 },
    Story { kind: "cargo-test", file: "libtest-filtered.out", code: 0 },
    Story { kind: "cargo-build", file: "cargo-build-red.out", code: 101 },
    Story { kind: "lint", file: "ruff-red.out", code: 1 },
    Story { kind: "cargo-deny", file: "cargo-deny-red.out", code: 1 },
    Story { kind: "cargo-deny", file: "cargo-deny-bans.out", code: 0 },
    Story { kind: "cargo-audit", file: "cargo-audit-red.out", code: 1 },
    Story { kind: "pip-audit", file: "pip-audit-red.out", code: 1 },
    Story { kind: "pip-audit", file: "pip-audit-skipped.out", code: 0 },
    Story { kind: "npm-audit", file: "npm-audit-red.out", code: 1 },
    Story { kind: "npm-audit", file: "npm-audit-error.out", code: 1 },
    Story { kind: "detect-secrets", file: "detect-secrets-red.out", code: 0 },
];

const GREEN: &[Story] = &[
    Story { kind: "junit", file: "pytest-green.xml", code: 0 },
    Story { kind: "junit", file: "vitest-green.xml", code: 0 },
    Story { kind: "junit", file: "jest-green.xml", code: 0 },
    Story { kind: "pytest", file: "pytest-green.xml", code: 0 },
    Story { kind: "nextest", file: "nextest-green.out", code: 0 },
    Story { kind: "cargo-test", file: "libtest-green.out", code: 0 },
    Story { kind: "cargo-build", file: "cargo-build-green.out", code: 0 },
    Story { kind: "lint", file: "ruff-green.out", code: 0 },
    Story { kind: "cargo-deny", file: "cargo-deny-green.out", code: 0 },
    Story { kind: "cargo-audit", file: "cargo-audit-green.out", code: 0 },
    Story { kind: "pip-audit", file: "pip-audit-green.out", code: 0 },
    Story { kind: "npm-audit", file: "npm-audit-green.out", code: 0 },
    Story { kind: "detect-secrets", file: "detect-secrets-green.out", code: 0 },
];

/// What a kind says if this is what was left, and it ended like that.
fn heard(kind: &str, code: i32, said: Said) -> Judgement {
    let everywhere = |said: Said| Ran {
        stdout: said.clone(),
        stderr: said.clone(),
        reports: [("r".to_owned(), said.clone()), (PYTEST_REPORT.to_owned(), said)].into(),
        ..ran(code, "")
    };
    let named = Setting { report: Some("r".to_owned()), ..setting() };
    match kind {
        "cargo-test" => {
            // One output holds what all executables printed, one after the other.
            let text = String::from_utf8_lossy(&said.bytes).into_owned();
            let is_whole = said.is_whole();
            let parts = text.split("\nrunning ").skip(1).map(|part| {
                let stdout = Said::whole(format!("\nrunning {part}"));
                let total = stdout.total + u64::from(!is_whole);
                ("test", Ran { stdout: Said { total, ..stdout }, ..ran(code, "") })
            });
            let mut runs: Vec<_> = parts.collect();
            // Both executables were started, whatever was heard of them.
            while runs.len() < 2 {
                runs.push(("test", ran(code, "")));
            }
            let visited = visited(runs);
            judged(kind, &setting(), &[Seen::Visited(visited)])
        }
        "pytest" => judged(
            kind,
            &setting(),
            &[Seen::Visited(visited(vec![("pytest", left_everywhere(code, said))]))],
        ),
        "junit" | "lint" => judged(kind, &named, &[Seen::Ran(everywhere(said))]),
        "nextest" | "cargo-build" => judged(kind, &setting(), &[Seen::Ran(everywhere(said))]),
        "detect-secrets" => {
            let setting = Setting { tool: Tool::of(kind), ..setting() };
            judged(
                "secrets",
                &setting,
                &[Seen::Listing(vec![]), Seen::Ran(everywhere(said)), Seen::Files(vec![])],
            )
        }
        auditor => {
            let setting = Setting { tool: Tool::of(auditor), ..setting() };
            judged("audit", &setting, &[Seen::Ran(everywhere(said))])
        }
    }
}

/// A run of pytest that printed nothing its report could be held against.
fn left_everywhere(code: i32, said: Said) -> Ran {
    Ran { reports: [(PYTEST_REPORT.to_owned(), said)].into(), ..left(code, PYTEST_REPORT, "") }
}

#[test]
fn the_real_runs_end_as_they_ended() {
    for Story { kind, file, code } in RED {
        let judgement = heard(kind, *code, Said::whole(captured(file)));
        assert_ne!(judgement.verdict, Verdict::Pass, "{kind} {file}");
        // A forced exit code changes nothing.
        let judgement = heard(kind, 0, Said::whole(captured(file)));
        assert_ne!(judgement.verdict, Verdict::Pass, "{kind} {file} with 0");
    }
    for Story { kind, file, code } in GREEN {
        let judgement = heard(kind, *code, Said::whole(captured(file)));
        assert_eq!(judgement.verdict, Verdict::Pass, "{kind} {file}: {judgement:?}");
        // Every other exit code is a contradiction.
        for code in [1, 2, 77, 101, 126, 127, 255, -1] {
            let judgement = heard(kind, code, Said::whole(captured(file)));
            assert_ne!(judgement.verdict, Verdict::Pass, "{kind} {file} with {code}");
        }
        let mut cut = Said::whole(captured(file));
        cut.total += 1;
        assert_ne!(heard(kind, 0, cut).verdict, Verdict::Pass, "{kind} {file}, cut off");
    }
}

#[test]
fn a_green_report_that_ends_early_is_no_pass() {
    for Story { kind, file, .. } in GREEN {
        let whole = captured(file);
        let all = heard(kind, 0, Said::whole(whole.clone()));
        for end in 0..whole.trim_ascii_end().len() {
            let judgement = heard(kind, 0, Said::whole(&whole[..end]));
            // The last words of an executable are how long it took. What came before is all there is to know.
            let is_all = judgement.verdict == Verdict::Pass
                && judgement.tests == all.tests
                && *kind == "cargo-test";
            assert!(is_all || judgement.verdict != Verdict::Pass, "{kind} {file} at {end}");
        }
    }
}

/// A flipped letter in the name of a member, and a failure is no longer found where it is looked for.
#[test]
fn no_single_byte_that_is_lost_makes_bad_work_pass() {
    for Story { kind, file, .. } in RED {
        let whole = captured(file);
        for at in 0..whole.len() {
            let mut bent = whole.clone();
            bent.remove(at);
            let verdict = heard(kind, 0, Said::whole(bent)).verdict;
            assert_ne!(verdict, Verdict::Pass, "{kind} {file} without byte {at}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    /// The work is not fit. Whatever happens to the bytes of its report on the way, and whether or not somebody forced
    /// the exit code, it is not called fit.
    #[test]
    fn a_bent_report_of_bad_work_never_passes(
        story in prop::sample::select(RED.to_vec()),
        edits in edits(4),
        cut in prop::option::weighted(0.3, any::<prop::sample::Index>()),
        code in prop_oneof![Just(0), Just(1), Just(101)],
    ) {
        let report = bent(captured(story.file), &edits, cut);
        let judgement = heard(story.kind, code, Said::whole(report.clone()));
        prop_assert_ne!(judgement.verdict, Verdict::Pass, "{:?}: {}", story, String::from_utf8_lossy(&report));
        prop_assert!(!judgement.because.is_empty());
    }

    /// Bytes that nobody wrote for us say nothing.
    #[test]
    fn noise_never_passes(kind in prop::sample::select(GREEN.to_vec()), bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        prop_assert_ne!(heard(kind.kind, 0, Said::whole(bytes)).verdict, Verdict::Pass);
    }

    /// An expected test that is not in the report is missed, however many others are.
    #[test]
    fn a_missing_test_is_missed(story in prop::sample::select(GREEN.to_vec()), name in "[a-z]{12}") {
        let named = Setting { report: Some("r".to_owned()), ..skipping(&[]) };
        let mut expected = named.expected.clone();
        expected.acceptance.insert(crate::kinds::Named::Anywhere(name));
        let setting = Setting { expected, ..named };
        if story.kind == "junit" {
            let ran = left(0, "r", captured(story.file));
            prop_assert_eq!(judged("junit", &setting, &[Seen::Ran(ran)]).verdict, Verdict::Fail);
        }
    }
}
