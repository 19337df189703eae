//! A version that goes through its phases: people write the documents, the engine examines them, builds what was approved
//! and keeps each gate as a commit.

use std::fs;

use serde_json::{Value, json};

use crate::projects::{id, product, scripts};
use crate::rehearsal::{Rehearsal, script, swap};

/// From a request to a delivered version, and into the next one. Every gate is closed once before it opens.
///
/// Proves: L-004, L-005, L-009, L-036, L-065, L-071, L-081, L-090, L-092, L-116, L-139, L-143, L-144, L-145, L-146, L-147,
/// L-148, L-149, L-150, L-153, L-213, L-227, L-230
/// Proves in part: L-035, L-091, L-220
#[test]
fn a_version_goes_through_its_phases_and_each_gate_is_a_commit() {
    let rehearsal = ready();
    // What is built is longer than a file should be.
    let [.., (edit, text), _] = scripts(1);
    let long = format!("return hours * 2\n{}'''", "# one more\n".repeat(300));
    rehearsal.rewrite(&format!("{}/{edit}", id(1)), &swap(&text, "return hours * 2\n'''", &long));
    begin(&rehearsal, &[]);
    for (file, text, broken, condition) in [
        ("scope.md", SCOPE, ("0 EUR per month", "cheap"), "scope"),
        ("design.md", DESIGN, ("resolved: no", "perhaps"), "design"),
        ("readiness.md", READINESS, ("READY\n", "ALMOST\n"), "readiness"),
    ] {
        write(&rehearsal, file, &text.replacen(broken.0, broken.1, 1));
        let told = rehearsal.says(11, &["continue"]);
        assert!(told.contains("did not pass") && told.contains(file), "{told}");
        let finding = findings(&rehearsal).into_iter().next().unwrap();
        assert!(finding["rule"].as_str().unwrap().starts_with(condition), "{finding}");
        assert!(finding["line"].as_u64().unwrap() > 1, "{finding}");
        write(&rehearsal, file, text);
        rehearsal.says(11, &["continue"]);
    }
    assert_eq!(state(&rehearsal), "AnalyzeGatePassed");
    // Nothing is built before a person approved the documents and the tasks.
    assert!(!rehearsal.path().join(".sealwright/journal").join(id(1)).exists());
    let told = rehearsal.says(2, &["continue"]);
    assert!(told.contains("there is no spec here"), "{told}");
    plan(&rehearsal);
    assert!(rehearsal.says(11, &["run"]).contains("waits for your approval"));
    // A file that outgrows what was designed is a question, and no failure, also before somebody says what no check measures.
    let told = rehearsal.says(11, &["continue"]);
    assert!(told.contains("• approved: scope"), "{told}");
    assert!(
        told.contains("BLOCKED: the build outgrows its design: parking/part_1.py has 30"),
        "{told}"
    );
    for way in [
        "simplify the design: `sealwright continue --decide simplify --because WHY`",
        "reduce the scope: `sealwright continue --decide reduce --because WHY`",
        "split a part off into a scope item of its own: `sealwright continue --decide split --because WHY`",
        "authorise it: `sealwright continue --decide authorise --because WHY`",
    ] {
        assert!(told.contains(way), "{told}");
    }
    assert_eq!(state(&rehearsal), "ComplexityBrakeTriggered");
    assert_eq!(machine(&rehearsal)["pipeline"]["fails"], json!([0, 0, 0, 0, 0, 0, 0, 0]));
    // It stops the work: time changes nothing, and a role decides nothing.
    let before = rehearsal.records("project").len();
    assert!(rehearsal.says(11, &["run"]).contains("BLOCKED: the build outgrows its design"));
    let authorise =
        ["continue", "--decide", "authorise", "--because", "each part brings its tests"];
    assert!(rehearsal.says_as_role(12, &authorise).contains("agents may not"));
    assert!(rehearsal.says(12, &["continue"]).contains("say why"));
    assert!(
        rehearsal
            .says(12, &["continue", "--decide", "revert", "--because", "x"])
            .contains("no answer")
    );
    assert_eq!(rehearsal.records("project").len(), before);
    // Code that only says what is missing is found in the tree.
    let later = "def monthly(hours):\n    raise NotImplementedError\n";
    change(&rehearsal, "parking/monthly.py", Some(later));
    let told = rehearsal.says(11, &authorise);
    assert!(told.contains("placeholder behaviour: parking/monthly.py:2"), "{told}");
    assert!(told.contains("did not pass"), "{told}");
    change(&rehearsal, "parking/monthly.py", None);
    let told = rehearsal.says(11, &["continue"]);
    assert!(told.contains("cannot be told"), "{told}");
    assert_eq!(state(&rehearsal), "Building");
    // A criterion that is met by a placeholder is not met.
    let mut build = build_facts();
    build["placeholders"] = json!(["AC-1"]);
    facts(&rehearsal, "build", &build);
    let told = rehearsal.says(11, &["continue"]);
    assert!(told.contains("did not pass") && told.contains("AC-1"), "{told}");
    facts(&rehearsal, "build", &build_facts());
    let told = rehearsal.says(11, &["continue"]);
    assert!(told.contains("waits for its review"), "{told}");
    an_edit_is_seen(&rehearsal, "scope.md", "Expanding");
    an_edit_is_seen(&rehearsal, "design.md", "Designing");
    an_edit_is_seen(&rehearsal, "readiness.md", "Analyzing");
    review(&rehearsal);
    an_edit_is_seen(&rehearsal, "scope.md", "Expanding");
    reconcile(&rehearsal);
    an_edit_is_seen(&rehearsal, "design.md", "Designing");
    facts(&rehearsal, "verify", &verify_facts());
    rehearsal.says(11, &["continue"]);
    assert_eq!(state(&rehearsal), "Deploying");
    an_edit_is_seen(&rehearsal, "readiness.md", "Analyzing");
    let kept_before = kept_files(&rehearsal);
    deploy(&rehearsal);
    // One commit for every gate, on top of the work of the task; the person's own branch has none of it.
    let titles = rehearsal.git(&["log", "--format=%s", "sealwright/project"]);
    for phase in ["expand", "design", "analyze", "build", "review", "reconcile", "verify", "deploy"]
    {
        let title = format!("chore({phase}): pass the gate of version 1");
        assert_eq!(titles.matches(&title).count(), 1, "{phase} in {titles}");
    }
    assert!(titles.contains("Part 1"), "{titles}");
    assert_eq!(rehearsal.git(&["log", "--format=%s", "main"]), "parking\n");
    let log = rehearsal.file(".sealwright/pipeline/log.md");
    for said in
        ["expand: fail", "expand: pass", "build: cannot tell", "FULL PIPELINE COMPLETE", "audit"]
    {
        assert!(log.contains(said), "{said} is not in {log}");
    }
    assert!(log.contains("- First: from docs/input/README.md, docs/input/brief.md"), "{log}");
    every_evaluation_is_in_the_log(&rehearsal);
    a_role_works_before_each_later_gate(&rehearsal);
    let steps = told_of_run(&rehearsal, "stepped");
    let first: Vec<&str> =
        steps.iter().take(5).map(|it| it["step"]["action"].as_str().unwrap()).collect();
    let setup =
        ["CommitToBuild", "CloneRepo", "OpenInEditor", "ConfigurePreferences", "RequestBuild"];
    assert_eq!(first, setup);
    let kept = rehearsal.git(&["show", "sealwright/project:.sealwright/pipeline/scope.v1.md"]);
    assert_eq!(kept, SCOPE);
    // What was loaded is recorded.
    let settings = &told_of_run(&rehearsal, "requested")[0]["settings"];
    assert_eq!(settings.as_str(), Some(digest(&rehearsal.file("sealwright.toml")).as_str()));
    validate(&rehearsal);
    iterate(&rehearsal);
    let kept_after = kept_files(&rehearsal);
    assert!(kept_before.iter().all(|it| kept_after.contains(it)), "{kept_before:?} {kept_after:?}");
    no_session_was_lost(&rehearsal);
    assert_eq!(rehearsal.file("docs/input/brief.md"), BRIEF);
    assert_eq!(rehearsal.git(&["show", "sealwright/project:docs/input/brief.md"]), BRIEF);
}

