//! `TASK.md` after a person changed its criteria: the new ones, and below them those that held before.

use super::{CRITERIA, fence_of};

/// A change of the criteria by a person.
#[derive(Clone, Copy, Debug)]
pub struct Amendment<'a> {
    pub criteria: &'a [String],
    pub because: &'a str,
    pub by: &'a str,
    /// The criteria that held until now.
    pub former: &'a [String],
    /// The attempt that they held for.
    pub attempt: u32,
}

/// The task file `text` with the new criteria. The former ones stand below `## Amendment History`, the latest first.
pub fn amended(text: &str, amendment: &Amendment<'_>) -> String {
    let new = bullets(amendment.criteria);
    let (history, entry) = (HISTORY.to_owned(), amendment.entry());
    let mut owed = vec![(CRITERIA.to_owned(), new), (history, entry)];
    let mut out = String::new();
    let (mut heading, mut fence) = (String::new(), None);
    for line in text.lines() {
        let trimmed = line.trim();
        let is_code = fence.is_some();
        match (fence, fence_of(trimmed)) {
            (None, Some(opened)) => fence = Some(opened),
            (Some(opened), Some(closed)) if closed.starts_with(opened) => fence = None,
            (_, _) => {}
        }
        let title = trimmed.strip_prefix("## ").filter(|_| !is_code);
        let is_item = trimmed.starts_with("- ") || trimmed.starts_with("* ");
        if !is_code && is_item && heading == CRITERIA {
            continue;
        }
        out.push_str(line);
        out.push('\n');
        if let Some(title) = title {
            heading = format!("## {}", title.trim());
            if let Some(at) = owed.iter().position(|(title, _)| *title == heading) {
                out.push_str(&format!("\n{}", owed.remove(at).1));
            }
        }
    }
    for (title, body) in owed {
        out.push_str(&format!("\n{title}\n\n{body}"));
    }
    out
}

impl Amendment<'_> {
    fn entry(&self) -> String {
        let Self { because, by, former, attempt, .. } = self;
        let former = if former.is_empty() { "- none\n".to_owned() } else { bullets(former) };
        let (by, because) = (one_line(by), one_line(because));
        format!("### Criteria of attempt {attempt}\n\nAmended by {by}: {because}\n\n{former}")
    }
}

fn bullets(items: &[String]) -> String {
    items.iter().map(|item| format!("- {}\n", one_line(item))).collect()
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

const HISTORY: &str = "## Amendment History";

#[cfg(test)]
mod tests {
    use sealwright_kernel::Lane;
    use sealwright_kernel::owner::Header;

    use super::super::TaskFile;
    use super::*;

    fn criteria(text: &str) -> Vec<String> {
        TaskFile::parse(text, Lane::Quick, Header::default()).unwrap().criteria
    }

    fn amend(text: &str, new: &[&str], attempt: u32) -> String {
        let new: Vec<String> = new.iter().map(|it| (*it).to_owned()).collect();
        let former = criteria(text);
        amended(
            text,
            &Amendment { criteria: &new, because: "too much", by: "Ada", former: &former, attempt },
        )
    }

    #[test]
    fn new_criteria_take_the_place_of_the_old_which_are_kept() {
        let text = "---\nlane: quick\n---\n\n# Limits\n\n```\n## Criteria\n- code\n```\n\n## Criteria\n\n- apart\n* fast\n\n## Later\n\n- not this\n";
        let once = amend(text, &["apart (verify: tests)", "## in\n- one line"], 1);
        assert_eq!(criteria(&once), ["apart (verify: tests)", "## in - one line"]);
        let twice = amend(&once, &["fast"], 2);
        assert_eq!(criteria(&twice), ["fast"]);
        let kept = "\n## Later\n\n- not this\n\n## Amendment History\n\n### Criteria of attempt 2\n\n\
                    Amended by Ada: too much\n\n- apart (verify: tests)\n- ## in - one line\n\n\
                    ### Criteria of attempt 1\n\nAmended by Ada: too much\n\n- apart\n- fast\n";
        assert!(twice.ends_with(kept), "{twice}");
        assert!(
            twice.starts_with(
                "---\nlane: quick\n---\n\n# Limits\n\n```\n## Criteria\n- code\n```\n"
            )
        );
    }

    #[test]
    fn a_text_without_criteria_gets_them() {
        let text = amend("# Limits\n\nPer tenant.\n", &["apart"], 1);
        assert_eq!(criteria(&text), ["apart"]);
        assert!(text.ends_with("Amended by Ada: too much\n\n- none\n"), "{text}");
    }
}
