//! A slice that fails: the ladder, and the audit after three failures in a row.

use serde_json::Value;

use crate::rehearsal::{EDIT, READY, Rehearsal, script, swap};

/// What failed is fixed first. After the third failure an auditor says why, and never what to change: what it misses is
/// scouted, and only if it misses nothing, a wrong approach is planned anew. An answer with a member for a change, or
/// with a proposal in any of its texts, is no audit.
///
/// Proves: B-066, B-077
#[test]
fn the_way_on_after_three_failures_is_what_an_audit_found() {
    let scout = script(
        "",
        "findings = [{ unknown = 0, source = \"parking/fees.py:8\", snippet = \"\", note = \"hours are rounded up\", \
         certainty = \"seen\" }]",
    );
    let tries: Vec<(String, String)> = (1..=3)
        .map(|nth| {
            let command = format!("echo '# try {nth}' >> parking/fees.py");
            (format!("edit-{nth}"), script(&command, READY))
        })
        .collect();
    let gap = "\"who rounds the hours\"";
    // The category, the gaps, what is done next, and two answers that propose something.
    let cases: [(&str, &str, &str, [Spoilt; 2]); 3] = [
        (
            "facts",
            gap,
            "rescout",
            [
                ("risks = [", "change = \"use divmod\"\nrisks = ["),
                ("\"none\"", "\"I suggest divmod\""),
            ],
        ),
        (
            "approach",
            "",
            "replan",
            [
                ("a day costs more than", "to fix it, cut at"),
                ("run the tests", "the fix is a min(); run the tests"),
            ],
        ),
        (
            "approach",
            gap,
            "rescout",
            [("who rounds", "you should find out who rounds"), ("\"none\"", "\"a better design\"")],
        ),
    ];
    for (category, gaps, last, spoilt) in cases {
        let honest = audit(category, gaps);
        let [first, second] = spoilt.map(|(from, to)| swap(&honest, from, to));
        let mut scripts = vec![
            ("edit", EDIT),
            ("scout", scout.as_str()),
            ("audit-1", &first),
            ("audit-2", &second),
            ("audit", &honest),
        ];
        scripts.extend(tries.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        let rehearsal = Rehearsal::with(&scripts);
        let task = rehearsal.play("quick");
        assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
        let rungs: Vec<Value> =
            rehearsal.of_slices(&task, "rung_taken").iter().map(|it| it["rung"].clone()).collect();
        assert_eq!(rungs, ["fix_forward", "fix_forward", last], "{category} {gaps}");
        let calls = rehearsal.calls(&task);
        let parts: Vec<&str> = calls.iter().map(|(_, part)| part.as_str()).collect();
        let from = parts.iter().position(|part| *part == "audit").unwrap();
        let way = ["edit", "edit", "edit", "audit", "audit", "audit"];
        assert_eq!(parts[from - 3..from + 3], way, "{spoilt:?}");
        assert_eq!(parts[from + 3] == "scout", last == "rescout", "{parts:?}");
        let audited = rehearsal.of_slices(&task, "audited");
        assert_eq!(audited.len(), 1, "{audited:?}");
        assert_eq!(audited[0]["report"]["risks"][0], "none");
        let plans = rehearsal.of_slices(&task, "planned").len();
        assert_eq!(plans, 2, "{last} leads to another plan");
    }
}

/// What is replaced in an honest answer, and by what.
type Spoilt = (&'static str, &'static str);

fn audit(category: &str, gaps: &str) -> String {
    script(
        "",
        &format!(
            "verdict = \"fail\"\nmismatches = [\"a day costs more than 2000 cents\"]\ngaps = [{gaps}]\n\
             diagnosis = [{{ category = \"{category}\", evidence = \"EV-000002\", confidence = 80 }}]\n\
             risks = [\"none\"]\nvalidations = [\"run the tests\"]"
        ),
    )
}