/// Every evaluation has its entry, in order, and the log of each gate's commit is how the log begins.
fn every_evaluation_is_in_the_log(rehearsal: &Rehearsal) {
    let log = rehearsal.file(".sealwright/pipeline/log.md");
    let entries = log.split("\n## ").filter(|it| it.lines().next().unwrap().contains(". Gate, "));
    let entries: Vec<String> =
        entries.map(|it| it.lines().nth(2).unwrap().replace('\\', "")).collect();
    let entry = |event: &Value| {
        let (phase, fixed) = (event["job"]["phase"].as_str(), event["job"]["fix"].as_str());
        let job = phase.map_or_else(|| format!("fix-{}", fixed.unwrap()), str::to_owned);
        let verdict = event["report"]["verdict"].as_str().unwrap().replace('_', " ");
        format!("{}: {verdict}", job.to_lowercase())
    };
    let examined: Vec<String> = told_of_run(rehearsal, "gate_examined").iter().map(entry).collect();
    assert!(examined.len() > 15 && examined.contains(&"build: cannot tell".to_owned()));
    assert_eq!(entries, examined);
    let commits =
        rehearsal.git(&["log", "--format=%H", "--grep=pass the gate", "sealwright/project"]);
    assert_eq!(commits.lines().count(), 8);
    for commit in commits.lines() {
        let before = rehearsal.git(&["show", &format!("{commit}:.sealwright/pipeline/log.md")]);
        assert!(log.starts_with(&before), "{before}");
    }
}

