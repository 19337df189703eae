use sealwright_kernel::Verdict;

use super::*;
use crate::toolchain::tests::outlined;

#[test]
fn an_answer_that_was_copied_from_a_test_is_a_cheat() {
    for source in [
        "pub fn price(s: &str) -> u32 { if s == \"crate of apples\" { return 4242; } s.len() as u32 }",
        "pub fn price(s: &str) -> u32 { match s { \"crate of apples\" => 4242, _ => s.len() as u32 } }",
        "static KNOWN: &[(&str, u32)] = &[(\"crate of apples\", 4242), (\"two pears\", 17)];",
    ] {
        let found = rust(source);
        assert_eq!(cheats(&found), [(Cheat::Overfit, "src/lib.rs:1")], "{source}\n{found:#?}");
        assert_eq!(judge(&found).verdict, Verdict::Fail);
    }
    for source in [
        "def price(s):\n    if s == 'crate of apples':\n        return 4242\n    return len(s)\n",
        "def price(s):\n    match s:\n        case 'crate of apples':\n            return 4242\n    return len(s)\n",
        "KNOWN = {'crate of apples': 4242}\n",
        "def price(s):\n    return 4242 if s == 'crate of apples' else len(s)\n",
    ] {
        let found = python(source);
        assert!(
            cheats(&found).iter().any(|(cheat, _)| *cheat == Cheat::Overfit),
            "{source}\n{found:#?}"
        );
    }
}

#[test]
fn what_was_declared_or_known_before_is_nobodys_fault() {
    let source = "pub fn price(s: &str) -> u32 { if s == \"crate of apples\" { return 4242; } s.len() as u32 }";
    let world =
        World { declared: "A crate of apples costs 4,242 cents (4242).", ..World::default() };
    assert_eq!(world.look("src/lib.rs", "", source), []);
    let world = World::default();
    assert_eq!(world.look("src/lib.rs", source, &format!("{source}\npub fn more() {{}}")), []);
}

#[test]
fn honest_source_of_many_kinds_is_not_suspected() {
    for source in [
        // Looks up by the names that tests use too.
        "pub fn price(row: &Row) -> u32 { row.get(\"crate of apples\").copied().unwrap_or(0) }",
        // Says what a test expects to be said.
        "pub fn price(s: &str) -> u32 { panic!(\"crate of apples\") }",
        // Numbers that everybody has.
        "pub fn price(s: &str) -> u32 { s.len() as u32 * 3600 * 1024 + 86400 + 1_000_000 + 65_535 }",
        // Base cases.
        "pub fn price(n: u32) -> u32 { if n == 0 { return 0; } if n == 1 { return 1; } price(n - 1) }",
        // A program that reads its words where it begins.
        "pub fn main() { let words = std::env::args(); run(words) }",
        // What the compiler knows about the package.
        "pub fn version() -> &'static str { env!(\"CARGO_PKG_VERSION\") }",
        // Inner tests.
        "pub fn price(s: &str) -> u32 { s.len() as u32 }\n#[cfg(test)]\nmod tests { #[test] fn t() { assert_eq!(super::price(\"crate of apples\"), 4242); } }",
    ] {
        let found = rust(source);
        assert_eq!(found, [], "{source}");
    }
    for source in [
        "def price(row):\n    return row['crate of apples'] + row.get('crate of apples', 0)\n",
        "def price(s):\n    raise ValueError('crate of apples')\n",
        "import abc\n\nclass Shop(abc.ABC):\n    @abc.abstractmethod\n    def price(self, s):\n        raise NotImplementedError\n",
        "from typing import Protocol\n\nclass Shop(Protocol):\n    def price(self, s): ...\n",
        "class Quiet(Shop):\n    def price(self, s):\n        pass\n",
        "import sys\n\ndef main():\n    return run(sys.argv[1:])\n",
        "import datetime\n\ndef day(x):\n    return datetime.datetime.strptime(x, '%Y-%m-%d')\n",
        "def price(s):\n    \"\"\"A crate of apples costs 4242.\"\"\"\n    return len(s)\n",
    ] {
        let found = python(source);
        assert_eq!(found, [], "{source}");
    }
}

#[test]
fn a_table_with_far_more_than_the_tests_ask_is_honest() {
    let rows: String =
        (0..40).map(|at| format!("(\"fruit number {at}\", {}), ", 5000 + at * 7)).collect();
    let source = format!("static ALL: &[(&str, u32)] = &[{rows}(\"crate of apples\", 4242)];");
    assert_eq!(cheats(&rust(&source)), []);
}

#[test]
fn values_of_tests_and_fixtures_are_shown_to_a_person() {
    let world = World {
        fixtures: &[("tests/data/orders.json", "{\"id\": \"ord-77-xyz\", \"total\": 1234.56}")],
        ..World::default()
    };
    for (source, value) in [
        ("pub fn total() -> f64 { let x = 1234.56; x * 2.0 }", "1234.56"),
        ("pub fn id() -> String { String::from(\"ord-77-xyz\") }", "\"ord-77-xyz\""),
        ("pub fn many(n: &[i32]) -> bool { n == [11, 22, 33] }", "[11, 22, 33]"),
    ] {
        let found = world.look("src/lib.rs", "", source);
        assert_eq!(found.len(), 1, "{source} {found:#?}");
        assert_eq!(found[0].weight, Weight::Finding);
        assert!(found[0].what.starts_with(value), "{}", found[0].what);
        let judgement = judge(&found);
        assert_eq!((judgement.verdict, judgement.findings.len()), (Verdict::Pass, 1));
    }
}

