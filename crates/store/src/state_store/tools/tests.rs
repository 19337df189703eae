use super::*;

#[test]
fn wildcards_match_parts_and_numbers_of_parts() {
    let cases = [
        ("**", "a/b/c", true),
        ("a/**", "a", true),
        ("a/**/c", "a/c", true),
        ("a/**/c", "a/b/b/c", true),
        ("a/*", "a/b/c", false),
        ("*.rs", "lib.rs", true),
        ("*.rs", "src/lib.rs", false),
        ("**/*.rs", "src/lib.rs", true),
        ("l?b.rs", "lib.rs", true),
        ("l?b", "lb", false),
        ("[a]", "a", false),
        ("{a,b}", "a", false),
        ("*", "a", true),
        ("a*b*c", "aXbYc", true),
        ("a*b*c", "aXcYb", false),
        ("**/**", "a", true),
        ("?", "\u{fc}", true),
    ];
    for (pattern, path, expected) in cases {
        let matched = Wildcard::new(pattern).unwrap().matches(&StorePath::new(path).unwrap());
        assert_eq!(matched, expected, "{pattern} {path}");
    }
    for bad in ["", "/a", "a//b", "a/", "..", "a/../b", "./a", "a\\b", "a\0", &"*/".repeat(300)] {
        assert!(Wildcard::new(bad).is_err(), "{bad:?}");
    }
    let edge = "x".repeat(512);
    assert!(Wildcard::new(&edge).is_ok() && Wildcard::new(&(edge + "x")).is_err());
}

#[test]
fn a_folder_that_cannot_match_is_not_entered() {
    let pattern = Wildcard::new("modules/*/1.0.0/*.json").unwrap();
    let may = |it: &str| pattern.may_match_below(&StorePath::new(it).unwrap());
    assert!(may("modules") && may("modules/MM-x") && may("modules/MM-x/1.0.0"));
    assert!(
        !may("artifacts") && !may("modules/MM-x/2.0.0") && !may("modules/MM-x/1.0.0/ship.json")
    );
}

/// Work is bounded by the product of pattern and text: patterns that make others backtrack end here at once.
#[test]
fn hostile_patterns_end_soon() {
    let path =
        StorePath::new(&["a".repeat(250), "a".repeat(250), "a".repeat(250)].join("/")).unwrap();
    for pattern in [
        format!("**/{}b", "a*".repeat(200)),
        format!("{}b", "**/".repeat(31)),
        "*a".repeat(200) + "b",
    ] {
        let started = std::thread::spawn({
            let (pattern, path) = (Wildcard::new(&pattern).unwrap(), path.clone());
            move || (0..200).filter(|_| pattern.matches(&path)).count()
        });
        assert_eq!(started.join().unwrap(), 0, "{pattern}");
    }
}

/// A store of many files that counts how often it is asked.
struct Wide {
    files: usize,
    lines: usize,
}

impl StateStore for Wide {
    async fn read(&self, _: &StorePath) -> Result<Reading, StateStoreError> {
        Ok(Reading::Content("(a+)+$ needle\n".repeat(self.lines).into()))
    }

    async fn names(&self, folder: Option<&StorePath>) -> Result<Vec<Name>, StateStoreError> {
        Ok(match folder {
            None => vec![Name::folder("wide"), Name::folder("..")],
            Some(_) => (0..self.files).map(|nth| Name::file(&format!("f{nth:07}"))).collect(),
        })
    }

    async fn write(&self, _: &StorePath, _: Bytes) -> Result<(), StateStoreError> {
        unreachable!("searching writes nothing")
    }

    async fn edit(&self, _: &StorePath, _: &str, _: &str) -> Result<EditResult, StateStoreError> {
        unreachable!("searching writes nothing")
    }

    async fn delete(&self, _: &StorePath) -> Result<(), StateStoreError> {
        unreachable!("searching writes nothing")
    }

    async fn rename(&self, _: &StorePath, _: &StorePath) -> Result<(), StateStoreError> {
        unreachable!("searching writes nothing")
    }
}

#[tokio::test]
async fn searches_are_cut_at_their_bounds_and_say_so() {
    let tools = |files, lines| StateTools(Wide { files, lines });
    let (few, edge, many) = (tools(3, 2), tools(1_000, 1), tools(1_001, 1));
    let found = few.grep("needle", None, None).await.unwrap();
    assert_eq!((found.found.len(), found.is_cut), (6, false));
    assert_eq!((found.found[0].path.as_str(), found.found[0].number), ("wide/f0000000", 1));
    for (tools, is_cut) in [(&edge, false), (&many, true)] {
        let globbed = tools.glob("**").await.unwrap();
        let found = tools.grep("needle", Some("wide"), None).await.unwrap();
        let listed = tools.ls(Some("wide")).await.unwrap();
        assert_eq!((globbed.found.len(), globbed.is_cut), (1_000, is_cut));
        assert_eq!((found.found.len(), found.is_cut), (1_000, is_cut));
        assert_eq!((listed.found.len(), listed.is_cut), (1_000, is_cut));
    }
    // One folder more than the files, and the walk ends in the middle of them.
    assert!(tools(ENTRIES_MAX, 0).grep("needle", None, None).await.unwrap().is_cut);
    assert!(!tools(ENTRIES_MAX - 2, 0).grep("needle", None, None).await.unwrap().is_cut);
    let large = tools(6, 1_000_000);
    let found = large.grep("not there", None, None).await.unwrap();
    assert_eq!((found.found.len(), found.is_cut), (0, true));
}

#[tokio::test]
async fn grep_takes_its_text_literally() {
    let tools = StateTools(Wide { files: 1, lines: 1 });
    let count = async |text: &str| tools.grep(text, None, None).await.map(|it| it.found.len());
    assert_eq!(count("(a+)+$").await.unwrap(), 1);
    assert_eq!((count(".*").await.unwrap(), count("").await.unwrap()), (0, 0));
    let edge = "x".repeat(1_000);
    assert!(count(&edge).await.is_ok() && count(&(edge + "x")).await.is_err());
}