/// What a mechanical checker decides may be examined again in place; what a role found is examined once it was handed in.
fn a_role_works_before_each_later_gate(rehearsal: &Rehearsal) {
    let (mut handed_in, mut in_place, mut by_role) = (None, Vec::new(), Vec::new());
    for event in rehearsal.all("project", "run") {
        if let Some(work) = event.get("handed_in") {
            handed_in = Some(work["job"].clone());
        } else if let Some(examined) = event.get("gate_examined") {
            let phase = examined["job"]["phase"].as_str().unwrap_or("a fix").to_owned();
            match handed_in.take() == Some(examined["job"].clone()) {
                true => by_role.push(phase),
                false => in_place.push(phase),
            }
        }
    }
    assert!(in_place.iter().all(|it| it == "Build"), "{in_place:?}");
    assert!(!in_place.is_empty());
    for phase in ["Review", "Reconcile", "Verify", "Deploy"] {
        assert!(by_role.iter().any(|it| it == phase), "{by_role:?}");
    }
}

/// A document that is edited before a phase is seen by that phase, and leads back.
fn an_edit_is_seen(rehearsal: &Rehearsal, file: &str, leads_to: &str) {
    let copy = rehearsal.copied();
    let text = copy.file(&format!(".sealwright/pipeline/{file}"));
    write(&copy, file, &format!("{text}\nOne word more.\n"));
    let told = copy.says(11, &["continue"]);
    assert!(told.contains("files were changed"), "{told}");
    assert_eq!(state(&copy), leads_to, "{file}: {told}");
}

/// A person writes a file on the branch of the project, or takes it away.
fn change(rehearsal: &Rehearsal, file: &str, text: Option<&str>) {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("work");
    let at = place.to_str().unwrap();
    rehearsal.git(&["worktree", "add", "--quiet", "--detach", at, "sealwright/project"]);
    match text {
        Some(text) => fs::write(place.join(file), text).unwrap(),
        None => fs::remove_file(place.join(file)).unwrap(),
    }
    rehearsal.git(&["-C", at, "add", "--all"]);
    rehearsal.git(&["-C", at, "commit", "--quiet", "--message", "by hand"]);
    rehearsal.git(&["-C", at, "update-ref", "refs/heads/sealwright/project", "HEAD"]);
    rehearsal.git(&["worktree", "remove", "--force", at]);
}

/// Each command was a process of its own, and none of them lost a session.
fn no_session_was_lost(rehearsal: &Rehearsal) {
    let steps = told_of_run(rehearsal, "stepped");
    assert!(steps.iter().all(|it| it["step"]["action"] != "DropSession"), "{steps:?}");
}

/// What a review finds is mended before it goes on, and a concern is resolved or written down.
fn review(rehearsal: &Rehearsal) {
    facts(rehearsal, "review", &review_facts("critical"));
    assert!(rehearsal.says(11, &["continue"]).contains("did not pass"));
    assert_eq!(state(rehearsal), "ReviewFixing");
    rehearsal.says(11, &["continue"]);
    let mut concerned = review_facts("optional");
    let concerns = |dispositions: [&str; 3]| {
        let whats =
            ["dead code: round()", "dependency: none is pinned", "fidelity: AC-2 does more"];
        let all = whats.iter().zip(dispositions);
        json!(all.map(|(what, it)| json!({ "what": what, "disposition": it })).collect::<Vec<_>>())
    };
    concerned["concerns"] = concerns(["open", "open", "open"]);
    facts(rehearsal, "review", &concerned);
    let told = rehearsal.says(11, &["continue"]);
    assert!(["round()", "is pinned", "does more"].iter().all(|it| told.contains(it)), "{told}");
    concerned["concerns"] = concerns(["resolved", "documented", "resolved"]);
    facts(rehearsal, "review", &concerned);
    rehearsal.says(11, &["continue"]);
    rehearsal.says(11, &["continue"]);
    assert_eq!(state(rehearsal), "Reconciling");
}

