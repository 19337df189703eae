//! A Rust project, merge by merge, with tests inside the source and beside it.

use serde_json::json;

use crate::history::History;

#[test]
fn tests_inside_the_source_and_beside_it_are_told_apart_from_the_work() {
    let history = History::new(&[
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", &source(ADD, ADD_TEST)),
    ]);
    let with_half = format!("{ADD}\n{HALF}");
    let both = format!("{ADD_TEST}{HALF_TEST}");
    history.merge("inside", &[("src/lib.rs", &source(&with_half, &both))]);
    let beside = "#[test]\nfn it_triples() {\n    assert_eq!(calc::triple(3), 9);\n    \
                  assert_eq!(calc::triple(0), 0);\n}\n";
    let with_triple = format!("{with_half}\n{TRIPLE}");
    let whole = source(&with_triple, &both);
    history.merge("beside", &[("src/lib.rs", &whole), ("tests/triple.rs", beside)]);
    let untested = whole.replace("a / 2", "a >> 1");
    history.merge("untested", &[("src/lib.rs", &untested)]);
    let ignored = beside.replace("#[test]\n", "#[test]\n#[ignore]\n");
    history.merge("ignored", &[("tests/triple.rs", &ignored)]);
    history.merge("script", &[("build.rs", "fn main() {}\n")]);
    let gone = untested.replace(HALF_TEST, "");
    history.merge("gone", &[("src/lib.rs", &gone)]);

    let looked = history.look(&["--last", "6", "--no-strength"]);

    assert_eq!(looked.code, 0, "{looked:#?}");
    assert_eq!(looked.fate("inside"), ("passed", ""), "{:#}", looked.of("inside"));
    assert_eq!(
        looked.of("inside")["proof"],
        json!([{"test": "src/lib.rs::tests::it_halves", "end": "missing", "what": ""}])
    );
    let counts = |passed: u32| json!({"passed": passed, "failed": 0, "skipped": 0});
    assert_eq!(
        looked.of("inside")["suites"],
        json!([{"language": "Rust", "before": counts(1), "now": counts(2)}])
    );
    assert_eq!(looked.fate("beside"), ("passed", ""), "{:#}", looked.of("beside"));
    assert_eq!(
        looked.of("beside")["proof"],
        json!([{"test": "tests/triple.rs::it_triples", "end": "missing", "what": ""}])
    );
    assert_eq!(
        looked.fate("untested"),
        (
            "cannot_tell",
            "the source changed, and no test with it; without mutants nobody can tell whether old tests notice it"
        )
    );
    let lost = |name: &str, test: &str, how: &str| {
        assert_eq!(looked.fate(name).0, "stopped", "{:#}", looked.of(name));
        assert_eq!(looked.of(name)["lost"], json!([{"test": test, "how": how}]), "{name}");
    };
    lost("ignored", "tests/triple.rs::it_triples", "skipped");
    lost("gone", "src/lib.rs::tests::it_halves", "removed");
    assert_eq!(looked.fate("script"), ("passed", ""), "{:#}", looked.of("script"));
    let script = json!([{"path": "build.rs", "guard": "start_up_hook", "what": "added"}]);
    assert_eq!(looked.of("script")["declare"], script);
}

#[test]
fn mutants_of_a_change_show_what_its_tests_do_not_notice() {
    let history = History::new(&[
        ("Cargo.toml", MANIFEST),
        ("Cargo.lock", LOCK),
        ("src/lib.rs", &source(ADD, ADD_TEST)),
    ]);
    let with_triple = format!("{ADD}\n{TRIPLE}");
    let loose = "#[test]\nfn it_triples() {\n    assert!(calc::triple(3) > 2);\n}\n";
    history.merge(
        "loose",
        &[("src/lib.rs", &source(&with_triple, ADD_TEST)), ("tests/triple.rs", loose)],
    );
    let looked = history.look(&["--last", "1", "--mutants-max", "4"]);
    let strength = &looked.of("loose")["strength"][0];
    let (killed, survivors) =
        (strength["killed"].as_u64().unwrap(), strength["survivors"].as_array().unwrap());
    assert!(!survivors.is_empty(), "{looked:#?}");
    assert_eq!(looked.summary["mutants"], killed + survivors.len() as u64);
    let difference = survivors[0]["difference"].as_str().unwrap();
    assert!(difference.contains("-    a * 3\n+    "), "{difference}");
}

fn source(work: &str, tests: &str) -> String {
    format!("{work}\n#[cfg(test)]\nmod tests {{\n    use super::*;\n{tests}}}\n")
}

const MANIFEST: &str = "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
const LOCK: &str = "version = 4\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n";

const ADD: &str = "pub fn add(a: u32, b: u32) -> u32 {\n    a + b\n}\n";
const HALF: &str = "pub fn half(a: u32) -> u32 {\n    a / 2\n}\n";
const TRIPLE: &str = "pub fn triple(a: u32) -> u32 {\n    a * 3\n}\n";

const ADD_TEST: &str = "
    #[test]
    fn it_adds() {
        assert_eq!(add(2, 3), 5);
    }
";
const HALF_TEST: &str = "
    #[test]
    fn it_halves() {
        assert_eq!(half(4), 2);
        assert_eq!(half(7), 3);
    }
";
