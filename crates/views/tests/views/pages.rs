//! Lists and pages of a task.

use super::*;

#[test]
fn tasks_md_shows_slices_with_states_and_gate_runs() {
    insta::assert_snapshot!(body(&done().view("TASKS.md")), @"
    # Slices of T-limits

    The plan is locked. It has 1 slice.

    ## S-0001: count requests per tenant

    - State: delivered at tree fc35af74954b
    - Gate runs: 2 of 12
    - Last gate run: exit PASS
    - Failures in a row: 0 iteration, 0 exit
    - Latest snapshot: [iter-0004](context/iter-0004.md)
    - Criterion: two tenants are counted apart
    - Constraint: no new dependency
    - Scope cap: the limiter and its tests
    - Gates: fast in every cycle, full before delivery
    ");
    assert!(parked().view("TASKS.md").contains("not frozen yet."));
    assert!(Scenario::created().view("TASKS.md").contains("No plan yet."));
}

/// Proves
#[test]
fn summary_md_says_what_the_task_came_to() {
    insta::assert_snapshot!(body(&done().view("SUMMARY.md")), @"
    # Summary of T-limits

    - Task: T-limits
    - Outcome: PASS

    ## Evidence

    - EV-000001 red run: fail, as expected before implementation
    - EV-000002 S-0001 iteration gate: pass
    - EV-000003 S-0001 exit gate: pass
    - EV-000004 tripwire: pass
    - EV-000005 check-tests: pass
    - EV-000006 challenge: pass
    - EV-000007 adjudication: pass

    ## Open findings

    None.

    ## Lessons

    None.
    ");
    let outcome = |scenario: &Scenario| TaskSummary::of(&scenario.task).unwrap().outcome;
    assert_eq!(outcome(&done()), Outcome::Pass);
    assert_eq!(outcome(&halted()), Outcome::Escalate);
    assert_eq!(outcome(&parked()), Outcome::Open);
    let is_over = |task: &Task| matches!(task.status(), Status::Shipped | Status::Halted);
    let found = [
        (ResidueKind::Concurrency, "two callers at once"),
        (ResidueKind::Architecture, "the limiter knows the store"),
    ];
    let accepted = learned(&found).until(is_over, honest);
    let summary = TaskSummary::of(&accepted.task).unwrap();
    assert_eq!(summary.outcome, Outcome::Pass);
    assert_eq!(summary.task.as_str(), "T-limits");
    let residue: Vec<_> = summary.residue.iter().map(|it| (it.kind, it.what.as_str())).collect();
    assert_eq!(residue, found);
    assert_eq!(summary.deltas, ["the clock is read once"]);
    let written = accepted.view("SUMMARY.md");
    let (evidence, rest) = written.split_once("\n## Open findings\n\n").unwrap();
    assert!(evidence.contains("- Outcome: PASS\n"), "{evidence}");
    for record in &summary.evidence {
        assert!(evidence.contains(&format!("- {} {}: ", record.id, record.subject)), "{evidence}");
    }
    let (findings, lessons) = rest.split_once("\n## Lessons\n\n").unwrap();
    for (_, what) in found {
        assert!(findings.contains(what), "{findings}");
    }
    assert!(lessons.starts_with("- the clock is read once\n"), "{lessons}");
    let stopped = learned(&[(ResidueKind::Security, "a key is logged")]).until(is_over, honest);
    assert_eq!(outcome(&stopped), Outcome::HardStop);
    assert!(stopped.view("SUMMARY.md").contains("- Outcome: HARD-STOP\n"));
    assert!(halted().view("SUMMARY.md").contains("- Outcome: ESCALATE\n"));
}

#[test]
fn the_page_links_all_stored_content_and_loads_nothing() {
    let scenario = done();
    let page = scenario.view("evidence.html");
    let data = scenario.task.data().unwrap();
    let hex = Digest::of(b"running 3 tests").to_string();
    let path = format!("../../store/blobs/sha256/{}/{}", &hex[..2], &hex[2..]);
    let href = format!("href=\"{}\"", path.replace('/', "&#x2f;"));
    let links: usize = data.evidence.iter().map(|it| 1 + it.evidence.artifacts.len()).sum();
    assert!(links > 10);
    assert_eq!(page.matches(&href).count(), links);
    // All content of this scenario is one text: here the evidence, above it the three parts of the contract.
    let (contract, evidence) = page.split_once("id=\"seen\"").unwrap();
    let shown = |part: &str| part.matches("test limits::two_tenants ... ok").count();
    assert_eq!((shown(contract), shown(evidence)), (3, data.evidence.len()));
    for wanted in [
        "<html lang=\"en\">",
        "name=\"viewport\"",
        "content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\"",
        "prefers-color-scheme: dark",
        "@media print",
        "agent turns spent on driving the engine: 0",
        "<strong>Done</strong>",
    ] {
        assert!(page.contains(wanted), "{wanted} is missing");
    }
    for foreign in ["<script", "http:", "https:", " src=", "@import", "url(", "<link", "<iframe"] {
        assert!(!page.contains(foreign), "{foreign} is on the page");
    }
}

#[test]
fn output_past_the_bound_is_cut_and_says_so() {
    let scenario = done();
    let page = |bytes: usize| {
        let views = scenario.views_with(&|_| Some("x".repeat(bytes)));
        let page = views.into_iter().find(|view| view.name == "evidence.html").unwrap().content;
        page.split_once("id=\"seen\"").unwrap().1.to_owned()
    };
    let (at, past) = (page(16 * 1024), page(16 * 1024 + 1));
    assert!(at.contains(&"x".repeat(16 * 1024)) && !at.contains("truncated;"));
    assert!(!past.contains(&"x".repeat(16 * 1024 + 1)) && past.contains("truncated;"));
    let views = scenario.views_with(&|_| None);
    assert!(views[2].content.contains("excerpt; the store has all of it"));
}