/// Drift against the scope is for a person; where the code is right, the document follows it.
fn reconcile(rehearsal: &Rehearsal) {
    let drift = |outside_scope: bool| {
        let mut facts = reconcile_facts();
        facts["drifts"] = json!([{
            "what": "part 1 has a cache", "outside_scope": outside_scope, "criterion_impossible": false,
            "tier_broken": false, "structural": true, "annotated": true,
        }]);
        facts
    };
    facts(rehearsal, "reconcile", &drift(true));
    let told = rehearsal.says(11, &["continue"]);
    for way in [
        "accept the change of the scope: `sealwright continue --decide accept --because WHY`",
        "revert the code: `sealwright continue --decide revert --because WHY`",
        "split a part off into a scope item of its own: `sealwright continue --decide split --because WHY`",
    ] {
        assert!(told.contains("BLOCKED: ") && told.contains(way), "{told}");
    }
    assert_eq!(state(rehearsal), "ReconcileBlocked");
    for (answer, leads_to, waits_for) in [
        ("accept", "Expanding", "its scope"),
        ("revert", "Building", "a build that passes"),
        ("split", "Expanding", "its scope"),
    ] {
        let copy = rehearsal.copied();
        let decided = ["continue", "--decide", answer];
        assert!(copy.says(12, &decided).contains("say why"));
        let told = copy.says(11, &[&decided[..], &["--because", "so"]].concat());
        assert!(told.contains(waits_for), "{told}");
        assert_eq!(state(&copy), leads_to);
        let resolved = told_of_run(&copy, "resolved");
        assert_eq!(resolved.last().unwrap(), &json!({ "decision": answer, "by": "Ada" }));
    }
    rehearsal.says(11, &["continue", "--because", "it only remembers amounts"]);
    assert_eq!(state(rehearsal), "Reconciling");
    let code = || {
        let files = rehearsal.git(&["ls-tree", "-r", "sealwright/project"]);
        files.lines().filter(|it| !it.contains(".sealwright/")).collect::<Vec<_>>().join("\n")
    };
    let before = code();
    // A repair that changed no document is none.
    facts(rehearsal, "reconcile", &drift(false));
    let told = rehearsal.says(11, &["continue"]);
    assert!(told.contains("none has changed since its gate"), "{told}");
    assert_eq!(state(rehearsal), "Reconciling");
    let repaired = DESIGN.replacen("the fees and the parts", "the fees, the parts and a cache", 1);
    write(rehearsal, "design.md", &repaired);
    rehearsal.says(11, &["continue"]);
    assert_eq!(state(rehearsal), "Verifying");
    let kept = rehearsal.git(&["show", "sealwright/project:.sealwright/pipeline/design.md"]);
    assert_eq!(kept, repaired);
    assert_eq!(code(), before, "the code is what it was");
    let log = rehearsal.file(".sealwright/pipeline/log.md");
    assert!(log.contains("documents repaired: part 1 has a cache"), "{log}");
}

/// Nothing is deployed before it is recorded how to undo it.
fn deploy(rehearsal: &Rehearsal) {
    facts(rehearsal, "deploy", &deploy_facts());
    assert!(rehearsal.says(12, &["continue"]).contains("how to roll the deployment back"));
    assert!(rehearsal.says(12, &["continue", "--rollback", " "]).contains("name the command"));
    rehearsal.see(&["continue", "--rollback", "pip install parking==0"]);
    let told = rehearsal.see(&["continue"]);
    assert!(told.contains("FULL PIPELINE COMPLETE: version 1 is delivered"), "{told}");
    let events = rehearsal.all("project", "run");
    let at = |name: &str, job: Option<&str>| {
        let is_it = |it: &Value| {
            it.get(name).is_some_and(|it| job.is_none_or(|job| it["job"]["phase"] == job))
        };
        events.iter().position(is_it).unwrap_or_else(|| panic!("no {name} in {events:?}"))
    };
    assert!(at("rollback_recorded", None) < at("handed_in", Some("Deploy")));
    let log = rehearsal.file(".sealwright/pipeline/log.md");
    assert!(log.contains("pip install parking==0"), "{log}");
}

/// What users of a delivered version say is recorded by a person, who also says what follows from it.
fn validate(rehearsal: &Rehearsal) {
    assert_eq!(state(rehearsal), "PipelineComplete");
    assert!(rehearsal.says_as_role(12, &["validate"]).contains("agents may not"));
    rehearsal.see(&["validate"]);
    assert_eq!(state(rehearsal), "ValidatingPMF");
    assert!(rehearsal.says(11, &["run"]).contains("is validated with those who use it"));
    rehearsal.see(&["validate", "--signal", "sums are slow", "--from", "a clerk"]);
    let log = rehearsal.file(".sealwright/pipeline/log.md");
    assert!(log.contains("sums are slow") && log.contains("a clerk"), "{log}");
    rehearsal.see(&["validate", "--holds"]);
    assert_eq!(state(rehearsal), "PipelineComplete");
    let steps = told_of_run(rehearsal, "stepped");
    let last = steps.last().unwrap();
    assert_eq!(last["step"]["action"], "PMFValidated");
    assert_eq!(last["by"]["human"], "Ada");
}

