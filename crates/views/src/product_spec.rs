//! The product spec for people, and the task file of each of its tasks.
//!
//! All text of the spec is escaped, and text of several lines is quoted. Only the title and the criteria of a task file
//! are not escaped, because [`TaskFile::parse`] returns them unchanged.

use std::fmt::Write as _;

use sealwright_kernel::Lane;
use sealwright_kernel::owner::Header;
use sealwright_kernel::product::research::{Found, Search};
use sealwright_kernel::product::{
    Deficiency, Epic, Pillar, Place, ProductSpec, Sketch, Story, Task,
};

use crate::markdown::{bullets, line, one_line};
use crate::task_file::TaskFile;

/// The spec as Markdown, with the warnings of its check and what was looked up for it at the end.
pub fn spec_markdown(spec: &ProductSpec, warnings: &[Deficiency], searches: &[Search]) -> String {
    let (id, version) = (line(&spec.spec_id), line(&spec.spec_version));
    let (created, updated) = (line(&spec.created_at), line(&spec.updated_at));
    let mut out = format!("# {}\n\n", line(&spec.title));
    let _ = writeln!(out, "- Spec: {id}\n- Version: {version}");
    let _ = writeln!(out, "- Created: {created}\n- Updated: {updated}\n");
    quote(&mut out, &spec.description);
    spec.pillars.iter().for_each(|it| pillar(&mut out, it));
    if !warnings.is_empty() {
        out.push_str("## Warnings\n\n");
        for it in warnings {
            let _ = writeln!(out, "- {}: {}", element(&it.path, &it.field), line(&it.message));
        }
        out.push('\n');
    }
    if !searches.is_empty() {
        out.push_str("## Research\n\nText of the web, quoted with its source. Nothing is planned from it.\n\n");
        searches.iter().for_each(|it| search(&mut out, it));
    }
    format!("{}\n", out.trim_end())
}

/// The task file of a task of the spec. It is empty if the spec has no task at this place.
pub fn task_text(spec: &ProductSpec, place: &Place, lane: Lane, header: Header) -> String {
    let Some((pillar, epic, story, task)) = ancestry(spec, place) else { return String::new() };
    let title = title(&task.name);
    let mut out = format!("{title}\n\n");
    if title != one_line(&task.name) {
        quote(&mut out, &task.name);
    }
    let _ = writeln!(out, "## Task ID\n\n{} ({} of the spec)\n", place.id, line(&task.task_id));
    out.push_str("## Context\n\n");
    for (kind, name, description) in [
        ("Pillar", &pillar.name, &pillar.description),
        ("Epic", &epic.name, &epic.description),
        ("Story", &story.name, &story.description),
    ] {
        let _ = writeln!(out, "### {kind}: {}\n", line(name));
        quote(&mut out, description);
    }
    out.push_str("## Description\n\n");
    quote(&mut out, &task.description);
    list(&mut out, "## Subtasks", &task.subtasks);
    out.push_str("## Criteria\n\n");
    for it in &task.acceptance_criteria {
        let _ = writeln!(out, "- {}", joined(it));
    }
    out.push_str("\n## Micro Module Contract\n\n");
    dimensions(&mut out, &task.io_contract_sketch);
    out.push_str("\n## Dependency Contracts\n\n");
    bullets(&mut out, place.depends_on.iter().map(|it| it.as_str()), "none");
    out.push_str("\n## Error Cases\n\n");
    quote(&mut out, &task.io_contract_sketch.error_surfaces);
    let text = TaskFile::draft(&out, lane, header);
    format!("{}\n", text.trim_end())
}

fn search(out: &mut String, it: &Search) {
    let _ = writeln!(out, "### Query: {}\n", line(&it.query));
    for Found { url, title, snippet } in &it.results {
        let _ = writeln!(out, "Source: {}: {}\n", line(url), line(title));
        quote(out, snippet);
    }
}

fn pillar(out: &mut String, it: &Pillar) {
    let _ = writeln!(out, "## {}: {}\n", line(&it.pillar_id), line(&it.name));
    quote(out, &it.description);
    let _ = writeln!(out, "Rationale: {}\n", line(&it.rationale));
    it.epics.iter().for_each(|it| epic(out, it));
}

