use crate::kinds::Setting;
use crate::kinds::story::{declaring, read, setting};

fn lines(count: usize) -> String {
    "line\n".repeat(count)
}

/// Proves: L-068
#[test]
fn a_file_may_have_so_many_lines_and_not_one_more() {
    let (fits, long, longer) = (lines(300), lines(301), lines(302));
    let heard = |before: Option<&str>, now: &str| {
        read("size", &setting(), &[("src/a.rs", before, Some(now))])
    };
    assert_eq!(heard(None, &fits), "pass");
    let said = "pass [Architecture lines at src/a.rs: src/a.rs has 301 lines; the limit is 300]";
    assert_eq!(heard(None, &long), said);
    assert_eq!(heard(Some(&fits), &long), said);
    let grown = said.replace("301", "302");
    assert_eq!(heard(Some(&long), &longer), grown);
    // Who makes a long file shorter is not stopped.
    assert_eq!(heard(Some(&longer), &long), "pass");
    assert_eq!(read("size", &setting(), &[("Cargo.lock", None, Some(&longer))]), "pass");
}

#[test]
fn a_change_may_touch_so_many_files_and_not_one_more() {
    let names: Vec<String> = (0..4).map(|nth| format!("src/{nth}.rs")).collect();
    let files: Vec<_> = names.iter().map(|name| (name.as_str(), Some("a"), Some("b"))).collect();
    let setting = Setting { files_max: Some(3), ..setting() };
    assert_eq!(read("size", &setting, &files[..3]), "pass");
    assert_eq!(
        read("size", &setting, &files),
        "pass [Architecture files at the change: 4 files are touched; the limit is 3]"
    );
    // A file that is gone was touched as well.
    let mut gone = files[..3].to_vec();
    gone.push(("old.rs", Some("a"), None));
    assert_eq!(
        read("size", &setting, &gone),
        "pass [Architecture files at the change: 4 files are touched; the limit is 3]"
    );
}

/// Proves in part: L-070
#[test]
fn a_package_that_nobody_declared_is_asked_about() {
    let cases = [
        (
            "Cargo.toml",
            "[dependencies]\na = \"1\"\n",
            "[dependencies]\na = \"1\"\nb = \"1\"\n",
            "is new",
        ),
        (
            "Cargo.toml",
            "[dependencies]\nb = \"1\"\n",
            "[dependencies]\nb = { git = \"https://x\" }\n",
            "is requested differently",
        ),
        ("Cargo.toml", "", "[patch.crates-io]\nb = { path = \"b\" }\n", "is new"),
        ("Cargo.toml", "", "[target.'cfg(unix)'.dev-dependencies]\nb = \"1\"\n", "is new"),
        (
            "pyproject.toml",
            "[project]\ndependencies = []\n",
            "[project]\ndependencies = [\"B>=1\"]\n",
            "is new",
        ),
        ("requirements.txt", "b==1\n", "b==2\n", "is requested differently"),
        ("package.json", "{}", "{\"overrides\":{\"b\":\"1\"}}", "is new"),
    ];
    for (path, before, now, what) in cases {
        let files = [(path, Some(before), Some(now))];
        let said = format!(
            "pass [Architecture dependencies at {path}: `b` in {path} {what}, which was not declared]"
        );
        assert_eq!(read("size", &setting(), &files), said, "{now}");
        assert_eq!(read("size", &declaring(&[], &["b"]), &files), "pass", "{now}");
    }
    let unreadable = [("Cargo.toml", Some(""), Some("[dependencies\n"))];
    assert!(
        read("size", &setting(), &unreadable)
            .starts_with("cannot tell: `Cargo.toml` cannot be read")
    );
    let program = [("setup.py", None, Some("setup()"))];
    assert_eq!(
        read("size", &setting(), &program),
        "cannot tell: what `setup.py` asks for can only be found out by running it"
    );
}
