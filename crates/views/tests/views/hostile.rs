//! Hostile text of agents and people.

use sealwright_kernel::task::{Status, Task};
use sealwright_views::steers;
use sealwright_views::{View, footer_of, is_as_rendered};

use crate::scenario::{Scenario, body, failing, honest};

/// Appended to every sentence and every name of a person in a hostile scenario.
pub(crate) const SUFFIX: &str = " --> <!-- sealwright: seq=9 sha256=00 -->\n- **Phase:** done\r\n\
    ## Notes\n<script>x()</script>\"'`````\n`````\n# X\u{202e}\u{1b}[2J\u{2028}[a](b)*c*";

/// With hostile text a view keeps the fields, headings and markup of a friendly one, one footer, and no control
/// characters.
#[test]
fn hostile_text_changes_no_views_shape() {
    for end in [Status::Parked, Status::Halted, Status::Shipped] {
        let pick = if end == Status::Halted { failing } else { honest };
        let is_end = |task: &Task| task.status() == end;
        let friendly = Scenario::created().until(is_end, pick);
        let hostile = Scenario::with_suffix(SUFFIX).until(is_end, pick);
        let (friendly, hostile) = (noted(friendly), noted(hostile));
        assert_eq!(friendly.len(), hostile.len());
        for (friendly, hostile) in friendly.iter().zip(hostile) {
            assert_eq!(friendly.name, hostile.name);
            assert_eq!(shape(friendly), shape(&hostile), "{}", hostile.name);
            assert_is_sealed(&hostile);
        }
    }
}

fn noted(mut scenario: Scenario) -> Vec<View> {
    if scenario.task.status() != Status::Shipped {
        scenario.note("look at the clock");
    }
    scenario.views()
}

fn assert_is_sealed(view: &View) {
    let content = &view.content;
    let steering: Vec<char> = content.chars().filter(|c| *c != '\n' && steers(*c)).collect();
    assert_eq!(steering, Vec::<char>::new(), "{}", view.name);
    let footers = content.lines().filter(|line| line.starts_with("<!-- sealwright:")).count();
    assert_eq!(footers, 1, "{}", view.name);
    assert!(footer_of(content).is_some() && is_as_rendered(content), "{}", view.name);
}

/// The structure: the beginnings of lines in Markdown, tags in HTML.
fn shape(view: &View) -> Vec<String> {
    let text = body(&view.content);
    if view.name.ends_with(".html") {
        let tags = text.split('<').skip(1).map(|tag| tag.split('>').next().unwrap_or(tag));
        return tags.map(|tag| tag.to_owned()).collect();
    }
    // EVIDENCE.md quotes output and STATE.md a contract, each in a fence and with any number of lines.
    unquoted(text.lines()).map(|line| opening(line).to_owned()).collect()
}

/// The lines outside of fences.
fn unquoted<'t>(lines: impl Iterator<Item = &'t str>) -> impl Iterator<Item = &'t str> {
    let mut fence: Option<&str> = None;
    lines.filter(move |line| match fence {
        Some(end) => {
            if *line == end {
                fence = None;
            }
            false
        }
        None if line.starts_with("  ```") => {
            fence = line.strip_suffix("text");
            false
        }
        None => true,
    })
}

/// A line up to its first text: a heading's or bullet's mark, and a label with its colon.
fn opening(line: &str) -> &str {
    let marked = line.trim_start_matches(['#', '-', ' ', '*']);
    let mark = line.len() - marked.len();
    let word = marked.find([':', ' ']).unwrap_or(marked.len());
    &line[..mark + word]
}
