use std::collections::BTreeMap;

use crate::kinds::Setting;
use crate::kinds::story::{read, setting};

fn heard(documents: &[(&str, &str)]) -> String {
    let files: Vec<_> = documents.iter().map(|(path, text)| (*path, None, Some(*text))).collect();
    read("docs", &setting(), &files)
}

#[test]
fn a_link_has_to_lead_somewhere() {
    let cases: &[(&str, &str)] = &[
        ("[a](docs/b.md)", "pass"),
        ("[a](./docs/../docs/b.md#the-second-part)", "pass"),
        ("[a](/docs/b.md#named)", "pass"),
        ("[a](docs/)", "pass"),
        ("[a](docs/b.md#again-1)", "pass"),
        ("![a](my%20picture.png)", "pass"),
        ("[a](https://example.org/x) <mailto:a@b.c>", "pass"),
        ("`[a](nowhere.md)`\n\n```\n[a](nowhere.md)\n```\n", "pass"),
        ("[a]: nowhere.md\n\n[a]", "fail: README.md: the link `nowhere.md` leads to nothing"),
        ("[a](nowhere.md)", "fail: README.md: the link `nowhere.md` leads to nothing"),
        ("[a](../b.md)", "fail: README.md: the link `../b.md` leads out of the repository"),
        ("[a](#here)", "fail: README.md: the link `#here` leads to a heading that is not there"),
        (
            "[a](docs/b.md#gone)",
            "fail: README.md: the link `docs/b.md#gone` leads to a heading that is not there",
        ),
    ];
    let other = "# B\n\n## The second `part`!\n\n<a name=\"named\"></a>\n\n## Again\n\n## Again\n\n[up](../README.md)\n";
    for (text, expected) in cases {
        let files = [("README.md", *text), ("docs/b.md", other), ("my picture.png", "")];
        assert_eq!(heard(&files), *expected, "{text}");
    }
}

#[test]
fn a_wanted_section_has_to_be_there() {
    let sections =
        BTreeMap::from([("README.md".to_owned(), vec!["Install".to_owned(), "Use it".to_owned()])]);
    let setting = Setting { sections, ..setting() };
    let heard = |text: &str| read("docs", &setting, &[("README.md", None, Some(text))]);
    assert_eq!(heard("# Shop\n\n## Install\n\nUse it\n------\n"), "pass");
    assert_eq!(
        heard("# Shop\n\n## Install\n\n```\n## Use it\n```\n"),
        "fail: README.md has no section `Use it`"
    );
    assert_eq!(
        read("docs", &setting, &[("OTHER.md", None, Some("# A"))]),
        "fail: there is no `README.md`"
    );
}

#[test]
fn only_the_documents_that_are_meant_are_looked_at() {
    let setting = Setting { sources: vec!["docs".to_owned()], ..setting() };
    let files = [("old.md", None, Some("[a](gone.md)")), ("docs/a.md", None, Some("fine"))];
    assert_eq!(read("docs", &setting, &files), "pass");
    assert_eq!(read("docs", &setting, &files[..1]), "cannot tell: there is no document to look at");
}