fn epic(out: &mut String, it: &Epic) {
    let _ = writeln!(out, "### {}: {}\n", line(&it.epic_id), line(&it.name));
    quote(out, &it.description);
    list(out, "Success criteria:", &it.success_criteria);
    it.stories.iter().for_each(|it| story(out, it));
}

fn story(out: &mut String, it: &Story) {
    let _ = writeln!(out, "#### {}: {}\n", line(&it.story_id), line(&it.name));
    quote(out, &it.description);
    let _ = writeln!(out, "User-facing behaviour: {}\n", line(&it.user_facing_behavior));
    it.tasks.iter().for_each(|it| task(out, it));
}

fn task(out: &mut String, it: &Task) {
    let _ = writeln!(out, "##### {}: {}\n", line(&it.task_id), line(&it.name));
    quote(out, &it.description);
    list(out, "Subtasks:", &it.subtasks);
    list(out, "Acceptance criteria:", &it.acceptance_criteria);
    out.push_str("Contract sketch:\n\n");
    dimensions(out, &it.io_contract_sketch);
    let on: Vec<String> = it.depends_on.iter().map(|it| line(it)).collect();
    let on = if on.is_empty() { "none".to_owned() } else { on.join(", ") };
    let _ = writeln!(out, "\nDepends on: {on}\n");
}

fn dimensions(out: &mut String, sketch: &Sketch) {
    for (name, text) in sketch.dimensions() {
        let _ = writeln!(out, "- {}: {}", name.replace('_', " "), line(text));
    }
}

fn list(out: &mut String, title: &str, texts: &[String]) {
    let _ = writeln!(out, "{title}\n");
    bullets(out, texts.iter().map(String::as_str), "none");
    out.push('\n');
}

/// Writes a text of several lines as a quote, so that no line of it looks like a label of this view.
fn quote(out: &mut String, text: &str) {
    let lines = text.lines().map(line).filter(|it| !it.is_empty());
    let _ = writeln!(out, "> {}\n", lines.collect::<Vec<_>>().join("\n>\n> "));
}

/// The path of an element and its field, as code unless they contain other characters than a path has.
fn element(path: &str, field: &str) -> String {
    let parts = [path, field].into_iter().filter(|it| !it.is_empty());
    let whole = parts.collect::<Vec<_>>().join(".");
    let is_path = |it: char| it.is_ascii_alphanumeric() || "_.[]".contains(it);
    if whole.is_empty() {
        "the spec".to_owned()
    } else if whole.chars().all(is_path) {
        format!("`{whole}`")
    } else {
        line(&whole)
    }
}

fn ancestry<'s>(
    spec: &'s ProductSpec,
    place: &Place,
) -> Option<(&'s Pillar, &'s Epic, &'s Story, &'s Task)> {
    let [p, e, s, t] = place.at;
    let pillar = spec.pillars.get(p)?;
    let epic = pillar.epics.get(e)?;
    let story = epic.stories.get(s)?;
    Some((pillar, epic, story, story.tasks.get(t)?))
}

/// The name, cut to the length of a title in a task file.
fn title(name: &str) -> String {
    let name = one_line(name);
    let name = name.trim_start_matches('#').trim_start();
    if name.chars().count() <= TITLE_CHARS_MAX && name.len() <= TITLE_BYTES_MAX {
        return name.to_owned();
    }
    let kept: String = name.chars().take(TITLE_CHARS_MAX - 1).collect();
    let end = kept.floor_char_boundary(TITLE_BYTES_MAX - '…'.len_utf8());
    format!("{}…", kept[..end].trim_end())
}

/// The lines of a text on one line, unescaped.
fn joined(text: &str) -> String {
    let lines = text.lines().map(str::trim).filter(|it| !it.is_empty());
    one_line(&lines.collect::<Vec<_>>().join(" "))
}

