//! A Python project, merge by merge.

use serde_json::json;

use crate::history::History;

#[test]
fn every_merge_is_told_what_the_gates_would_have_said_and_nothing_is_touched() {
    let history = History::new(BEGINNING);
    history.merge("honest", &[("cart.py", SHIPPING), ("tests/test_shipping.py", SHIPPING_TEST)]);
    history.merge("untested", &[("cart.py", &SHIPPING.replace("> 50", ">= 51"))]);
    let clamped = SHIPPING.replace("percent // 100", "min(percent, 100) // 100");
    let green = "import cart\n\n\ndef test_nothing_off():\n    assert cart.discount(7, 0) == 7\n";
    history.merge("vacuous", &[("cart.py", &clamped), ("tests/test_green.py", green)]);
    let gift = format!("{clamped}\n\ndef gift(price):\n    return price + 3\n");
    let idle = "import cart\n\n\ndef test_gift():\n    cart.gift(3)\n";
    history.merge("idle", &[("cart.py", &gift), ("tests/test_gift.py", idle)]);
    let wrong = gift.replace("price - price * min(percent, 100) // 100", "price - percent");
    let loose = CART_TEST.replace("200, 10) == 180", "200, 10) <= 200");
    history.merge("weakened", &[("cart.py", &wrong), ("tests/test_cart.py", &loose)]);
    let (first, _) = loose.split_once("\n\ndef test_discount").unwrap();
    history.merge("deleted", &[("tests/test_cart.py", first)]);
    let hidden = first.replace("def test_total", "def check_total");
    history.merge("hidden", &[("tests/test_cart.py", &hidden)]);
    let skipped = format!("import pytest\n{}", green.replace("def", "@pytest.mark.skip\ndef"));
    history.merge("skipped", &[("tests/test_green.py", &skipped)]);
    let fixture = "import pytest\n\n\n@pytest.fixture\ndef cent():\n    return 1\n";
    history.merge("conftest", &[("tests/conftest.py", fixture)]);
    let (head, _) = wrong.split_once("    if total").unwrap();
    let (_, tail) = wrong.split_once("return 5\n").unwrap();
    let stubbed = format!("{head}    return 0\n{tail}");
    let agreed = SHIPPING_TEST.replace("== 5", "== 0");
    history.merge("stubbed", &[("cart.py", &stubbed), ("tests/test_shipping.py", &agreed)]);
    let wrapped = format!("{stubbed}\n\ndef wrap(price):\n    return price + 2\n");
    let imported = "from cart import wrap\n\n\ndef test_wrap():\n    assert wrap(2) == 4\n";
    history.merge("imported", &[("cart.py", &wrapped), ("tests/test_wrap.py", imported)]);
    history.merge("words", &[("README.md", "# A shop with carts\n")]);
    // What a person works on meanwhile has no say, and stays.
    history.write(&[("cart.py", "broken (\n"), ("new.py", "x = 1\n")]);
    let before = history.everything();

    let looked = history.look(&["--last", "50", "--no-strength"]);

    assert_eq!(looked.code, 0, "{looked:#?}");
    assert_eq!(history.everything(), before);
    assert_eq!(looked.fate("honest"), ("passed", ""), "{looked:#?}");
    assert_eq!(
        looked.of("honest")["proof"],
        json!([{"test": "tests/test_shipping.py::test_shipping", "end": "red", "what": ""}])
    );
    let counts = |passed: u32| json!({"passed": passed, "failed": 0, "skipped": 0});
    assert_eq!(
        looked.of("honest")["suites"],
        json!([{"language": "Python", "before": counts(2), "now": counts(3)}])
    );
    assert_eq!(
        looked.fate("untested"),
        (
            "cannot_tell",
            "the source changed, and no test with it; without mutants nobody can tell whether old tests notice it"
        )
    );
    assert_eq!(
        looked.fate("vacuous"),
        (
            "stopped",
            "nothing is proven: 1 test passes without the change as well: \
             tests/test_green.py::test_nothing_off"
        )
    );
    assert_eq!(
        looked.fate("idle"),
        ("stopped", "tests/test_gift.py::test_gift cannot fail: it asserts nothing")
    );
    let lost = |name: &str, test: &str, how: &str| {
        assert_eq!(looked.fate(name).0, "stopped", "{:#}", looked.of(name));
        assert_eq!(looked.of(name)["lost"], json!([{"test": test, "how": how}]), "{name}");
    };
    lost("weakened", "tests/test_cart.py::test_discount_takes_off", "weakened");
    lost("deleted", "tests/test_cart.py::test_discount_takes_off", "removed");
    lost("hidden", "tests/test_cart.py::test_total_adds_up", "undiscovered");
    lost("skipped", "tests/test_green.py::test_nothing_off", "skipped");
    assert_eq!(looked.fate("conftest"), ("passed", ""));
    let conftest =
        json!([{"path": "tests/conftest.py", "guard": "start_up_hook", "what": "added"}]);
    assert_eq!(looked.of("conftest")["declare"], conftest);
    assert_eq!(looked.fate("stubbed").0, "stopped");
    assert_eq!(looked.of("stubbed")["cheats"][0]["cheat"], "logic_stubbed");
    let edited = json!([
        {"path": "tests/test_shipping.py::test_shipping", "guard": "test", "what": "edited"}
    ]);
    assert_eq!(looked.of("stubbed")["declare"], edited);
    assert_eq!(looked.fate("imported"), ("passed", ""), "{:#}", looked.of("imported"));
    assert_eq!(looked.of("imported")["proof"][0]["end"], "missing");
    assert_eq!(looked.fate("words"), ("nothing", "only documents changed: README.md"));
    assert_eq!(
        looked.summary,
        json!({
            "changes": 12, "passed": 3, "stopped": 7, "cannot_tell": 1, "nothing": 1,
            "not_reached": 0, "killed": 0, "mutants": 0, "not_run": [],
        })
    );
}

