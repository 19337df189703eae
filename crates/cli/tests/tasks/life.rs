//! Whole lives of tasks, from what somebody wants to what is proven.

use sealwright_host::Ended;
use sealwright_kernel::TaskId;
use sealwright_kernel::task::Phase;
use sealwright_kernel::task::{RecordOwner, Status, Want};
use sealwright_views::OpenQuestion;

use crate::answers::short;
use crate::task_performer::{TestRepo, is_check};

/// Proves
#[test]
fn a_quick_task_needs_one_person_once() {
    let shop = TestRepo::new();
    let task = shop.create(&[]);
    let id = task.as_str();
    assert!(shop.file(&task, "TASK.md").exists() && shop.file(&task, "STATE.md").exists());
    assert!(matches!(shop.run_honestly(&task), Ended::Waiting(_)));
    assert_eq!(shop.look(&task).status(), Status::Parked);
    assert!(shop.see(&["status"]).contains("goal-ready: 0 of 1 open tasks"));
    let inbox = shop.see(&["inbox"]);
    assert!(inbox.contains("Is this contract fit to be built?"), "{inbox}");
    for command in ["approve {id} --item", "decline {id} --because", "decline {id} --amend"] {
        assert!(inbox.contains(&command.replace("{id}", short(&task))), "{inbox}");
    }
    // Nothing is built before somebody approved.
    assert!(shop.look(&task).data().unwrap().slices.is_empty());
    assert!(matches!(shop.run_honestly(&task), Ended::Waiting(_)));
    let approved = shop.see(&["approve", id]);
    assert!(
        approved.contains("is in progress, phase shape") && approved.ends_with("= 0"),
        "{approved}"
    );
    let Ended::Over(anchor) = shop.run_honestly(&task) else { panic!("it is not over") };
    let done = shop.look(&task);
    assert_eq!((done.status(), done.phase()), (Status::Shipped, Some(Phase::Done)));
    assert_eq!(done.data().unwrap().record.as_ref().unwrap().owner, RecordOwner::Run);
    let state = shop.read(&task, "STATE.md");
    assert!(state.contains("auto-resolved"), "{state}");
    assert!(shop.see(&["status", "--all"]).contains("1 done"));
    shop.git(&["add", "--all"]);
    shop.git(&["commit", "--quiet", "--message", &format!("limits\n\n{}", anchor.trailer())]);
    let verified = shop.see(&["verify", "--allow-changes"]);
    assert!(verified.contains("1 anchor") && verified.ends_with("= 0"), "{verified}");
    let late = shop.see(&["note", id, "one more thing"]);
    assert!(late.contains("the task has ended") && late.ends_with("= 12"), "{late}");
}

/// Proves: A-002
#[test]
fn a_declined_contract_is_drafted_again_and_counts_as_no_failure() {
    let shop = TestRepo::new();
    let task = shop.parked();
    let before = shop.look(&task);
    let declined = shop.see(&["decline", task.as_str(), "--because", "tenants have groups"]);
    assert!(declined.ends_with("= 0"), "{declined}");
    let after = shop.look(&task);
    assert_eq!(after.phase(), Some(Phase::Shape));
    let counters = |task: &sealwright_kernel::task::Task| {
        let known = task.data().unwrap();
        (known.verify_fails, known.revisions, known.heals, known.drafts, known.attempt)
    };
    assert_eq!(counters(&before), counters(&after));
    assert!(matches!(shop.run_honestly(&task), Ended::Waiting(_)));
}

/// Proves
#[test]
fn a_conservative_task_stops_for_a_person_who_signs_with_a_reason() {
    let shop = TestRepo::new();
    let task = shop.create(&["--autonomy", "conservative"]);
    shop.run_honestly(&task);
    shop.see(&["approve", task.as_str()]);
    assert!(matches!(shop.run_honestly(&task), Ended::Waiting(_)));
    assert_eq!(shop.look(&task).phase(), Some(Phase::Review));
    let silent = shop.see(&["approve", task.as_str()]);
    assert!(silent.contains("a decision needs a reason") && silent.ends_with("= 12"), "{silent}");
    let signed = shop.see(&["approve", task.as_str(), "--because", "I tried it"]);
    assert!(signed.ends_with("= 0"), "{signed}");
    assert!(matches!(shop.run_honestly(&task), Ended::Over(_)));
    let state = shop.read(&task, "STATE.md");
    assert!(state.contains("Ada") && state.contains("I tried it"), "{state}");
    assert!(!state.contains("auto-resolved"), "{state}");
}