const TITLE_CHARS_MAX: usize = 72;
const TITLE_BYTES_MAX: usize = 200;

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Parser, Tag};
    use sealwright_kernel::product::{Severity, plan};

    use super::*;

    /// Markup, headings, fences, comments, controls and line ends.
    const HOSTILE: &str = "x\n# y\r\n## Criteria\n- forged\n```\n~~~\n---\n<!-- z --><b>&lt;\u{1b}[2J\u{202e}`` ` [a](b)";

    fn spec(text: &str) -> ProductSpec {
        let said = |it: &str| format!("{it} {text}");
        let task = |id: &str, on: &[&str]| Task {
            task_id: id.to_owned(),
            name: said("Parse a line"),
            description: said("A line is read into its parts."),
            subtasks: vec![said("split the line"), text.to_owned()],
            acceptance_criteria: vec![said("returns the parts"), "rejects  `\"\"`".to_owned()],
            io_contract_sketch: Sketch {
                inputs: said("one line"),
                outputs: said("its parts"),
                error_surfaces: said("EmptyLine if it is empty"),
                effects: said("pure: no side effects"),
                modes: said("synchronous only"),
            },
            depends_on: on.iter().map(|it| (*it).to_owned()).collect(),
        };
        let story = Story {
            story_id: "STR-001".to_owned(),
            name: said("Read a list"),
            description: said("A person reads a list."),
            user_facing_behavior: said("The list is printed."),
            tasks: vec![task("TSK-001", &[]), task("TSK-002", &["TSK-001"])],
        };
        let epic = Epic {
            epic_id: "EPC-001".to_owned(),
            name: said("Reading"),
            description: said("Lists are read."),
            success_criteria: vec![said("a thousand lines in a second")],
            stories: vec![story],
        };
        let pillar = Pillar {
            pillar_id: "PIL-001".to_owned(),
            name: said("Lists"),
            description: said("All about lists."),
            rationale: said("People keep lists."),
            epics: vec![epic],
        };
        ProductSpec {
            spec_id: "SPEC-001".to_owned(),
            spec_version: "1.0.0".to_owned(),
            title: said("Lists"),
            description: said("Lists are read and printed."),
            created_at: "2026-01-31T12:00:00Z".to_owned(),
            updated_at: "2026-02-01T12:00:00Z".to_owned(),
            pillars: vec![pillar],
        }
    }

    fn warning(text: &str) -> Deficiency {
        let (path, field) = ("pillars[0].epics[0]".to_owned(), "description".to_owned());
        Deficiency { path, field, severity: Severity::Warning, message: format!("short {text}") }
    }

    fn searched(text: &str) -> Search {
        let found = |url: &str| Found {
            url: format!("https://example.org/{url}"),
            title: format!("about {text}"),
            snippet: format!("somebody wrote {text}"),
        };
        let results = vec![found("one"), found("two")];
        Search { query: format!("what are {text}"), results }
    }

    fn parsed(text: &str) -> TaskFile {
        TaskFile::parse(text, Lane::Strict, Header::default()).unwrap()
    }

    /// The blocks of a Markdown text, without paragraphs, which hostile text may have more of.
    fn blocks(text: &str) -> Vec<String> {
        let block = |event| match event {
            Event::Start(Tag::Paragraph) => None,
            Event::Start(tag) => Some(format!("{tag:?}")),
            Event::Html(_) | Event::InlineHtml(_) | Event::Code(_) | Event::Rule => {
                Some(format!("{event:?}"))
            }
            _ => None,
        };
        Parser::new(text).filter_map(block).collect()
    }

    #[test]
    fn the_spec_shows_every_text_and_id_in_its_order() {
        let spec = spec("");
        let text = spec_markdown(&spec, &[warning("")], &[searched("fees")]);
        let json = serde_json::to_value(&spec).unwrap();
        let mut open = vec![&json];
        while let Some(value) = open.pop() {
            match value {
                serde_json::Value::String(said) => assert!(text.contains(&line(said)), "{said}"),
                serde_json::Value::Array(items) => open.extend(items),
                serde_json::Value::Object(map) => open.extend(map.values()),
                other => panic!("{other}"),
            }
        }
        let from = text.find("##### TSK-002").unwrap();
        insta::assert_snapshot!(&text[from..], @r#"
        ##### TSK-002: Parse a line

        > A line is read into its parts.

        Subtasks:

        - split the line
        - 

        Acceptance criteria:

        - returns the parts
        - rejects  \`""\`

        Contract sketch:

        - inputs: one line
        - outputs: its parts
        - error surfaces: EmptyLine if it is empty
        - effects: pure: no side effects
        - modes: synchronous only

        Depends on: TSK-001

        ## Warnings

        - `pillars[0].epics[0].description`: short

        ## Research

        Text of the web, quoted with its source. Nothing is planned from it.

        ### Query: what are fees

        Source: https://example.org/one: about fees

        > somebody wrote fees

        Source: https://example.org/two: about fees

        > somebody wrote fees
        "#);
        let bare = spec_markdown(&spec, &[], &[]);
        assert!(!bare.contains("Warnings") && !bare.contains("Research"));
    }

    #[test]
    fn hostile_text_changes_no_block_of_the_spec() {
        let honest = spec_markdown(&spec("more"), &[warning("")], &[searched("x")]);
        let hostile = spec_markdown(&spec(HOSTILE), &[warning(HOSTILE)], &[searched(HOSTILE)]);
        assert_eq!(blocks(&hostile), blocks(&honest), "{hostile}");
        assert!(!hostile.contains(['\u{1b}', '\u{202e}', '\r']));
        assert_eq!(element("a[0]", "`<b>"), "a\\[0\\].\\`&lt;b>");
    }

    #[test]
    fn a_task_file_has_its_sections_in_order_and_reads_back() {
        let spec = spec("now");
        let places = plan(&spec).unwrap();
        let text = task_text(&spec, &places[1], Lane::Quick, Header::default());
        let sections: Vec<&str> = text.lines().filter(|it| it.starts_with('#')).collect();
        let expected = [
            "# Parse a line now",
            "## Task ID",
            "## Context",
            "### Pillar: Lists now",
            "### Epic: Reading now",
            "### Story: Read a list now",
            "## Description",
            "## Subtasks",
            "## Criteria",
            "## Micro Module Contract",
            "## Dependency Contracts",
            "## Error Cases",
        ];
        assert_eq!(sections, expected);
        assert!(text.contains(&format!("{} (TSK-002 of the spec)", places[1].id)), "{text}");
        assert!(text.contains(&format!("## Dependency Contracts\n\n- {}\n", places[0].id)));
        assert!(
            task_text(&spec, &places[0], Lane::Quick, Header::default())
                .contains("## Dependency Contracts\n\nnone\n")
        );
        assert!(text.ends_with("## Error Cases\n\n> EmptyLine if it is empty now\n"), "{text}");
        let file = parsed(&text);
        assert_eq!((file.lane, file.title.as_str()), (Lane::Quick, "Parse a line now"));
        assert_eq!(file.criteria, spec.pillars[0].epics[0].stories[0].tasks[1].acceptance_criteria);
    }

    #[test]
    fn hostile_text_changes_no_criterion_of_a_task_file() {
        let mut spec = spec(HOSTILE);
        let mut place = plan(&self::spec("now")).unwrap().remove(1);
        let task = &mut spec.pillars[0].epics[0].stories[0].tasks[1];
        for bad in ["# x", "## Later", "```", "~~~", "- - -", "* x", "---", "<!--", "a\n\n- b"] {
            task.acceptance_criteria.push(bad.to_owned());
        }
        let criteria: Vec<String> = task.acceptance_criteria.iter().map(|it| joined(it)).collect();
        assert_eq!(criteria[criteria.len() - 1], "a - b");
        assert_eq!(criteria[2..10], task.acceptance_criteria[2..10]);
        for name in [HOSTILE, "``` a", "## Criteria", "~~~ a", &"\u{1f697} a".repeat(90)] {
            spec.pillars[0].epics[0].stories[0].tasks[1].name = name.to_owned();
            let file = parsed(&task_text(&spec, &place, Lane::Quick, Header::default()));
            assert_eq!(file.criteria, criteria, "{name}");
        }
        place.at[3] = 9;
        assert_eq!(task_text(&spec, &place, Lane::Quick, Header::default()), "");
    }

    #[test]
    fn a_long_name_is_cut_in_the_title_and_whole_below_it() {
        let mut spec = spec("now");
        let place = plan(&spec).unwrap().remove(0);
        for (name, kept) in [("日".repeat(199) + "v2", 65), ("x".repeat(73), 71)] {
            name.clone_into(&mut spec.pillars[0].epics[0].stories[0].tasks[0].name);
            let text = task_text(&spec, &place, Lane::Quick, Header::default());
            let title: String = name.chars().take(kept).chain(['…']).collect();
            assert_eq!(parsed(&text).title, title);
            assert!(text.contains(&format!("# {title}\n\n> {name}\n\n## Task ID")), "{text}");
        }
    }
}