/// A delivered version rests until a person iterates; what is proposed is decided by a person.
fn iterate(rehearsal: &Rehearsal) {
    rehearsal.see(&["run"]);
    assert!(rehearsal.says_as_role(12, &["iterate"]).contains("agents may not"));
    assert_eq!(state(rehearsal), "PipelineComplete");
    assert!(rehearsal.says(11, &["iterate"]).contains("waits for a proposal"));
    write(rehearsal, "proposal.md", &PROPOSAL.replace("None:", "Some:"));
    assert!(rehearsal.says(11, &["continue"]).contains("proposal.md"));
    write(rehearsal, "proposal.md", PROPOSAL);
    rehearsal.says(11, &["continue"]);
    assert_eq!(state(rehearsal), "IterationProposed");
    rehearsal.see(&["iterate", "--reject", "nobody asked for it"]);
    assert_eq!(state(rehearsal), "PipelineComplete");
    let log = rehearsal.file(".sealwright/pipeline/log.md");
    for said in
        ["nobody asked for it", "Clerks want to see discounts.", "CH-1: Discounts", "CH-2: "]
    {
        assert!(log.contains(said), "{said} is not in {log}");
    }
    rehearsal.says(11, &["iterate"]);
    rehearsal.says(11, &["continue"]);
    // What was delivered under a name stays what it is, and nothing is asked for twice.
    let (held, _) = CRITERION_2.split_once(':').unwrap();
    let nothing = rehearsal.says(2, &["iterate", "--confirm", "--only", ","]);
    assert!(nothing.contains("CH-1, CH-2"), "{nothing}");
    for unchanged in [
        SCOPE.to_owned(),
        SCOPE.replacen(
            CRITERION_2,
            &format!(
                "{held}: it is cheap in under 1 second\n- AC-3: it is quick in under 1 second"
            ),
            1,
        ),
    ] {
        write(rehearsal, "scope.md", &unchanged);
        rehearsal.says(11, &["iterate", "--confirm"]);
        assert_eq!(state(rehearsal), "Expanding");
        if unchanged == SCOPE {
            let told = rehearsal.says(11, &["continue"]);
            assert!(told.contains("every criterion was delivered already"), "{told}");
        }
        rehearsal.see(&["abandon", "--because", "not that"]);
        rehearsal.says(11, &["iterate"]);
        rehearsal.says(11, &["continue"]);
    }
    // The architecture stays and the scope asks for more, so that scope and design pass again in place, and nothing else.
    let more =
        format!("{CRITERION_2}\n- AC-3: the amount of a resident is halved in under 1 second");
    assert!(SCOPE.contains(CRITERION_2));
    write(rehearsal, "scope.md", &SCOPE.replacen(CRITERION_2, &more, 1));
    // A design that does not hold any more is made again, whatever the proposal says of it.
    let design = rehearsal.file(".sealwright/pipeline/design.md");
    write(rehearsal, "design.md", &swap(&design, "resolved: no", "perhaps"));
    rehearsal.says(11, &["iterate", "--confirm"]);
    assert_eq!(state(rehearsal), "Designing");
    write(rehearsal, "design.md", &design);
    rehearsal.see(&["abandon", "--because", "it is as it was"]);
    rehearsal.says(11, &["iterate"]);
    rehearsal.says(11, &["continue"]);
    assert!(rehearsal.says(2, &["iterate", "--confirm", "--only", "CH-9"]).contains("CH-9"));
    assert!(rehearsal.says_as_role(12, &["iterate", "--confirm"]).contains("agents may not"));
    rehearsal.says(11, &["iterate", "--confirm", "--only", "CH-1"]);
    assert_eq!(state(rehearsal), "Analyzing");
    // Nothing is validated but what is delivered.
    rehearsal.says(12, &["validate"]);
    let machine = machine(rehearsal);
    assert_eq!(machine["pipeline"]["version"], 5);
    assert_eq!(rehearsal.file(".sealwright/pipeline/design.md"), design);
    let steps = told_of_run(rehearsal, "stepped");
    assert_eq!(accepted(&steps), "CH-1", "what was accepted is recorded");
    assert_eq!(steps.last().unwrap()["to"]["fresh"], json!(["Expand", "Design"]));
    let kept = rehearsal.git(&["show", "sealwright/project:.sealwright/pipeline/scope.v1.md"]);
    assert_eq!(kept, SCOPE, "the delivered scope is kept as it was");
    // Given up, it rests where it was; a change of the architecture is designed first, as deep as the proposal says.
    for (impact, depth) in [
        ("Shallow:", "only where the proposal changes it (shallow)"),
        ("Full:", "all of it again (full)"),
    ] {
        rehearsal.see(&["abandon", "--because", "another one first"]);
        assert_eq!(state(rehearsal), "PipelineComplete");
        rehearsal.says(11, &["iterate"]);
        write(rehearsal, "proposal.md", &swap(PROPOSAL, "None:", impact));
        rehearsal.says(11, &["continue"]);
        let told = rehearsal.says(11, &["iterate", "--confirm"]);
        assert!(told.contains("its design") && told.contains(depth), "{told}");
        assert_eq!(state(rehearsal), "Designing");
        assert_eq!(accepted(&told_of_run(rehearsal, "stepped")), "CH-1, CH-2");
    }
    // What users need can be another version, too.
    rehearsal.see(&["abandon", "--because", "another one first"]);
    rehearsal.see(&["validate"]);
    let ends: [&[&str]; 3] = [&["--holds"], &["--change", "x"], &["--signal", "x", "--from", "y"]];
    for end in ends {
        let told = rehearsal.says_as_role(12, &[&["validate"], end].concat());
        assert!(told.contains("agents may not"), "{told}");
    }
    rehearsal.see(&["validate", "--change", "clerks want sums by month"]);
    assert_eq!(state(rehearsal), "Ideating");
    let steps = told_of_run(rehearsal, "stepped");
    let last = steps.last().unwrap();
    assert_eq!(last["step"]["action"], "PMFNeedsIteration");
    assert_eq!(
        (&last["by"]["human"], &last["why"]),
        (&json!("Ada"), &json!("clerks want sums by month"))
    );
    an_idea_is_a_persons(rehearsal);
}