#[test]
fn high_risk_at_auto_is_frozen_only_at_a_lower_rung() {
    let shop = TestRepo::new();
    let task = shop.create(&["--risk", "high"]);
    let id = task.as_str();
    shop.run_honestly(&task);
    let refused = shop.see(&["approve", id]);
    assert!(refused.contains("unguarded_high_risk_auto") && refused.ends_with("= 12"), "{refused}");
    shop.edit(&task, "TASK.md", "autonomy: auto", "autonomy: conservative");
    let unread = shop.see(&["approve", id]);
    assert!(unread.ends_with("= 12"), "{unread}");
    let adopted = shop.see(&["adopt", id]);
    assert!(adopted.ends_with("= 0"), "{adopted}");
    assert!(shop.see(&["approve", id]).ends_with("= 0"));
    assert!(matches!(shop.run_honestly(&task), Ended::Waiting(_)));
    assert_eq!(shop.look(&task).phase(), Some(Phase::Review));
    // Changing it once more voids what was frozen.
    shop.edit(&task, "TASK.md", "risk: high", "risk: normal");
    let voided = shop.see(&["adopt", id]);
    assert!(voided.contains("the freeze is void"), "{voided}");
    assert!(shop.look(&task).data().unwrap().frozen.is_none());
}

/// Proves: F-ESC-006
#[test]
fn a_halt_says_why_and_takes_only_what_it_admits() {
    let shop = TestRepo::new();
    let task = shop.halted();
    let id = task.as_str();
    let state = shop.read(&task, "STATE.md");
    let line = "BLOCKED: checks failed three times: check-tests: limits::two_tenants. Options: \
                [PROVIDE_FIX, AMEND_SPEC, REVISE_PLAN, ABANDON_TASK]. Recommendation: PROVIDE_FIX.";
    // In Markdown a few characters are escaped; programs are told as it is, people what it means.
    let told = shop.see(&["--format", "json", "inbox"]);
    assert!(told.contains(line), "{told}");
    let inbox = shop.see(&["inbox"]);
    let cause = "\n  checks failed three times: check-tests: limits::two_tenants\n";
    assert!(inbox.contains(cause) && !inbox.contains("BLOCKED"), "{inbox}");
    let first = inbox.find("provide-fix --because").unwrap();
    assert!(first < inbox.find("amend-spec --because").unwrap(), "{inbox}");
    assert!(state.contains("BLOCKED"), "{state}");
    let yes = shop.see(&["approve", id]);
    assert!(
        yes.contains("it needs a resolution, not an approval") && yes.ends_with("= 12"),
        "{yes}"
    );
    let over = shop.see(&["resolve", id, "approve-override", "--because", "it is fine"]);
    assert!(over.contains("APPROVE_OVERRIDE is not allowed") && over.ends_with("= 12"), "{over}");
    for action in ["amend-spec", "revise-plan", "provide-fix", "abandon-task"] {
        let bare = shop.see(&["resolve", id, action]);
        assert!(bare.contains("--because <REASON>") && bare.ends_with("= 2"), "{action}: {bare}");
        let blank = shop.see(&["resolve", id, action, "--because", " "]);
        assert!(blank.contains("invalid resolution") && blank.ends_with("= 12"), "{blank}");
    }
    let given_up = shop.see(&["resolve", id, "abandon-task", "--because", "not worth it"]);
    assert!(given_up.contains("is abandoned") && given_up.contains("Sealwright-Stream: "));
    assert!(shop.see(&["status"]).contains("1 abandoned"));
}

#[test]
fn an_amended_task_begins_again_with_what_it_learnt() {
    let shop = TestRepo::new();
    let task = shop.halted();
    let amended = shop.see(&[
        "resolve",
        task.as_str(),
        "amend-spec",
        "--because",
        "one tenant is enough",
        "--criterion",
        "one tenant is limited (verify: tests)",
    ]);
    assert!(amended.contains("phase intake") && amended.ends_with("= 0"), "{amended}");
    let reopened = shop.look(&task);
    let known = reopened.data().unwrap();
    assert_eq!((known.attempt, known.verify_fails), (2, 0));
    assert!(known.frozen.is_none() && known.bundle.is_none() && known.slices.is_empty());
    assert_eq!(known.charter.criteria, ["one tenant is limited (verify: tests)"]);
    assert_eq!(known.amended, [Vec::<String>::new()]);
    let lesson = &known.post_mortems[0];
    assert_eq!(lesson.try_next, "one tenant is enough");
    assert!(lesson.went_wrong.contains("checks failed three times"), "{lesson:?}");
    assert_eq!(lesson.avoid, ["check-tests: limits::two_tenants"]);
    assert!(shop.read(&task, "STATE.md").contains("one tenant is enough"));
    // The new contract needs a new yes.
    assert!(matches!(shop.run_honestly(&task), Ended::Waiting(_)));
    assert_eq!(shop.look(&task).status(), Status::Parked);
}