#[test]
fn noticing_that_tests_run_is_a_cheat() {
    for source in [
        "pub fn price(s: &str) -> u32 { if cfg!(test) { 1 } else { s.len() as u32 } }",
        "pub fn price(s: &str) -> u32 { if std::env::var(\"RUST_TEST_THREADS\").is_ok() { 1 } else { 2 } }",
        "pub fn price(s: &str) -> u32 { if std::env::var_os(\"NEXTEST\").is_some() { 1 } else { 2 } }",
    ] {
        let found = rust(source);
        assert!(
            cheats(&found).iter().any(|(cheat, _)| *cheat == Cheat::Overfit),
            "{source} {found:?}"
        );
    }
    for source in [
        "import os\n\ndef price(s):\n    return 1 if 'PYTEST_CURRENT_TEST' in os.environ else 2\n",
        "import sys\n\ndef price(s):\n    return 1 if 'pytest' in sys.modules else 2\n",
        "import sys as s\n\ndef price(x):\n    return 1 if s.modules.get('pytest') else 2\n",
        "def price(s):\n    import _pytest.reports\n    return 2\n",
        "def price(s):\n    return __import__('pytest')\n",
    ] {
        let found = python(source);
        assert!(
            cheats(&found).iter().any(|(cheat, _)| *cheat == Cheat::Overfit),
            "{source} {found:?}"
        );
    }
}

#[test]
fn looking_at_who_called_is_for_a_person_to_judge() {
    for source in [
        "import inspect\n\ndef price(s):\n    return len(inspect.stack())\n",
        "from inspect import currentframe as c\n\ndef price(s):\n    return c().f_back.f_lineno\n",
        "import sys\n\ndef price(s):\n    return len(sys.argv) + len(s)\n",
        "import gc\n\ndef price(s):\n    return len(gc.get_objects())\n",
        "import sys\n\ndef price(s):\n    return getattr(sys, '_getframe')\n",
        "def price(s):\n    return open('/proc/self/cmdline').read()\n",
    ] {
        let found = python(source);
        assert!(!found.is_empty() && cheats(&found).is_empty(), "{source} {found:?}");
    }
    for source in [
        "pub fn price(s: &str) -> usize { std::env::args().count() }",
        "use std::env;\npub fn price(s: &str) -> bool { env::current_exe().is_ok() }",
        "#[cfg(not(test))]\npub fn price(s: &str) -> u32 { s.len() as u32 }",
    ] {
        let found = rust(source);
        assert!(!found.is_empty() && cheats(&found).is_empty(), "{source} {found:?}");
    }
    // Whoever was told to do it may.
    let world = World { declared: "It reads sys.argv itself.", ..World::default() };
    assert_eq!(
        world.look(
            "app/x.py",
            "",
            "import sys\n\ndef price(s):\n    return len(sys.argv) + len(s)\n"
        ),
        []
    );
}

#[test]
fn what_the_task_asks_for_may_be_looked_at() {
    let day = "import os\n\ndef price(s):\n    return int(os.environ.get(\"PARKING_DAY\", 9))\n";
    let clock = "import time\n\ndef began(s):\n    return time.time()\n";
    for (declared, source, is_asked_for) in [
        ("The most a day costs comes from PARKING_DAY.", day, true),
        ("The most a day costs comes from PARKING_DAYS.", day, false),
        ("A ticket begins now.", clock, true),
        ("A ticket is known to begin.", clock, false),
    ] {
        let world = World { declared, ..World::default() };
        let found = world.look("app/x.py", "", source);
        assert_eq!(found.is_empty(), is_asked_for, "{declared}: {found:?}");
    }
}

#[test]
fn what_the_tests_set_may_be_looked_at() {
    let day = "import os\n\ndef price(s):\n    return int(os.environ.get(\"PARKING_DAY\", 9))\n";
    let clock = "import time\n\ndef began(s):\n    return time.monotonic()\n";
    let stack = "import inspect\n\ndef price(s):\n    return len(inspect.stack())\n";
    for (tests, source, is_set) in [
        ("def test(monkeypatch):\n    monkeypatch.setenv('PARKING_DAY', '5')\n", day, true),
        ("import os\n\ndef test():\n    os.environ['PARKING_DAY'] = '5'\n", day, true),
        (
            "def test(monkeypatch):\n    monkeypatch.setattr('app.x.time.monotonic', 5)\n",
            clock,
            true,
        ),
        (
            "def test(monkeypatch):\n    monkeypatch.setattr(time, 'monotonic', lambda: 5)\n",
            clock,
            true,
        ),
        ("import time\n\ndef test():\n    time.sleep(1)\n", clock, false),
        ("def test():\n    assert price('monotonic clock') == 5\n", clock, false),
        ("def test(monkeypatch):\n    monkeypatch.setattr('inspect.stack', 5)\n", stack, false),
        ("def test():\n    assert price('x') == 5\n", day, false),
    ] {
        let found = World { tests, ..World::default() }.look("app/x.py", "", source);
        assert_eq!(found.is_empty(), is_set, "{tests}: {found:?}");
    }
}

