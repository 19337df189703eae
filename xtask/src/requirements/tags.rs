//! The tags `Proves:` and `Proves in part:` in the comments of tests.

/// One requirement that a test says it proves.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag {
    pub(crate) id: String,
    pub(crate) is_whole: bool,
    pub(crate) test: String,
}

/// The tags of a source file. Only the doc comment of a test counts.
pub(crate) fn tags(source: &str) -> Vec<Tag> {
    let mut tags = Vec::new();
    let mut waiting: Vec<(String, bool)> = Vec::new();
    let (mut is_test, mut is_ignored) = (false, false);
    // Of a list that goes on in the next line.
    let mut goes_on: Option<bool> = None;
    for line in source.lines().map(str::trim) {
        let open = goes_on.take();
        if let Some(comment) = line.strip_prefix("///") {
            let comment = comment.trim();
            let whole = comment.strip_prefix("Proves: ").map(|ids| (ids, true));
            let part = comment.strip_prefix("Proves in part: ").map(|ids| (ids, false));
            let more = open.map(|is_whole| (comment, is_whole));
            let (ids, is_whole) = whole.or(part).or(more).unwrap_or_default();
            goes_on = ids.ends_with(',').then_some(is_whole);
            let ids = ids.split(',').map(str::trim).filter(|id| !id.is_empty());
            waiting.extend(ids.map(|id| (id.trim_end_matches('.').to_owned(), is_whole)));
        } else if line.starts_with("#[") {
            is_test |= line.starts_with("#[test]") || line.starts_with("#[tokio::test");
            is_ignored |= line.starts_with("#[ignore");
        } else if let Some(name) = test_name(line) {
            if is_test && !is_ignored {
                let tag = |(id, is_whole)| Tag { id, is_whole, test: name.to_owned() };
                tags.extend(waiting.drain(..).map(tag));
            }
            waiting.clear();
            (is_test, is_ignored) = (false, false);
        } else if !line.is_empty() {
            waiting.clear();
            (is_test, is_ignored) = (false, false);
        }
    }
    tags
}

fn test_name(line: &str) -> Option<&str> {
    let line = line.strip_prefix("pub ").unwrap_or(line);
    let line = line.strip_prefix("async ").unwrap_or(line);
    line.strip_prefix("fn ")?.split('(').next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_comment_on_a_test_counts() {
        let source = "/// Proves: A-001,\n/// B-002.\n/// Proves in part: C-003\n#[tokio::test]\n\
                      async fn claim() {\n}\n/// Proves: D-004\nfn helper() {}\n\
                      /// Proves: E-005\nconst X: u8 = 1;\n#[test]\nfn other() {}\n\
                      /// Proves: F-006\n#[test]\n#[ignore = \"slow\"]\nfn idle() {}\n\
                      /// Proves: G-007\n#[cfg(test)]\nfn helper() {}\n";
        let tag =
            |id: &str, is_whole| Tag { id: id.to_owned(), is_whole, test: "claim".to_owned() };
        assert_eq!(tags(source), [tag("A-001", true), tag("B-002", true), tag("C-003", false)]);
    }
}