#[test]
fn a_persons_fix_is_verified_like_any_other_and_has_one_try() {
    let shop = TestRepo::new();
    let task = shop.halted();
    // The scripted world has no trees, so the fix is given as a whole resolution.
    let fix = |because: &str, place: &str| {
        let patch = sealwright_kernel::Digest::of(b"a patch");
        let payload = serde_json::json!({"action": "PROVIDE_FIX", "payload": {
            "fix_description": because, "fix_patch": patch, "fix_places": [place],
        }});
        std::fs::write(shop.path("fix.json"), payload.to_string()).unwrap();
        shop.see(&["resolve", task.as_str(), "--payload", "fix.json"])
    };
    let refused = fix("key by tenant", "../elsewhere");
    assert!(
        refused.contains("not a path inside the tree") && refused.ends_with("= 12"),
        "{refused}"
    );
    assert!(fix("key by tenant", "src/limiter.rs").ends_with("= 0"));
    assert_eq!(shop.look(&task).phase(), Some(Phase::Verify));
    let ended = shop.run(&task, |want| usize::from(is_check(want)));
    assert!(matches!(ended, Ended::Waiting(_)));
    let inbox = shop.see(&["inbox"]);
    assert!(inbox.contains("the fix did not hold"), "{inbox}");
    assert!(fix("this time for real", "src/limiter.rs").ends_with("= 0"));
    assert!(matches!(shop.run_honestly(&task), Ended::Over(_)));
}

#[test]
fn a_task_is_cancelled_in_every_state_that_is_not_over() {
    let shop = TestRepo::new();
    let pending = shop.create(&[]);
    let parked = shop.parked();
    let halted = shop.halted();
    // Approved and not resumed, as after Ctrl-C: the engine owes the next step.
    let interrupted = shop.parked();
    shop.see(&["approve", interrupted.as_str()]);
    assert_eq!(shop.look(&interrupted).status(), Status::InProgress);
    let broke = shop.create(&[]);
    let cost = sealwright_kernel::Cost { micro_dollars: 10_000, ..Default::default() };
    shop.see(&["budget", broke.as_str(), "--dollars", "0.01"]);
    assert!(matches!(shop.run_paying(&broke, cost), Ended::Waiting(_)));
    for task in [&pending, &parked, &halted, &interrupted, &broke] {
        let id = task.as_str();
        let mute = shop.see(&["cancel", id]);
        assert!(mute.contains("--because") && mute.ends_with("= 2"), "{mute}");
        let blank = shop.see(&["cancel", id, "--because", " "]);
        assert!(blank.contains("a decision needs a reason") && blank.ends_with("= 12"), "{blank}");
        let role =
            shop.see_with(&["cancel", id, "--because", "x"], &[("SEALWRIGHT_ROLE", "builder")]);
        assert!(role.ends_with("= 12"), "{role}");
        let ended = shop.see(&["cancel", id, "--because", "not wanted any more"]);
        assert!(ended.contains("is abandoned") && ended.contains("Sealwright-Stream: "), "{ended}");
        assert_eq!(shop.look(task).status(), Status::Abandoned);
        assert!(shop.read(task, "log.md").contains("not wanted any more"));
        let again = shop.see(&["cancel", id, "--because", "again"]);
        assert!(again.contains("has ended") && again.ends_with("= 12"), "{again}");
    }
    assert!(
        shop.see(&["verify", "--allow-changes"]).ends_with("= 0"),
        "{}",
        shop.see(&["verify", "--allow-changes"])
    );
}

#[test]
fn a_task_that_a_process_works_on_is_not_cancelled_under_it() {
    let shop = TestRepo::new();
    let task = shop.create(&[]);
    let journal = shop.journal();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
    runtime.block_on(async {
        let performer = std::sync::Arc::new(sealwright_host::NoPerformer);
        let (clock, limits) = (sealwright_host::SystemClock, sealwright_host::Limits::default());
        let host: sealwright_host::Host<sealwright_kernel::task::Task, _, _, _> =
            sealwright_host::Host::open(journal, task.stream(), performer, clock, limits)
                .await
                .unwrap();
        let told = shop.see(&["cancel", task.as_str(), "--because", "enough"]);
        let process = std::process::id();
        assert!(told.contains(&format!("{task} is already running (process {process})")), "{told}");
        assert!(
            told.contains(&format!("`kill -INT {process}`")) && told.ends_with("= 12"),
            "{told}"
        );
        host.close().await.unwrap();
    });
    assert!(shop.see(&["cancel", task.as_str(), "--because", "enough"]).ends_with("= 0"));
}

