//! The tests of a task where only values pass between them and the code they judge.

use crate::rehearsal::{EDIT, Rehearsal, TESTS, swap};

/// What a candidate says of itself counts for nothing: numbers that equal everything pass beside the tests, and a person
/// hears that they do not pass anywhere else.
#[test]
fn a_candidate_that_equals_everything_is_put_to_a_person() {
    let honest = EDIT.split("text = '''").nth(1).and_then(|it| it.split("'''").next()).unwrap();
    let lazy = "\n\"\"\"Fees, in cents.\"\"\"\n\nHOUR = 300\nDAY = 2000\n\n\n\
        class Cents(int):\n    def __eq__(self, other):\n        return True\n\n    __hash__ = int.__hash__\n\n\n\
        def fee(minutes):\n    return Cents(minutes)\n";
    let rehearsal = Rehearsal::with(&[("edit", &swap(EDIT, honest, lazy))]);
    let task = rehearsal.play("quick");
    assert!(!rehearsal.has_branch(&task));
    let told = rehearsal.events(&task).iter().map(ToString::to_string).collect::<String>();
    let found = "it passes beside the code, and not where only values reach it";
    assert!(told.contains(found), "{told}");
}

/// A candidate whose surface is too long to be listed cannot be tried apart from its tests. It does not get by with that.
#[test]
fn a_candidate_that_cannot_be_run_apart_is_put_to_a_person() {
    let module = "deep.".repeat(60);
    let names = "a,".repeat(60_000);
    let flood = format!("DAY = 2000\n\nif False:\n    from {module}er import ({names})\n");
    let rehearsal = Rehearsal::with(&[("edit", &swap(EDIT, "DAY = 2000\n", &flood))]);
    let task = rehearsal.play("quick");
    assert!(!rehearsal.has_branch(&task));
    let told = rehearsal.events(&task).iter().map(ToString::to_string).collect::<String>();
    assert!(told.contains("could not be run apart from it"), "{told}");
}

/// Where nothing is wrong nobody is asked, and nothing is left unproven.
#[test]
fn an_honest_change_passes_on_both_sides_of_the_boundary() {
    let rehearsal = Rehearsal::with(&[]);
    let task = rehearsal.play("quick");
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
    assert!(!rehearsal.view(&task, "EVIDENCE.md").contains("Judged in one process"));
}

/// A test that replaces parts of the code needs its process. The quick lane takes it and says so; others ask.
#[test]
fn a_test_that_patches_the_code_is_named_as_not_proven() {
    let test = "def test_a_day_never_costs_more_than_a_day():\n";
    let patching = "def test_a_day_never_costs_more_than_a_day(monkeypatch):\n    \
        monkeypatch.setattr(\"parking.fees.HOUR\", 300)\n";
    let rehearsal = Rehearsal::with(&[("tests", &swap(TESTS, test, patching))]);
    let task = rehearsal.play("quick");
    assert!(rehearsal.has_branch(&task), "{:?}", rehearsal.event(&task, "halted"));
    let page = rehearsal.view(&task, "EVIDENCE.md");
    let named = "Judged in one process with the code, which could steer the test: \
        tests.test\\_day::test\\_a\\_day\\_never\\_costs\\_more\\_than\\_a\\_day: replaces parts of the code";
    assert!(page.contains(named) || page.contains(&named.replace('\\', "")), "{page}");
}