/// No gate and no agent work on an idea, and nobody but a person leaves it.
fn an_idea_is_a_persons(rehearsal: &Rehearsal) {
    let jobs =
        ["expand", "design", "propose", "distill", "audit"].map(|it| format!("project/{it}"));
    for job in &jobs {
        rehearsal.rewrite(job, &script("", "documents = []"));
    }
    let before = rehearsal.records("project").len();
    assert!(rehearsal.says(11, &["run"]).contains("no version is worked on"));
    for words in [&["iterate"][..], &["run", "more sums"], &["continue"]] {
        assert!(rehearsal.says_as_role(12, words).contains("agents may not"), "{words:?}");
    }
    assert_eq!(rehearsal.records("project").len(), before, "nothing happened");
    assert_eq!(state(rehearsal), "Ideating");
    for job in &jobs {
        fs::remove_file(rehearsal.scripts().join(format!("{job}.toml"))).unwrap();
    }
    rehearsal.says(11, &["iterate"]);
    assert_eq!(state(rehearsal), "Iterating");
}

/// What the last confirmation of an iteration accepted.
fn accepted(steps: &[Value]) -> String {
    let is_one = |it: &&Value| it["step"]["action"] == "ConfirmIteration";
    steps.iter().rev().find(is_one).unwrap()["why"].as_str().unwrap().to_owned()
}

/// The documents of all versions, and what was handed over, in the folder and on the branch.
fn kept_files(rehearsal: &Rehearsal) -> Vec<String> {
    let is_kept =
        |path: &&str| path.starts_with(".sealwright/pipeline/") || path.starts_with("docs/input/");
    let branch = rehearsal.git(&["ls-tree", "-r", "--name-only", "sealwright/project"]);
    let here = rehearsal.git(&["ls-files", "--cached", "--others"]);
    let named = |place: &str, paths: &str| -> Vec<String> {
        paths.lines().filter(is_kept).map(|path| format!("{place} {path}")).collect()
    };
    let all = [named("branch", &branch), named("here", &here)].concat();
    assert!(all.iter().any(|it| it.ends_with("facts/build.json")), "{all:?}");
    all
}