/// Proves: A-105
#[test]
fn a_judgement_can_be_overridden_by_a_person_and_is_shipped_as_a_risk() {
    let shop = TestRepo::new();
    let task = shop.parked();
    shop.see(&["approve", task.as_str()]);
    shop.run(&task, |want| usize::from(matches!(want, Want::Challenge { .. })));
    assert!(shop.see(&["inbox"]).contains("the challenge failed three times"));
    let accepted =
        shop.see(&["resolve", task.as_str(), "approve-override", "--because", "I take it"]);
    assert!(accepted.contains("phase review") && accepted.ends_with("= 0"), "{accepted}");
    // Shipping has its own checks, and they are run.
    let asked = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let seen = asked.clone();
    shop.run(&task, move |want| {
        seen.lock().unwrap().push(matches!(want, Want::Ship { .. }));
        0
    });
    assert_eq!(*asked.lock().unwrap(), [true]);
    let state = shop.read(&task, "STATE.md");
    assert!(state.contains("RISK-ACCEPTED") && state.contains("Ada"), "{state}");
}

/// Proves
#[test]
fn a_reported_cheat_is_redone_three_times_and_then_stops() {
    let shop = TestRepo::new();
    let task = shop.create(&["--autonomy", "manual"]);
    let id = task.as_str();
    shop.run_honestly(&task);
    shop.see(&["approve", id]);
    for nth in 1..=4 {
        assert!(matches!(shop.run_honestly(&task), Ended::Waiting(_)));
        let healed =
            shop.see(&["heal", id, "--cheat", "overfit", "--reason", "it knows the fixture"]);
        let expected = if nth < 4 { "is in progress, phase repair" } else { "HARD-STOP" };
        assert!(healed.contains(expected), "{nth}: {healed}");
    }
    let fix = shop.see(&["resolve", id, "provide-fix", "--because", "mine"]);
    assert!(fix.ends_with("= 12"), "{fix}");
    let over = shop.see(&["resolve", id, "approve-override", "--because", "fine"]);
    assert!(over.contains("not allowed"), "{over}");
}