#[test]
fn people_read_one_block_for_each_change_and_how_strong_its_tests_are() {
    let history = History::new(BEGINNING);
    history.merge("honest", &[("cart.py", SHIPPING), ("tests/test_shipping.py", SHIPPING_TEST)]);
    let loose = "import cart\n\n\ndef test_tax():\n    assert cart.tax(100) is not None\n";
    let taxed = format!("{SHIPPING}\n\ndef tax(price):\n    return price * 19 // 100 + 1\n");
    history.merge("loose", &[("cart.py", &taxed), ("tests/test_tax.py", loose)]);
    let manifest = "[project]\nname = \"shop\"\nversion = \"1\"\n";
    history.merge("manifest", &[("pyproject.toml", manifest), ("README.md", "# A shop\n")]);
    let (code, printed, told) = history.run(&["--last", "3", "--mutants-max", "2"], &[]);
    assert_eq!(code, 0, "{printed}{told}");
    let commits = history.git(&["log", "--first-parent", "--format=%H"]);
    let shown = commits
        .lines()
        .enumerate()
        .fold(printed, |text, (nth, commit)| text.replace(&commit[..8], &format!("{nth:08}")));
    // Which mutants there are is for the tool to say.
    let plain = |line: &str| match line.split_once(": core/") {
        Some((place, _)) => place.to_owned(),
        None if line.starts_with("      + ") => "      + …".to_owned(),
        None => line.to_owned(),
    };
    let shown: Vec<String> = shown.lines().map(plain).collect();
    insta::assert_snapshot!(shown.join("\n"));
    assert!(told.contains("• 3 of 3: "), "{told}");
}

#[test]
fn commits_of_a_straight_line_are_changes_and_only_those_since_one_are_looked_at() {
    let history = History::new(BEGINNING);
    history.write(&[("cart.py", SHIPPING), ("tests/test_shipping.py", SHIPPING_TEST)]);
    history.commit("add: shipping");
    let wrong = SHIPPING.replace("sum(prices)", "sum(prices) + 1");
    history.write(&[("cart.py", &wrong)]);
    history.commit("totals: broken");
    history.write(&[("cart.py", SHIPPING)]);
    history.commit("totals: mended");

    let looked = history.look(&["--since", "HEAD~2", "--no-strength"]);
    assert_eq!(looked.changes.keys().collect::<Vec<_>>(), ["broken", "mended"], "{looked:#?}");
    let looked = history.look(&["--no-strength"]);
    assert_eq!(looked.fate("shipping"), ("passed", ""), "{looked:#?}");
    assert_eq!(looked.fate("broken"), ("stopped", "1 test fails: test_total_adds_up"));
    // A test that was red and is green again proves what mended it.
    assert_eq!(looked.fate("mended"), ("passed", ""));
    assert_eq!(looked.of("mended")["came"], "committed");
    assert_eq!(looked.summary["changes"], 3);
}

/// A comment on a line that no test would notice is no change of behaviour.
#[test]
fn a_comment_behind_a_line_brings_no_mutants() {
    let loose = "RATE = 19\n\n\ndef tax(price, percent=None):\n    return price * (percent or RATE) // 100\n";
    let history =
        History::new(&[("tax.py", loose), ("tests/test_cart.py", CART_TEST), ("cart.py", CART)]);
    let said = loose.replace("percent=None):", "percent=None):  # type: ignore");
    history.merge("comment", &[("tax.py", &said)]);
    let looked = history.look(&["--last", "1", "--mutants-max", "4"]);
    assert_ne!(looked.fate("comment").0, "stopped", "{looked:#?}");
    assert_eq!(looked.summary["mutants"], 0, "{looked:#?}");
}

const BEGINNING: &[(&str, &str)] =
    &[("cart.py", CART), ("tests/test_cart.py", CART_TEST), ("README.md", "# Shop\n")];

const CART: &str = "\
def total(prices):
    return sum(prices)


def discount(price, percent):
    return price - price * percent // 100
";

const CART_TEST: &str = "\
import cart


def test_total_adds_up():
    assert cart.total([1, 2, 3]) == 6


def test_discount_takes_off():
    assert cart.discount(200, 10) == 180
    assert cart.discount(50, 0) == 50
";

const SHIPPING: &str = "\
def total(prices):
    return sum(prices)


def discount(price, percent):
    return price - price * percent // 100


def shipping(total):
    if total > 50:
        return 0
    return 5
";

const SHIPPING_TEST: &str = "\
import cart


def test_shipping():
    assert cart.shipping(51) == 0
    assert cart.shipping(50) == 5
    assert cart.shipping(0) == 5
";
