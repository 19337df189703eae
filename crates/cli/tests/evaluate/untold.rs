//! What cannot be told, and what keeps everything from being looked at.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::history::History;

#[test]
fn a_package_that_is_not_there_is_no_fault_of_the_change() {
    let source = "import no_such_package\n\n\ndef one():\n    return 1\n";
    let test = "import one\n\n\ndef test_one():\n    assert one.one() == 1\n";
    let history = History::new(&[("README.md", "# One\n")]);
    history.merge("package", &[("one.py", source), ("tests/test_one.py", test)]);
    let looked = history.look(&["--no-strength"]);
    let why = "tests need `no_such_package`, which is not installed here";
    assert_eq!(looked.fate("package"), ("cannot_tell", why), "{looked:#?}");
    assert_eq!(looked.code, 20);
    assert!(looked.told.contains("error: no commit could be evaluated\nhint: "), "{}", looked.told);
}

#[test]
fn a_machine_without_a_toolchain_says_so() {
    let test = "import one\n\n\ndef test_one():\n    assert one.one() == 1\n";
    let history = History::new(&[("README.md", "# One\n")]);
    let source = "def one():\n    return 1\n";
    history.merge("one", &[("one.py", source), ("tests/test_one.py", test)]);
    let (around, git) = (tempfile::tempdir().unwrap(), history.program("git"));
    std::os::unix::fs::symlink(git, around.path().join("git")).unwrap();
    let path = around.path().to_str().unwrap();
    let (code, printed, told) = history.run(&[], &[("PATH", path), ("VIRTUAL_ENV", "/nowhere")]);
    assert_eq!(code, 20, "{printed}{told}");
    let why = "cannot tell: the tests: no Python with pytest was found here";
    assert!(printed.contains(why), "{printed}");
}

#[test]
fn an_environment_out_of_the_history_is_never_started() {
    let history = History::new(&[("README.md", "# One\n")]);
    let mark = history.path("started");
    let script = format!("#!/bin/sh\necho x > {}\n", mark.display());
    history.write(&[(".venv/bin/python3", &script), ("venv/bin/python3", &script)]);
    for name in [".venv/bin/python3", "venv/bin/python3"] {
        fs::set_permissions(history.path(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    history.commit("a trap");
    let (code, _, told) = history.run(&["--no-strength"], &[("VIRTUAL_ENV", "/nowhere")]);
    assert!(matches!(code, 0 | 20), "{told}");
    assert!(!mark.exists());
}

#[test]
fn checks_of_today_speak_for_languages_without_a_clean_room() {
    let history = History::new(&[("site/index.html", "<p>hello</p>\n")]);
    history.merge("page", &[("site/more.html", "<p>more</p>\n")]);
    history.merge("loss", &[("site/index.html", "")]);
    history.merge("style", &[("site/style.css", "p { color: red }\n")]);
    let check = "[checks.site]\ncommand = [\"test\", \"-f\", \"site/index.html\"]\n";
    history.write(&[("sealwright.toml", check)]);
    let looked = history.look(&[]);
    assert_eq!(looked.fate("page"), ("passed", ""), "{looked:#?}");
    assert_eq!(looked.fate("loss"), ("stopped", "`site` fails: the command exited with 1"));
    // It failed before: the change has nothing to do with it, and nothing is known about the change.
    let why = "`site` fails, and did before: the command exited with 1";
    assert_eq!(looked.fate("style"), ("cannot_tell", why));
    assert_eq!(looked.of("style")["checks"][0]["before"], "fail");
}

#[test]
fn who_is_not_in_a_repository_or_names_no_commit_is_told() {
    let history = History::new(&[("README.md", "# One\n")]);
    let (code, printed, told) = history.run(&["--since", "no-such-branch"], &[]);
    assert_eq!((code, printed.as_str()), (2, ""), "{told}");
    assert!(told.starts_with("error: there is no commit `no-such-branch`\nhint: "), "{told}");

    let (code, printed, told) = history.run(&["--last", "101"], &[]);
    assert_eq!((code, printed.as_str()), (2, ""), "{told}");

    let (code, printed, told) = history.run(&[], &[]);
    let nothing = "no change to evaluate: there is only the first commit, and none before it\n";
    assert_eq!((code, printed.as_str()), (0, nothing), "{told}");
    let (code, printed, told) = history.run(&["--since", "HEAD"], &[]);
    assert_eq!((code, printed.as_str()), (0, "no change to evaluate after HEAD\n"), "{told}");

    fs::remove_dir_all(history.path(".git")).unwrap();
    let (code, printed, told) = history.run(&[], &[]);
    assert_eq!((code, printed.as_str()), (20, ""), "{told}");
}

#[test]
fn hostile_subjects_and_names_steer_nothing() {
    let history = History::new(&[("README.md", "# One\n")]);
    history.write(&[("README.md", "# Two\n")]);
    history.commit(&format!("\u{1b}[2J\u{202e}{}", "long ".repeat(40)));
    let (code, printed, told) = history.run(&[], &[]);
    assert_eq!(code, 0, "{told}");
    let title = printed.lines().next().unwrap();
    assert_eq!(title.chars().count(), 80, "{title}");
    assert!(!format!("{printed}{told}").contains(['\u{1b}', '\u{202e}']), "{printed}");
}

/// A change of configuration alone runs no gate, so it did not pass one.
#[test]
fn a_change_that_no_gate_runs_on_has_nothing_to_check() {
    let history = History::new(&[("README.md", "# One\n")]);
    history.write(&[(".gitlab-ci.yml", "test: {}\n"), ("sealwright.toml", "[project]\n")]);
    history.commit("configuration");
    let (code, printed, told) = history.run(&[], &[]);
    assert_eq!(code, 0, "{told}");
    let lines: Vec<&str> = printed.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "  nothing to check: no test and no check of this project is about what changed: .gitlab-ci.yml and 1 more",
            "  undeclared: sealwright.toml (gate configuration) was added",
            "  undeclared: .gitlab-ci.yml (CI configuration) was added",
            "1 change: 0 would have passed, 0 stopped, 0 undecided, 1 with nothing to check; no mutants were run",
        ]
    );
}