/// What a page or a question names is what a person types, with the task's name behind the first
/// word.
#[test]
fn every_option_of_a_question_can_be_typed() {
    let shop = TestRepo::new();
    let owned = shop.create(&["--autonomy", "manual"]);
    shop.run_honestly(&owned);
    shop.see(&["approve", owned.as_str()]);
    shop.run_honestly(&owned);
    let judged = shop.parked();
    shop.see(&["approve", judged.as_str()]);
    shop.run(&judged, |want| usize::from(matches!(want, Want::Challenge { .. })));
    let is_understood = |task: &TaskId, option: &str| {
        let (command, rest) = option.split_once(' ').unwrap_or((option, ""));
        let mut args = vec![command, task.as_str()];
        let said = if command == "answer" { &["x"][..] } else { &["--because", "x"] };
        args.extend(rest.split_whitespace().chain(said.iter().copied()));
        // Only whether it is understood is of interest here; a role is turned away.
        let said = shop.see_with(&args, &[("SEALWRIGHT_ROLE", "builder")]);
        assert!(
            said.contains("agents may not run this command") && said.ends_with("= 12"),
            "{said}"
        );
    };
    let mut named = std::collections::BTreeSet::new();
    for task in [shop.parked(), owned, shop.halted(), judged] {
        let (state, page) = (shop.read(&task, "STATE.md"), shop.read(&task, "evidence.html"));
        let options = state.lines().filter_map(|line| line.strip_prefix("- Option "));
        for option in options.map(|line| line.split_once(": ").unwrap().0) {
            assert!(page.contains(&format!("<strong>{option}</strong>")), "{option}");
            is_understood(&task, option);
            named.insert(option.to_owned());
        }
        // A halt's own line and the inbox name what stands in the record.
        for option in OpenQuestion::of(&shop.look(&task)).unwrap().options {
            let is_record = option.bytes().any(|byte| byte.is_ascii_uppercase());
            is_understood(&task, &if is_record { format!("resolve {option}") } else { option });
        }
    }
    let named: Vec<&str> = named.iter().map(String::as_str).collect();
    insta::assert_snapshot!(named.join("\n"), @"
    answer
    approve
    decline
    decline --amend
    resolve abandon-task
    resolve amend-spec
    resolve approve-override
    resolve provide-fix
    resolve revise-plan
    ");
}

/// Proves in part: A-038
#[test]
fn a_goal_without_verifiers_is_a_warning_and_never_red() {
    let shop = TestRepo::new();
    let task = shop.create(&[]);
    let warned = shop.see(&["check", task.as_str()]);
    assert!(warned.contains("goal_not_auto_ready") && warned.ends_with("= 0"), "{warned}");
    let text = shop.read(&task, "TASK.md");
    std::fs::write(shop.file(&task, "TASK.md"), format!("{text}\n- apart (verify: tests)\n"))
        .unwrap();
    shop.see(&["adopt", task.as_str()]);
    let ready = shop.see(&["check", task.as_str()]);
    assert!(!ready.contains("goal_not_auto_ready") && ready.ends_with("= 0"), "{ready}");
    // A task that is over has no goal.
    let over = shop.create(&[]);
    shop.see(&["cancel", over.as_str(), "--because", "not wanted"]);
    let over = shop.see(&["check", over.as_str()]);
    assert!(!over.contains("goal_not_auto_ready") && over.ends_with("= 0"), "{over}");
}

#[test]
fn a_reported_cheat_rests_on_a_word_and_says_so() {
    let shop = TestRepo::new();
    let help = shop.see(&["heal", "--help"]);
    let words: Vec<&str> = help.split_whitespace().collect();
    assert!(words.join(" ").contains("The report counts on your word alone"), "{help}");
}

/// Somebody who went away is told, by a program of their own, when only they can go on.
#[test]
fn a_program_of_the_persons_own_is_told_that_they_are_needed() {
    let shop = TestRepo::new();
    let (root, told) = (shop.folder(), shop.home().join("told"));
    let config = "[sandbox]\nquick = \"advisory\"\nfactory = \"advisory\"\nstrict = \"advisory\"\n\
                  [checks.make]\ncommand = [\"make\"]\n\
                  [agents.rehearsed]\nkind = \"script\"\ncommand = [\"steps.toml\"]\n";
    std::fs::write(root.join("sealwright.toml"), config).unwrap();
    let steps = "[[step]]\ndo = \"submit\"\n[step.answer]\nobjective = \"o\"\ndone_gate = [\"d\"]\n\
                 not_doing = [\"n\"]\nreality = [\"r\"]\naudience = \"code\"\nfeatures = []\n\
                 stop = { kind = \"too_large\", why = \"it is three things.\", question = \"Which first?\" }\n";
    std::fs::write(root.join("steps.toml"), steps).unwrap();
    std::fs::write(root.join("clock.py"), "").unwrap();
    shop.git(&["add", "--all"]);
    shop.git(&["commit", "--quiet", "--message", "it"]);
    let program = shop.home().join("tell");
    let text =
        format!("#!/bin/sh\nprintf '%s\\n' \"$@\" > {0}.part && mv {0}.part {0}\n", told.display());
    std::fs::write(&program, text).unwrap();
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&program, mode).unwrap();
    // Without anything that runs its tests nobody is asked, and there is no task.
    let refused = shop.sealwright(&["do", "it"]).env("VIRTUAL_ENV", "/nowhere").output().unwrap();
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert_eq!(refused.status.code(), Some(20), "{said}");
    assert!(
        said.contains("no Python with pytest was found on this machine; nobody was asked"),
        "{said}"
    );
    assert!(!root.join(".sealwright/tasks").exists(), "{said}");
    let mut command = shop.sealwright(&["do", "everything"]);
    if let Some(python) = std::env::var_os("SEALWRIGHT_PYTHON") {
        command.env("VIRTUAL_ENV", python);
    }
    let output = command.env("SEALWRIGHT_NOTIFY", &program).output().unwrap();
    assert_eq!(output.status.code(), Some(11), "{}", String::from_utf8_lossy(&output.stderr));
    // It is started and not waited for.
    let words = (0..500).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        std::fs::read_to_string(&told).ok()
    });
    let words = words.unwrap();
    assert!(words.starts_with("T-everything-"), "{words}");
    assert!(
        words.contains("the request is larger than one change: it is three things. Which first?"),
        "{words}"
    );
}
