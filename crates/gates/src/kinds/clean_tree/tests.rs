use crate::Seen;
use crate::kinds::story::{read, setting, told, tree};
use crate::kinds::{Declared, Paths, Setting};

fn below(places: &[&str]) -> Setting {
    let paths = Paths::Below(places.iter().map(|place| (*place).to_owned()).collect());
    Setting { declared: Declared { paths, ..Declared::default() }, ..setting() }
}

#[test]
fn only_what_belongs_to_the_change_may_be_there() {
    let cases: &[(&[_], &str)] = &[
        (&[], "pass"),
        (&[("src/a.rs", Some("a"), Some("b")), ("src/b.rs", None, Some("c"))], "pass"),
        (&[("notes.txt", None, Some("c"))], "fail: `notes.txt` is new and was not declared"),
        (&[("src/a.rs.orig", None, Some("c"))], "fail: `src/a.rs.orig` is a leftover"),
        (
            &[("src/__pycache__/a.pyc", None, Some("c"))],
            "fail: `src/__pycache__/a.pyc` is a leftover",
        ),
        // What was there before is nobody's leftover now.
        (&[("a.bak", Some("a"), Some("a"))], "pass"),
        (&[("src/target.rs", None, Some("a"))], "pass"),
    ];
    for (files, expected) in cases {
        assert_eq!(read("clean-tree", &below(&["src"]), files), *expected);
    }
    assert_eq!(read("clean-tree", &setting(), &[("notes.txt", None, Some("c"))]), "pass");
}

#[test]
fn marks_of_a_merge_are_found_where_they_are_new() {
    let conflict = "a\n<<<<<<< ours\nb\n=======\nc\n>>>>>>> theirs\n";
    let said = "fail: src/a.rs:2 is a merge conflict marker";
    assert_eq!(read("clean-tree", &setting(), &[("src/a.rs", Some("a\n"), Some(conflict))]), said);
    assert_eq!(read("clean-tree", &setting(), &[("src/a.rs", None, Some(conflict))]), said);
    let longer = format!("{conflict}more\n");
    for (before, now) in [
        (Some(conflict), longer.as_str()),
        (None, "Title\n=======\ntext\n"),
        (None, "<<<<<<<< eight\n>>>>>>>> eight\n"),
        (None, "only <<<<<<< in a line\n>>>>>>> end\n"),
    ] {
        assert_eq!(
            read("clean-tree", &setting(), &[("src/a.rs", before, Some(now))]),
            "pass",
            "{now}"
        );
    }
}

#[test]
fn what_could_not_be_read_is_not_clean() {
    let (listing, _) = tree(&[("a.rs", None, Some("a"))]);
    assert_eq!(
        told("clean-tree", &setting(), &[listing, Seen::Files(vec![])]),
        "cannot tell: `a.rs` could not be read"
    );
    let gone = Seen::Nothing { why: "the tree is gone".to_owned() };
    assert_eq!(told("clean-tree", &setting(), &[gone]), "cannot tell: the tree is gone");
}
