//! A slice that fails: the ladder, and the audit after three failures in a row.

use serde_json::Value;

use crate::rehearsal::{EDIT, READY, Rehearsal, script};

/// What failed is fixed first. After the third failure an auditor says why, and never what to change: what it misses is
/// scouted, a wrong approach is planned anew.
///
/// Proves: B-066, B-077
#[test]
fn the_way_on_after_three_failures_is_what_an_audit_found() {
    let audit = |category: &str, gaps: &str, risk: &str| {
        script(
            "",
            &format!(
                "verdict = \"fail\"\nmismatches = [\"a day costs more than 2000 cents\"]\ngaps = [{gaps}]\n\
                 diagnosis = [{{ category = \"{category}\", evidence = \"EV-000002\", confidence = 80 }}]\n\
                 risks = [\"{risk}\"]\nvalidations = [\"run the tests\"]"
            ),
        )
    };
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
    let cases = [("facts", "\"who rounds the hours\"", "rescout"), ("approach", "", "replan")];
    for (category, gaps, last) in cases {
        let prescribing = audit(category, gaps, "none, but you should use divmod");
        let audit = audit(category, gaps, "none");
        let mut scripts = vec![
            ("edit", EDIT),
            ("scout", scout.as_str()),
            ("audit-1", &prescribing),
            ("audit", &audit),
        ];
        scripts.extend(tries.iter().map(|(name, text)| (name.as_str(), text.as_str())));
        let rehearsal = Rehearsal::with(&scripts);
        let task = rehearsal.play("quick");
        assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
        let rungs: Vec<Value> =
            rehearsal.of_slices(&task, "rung_taken").iter().map(|it| it["rung"].clone()).collect();
        assert_eq!(rungs, ["fix_forward", "fix_forward", last], "{category}");
        // The audit that says what to change is no audit; the next one is.
        let calls = rehearsal.calls(&task);
        let parts: Vec<&str> = calls.iter().map(|(_, part)| part.as_str()).collect();
        let from = parts.iter().position(|part| *part == "audit").unwrap();
        assert_eq!(parts[from - 3..from + 2], ["edit", "edit", "edit", "audit", "audit"]);
        assert_eq!(parts[from + 2] == "scout", last == "rescout", "{parts:?}");
        let audited = rehearsal.of_slices(&task, "audited");
        assert_eq!(audited.len(), 1, "{audited:?}");
        assert_eq!(audited[0]["report"]["risks"][0], "none");
        let plans = rehearsal.of_slices(&task, "planned").len();
        assert_eq!(plans, 2, "{last} leads to another plan");
    }
}
