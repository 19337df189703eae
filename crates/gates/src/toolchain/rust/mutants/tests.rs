use sealwright_kernel::Digest;

use super::*;

#[test]
fn what_cargo_mutants_lists_is_held_to_the_change() {
    let sample = Sample { most: 5, seed: Digest::of(b"seed") };
    let aim = Aim::of([("src/lib.rs", Some(BEFORE), SOURCE)]);
    let listing = (MUTATOR.read)(LISTED.as_bytes(), &aim).unwrap();
    assert_eq!(
        (listing.count, listing.mutants.len()),
        (2, 2),
        "the one on an old line is left out"
    );
    let wrong = listing.mutants[0].apply(SOURCE).unwrap();
    assert_eq!(wrong, SOURCE.replace("v < low", "v <= low"));
    insta::assert_snapshot!(listing.mutants[0].difference(SOURCE), @r"
    --- a/src/lib.rs
    +++ b/src/lib.rs
    @@ -2,3 +2,3 @@
     pub fn clamp(v: i64, low: i64) -> i64 {
    -    /* é */ if v < low { return low; }
    +    /* é */ if v <= low { return low; }
         v
    ");
    assert_eq!(
        listing.mutants[1].apply(SOURCE).unwrap(),
        SOURCE.replace("/* é */ if v < low { return low; }\n    v", "0")
    );
    assert_eq!(listing.mutants[0].line(), "src/lib.rs:3: replace < with <= in clamp");
    let argv = (MUTATOR.argv)(&aim, &sample);
    assert_eq!(argv[argv.len() - 2..], ["--file", "src/lib.rs"]);
    for odd in ["", "{}", "[{\"file\": 1}]"] {
        assert!((MUTATOR.read)(odd.as_bytes(), &aim).is_err(), "{odd}");
    }
    let outside = LISTED.replace("\"column\": 18", "\"column\": 9999");
    assert!((MUTATOR.read)(outside.as_bytes(), &aim).is_err());
}

const BEFORE: &str = "pub fn add(a: i64, b: i64) -> i64 { a + b }\n";

const SOURCE: &str = "pub fn add(a: i64, b: i64) -> i64 { a + b }
pub fn clamp(v: i64, low: i64) -> i64 {
    /* é */ if v < low { return low; }
    v
}
";

/// As cargo-mutants 27 lists them.
const LISTED: &str = r#"[
  {"file": "src/lib.rs", "function": {"function_name": "clamp", "return_type": "-> i64"}, "genre": "BinaryOperator",
   "name": "src/lib.rs:3:18: replace < with <= in clamp", "package": "calc", "replacement": "<=",
   "span": {"start": {"line": 3, "column": 18}, "end": {"line": 3, "column": 19}}},
  {"file": "src/lib.rs", "function": {"function_name": "clamp", "return_type": "-> i64"}, "genre": "FnValue",
   "name": "src/lib.rs:3:5: replace clamp -> i64 with 0", "package": "calc", "replacement": "0",
   "span": {"start": {"line": 3, "column": 5}, "end": {"line": 4, "column": 6}}},
  {"file": "src/lib.rs", "function": {"function_name": "add", "return_type": "-> i64"}, "genre": "FnValue",
   "name": "src/lib.rs:1:37: replace add -> i64 with 0", "package": "calc", "replacement": "0",
   "span": {"start": {"line": 1, "column": 37}, "end": {"line": 1, "column": 42}}}
]"#;
