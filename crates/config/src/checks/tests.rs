use sealwright_gates::Step;
use sealwright_gates::kinds::ALL;

use crate::Config;

use super::*;

fn parsed(lines: &str) -> Check {
    let config = Config::parse(&format!("[checks.a]\n{lines}\n")).unwrap();
    config.checks()[0].clone()
}

fn refusal(lines: &str) -> String {
    let error = Config::parse(&format!("[checks.a]\n{lines}\n")).unwrap_err();
    format!("{error}\n{}", error.hint().unwrap())
}

/// The shortest valid check of each kind.
fn least(kind: &Kind) -> String {
    let command = match kind.key {
        "audit" => "command = [\"cargo\", \"deny\"]\n",
        "secrets" => "command = [\"gitleaks\", \"dir\"]\n",
        _ => "command = [\"a\"]\n",
    };
    let needs = |key| kind.demand(key) == Some(Demand::Required);
    let mut text = format!("kind = \"{}\"\n", kind.key);
    if needs(Key::Command) {
        text.push_str(command);
    }
    if needs(Key::Report) {
        text.push_str("report = \"r.xml\"\n");
    }
    text
}

#[test]
fn a_check_without_a_kind_is_a_command_in_both_sets() {
    let check = parsed("command = [\"make\", \"test\"]");
    assert_eq!((check.kind.key, check.setting.timeout_s), ("command", 1_800));
    assert!(Set::ALL.into_iter().all(|set| check.sets.contains(&set)));
    let check = parsed("command = [\"make\", \"test\"]\nsets = [\"exit\"]");
    assert!(check.sets.contains(&Set::Exit) && !check.sets.contains(&Set::Iteration));
}

#[test]
fn every_kind_can_be_written_and_makes_a_gate() {
    for kind in ALL {
        let check = parsed(&least(kind));
        assert_eq!(check.kind, kind);
        let gate =
            check.gate(vec!["tests/a.rs".to_owned()], Expected::default(), Declared::default());
        assert!(!matches!(gate.next(&[]), Step::Say(_)), "{} asks for nothing", kind.key);
    }
}

#[test]
fn configured_values_reach_the_gate() {
    let check = parsed(
        "kind = \"size\"\nfiles_max = 3\nlines_max = 99\n[checks.b]\nkind = \"docs\"\nsources = [\"docs/\", \"README.md\"]\n\
         [checks.b.sections]\n\"README.md\" = [\"Install\"]",
    );
    assert_eq!((check.setting.files_max, check.setting.lines_max), (Some(3), Some(99)));
    let config = Config::parse("[checks.b]\nkind = \"docs\"\nsources = [\"docs/\"]\n[checks.b.sections]\n\"README.md\" = [\"Install\"]\n").unwrap();
    let setting = config.checks()[0].setting(vec![], Expected::default(), Declared::default());
    assert_eq!(setting.sources, ["docs"]);
    assert_eq!(
        setting.sections,
        BTreeMap::from([("README.md".to_owned(), vec!["Install".to_owned()])])
    );
    let audit = parsed(
        "kind = \"audit\"\ncommand = [\"make\", \"audit\"]\ntool = \"npm-audit\"\nknown = [\"GHSA-1\"]",
    );
    let setting = audit.setting(vec![], Expected::default(), Declared::default());
    assert_eq!(setting.tool.map(Tool::name), Some("npm-audit"));
    assert_eq!(setting.known, BTreeSet::from(["GHSA-1".to_owned()]));
}

#[test]
fn a_refusal_says_where_what_and_what_to_do() {
    let cases = [
        "kind = \"cargo\"",
        "kind = \"junit\"\ncommand = [\"npm\", \"test\"]",
        "kind = \"cargo-test\"\ncommand = [\"cargo\", \"test\"]",
        "kind = \"lockfile\"\nfiles_max = 1",
        "kind = \"junit\"\ncommand = [\"a\"]\nreport = \"../r.xml\"",
        "kind = \"pytest\"\nsources = [\"/etc\"]",
        "kind = \"pytest\"\ntests = [\"a/../../b\"]",
        "kind = \"size\"\nlines_max = 0",
        "kind = \"audit\"\ncommand = [\"make\", \"audit\"]",
        "kind = \"audit\"\ncommand = [\"a\"]\ntool = \"gitleaks\"",
        "kind = \"secrets\"\ncommand = [\"npm\", \"audit\"]",
        "command = [\"a\"]\nsets = []",
        "command = [\"a\"]\nsets = [\"sometimes\"]",
    ];
    let refusals: Vec<String> = cases.iter().map(|lines| refusal(lines)).collect();
    insta::assert_snapshot!(refusals.join("\n"), @r#"
    sealwright.toml:2:8: unknown kind of check `cargo`
    the kinds are command, cargo-build, cargo-test, nextest, pytest, junit, lint, audit, secrets, lockfile, clean-tree, docs, size
    sealwright.toml:1:9: a check of kind `junit` needs `report`
    name the file that the command writes to /reports, like "junit.xml"
    sealwright.toml:3:11: a check of kind `cargo-test` has no key `command`
    remove it; the keys of this kind are tests, sources
    sealwright.toml:3:13: a check of kind `lockfile` has no key `files_max`
    remove it
    sealwright.toml:4:10: `report` is not a file name
    write a file name without a folder, like "junit.xml"
    sealwright.toml:3:12: `sources` contains a path outside the repository
    write the path from the top of the repository, like "src"
    sealwright.toml:3:10: `tests` contains a path outside the repository
    write the path from the top of the repository, like "src"
    sealwright.toml:3:13: `lines_max` is not a whole number from 1 to 1000000
    write a number in that range
    sealwright.toml:3:11: cannot tell the tool from the command
    set `tool = "cargo-audit"`; the tools are cargo-audit, cargo-deny, pip-audit, npm-audit
    sealwright.toml:4:8: unknown tool `gitleaks` for this kind of check
    the tools are cargo-audit, cargo-deny, pip-audit, npm-audit
    sealwright.toml:3:11: cannot tell the tool from the command
    set `tool = "gitleaks"`; the tools are gitleaks, detect-secrets
    sealwright.toml:3:8: `sets` is empty, so the check would never run
    use "iteration", "exit" or both
    sealwright.toml:3:9: unknown variant `sometimes`, expected `iteration` or `exit`
    see docs/configuration.md for every key
    "#);
}

#[test]
fn the_documented_gates_can_be_read() {
    let page = include_str!("../../../../docs/gates.md");
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let config = Config::parse(example).unwrap();
    assert_eq!(config.checks().len(), 7);
    for kind in ALL {
        assert!(page.contains(&format!("\n| `{}` |", kind.key)), "{}", kind.key);
    }
}

#[test]
fn lists_hold_at_their_edges() {
    let list = |count: usize| {
        let paths: Vec<String> = (0..count).map(|nth| format!("\"t/{nth}.py\"")).collect();
        format!("[checks.a]\nkind = \"pytest\"\ntests = [{}]\n", paths.join(", "))
    };
    assert!(Config::parse(&list(ENTRIES_MAX)).is_ok());
    assert!(Config::parse(&list(ENTRIES_MAX + 1)).is_err());
}