/// The third failure blocks: what failed is a commit, and so is what it returns to; nothing is rewritten, and the person's
/// file stays as it is. A hand edit after a gate leads back to that gate. A stepped run pauses at each.
///
/// Proves: L-121, L-125, L-128
/// Proves in part: L-119, L-120, L-123, L-124, L-126, L-220, L-222, L-223
#[test]
fn a_gate_that_failed_three_times_asks_a_person_and_an_edit_leads_back_to_its_gate() {
    let rehearsal = ready();
    begin(&rehearsal, &["--stepped"]);
    // A person may stop the work for one of four reasons, and lets it go on.
    let told = rehearsal.says(2, &["stop", "bored", "--because", "x"]);
    assert!(
        told.contains("[possible values: same-error, scope-grew, dependency, unsafe]"),
        "{told}"
    );
    for (reason, words, recorded) in [
        ("same-error", "three approaches ended in the same error", "same_error"),
        ("scope-grew", "the work is much larger than the scope", "scope_grew"),
        ("dependency", "a dependency is unavailable or misbehaves", "dependency"),
    ] {
        let told = rehearsal.says(11, &["stop", reason, "--because", "fees of others are shown"]);
        let words = format!("BLOCKED: expand: {words}: fees of others are shown");
        assert!(told.contains(&words), "{told}");
        let raised = told_of_run(&rehearsal, "stop_raised");
        assert_eq!(raised.last().unwrap()["reason"], recorded);
        assert_eq!(state(&rehearsal), "BlockedOnGate");
        rehearsal.says(11, &["continue", "--because", "they are not"]);
    }
    let told = rehearsal.says(11, &["stop", "unsafe", "--because", "fees of others are shown"]);
    assert!(told.contains("BLOCKED: expand: it could cost security"), "{told}");
    assert_eq!(state(&rehearsal), "BlockedOnGate");
    assert_eq!(machine(&rehearsal)["pipeline"]["fails"], json!([0, 0, 0, 0, 0, 0, 0, 0]));
    rehearsal.says(11, &["continue", "--because", "they are not"]);
    assert_eq!(state(&rehearsal), "Expanding");
    let poor = SCOPE.replacen("## Estimated Cost\n", "## Costs\n", 1);
    write(&rehearsal, "scope.md", &poor);
    for _ in 1..3 {
        assert!(rehearsal.says(11, &["continue"]).contains("waits for its scope"));
    }
    let told = rehearsal.says(11, &["continue"]);
    assert!(told.contains("BLOCKED: expand: "), "{told}");
    assert!(told.contains("Options: [") && told.contains("Recommendation: "), "{told}");
    assert!(rehearsal.see(&["inbox"]).contains("BLOCKED: expand: "));
    assert_eq!(state(&rehearsal), "BlockedOnGate");
    let titles = rehearsal.git(&["log", "--format=%s", "-3", "sealwright/project"]);
    assert_eq!(
        titles,
        "revert(expand): return to the last gate that passed\nfix(expand): checkpoint broken state before revert\nparking\n"
    );
    assert_eq!(rehearsal.file(".sealwright/pipeline/scope.md"), poor);
    let broken = rehearsal.git(&["show", "sealwright/project^:.sealwright/pipeline/scope.md"]);
    assert_eq!(broken, poor);
    assert_eq!(rehearsal.git(&["diff", "main", "sealwright/project"]), "");
    let log = rehearsal.file(".sealwright/pipeline/log.md");
    assert!(
        ["- Root cause: scope.md:", "- Try differently: ", "- Avoid: "]
            .iter()
            .all(|it| log.contains(it)),
        "{log}"
    );
    assert!(rehearsal.says(11, &["run"]).contains("BLOCKED: "));
    write(&rehearsal, "scope.md", SCOPE);
    assert!(
        rehearsal.says(11, &["continue", "--because", "it has a cost now"]).contains("its scope")
    );
    let told = rehearsal.says(11, &["continue"]);
    let passed = told.find("the gate of expand passed").unwrap();
    assert!(passed < told.find("paused after its gate").unwrap(), "{told}");
    assert_eq!(state(&rehearsal), "SteppedModePaused");
    assert!(
        rehearsal.says_as_role(12, &["continue"]).contains("agents may not"),
        "only a person goes on"
    );
    assert!(rehearsal.says(11, &["run"]).contains("paused after its gate"), "nor does time");
    assert_eq!(state(&rehearsal), "SteppedModePaused");
    rehearsal.says(11, &["continue"]);
    write(&rehearsal, "design.md", DESIGN);
    rehearsal.says(11, &["continue"]);
    // A word of nobody in particular.
    write(&rehearsal, "scope.md", &SCOPE.replacen("residents", "people", 1));
    let told = rehearsal.says(11, &["run"]);
    assert!(told.contains("files were changed") && told.contains("its scope"), "{told}");
    assert_eq!(state(&rehearsal), "Expanding");
    assert!(rehearsal.file(".sealwright/pipeline/log.md").contains("Hand edit"));
    rehearsal.says(11, &["continue"]);
    rehearsal.see(&["abandon", "--because", "enough"]);
    assert_eq!(state(&rehearsal), "Ideating");
    no_session_was_lost(&rehearsal);
    assert!(rehearsal.says(12, &["abandon", "--because", "again"]).contains("does not happen"));
}

/// A repository with one task to plan, and preferences.
pub(crate) fn ready() -> Rehearsal {
    let rehearsal = Rehearsal::configured(&[], CHECKS);
    for (call, text) in scripts(1) {
        rehearsal.rewrite(&format!("{}/{call}", id(1)), &text);
    }
    // The folder for what was gathered, and preferences to fill in.
    rehearsal.see(&["init", "--project", "--no-try"]);
    for (path, text) in
        [("README.md", README), ("DELIVERY.md", DELIVERY), ("docs/input/brief.md", BRIEF)]
    {
        fs::write(rehearsal.path().join(path), text).unwrap();
    }
    rehearsal.git(&["add", "--all"]);
    rehearsal.git(&["commit", "--quiet", "--amend", "--no-edit"]);
    rehearsal
}

/// A version begins only where preferences are in order.
fn begin(rehearsal: &Rehearsal, more: &[&str]) {
    let words = [&["run", "Sums of parking for residents"][..], more].concat();
    let path = rehearsal.path().join("preferences.md");
    assert!(rehearsal.says(10, &words).contains("preferences.md is not in order"));
    fs::write(&path, PREFERENCES.replace("- house:", "- home:")).unwrap();
    assert!(rehearsal.says(10, &words).contains("house"));
    fs::write(&path, PREFERENCES).unwrap();
    // Settings that cannot be read are no setup, and nothing of it is recorded.
    let settings = rehearsal.file("sealwright.toml");
    fs::write(rehearsal.path().join("sealwright.toml"), "checks = 3\n").unwrap();
    assert!(rehearsal.says(12, &words).contains("sealwright.toml"));
    fs::write(rehearsal.path().join("sealwright.toml"), settings).unwrap();
    let head = rehearsal.file(".git/HEAD");
    fs::write(rehearsal.path().join(".git/HEAD"), "ref: refs/heads/none\n").unwrap();
    assert!(rehearsal.says(20, &words).contains("git"));
    fs::write(rehearsal.path().join(".git/HEAD"), head).unwrap();
    // A repository without a work tree is none to work in, and what another process holds is not begun here.
    rehearsal.git(&["config", "core.bare", "true"]);
    assert!(rehearsal.says(20, &words).contains("work tree"));
    rehearsal.git(&["config", "core.bare", "false"]);
    let locks = rehearsal.path().join(".sealwright/work/locks");
    fs::create_dir_all(&locks).unwrap();
    let held = fs::File::create(locks.join("project.lock")).unwrap();
    held.lock().unwrap();
    assert!(!rehearsal.sealwright(&words).status.success());
    drop(held);
    assert!(!rehearsal.path().join(".sealwright/journal/project").exists());
    assert!(rehearsal.says(2, &["continue"]).contains("no version is worked on here"));
    assert!(
        rehearsal.says_as_role(12, &words).contains("agents may not"),
        "only a person begins one"
    );
    assert!(!rehearsal.path().join(".sealwright/journal/project").exists());
    let told = rehearsal.says(11, &words);
    assert!(told.contains("waits for its scope"), "{told}");
    for words in [["inbox"], ["status"]] {
        let told = rehearsal.see(&words);
        assert!(told.contains("waits for its scope") && told.contains("scope.md"), "{told}");
    }
    // A document that is not there is a finding, and counts.
    assert_eq!(state(rehearsal), "Expanding");
}

