//! Snapshots and states of slices during implementation.

use sealwright_kernel::task::slice::{Claim, Edit, Input as SliceInput, Pass, Progress, Want};
use sealwright_kernel::task::{Effect, Input, Phase, Report, Task};
use sealwright_kernel::{Effect as _, Machine as _, scripted};

use crate::revived;
use crate::scenario::{Scenario, honest};

/// Across slices, plans and attempts: each snapshot has the next number, names its parent and never changes.
///
/// Proves in part: B-018
#[test]
fn snapshots_are_numbered_without_gaps_over_the_whole_task() {
    for scenario in [revived(), with_slices(3)] {
        let mut written: Vec<String> = Vec::new();
        scenario.each_step(|step| {
            let views = step.views().into_iter();
            let now: Vec<_> = views.filter(|it| it.name.starts_with("context/")).collect();
            let names: Vec<String> = now.iter().map(|view| view.name.clone()).collect();
            assert_eq!(names[..written.len()], written);
            for (nth, view) in now.iter().enumerate().skip(written.len()) {
                assert_eq!(view.name, format!("context/iter-{:04}.md", nth + 1));
                let before = match nth {
                    0 => "none".to_owned(),
                    nth => format!("iter-{nth:04}"),
                };
                let parent = format!("- **Parent snapshot:** {before}\n");
                assert!(view.content.contains(&parent), "{}", view.content);
            }
            written = names;
        });
        let is_second = |name: &String| scenario.view(name).contains("- **Slice ID:** S-0002\n");
        assert!(written.iter().any(is_second), "only one slice: {written:?}");
    }
}

/// Code, a document and a script, each in its own pass: the slice accepts each, its gate runs and leaves an artifact,
/// and `TASKS.md` counts the gate runs.
#[test]
fn implement_takes_code_documents_and_scripts_pass_after_pass() {
    let mut scenario =
        Scenario::created().until(|task| task.phase() == Some(Phase::Implement), honest);
    let mut places = vec!["src/check.sh", "src/README.md", "src/limiter.rs"];
    let (mut gate_runs, mut artifacts) = (Vec::new(), Vec::new());
    while scenario.task.phase() == Some(Phase::Implement) {
        let effect = scenario.task.owed().remove(0);
        let Effect::Slice { effect: wanted } = &effect else { panic!("{}", effect.id()) };
        let Want::Edit { tree, .. } = &wanted.want else {
            scenario.hear(scripted::honest(&effect).unwrap());
            continue;
        };
        gate_runs.push(line(&scenario, "TASKS.md", "- Gate runs: "));
        artifacts.push(scenario.view("EVIDENCE.md").matches("- Artifact output.txt: ").count());
        let place = places.pop().expect("the last edit claims ready");
        let edit = Edit {
            tree: scripted::tree_after(*tree),
            places: vec![place.to_owned()],
            claim: if places.is_empty() { Claim::Ready } else { Claim::MoreToDo },
            pass: Pass {
                progress: vec![Progress::Change],
                proposed_next: Some(Phase::Implement),
                ..Pass::default()
            },
        };
        let input = SliceInput::Edited { effect: effect.id(), edit };
        scenario.hear(Input::Slice { input });
        assert_eq!(scenario.task.phase(), Some(Phase::Implement), "{place}");
    }
    assert_eq!(gate_runs, ["- Gate runs: 0 of 12", "- Gate runs: 1 of 12", "- Gate runs: 2 of 12"]);
    // The red run left one artifact, and so did every gate run.
    assert_eq!(artifacts, [1, 2, 3]);
    assert_eq!(scenario.task.phase(), Some(Phase::Verify));
    assert_eq!(line(&scenario, "TASKS.md", "- Gate runs: "), "- Gate runs: 4 of 12");
}

/// A shipped task with a plan of `slices` slices.
fn with_slices(slices: usize) -> Scenario {
    let mut scenario = Scenario::created().until(|task| task.phase() == Some(Phase::Shape), honest);
    let effect = scenario.task.owed()[0].id();
    let pass = Pass { progress: vec![Progress::Change], ..Pass::default() };
    let report = Report::Shaped { bundle: scripted::bundle(slices), pass };
    scenario.hear(Input::Report { effect, report });
    scenario.until(Task::is_over, honest)
}

fn line(scenario: &Scenario, view: &str, begins: &str) -> String {
    let text = scenario.view(view);
    text.lines().find(|line| line.starts_with(begins)).expect("there is such a line").to_owned()
}
