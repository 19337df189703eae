use crate::kinds::story::{declaring, read, setting};

const CARGO: &str = "[package]\nname = \"shop\"\n[dependencies]\nserde = \"1\"\n";
const BARE: &str = "[package]\nname = \"shop\"\n";

#[test]
fn who_asks_for_packages_has_to_lock_them() {
    let kept = |path: &'static str, text: &'static str| (path, Some(text), Some(text));
    let cases: &[(&[_], &str)] = &[
        (&[kept("Cargo.toml", CARGO), kept("Cargo.lock", "a")], "pass"),
        (&[kept("Cargo.toml", BARE)], "pass"),
        (
            &[
                kept("Cargo.toml", BARE),
                kept("crates/a/Cargo.toml", CARGO),
                kept("Cargo.lock", "a"),
            ],
            "pass",
        ),
        (
            &[
                kept("package.json", "{\"dependencies\":{\"a\":\"1\"}}"),
                kept("pnpm-lock.yaml", "a"),
            ],
            "pass",
        ),
        (
            &[kept("pyproject.toml", "[project]\ndependencies = [\"a\"]\n"), kept("uv.lock", "a")],
            "pass",
        ),
        (&[kept("requirements.txt", "a==1\n")], "pass"),
        (
            &[kept("Cargo.toml", CARGO)],
            "fail: `Cargo.toml` asks for packages, and there is no Cargo.lock",
        ),
        (
            &[
                kept("web/package.json", "{\"devDependencies\":{\"a\":\"1\"}}"),
                kept("other/yarn.lock", "a"),
            ],
            "fail: `web/package.json` asks for packages, and there is no package-lock.json or npm-shrinkwrap.json or \
             pnpm-lock.yaml or yarn.lock or bun.lock",
        ),
        (&[kept("Cargo.toml", CARGO), kept("Cargo.lock", "")], "fail: `Cargo.lock` is empty"),
        (
            &[kept("package.json", "{")],
            "cannot tell: `package.json` cannot be read: EOF while parsing an object at line 1 column 1",
        ),
    ];
    for (files, expected) in cases {
        assert_eq!(read("lockfile", &setting(), files), *expected);
    }
}

#[test]
fn a_lock_changes_only_where_that_was_declared() {
    let manifest = ("Cargo.toml", Some(CARGO), Some(CARGO));
    let cases = [
        (Some("a"), Some("b"), "fail: `Cargo.lock` was changed, which was not declared", "pass"),
        (None, Some("b"), "fail: `Cargo.lock` is new, which was not declared", "pass"),
        (
            Some("a"),
            None,
            "fail: `Cargo.toml` asks for packages, and there is no Cargo.lock | `Cargo.lock` was deleted, which was not declared",
            "fail: `Cargo.toml` asks for packages, and there is no Cargo.lock",
        ),
    ];
    for (before, now, silent, declared) in cases {
        let files = [manifest, ("Cargo.lock", before, now)];
        assert_eq!(read("lockfile", &setting(), &files), silent);
        assert_eq!(read("lockfile", &declaring(&["Cargo.lock"], &[]), &files), declared);
    }
}