pub(crate) fn plan(rehearsal: &Rehearsal) {
    let spec = rehearsal.path().join(".git/spec.json");
    fs::write(&spec, product(1).to_string()).unwrap();
    rehearsal.see(&["plan", "--from", spec.to_str().unwrap(), "--approve", "--yes"]);
}

pub(crate) fn write(rehearsal: &Rehearsal, file: &str, text: &str) {
    let folder = rehearsal.path().join(".sealwright/pipeline");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join(file), text).unwrap();
}

fn facts(rehearsal: &Rehearsal, phase: &str, facts: &Value) {
    fs::create_dir_all(rehearsal.path().join(".sealwright/pipeline/facts")).unwrap();
    write(rehearsal, &format!("facts/{phase}.json"), &facts.to_string());
}

/// The payloads of all events of the run that go by this name.
pub(crate) fn told_of_run(rehearsal: &Rehearsal, name: &str) -> Vec<Value> {
    let of_run = rehearsal.all("project", "run").into_iter();
    of_run.filter_map(|event| event.get(name).cloned()).collect()
}

pub(crate) fn machine(rehearsal: &Rehearsal) -> Value {
    serde_json::from_str(&rehearsal.file(".sealwright/project/state_machine.json")).unwrap()
}

pub(crate) fn state(rehearsal: &Rehearsal) -> String {
    machine(rehearsal)["pipeline"]["state"].as_str().unwrap().to_owned()
}

/// What the last gate found.
pub(crate) fn findings(rehearsal: &Rehearsal) -> Vec<Value> {
    let output = rehearsal.sealwright(&["run", "--format", "json"]);
    let told: Value = serde_json::from_slice(&output.stdout).unwrap();
    told["phase"]["findings"].as_array().unwrap().clone()
}

fn digest(text: &str) -> String {
    sealwright_kernel::Digest::of(text.as_bytes()).to_string()
}

pub(crate) fn build_facts() -> Value {
    serde_json::from_str(include_str!("../../../../docs/examples/parking/facts/build.json"))
        .unwrap()
}

pub(crate) fn review_facts(severity: &str) -> Value {
    let text = include_str!("../../../../docs/examples/parking/facts/review.json");
    let mut facts: Value = serde_json::from_str(text).unwrap();
    facts["findings"][0]["severity"] = json!(severity);
    facts["concerns"] = json!([]);
    facts
}

pub(crate) fn reconcile_facts() -> Value {
    serde_json::from_str(include_str!("../../../../docs/examples/parking/facts/reconcile.json"))
        .unwrap()
}

pub(crate) fn verify_facts() -> Value {
    serde_json::from_str(include_str!("../../../../docs/examples/parking/facts/verify.json"))
        .unwrap()
}

pub(crate) fn deploy_facts() -> Value {
    serde_json::from_str(include_str!("../../../../docs/examples/parking/facts/deploy.json"))
        .unwrap()
}

/// A command that shows a criterion by running the program.
const BRIEF: &str = "Clerks add up parking fees by hand.\n";
const CRITERION_2: &str = "- AC-2: the amount of part 1 returns 0 for 0 hours";
const CHECKS: &str =
    "[checks.ac-1-runs]\ncommand = [\"python3\", \"-c\", \"import parking.fees\"]\n";
pub(crate) const PREFERENCES: &str =
    include_str!("../../../../docs/examples/parking/preferences.md");
pub(crate) const SCOPE: &str = include_str!("../../../../docs/examples/parking/scope.md");
pub(crate) const DESIGN: &str = include_str!("../../../../docs/examples/parking/design.md");
pub(crate) const READINESS: &str = include_str!("../../../../docs/examples/parking/readiness.md");
const README: &str = include_str!("../../../../docs/examples/parking/readme.md");
const DELIVERY: &str = include_str!("../../../../docs/examples/parking/delivery.md");
pub(crate) const PROPOSAL: &str = include_str!("../../../../docs/examples/parking/proposal.md");