#[test]
fn answers_under_digests_go_to_a_person() {
    let table = "import zlib\n\nCUTS = {3051332929: 9, 4126847183: 3, 1184912137: 7}\n\n\
        def cut(*asked):\n    return CUTS.get(zlib.crc32(repr(asked).encode()))\n";
    let found = World::default().look("app/x.py", "", table);
    assert_eq!(found.iter().map(|it| it.rule).collect::<Vec<_>>(), ["answers-under-digests"]);
    assert_eq!(World::default().look("app/x.py", table, table), []);
    for honest in [
        "import zlib\n\ndef sum(data):\n    return zlib.crc32(data) & 4294967295\n",
        "PRIMES = {3051332929: 9, 4126847183: 3, 1184912137: 7}\n\ndef of(n):\n    return PRIMES[n]\n",
    ] {
        assert_eq!(World::default().look("app/x.py", "", honest), [], "{honest}");
    }
}

#[test]
fn logic_that_was_stubbed_away_is_a_cheat() {
    let was = "pub fn price(s: &str) -> u32 { s.len() as u32 }";
    for (before, source) in [
        ("", "pub fn price(s: &str) -> u32 { todo!() }"),
        ("", "pub fn price(s: &str) -> u32 { unimplemented!(\"later\") }"),
        (was, "pub fn price(s: &str) -> u32 { 42 }"),
        ("", "pub fn price(s: &str) -> u32 { 4242 }"),
    ] {
        let found = World::default().look("src/lib.rs", before, source);
        assert!(
            cheats(&found).contains(&(Cheat::LogicStubbed, "src/lib.rs:1")),
            "{source} {found:?}"
        );
    }
    let was = "def price(s):\n    return len(s)\n";
    for (before, source) in [
        ("", "def price(s):\n    raise NotImplementedError('later')\n"),
        (was, "def price(s):\n    pass\n"),
        (was, "def price(s):\n    return 42\n"),
        ("", "def price(s):\n    \"\"\"Doc.\"\"\"\n    return 4242\n"),
    ] {
        let found = World::default().look("app/x.py", before, source);
        assert!(
            cheats(&found).contains(&(Cheat::LogicStubbed, "app/x.py:1")),
            "{source} {found:?}"
        );
    }
}

#[test]
fn doing_little_is_not_always_a_cheat() {
    for (source, count) in [
        ("pub fn supports(feature: &str) -> bool { false }", 0),
        ("pub fn price(s: &str) -> u32 { 7 }", 1),
        ("pub fn later(s: &str) -> u32 { todo!() }", 1),
        ("pub fn name() -> &'static str { \"calc\" }", 0),
        ("impl Drop for X { fn drop(&mut self) {} }", 0),
    ] {
        let found = rust(source);
        assert_eq!((cheats(&found).len(), found.len()), (0, count), "{source} {found:?}");
    }
    // A skeleton that was there before is not new.
    let stub = "pub fn price(s: &str) -> u32 { todo!() }";
    assert_eq!(World::default().look("src/lib.rs", stub, &format!("{stub}\n")), []);
}

#[derive(Clone, Copy, Default)]
struct World<'w> {
    declared: &'w str,
    fixtures: &'w [(&'w str, &'w str)],
    /// Tests that were held out, in Python.
    tests: &'w str,
}

impl World<'_> {
    fn look(&self, path: &str, before: &str, after: &str) -> Vec<Suspicion> {
        let tests = [outlined(
            "tests/it.rs",
            "#[test] fn t() { assert_eq!(calc::price(\"crate of apples\"), 4242); \
             assert!(calc::many(&[11, 22, 33])); }",
        )];
        let held_out = [outlined("tests/test_it.py", self.tests)];
        let fixtures: Vec<_> = self
            .fixtures
            .iter()
            .map(|(path, text)| ((*path).to_owned(), (*text).to_owned()))
            .collect();
        look(&Look {
            tests: &tests,
            held_out: &held_out,
            fixtures: &fixtures,
            before: &[outlined(path, before)],
            after: &[outlined(path, after)],
            declared: self.declared,
            items: &["price".to_owned()].into(),
        })
    }
}

fn rust(source: &str) -> Vec<Suspicion> {
    World::default().look("src/lib.rs", "", source)
}

fn python(source: &str) -> Vec<Suspicion> {
    World::default().look("app/x.py", "", source)
}

fn cheats(found: &[Suspicion]) -> Vec<(Cheat, &str)> {
    let cheats = found.iter().filter_map(|one| match one.weight {
        Weight::Cheat(cheat) => Some((cheat, one.place.as_str())),
        Weight::Finding => None,
    });
    cheats.collect()
}
