//! The interface of a project while a task changes it: git, sandbox, gates and Python are the real ones, roles are
//! scripts.

use sealwright_factory::task_performer::Key;
use sealwright_host::Ended;
use sealwright_kernel::Verdict;
use sealwright_kernel::task::Stage;
use sealwright_kernel::task::escalation::Cause;
use sealwright_kernel::task::slice::Stuck;

use crate::scripted_agents::{CHALLENGE, SHAPE, ScriptedAgents, ScriptedTask};

#[test]
fn a_changed_function_that_the_contract_does_not_announce_halts_the_slice() {
    let scripted = ScriptedTask::with_real_gates(&[RATES]);
    let edit = edit(HONEST, "sed -i 's/hour(minutes)/hour(minutes, rate)/' parking/rates.py");
    let agents = ScriptedAgents::with(&[(Key::Edit, &edit)]);
    let ended = scripted.run(&agents, |_| 0);
    assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
    let task = scripted.look();
    let Stage::Halted { escalation } = task.stage() else { panic!("{:?}", task.stage()) };
    let stuck = match &escalation.cause {
        Cause::SliceStuck { why, .. } => why,
        other => panic!("{other:?}"),
    };
    let Stuck::InterfaceChanged { found } = stuck else { panic!("{stuck:?}") };
    // The evidence of the halt says what changed, and holds the surface that was found.
    let evidence = task.data().unwrap().evidence.last().unwrap();
    assert_eq!(evidence.verdict, Verdict::Pass);
    let line = "changed: parking.rates.hour(minutes), now parking.rates.hour(minutes, rate)";
    assert!(evidence.evidence.excerpt.contains(line), "{}", evidence.evidence.excerpt);
    let kept = evidence.evidence.artifacts.iter().find(|it| it.name == "surface.json").unwrap();
    assert_eq!(Some(kept.content), *found);
    assert!(escalation.evidence.contains(&evidence.id));
    let view = std::fs::read_to_string(scripted.file("EVIDENCE.md")).unwrap();
    assert!(view.contains("parking.rates.hour(minutes, rate)"), "{view}");
    assert!(!scripted.has_branch());
}

#[test]
fn an_announced_function_is_added_and_a_private_one_beside_it() {
    let scripted = ScriptedTask::with_real_gates(&[RATES]);
    let shape = SHAPE.replace("items = [\"fee\"]", "items = [\"fee\", \"parking.fees.day\"]");
    let more = "printf '\\n\\ndef day():\\n    return _half() * 2\\n\\n\\ndef _half():\\n    return DAY // 2\\n' \
                >> parking/fees.py";
    let edit = edit(HONEST, more);
    let agents = ScriptedAgents::with(&[(Key::Shape, &shape), (Key::Edit, &edit)]);
    let ended = scripted.run(&agents, |_| 0);
    assert!(matches!(ended, Ended::Over(_)), "{ended:?} {:?}", scripted.look().stage());
    assert!(scripted.has_branch());
}

#[test]
fn an_announced_function_that_is_not_written_fails_the_exit_gate() {
    let scripted = ScriptedTask::with_real_gates(&[RATES]);
    let shape = SHAPE.replace("items = [\"fee\"]", "items = [\"fee\", \"weekend_fee\"]");
    let (first, second) =
        (edit(HONEST, "true"), edit("def weekend_fee():\n    return DAY\n", "true"));
    let agents =
        ScriptedAgents::with(&[(Key::Shape, &shape), (Key::Edit, &first), (Key::Edit, &second)]);
    let ended = scripted.run(&agents, |_| 0);
    let task = scripted.look();
    assert!(matches!(ended, Ended::Over(_)), "{ended:?} {:?}", task.stage());
    let failed = task.data().unwrap().evidence.iter().filter(|it| it.verdict == Verdict::Fail);
    let excerpts: Vec<&str> = failed.map(|it| it.evidence.excerpt.as_str()).collect();
    let line = "the contract declares `weekend_fee`, the change has no such public item";
    assert!(excerpts.iter().any(|it| it.contains(line)), "{excerpts:?}");
}

#[test]
fn a_repair_that_removes_a_public_function_is_not_shipped() {
    let scripted = ScriptedTask::with_real_gates(&[RATES]);
    let honest = edit(HONEST, "true");
    let repair = edit("# a day\n", "printf '\"\"\"Rates.\"\"\"\\n' > parking/rates.py");
    let objects = CHALLENGE.replace("failures = []", "failures = [\"the rest is not explained\"]");
    let agents = ScriptedAgents::with(&[
        (Key::Edit, &honest),
        (Key::Challenge, &objects),
        (Key::Challenge, CHALLENGE),
        (Key::Repair, &repair),
    ]);
    let ended = scripted.run(&agents, |_| 0);
    assert!(matches!(ended, Ended::Waiting(_)), "{ended:?}");
    let task = scripted.look();
    let Stage::Halted { escalation } = task.stage() else { panic!("{:?}", task.stage()) };
    let Cause::FingerprintMismatch { what } = &escalation.cause else {
        panic!("{:?}", escalation.cause)
    };
    assert_eq!(what, "removed: parking.rates.hour(minutes)");
    assert!(!scripted.has_branch());
}

/// A builder that appends this to the fees, runs a command, and says that it is ready.
fn edit(fees: &str, command: &str) -> String {
    format!(
        "[[step]]\ndo = \"run\"\ncommand = '''\ncat >> parking/fees.py <<'END'\n{fees}END\n{command}\n'''\n\
         [[step]]\ndo = \"submit\"\nanswer = {{ ready = true, summary = \"done\", next = \"verify\", residue = [], lessons = [], \
         need = {{ kind = \"none\", what = \"\", places = [] }} }}\n"
    )
}

/// A public function that no contract here announces.
const RATES: (&str, &str) =
    ("parking/rates.py", "\"\"\"Rates.\"\"\"\n\n\ndef hour(minutes):\n    return minutes * 5\n");
/// The fee of the demonstration. It takes the place of the one before it.
const HONEST: &str = "
DAY = 2000


def fee(minutes):
    days, rest = divmod(minutes, 24 * 60)
    return days * DAY + min((rest + 59) // 60 * HOUR, DAY)
";
