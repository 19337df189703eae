//! Gate `pytest`: the tests of a Python project, in a clean room, believed by their report, by what pytest prints and by
//! how it ends, which have to agree.

use sealwright_kernel::Cheat;

use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::suite::Runs;
use crate::kinds::{Demand, Key, Kind, Setting, room};
use crate::reports::{Tests, junit, pytest_summary, whole};
use crate::{Ran, Seen, Status, Step, Visited};

pub(crate) const KIND: Kind = Kind {
    key: "pytest",
    proves: "every expected Python test ran in a clean room and passed, and a test that must fail did",
    needs: "python3 with pytest, frozen tests, walls",
    takes: &[(Key::Tests, Demand::Optional), (Key::Sources, Demand::Optional)],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => room::visit(KIND.key, setting),
        [Seen::Visited(visited)] => judge(setting, visited),
        _ => no_answer(seen),
    }
}

fn judge(setting: &Setting, visited: &Visited) -> Step {
    let mut scales = Scales::default();
    room::weigh(&mut scales, KIND.key, visited);
    let mut runs = Runs::default();
    for (name, ran) in &visited.runs {
        let report = whole(ran.reports.get(REPORT)).and_then(junit::read);
        let report = report.map(|tests| compared(tests, ran));
        let told = report.iter().flat_map(|tests| &tests.results);
        for file in told.filter_map(|result| left_out(visited, &result.id.suite)) {
            let what = format!("{file}: a test is told of, though the file was left out");
            scales.against(what.clone());
            scales.cheat(Cheat::VacuousAsserts, what);
        }
        runs.add(&mut scales, &format!("`{name}`"), ran, report);
    }
    for (_, ran) in &visited.known_failing {
        runs.add_known(whole(ran.reports.get(REPORT)).and_then(junit::read));
    }
    runs.conclude(&mut scales, &setting.expected);
    room::conclude(&mut scales, visited, &setting.expected);
    scales.say()
}

/// The file that was left out and that has this suite.
fn left_out<'v>(visited: &'v Visited, suite: &str) -> Option<&'v String> {
    visited.left_out.iter().find(|file| {
        let module = file.strip_suffix(".py").unwrap_or(file).replace('/', ".");
        suite.strip_prefix(&module).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    })
}

/// The report, held against what was printed.
fn compared(mut tests: Tests, ran: &Ran) -> Tests {
    let Some(printed) = pytest_summary::read(&ran.stdout.bytes) else { return tests };
    let count = |words: &[&str]| words.iter().filter_map(|word| printed.get(*word)).sum::<u64>();
    let seen = |is: fn(&Status) -> bool| {
        tests.results.iter().filter(|result| is(&result.status)).count() as u64
    };
    let pairs = [
        ("passed", count(&["passed", "xpassed"]), seen(|status| matches!(status, Status::Passed))),
        ("failed", count(&["failed"]), seen(|status| matches!(status, Status::Failed { .. }))),
        (
            "left out",
            count(&["skipped", "xfailed"]),
            seen(|status| matches!(status, Status::Skipped { .. })),
        ),
        ("broken", count(&["error"]), seen(|status| matches!(status, Status::Broken { .. }))),
    ];
    for (what, printed, reported) in pairs {
        if printed != reported {
            tests.odd.push(format!("pytest prints {printed} {what} and reports {reported}"));
        }
    }
    tests
}

pub const REPORT: &str = "pytest.xml";

#[cfg(test)]
mod tests;
