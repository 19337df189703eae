//! Verify and review: what they run and ask, what they mark, and what a repair may touch.

use serde_json::Value;

use crate::rehearsal::{CHALLENGE, EDIT, FRAME, READY, Rehearsal, after, script, swap};

/// A change that meets the tests its builder sees and no others: verify marks what fails, changes nothing, and the
/// repair is verified again.
///
/// Proves: P-011
#[test]
fn verify_runs_every_check_keeps_what_was_seen_and_marks_what_fails() {
    // Which tests are held out is not known before; each way is wrong for the other file.
    let narrow = "if [ -f tests/test_day.py ]; then\n\
                  sed -i 's/    return/    days = min(days, 2)\\n    return/' parking/fees.py\nelse\n\
                  sed -i 's/min((rest/(DAY if rest >= 6 * 60 else (rest/; s/ HOUR, DAY)/ HOUR)/' parking/fees.py\nfi";
    let (write, submit) = EDIT.split_once("[[step]]\ndo = \"submit\"").unwrap();
    let edit = format!("{write}{}[[step]]\ndo = \"submit\"{submit}", after(narrow, ""));
    let rehearsal = Rehearsal::with(&[("edit", &edit), ("repair", EDIT)]);
    let task = rehearsal.play("quick");
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
    let way = ["intake", "shape", "implement", "verify", "repair", "verify", "review", "done"];
    assert_eq!(rehearsal.phases(&task), way);
    let failed = rehearsal.all(&task, "verify_failed");
    assert_eq!(failed.len(), 1);
    let failed: Vec<&str> =
        failed[0]["failed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let begin = "check-hold-out: a held-out test shows that this does not hold: ";
    assert!(failed.iter().any(|it| it.starts_with(begin)), "{failed:?}");

    let delivered = rehearsal.of_slices(&task, "delivered")[0]["tree"].clone();
    let repaired = rehearsal.event(&task, "repaired").unwrap()["tree"].clone();
    let probed = rehearsal.all(&task, "probed");
    let names: Vec<&str> =
        probed.iter().filter_map(|it| it["evidence"]["subject"].as_str()).collect();
    let (first, second) = names.split_at(names.len() / 2);
    assert_eq!(first.len(), second.len());
    for name in ["tripwire", "check-tests", "check-acceptance", "check-hold-out", "check-honesty"] {
        assert!(first.contains(&name) && second.contains(&name), "{name}: {names:?}");
    }
    for (nth, probe) in probed.iter().enumerate() {
        let evidence = &probe["evidence"]["evidence"];
        // What is looked at is what the builder left, both times.
        let tree = if nth < first.len() { &delivered } else { &repaired };
        assert_eq!(evidence["tree"], *tree, "{probe}");
        assert!(evidence["source"]["command"]["argv"].as_array().is_some_and(|it| !it.is_empty()));
        let output = evidence["output"].as_str().unwrap();
        let blob = format!(".sealwright/store/blobs/sha256/{}/{}", &output[..2], &output[2..]);
        assert!(rehearsal.path().join(&blob).is_file(), "{blob}");
    }
    figures(&rehearsal, &task);
}

/// Reports count what happened: tests that failed before anything was built, each test once, the command that ran, and
/// how a gate ended last.
fn figures(rehearsal: &Rehearsal, task: &str) {
    let page = rehearsal.view(task, "evidence.html").replace("&#x2f;", "/");
    assert!(page.contains("4 tests fail before anything is built, as required"), "{page}");
    let red = rehearsal.event(task, "seen_red").unwrap();
    let argv = &red["evidence"]["evidence"]["source"]["command"]["argv"];
    let argv: Vec<&str> = argv.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert!(argv.contains(&"tests/test_day.py") && page.contains(&argv.join(" ")), "{argv:?}");

    let report = rehearsal.see(&["evidence", task, "--as", "junit"]);
    let first = report.lines().find(|line| line.contains("<testsuites ")).unwrap();
    assert!(
        first.contains("failures=\"0\" errors=\"0\"") && first.contains("skipped=\"4\""),
        "{first}"
    );
    assert_eq!(report.matches("type=\"expected failure\"").count(), 4, "{report}");
    // The old test and the two that the builder saw, once each, though every gate ran them twice.
    assert_eq!(report.matches("classname=\"check-tests.").count(), 3, "{report}");
    assert_eq!(report.matches("classname=\"check-hold-out.").count(), 2, "{report}");
    assert!(page.contains("3 tests passed") && page.contains("2 tests passed"), "{page}");
}

/// A review answers five questions; what it denies is what the repair is sent for, and a repair that leaves the plan
/// stops for a person.
///
/// Proves: P-014, P-033
/// Proves in part: P-016
#[test]
fn a_review_answers_five_questions_and_a_repair_stays_inside_the_plan() {
    let questions = "\"objective\", \"no_fake_truth\", \"no_half_working_feature\", \"consistent\", \"minimal\"";
    let denied = swap(CHALLENGE, "unmet = []", &format!("unmet = [{questions}]"));
    let frame = swap(
        FRAME,
        "audience = \"code\"\nfeatures = []",
        "audience = \"people\"\nfeatures = [{ name = \"price list\", label = \"real_read_only\" }]",
    );
    // The labels are there to be held against the change.
    let denied = after("grep -q 'real_read_only: price list' /brief/criteria.md", &denied);
    let stray = script("echo more > notes.md; echo '# a day' >> parking/fees.py", READY);
    let rehearsal =
        Rehearsal::with(&[("frame", &frame), ("challenge", &denied), ("repair", &stray)]);
    let task = rehearsal.play("quick");
    let failures = rehearsal.event(&task, "challenged").unwrap()["failures"].clone();
    assert_eq!(
        failures,
        serde_json::json!([
            "it does not match the objective",
            "something fake is shown as real",
            "a visible feature half works",
            "documents and artifacts disagree",
            "the change is larger than it has to be",
        ])
    );
    let sent_back = rehearsal.event(&task, "sent_back").unwrap();
    assert_eq!((&sent_back["items"], &sent_back["by"]), (&failures, &"challenge".into()));
    let halted = rehearsal.event(&task, "halted").unwrap();
    assert_eq!(halted["escalation"]["cause"]["out_of_bounds"]["places"][0], "notes.md", "{halted}");
    assert_eq!(halted["escalation"]["from"], "repair");
    // Neither the review nor the repair put anything forward.
    assert!(rehearsal.all(&task, "repaired").is_empty() && !rehearsal.has_branch(&task));
}

/// Beside a check that runs the tests of Python, a report of other tests is not asked for those.
#[test]
fn a_report_of_other_tests_is_not_asked_for_those_of_another_check() {
    let report =
        "<testsuite name='web' tests='1'><testcase classname='web' name='it shows'/></testsuite>";
    let web = format!(
        "[checks.web]\nkind = \"junit\"\nreport = \"web.xml\"\n\
         command = [\"sh\", \"-c\", \"echo \\\"{report}\\\" > /reports/web.xml\"]\n"
    );
    let rehearsal = Rehearsal::configured(&[], &web);
    let task = rehearsal.play("quick");
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
    // Alone, it would have to report them.
    let config = rehearsal.path().join("sealwright.toml");
    let text = std::fs::read_to_string(&config).unwrap();
    let (head, rest) = text.split_once("[checks.tests]").unwrap();
    let rest = rest.split_once("[agents.").unwrap().1;
    std::fs::write(&config, format!("{head}[agents.{rest}")).unwrap();
    rehearsal.git(&["commit", "--quiet", "--all", "--message", "one check"]);
    let task = rehearsal.play("quick");
    assert!(!rehearsal.has_branch(&task));
}
