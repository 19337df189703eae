use super::*;

fn names(path: &str, text: &str) -> Vec<String> {
    requests(path, text.as_bytes())
        .unwrap()
        .into_keys()
        .map(|(table, name)| format!("{table}/{name}"))
        .collect()
}

#[test]
fn every_way_to_ask_for_a_package_is_seen() {
    let cargo = "[dependencies]\na = \"1\"\n[build-dependencies]\nb = { path = \"b\" }\n[workspace.dependencies]\nc = \"1\"\n\
                 [target.x86.dependencies]\nd = \"1\"\n[patch.crates-io]\ne = { git = \"g\" }\n[replace]\n\"f:1.0.0\" = { git = \"g\" }\n";
    assert_eq!(
        names("crates/a/Cargo.toml", cargo),
        [
            "build-dependencies/b",
            "dependencies/a",
            "patch.crates-io/e",
            "replace/f:1.0.0",
            "target.x86.dependencies/d",
            "workspace.dependencies/c"
        ]
    );
    let pyproject = "[project]\ndependencies = [\"A_b.c >= 1\", \"d[extra]; python_version > '3'\"]\n\
                     [project.optional-dependencies]\ntest = [\"pytest\"]\n[dependency-groups]\ndev = [\"ruff\", {include-group = \"test\"}]\n\
                     [build-system]\nrequires = [\"hatchling\"]\n[tool.poetry.dependencies]\npython = \"^3\"\ne = \"*\"\n\
                     [tool.poetry.group.docs.dependencies]\nf = \"*\"\n[tool.uv.sources]\ng = { path = \"g\" }\n";
    assert_eq!(
        names("pyproject.toml", pyproject),
        [
            "build-system/hatchling",
            "dev/include",
            "dev/ruff",
            "docs/f",
            "project/a-b-c",
            "project/d",
            "test/pytest",
            "tool.poetry.dependencies/e",
            "tool.uv.sources/g"
        ]
    );
    assert_eq!(
        names("dev-requirements.txt", "# all\nA==1  # why\n-r other.txt\ngit+https://x/y.git\n\n"),
        ["requirements/-r other.txt", "requirements/a", "requirements/git"]
    );
    assert_eq!(
        names("package.json", "{\"dependencies\":{\"a\":\"1\"},\"resolutions\":{\"b\":\"1\"}}"),
        ["dependencies/a", "resolutions/b"]
    );
    assert_eq!(names("README.md", "a"), [""; 0]);
}

#[test]
fn what_cannot_be_read_is_said() {
    for (path, text) in [("Cargo.toml", "["), ("package.json", "]"), ("setup.py", "")] {
        assert!(requests(path, text.as_bytes()).is_err(), "{path}");
    }
    assert!(requests("Cargo.toml", &[0xff]).is_err());
}
