use super::{Document, Shape, read};
use crate::finding::{Finding, Findings};

fn document(text: &str) -> (Document, Vec<Finding>) {
    let mut findings = Findings::new("scope", "scope.md");
    let document = read(Some(text), &mut findings).unwrap();
    (document, findings.finish())
}

/// Each block as its line, its kind and its text.
fn told(text: &str) -> Vec<String> {
    let kind = |shape: &Shape| match shape {
        Shape::Heading { level } => format!("h{level}"),
        Shape::Paragraph => "text".to_string(),
        Shape::Item { depth } => format!("item{depth}"),
        Shape::Code => "code".to_string(),
        Shape::HeaderRow { cells } => format!("head{}", cells.len()),
        Shape::Row { cells } => format!("row[{}]", cells.join("|")),
    };
    let blocks = document(text).0.blocks;
    blocks
        .iter()
        .map(|it| format!("{} {} {}", it.line, kind(&it.shape), it.text.trim_end()))
        .collect()
}

#[test]
fn a_document_is_a_flat_list_of_blocks_with_lines() {
    let text = "# One\n\ntwo\nthree `four`\n\n- [x] five\n  - six\n\n  seven\n\n```sh\neight\n```\n\n| a | b |\n|---|---|\n| c | d |\n";
    assert_eq!(
        told(text),
        [
            "1 h1 One",
            "3 text two three four",
            "6 item0 five seven",
            "7 item1 six",
            "12 code eight",
            "15 head2 a b",
            "17 row[c|d] c d",
        ]
    );
}

#[test]
fn what_is_no_heading_is_not_taken_for_one() {
    let text = "---\nfront: matter\n---\n\n```\n## Code\n```\n\n<!--\n## Comment\n-->\n\n    ## Indented\n\n> ## Quoted\n\n- ## Listed\n\n## Real\n";
    let headings: Vec<String> = told(text).into_iter().filter(|it| it.contains(" h2")).collect();
    assert_eq!(headings, ["19 h2 Real"]);
}

#[test]
fn a_section_ends_at_the_next_one_and_keeps_its_parts() {
    let (document, _) =
        document("# A\n\n## 1. First\n\none\n\n### Part\n\ntwo\n\n## Second\n\nthree\n");
    let texts = |name: &str| document.part(&[name]).map(|it| it.text());
    assert_eq!(texts("first").as_deref(), Some("one\nPart\ntwo"));
    assert_eq!(texts("PART").as_deref(), Some("two"));
    assert!(document.section(&["Part"]).is_none());
    assert_eq!(texts("Third"), None);
}

#[test]
fn a_heading_is_a_duplicate_within_its_parent() {
    let lines = |text: &str| -> Vec<u32> { document(text).1.iter().map(|it| it.line).collect() };
    assert_eq!(lines("## A\n### x\n## B\n### x\n"), Vec::<u32>::new());
    assert_eq!(lines("## A\n### x\n### X\n"), [3]);
    assert_eq!(lines("# A\n## a\n"), [2]);
    assert_eq!(lines("## A\n\n<!-- ## A -->\n\n## B\n"), Vec::<u32>::new());
}

#[test]
fn html_says_nothing_and_inline_types_are_text() {
    let (document, _) = document("## A\n\n<div>words</div>\n\n## B\n\nVec<u8> <!-- hidden -->\n");
    assert!(document.section(&["A"]).unwrap().is_empty());
    assert_eq!(document.section(&["B"]).unwrap().text().trim(), "Vec<u8>");
}

#[test]
fn deep_nesting_is_refused_before_it_is_parsed() {
    for (line, is_deep) in [
        ("> ".repeat(16), false),
        ("> ".repeat(17), true),
        ("1. ".repeat(17), true),
        ("- ".repeat(17), true),
        (" ".repeat(256), false),
        (" ".repeat(257), true),
        ("\t".repeat(65), true),
        ("-".repeat(400), false),
    ] {
        let mut findings = Findings::new("scope", "scope.md");
        let document = read(Some(&format!("text\n{line}x\n")), &mut findings);
        let lines: Vec<u32> = findings.finish().iter().map(|it| it.line).collect();
        let expected: &[u32] = if is_deep { &[2] } else { &[] };
        assert_eq!((document.is_none(), lines.as_slice()), (is_deep, expected), "{line}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_eq!(told("\u{feff}# One\r\n\r\ntwo\r\n"), ["1 h1 One", "3 text two"]);
}
