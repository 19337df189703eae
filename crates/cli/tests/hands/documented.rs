//! Documents of a version written by scripts: the work is begun, cut off, taken up again and handed in by the engine.

use std::fs;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::killed::{kill, start};
use crate::phases::{
    DESIGN, PREFERENCES, READINESS, SCOPE, machine, ready, state, told_of_run, write,
};
use crate::rehearsal::script;

/// What a script answers with is examined like the work of a person. A process that dies in the middle loses its session and
/// nothing else: the next one goes on in the same phase. Three scripts in a row that end without an answer ask a person.
///
/// Proves: L-154, L-232
/// Proves in part: L-130
#[test]
fn work_of_a_script_that_is_cut_off_is_begun_again_and_three_times_ask_a_person() {
    let rehearsal = ready();
    fs::write(rehearsal.path().join("preferences.md"), PREFERENCES).unwrap();
    rehearsal.rewrite("project/expand", &script("", &documents("scope.md", SCOPE)));
    rehearsal.rewrite("project/design", &script("sleep 300", &documents("design.md", DESIGN)));
    rehearsal.rewrite("project/analyze", &script("exit 3", &documents("readiness.md", READINESS)));
    let mut run = start(&rehearsal, &["run", "Sums of parking for residents"]);
    // A record that is being written is no JSON yet.
    let begun = || {
        let folder = fs::read_dir(rehearsal.path().join(".sealwright/journal/project"));
        let files = folder.into_iter().flatten().flatten();
        let text = |it: fs::DirEntry| fs::read(it.path()).unwrap_or_default();
        let texts = files.map(|it| String::from_utf8_lossy(&text(it)).into_owned());
        texts.map(|it| it.matches("work_begun").count()).sum::<usize>()
    };
    let began = Instant::now();
    while begun() < 2 {
        assert!(began.elapsed() < Duration::from_secs(120), "{}", begun());
        std::thread::sleep(Duration::from_millis(20));
    }
    kill(&mut run);
    assert_eq!(rehearsal.file(".sealwright/pipeline/scope.md"), SCOPE);
    assert!(!rehearsal.path().join(".sealwright/pipeline/design.md").exists());
    rehearsal.rewrite("project/design", &script("", &documents("design.md", DESIGN)));
    let told = rehearsal.says(11, &["run"]);
    assert!(told.contains("work was cut off"), "{told}");
    let steps = told_of_run(&rehearsal, "stepped");
    let taken: Vec<(&str, &str)> = steps
        .iter()
        .map(|it| (it["step"]["action"].as_str().unwrap(), it["to"]["state"].as_str().unwrap()))
        .collect();
    let dropped = taken.iter().position(|it| it.0 == "DropSession").unwrap();
    assert_eq!(taken[dropped].1, "SessionDropped");
    assert_eq!(taken[dropped + 2].1, "Designing", "{taken:?}");
    assert_eq!(taken.iter().filter(|it| it.0 == "PassDesignGate").count(), 1, "{taken:?}");
    assert!(taken.iter().all(|it| it.1 != "Reconciling"), "{taken:?}");
    // The third script that came to nothing.
    let aborted = told_of_run(&rehearsal, "work_aborted");
    let of_analyze = aborted.iter().filter(|it| it["job"]["phase"] == "Analyze");
    assert_eq!(of_analyze.count(), 3, "{aborted:?}");
    assert!(told.contains("BLOCKED: analyze: three calls in a row were cut off"), "{told}");
    assert!(told.contains("the script ended with 3"), "{told}");
    assert_eq!(state(&rehearsal), "BlockedOnGate");
    assert_eq!(machine(&rehearsal)["pipeline"]["fails"], json!([0, 0, 0, 0, 0, 0, 0, 0]));
    let handed: Vec<Value> = told_of_run(&rehearsal, "handed_in");
    assert!(handed.iter().all(|it| it["by"] == "machine"), "{handed:?}");
    // A person takes over; what they wrote is not written over.
    fs::remove_file(rehearsal.scripts().join("project/analyze.toml")).unwrap();
    write(&rehearsal, "readiness.md", READINESS);
    rehearsal.says(11, &["continue", "--because", "I wrote it myself"]);
    assert!(rehearsal.says(11, &["continue"]).contains("waits for your approval"));
    assert_eq!(state(&rehearsal), "AnalyzeGatePassed");
}

/// The answer of a script with one document.
fn documents(name: &str, text: &str) -> String {
    format!("documents = [{{ name = \"{name}\", text = '''\n{text}''' }}]")
}

/// A phase writes its own documents and no others.
#[test]
fn a_script_writes_nothing_but_the_documents_of_its_phase() {
    let rehearsal = ready();
    fs::write(rehearsal.path().join("preferences.md"), PREFERENCES).unwrap();
    for name in ["design.md", "../../sealwright.toml", "log.md"] {
        rehearsal.rewrite("project/expand", &script("", &documents(name, "x")));
        let words: &[&str] = if name == "design.md" { &["run", "Sums"] } else { &["continue"] };
        let told = rehearsal.says(11, words);
        assert!(told.contains(&format!("`{name}` is not what this phase writes")), "{told}");
        rehearsal.says(11, &["continue", "--because", "again"]);
    }
    assert!(!rehearsal.path().join(".sealwright/pipeline/design.md").exists());
}
