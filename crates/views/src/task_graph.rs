//! The task graph of a project for people: as text, for Graphviz, and as a drawing.

mod svg;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use sealwright_kernel::TaskId;
use sealwright_kernel::project::{Entry, Project};
use sealwright_kernel::task::Status;

use crate::markdown::one_line;
use crate::wording::counted;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphTask {
    pub id: TaskId,
    /// Unescaped.
    pub title: String,
    pub status: Status,
    /// Pending, and cannot start before a person decides about another task.
    pub is_blocked: bool,
    pub depends_on: Vec<TaskId>,
    /// The tasks that it was split into.
    pub superseded_by: Vec<TaskId>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TaskGraph {
    /// In the order of declaration.
    pub tasks: Vec<GraphTask>,
}

impl TaskGraph {
    /// The graph of a project; `title` looks up the title of a task.
    pub fn of(project: &Project, title: impl Fn(&TaskId) -> String) -> Self {
        let blocked = project.blocked();
        let mut entries: Vec<_> = project.tasks().collect();
        entries.sort_by_key(|(_, entry)| entry.order);
        let task = |(id, entry): (&TaskId, &Entry)| GraphTask {
            id: id.clone(),
            title: title(id),
            status: entry.status,
            is_blocked: blocked.contains(id),
            depends_on: entry.depends_on.iter().cloned().collect(),
            superseded_by: entry.superseded_by.iter().cloned().collect(),
        };
        Self { tasks: entries.into_iter().map(task).collect() }
    }

    /// One line per task with the tasks that it waits for, and the counts.
    pub fn text(&self) -> String {
        let known: BTreeMap<&TaskId, &GraphTask> =
            self.tasks.iter().map(|it| (&it.id, it)).collect();
        let lengths = self.tasks.iter().map(|it| it.id.as_str().len());
        let pad = lengths.filter(|it| *it <= ID_PADDED_MAX).max().unwrap_or(0);
        let mut out = String::new();
        for task in &self.tasks {
            let head = format!("{} {:pad$}", task.look().mark, task.id.as_str());
            let room = COLUMNS.saturating_sub(head.chars().count() + 2);
            let related = task.related(&known, room.saturating_sub(TITLE_MIN + 2 + MORE));
            let left = room.saturating_sub(related.len() + 2).max(TITLE_MIN);
            let left = if related.is_empty() { room.max(TITLE_MIN) } else { left };
            let title = cut(&one_line(&task.title), left, columns);
            let row = format!("{head}  {title}  {related}");
            let _ = writeln!(out, "{}", row.trim_end());
        }
        let _ = writeln!(out, "{}", self.summary());
        out
    }

    /// The graph in the language of Graphviz.
    pub fn dot(&self) -> String {
        let mut out = String::from(
            "digraph tasks {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", \
             fontname=\"sans-serif\", color=\"#5b6472\", fontcolor=\"#1a1d23\"];\n",
        );
        for task in &self.tasks {
            let (id, look) = (&task.id, task.look());
            let title = quoted(&cut(&one_line(&task.title), DOT_COLUMNS, columns));
            let label = format!("{} {id}\\n{title}", look.mark);
            let _ =
                writeln!(out, "  \"{id}\" [label=\"{label}\", fillcolor=\"{}\"];", look.light[0]);
        }
        for task in &self.tasks {
            for on in &task.depends_on {
                let _ = writeln!(out, "  \"{on}\" -> \"{}\";", task.id);
            }
            for part in &task.superseded_by {
                let _ = writeln!(out, "  \"{}\" -> \"{part}\" [style=dashed];", task.id);
            }
        }
        out.push_str("}\n");
        out
    }

    /// The graph as a self-contained SVG for light and dark pages, without scripts. It has the first 400 tasks.
    pub fn svg(&self) -> String {
        svg::draw(self)
    }

    fn summary(&self) -> String {
        let counts: Vec<String> =
            self.counts().map(|(look, count)| format!("{count} {}", look.name)).collect();
        let total = counted(self.tasks.len(), "task");
        if counts.is_empty() { total } else { format!("{total}: {}", counts.join(", ")) }
    }

    /// The number of tasks of each look; looks without a task are left out.
    fn counts(&self) -> impl Iterator<Item = (&'static Look, usize)> {
        let count = |look: &Look| self.tasks.iter().filter(|it| it.look() == look).count();
        LOOKS.iter().map(move |look| (look, count(look))).filter(|(_, count)| *count > 0)
    }
}

impl GraphTask {
    fn look(&self) -> &'static Look {
        match self.status {
            Status::Shipped => &LOOKS[0],
            Status::InProgress => &LOOKS[1],
            Status::Parked => &LOOKS[2],
            Status::Halted => &LOOKS[3],
            Status::Pending if self.is_blocked => &LOOKS[4],
            Status::Pending => &LOOKS[5],
            Status::Abandoned => &LOOKS[6],
        }
    }

    /// The tasks that it waits for or was split into: as many ids as fit, at least one.
    fn related(&self, known: &BTreeMap<&TaskId, &Self>, room: usize) -> String {
        let (label, ids) = match self.status {
            Status::Shipped => return String::new(),
            Status::Abandoned => ("split into", self.superseded_by.iter().collect()),
            Status::Pending | Status::InProgress | Status::Parked | Status::Halted => {
                ("after", self.waits_for(known))
            }
        };
        let Some((first, rest)) = ids.split_first() else { return String::new() };
        let mut text = format!("{label} {first}");
        for (nth, id) in rest.iter().enumerate() {
            if text.len() + id.as_str().len() + 2 > room {
                let _ = write!(text, " +{}", rest.len() - nth);
                break;
            }
            let _ = write!(text, ", {id}");
        }
        text
    }

    /// The dependencies that have not shipped. The parts of a split task stand for it.
    fn waits_for<'g>(&'g self, known: &BTreeMap<&TaskId, &'g Self>) -> Vec<&'g TaskId> {
        let mut open: Vec<&TaskId> = self.depends_on.iter().rev().collect();
        let (mut seen, mut waits) = (BTreeSet::new(), Vec::new());
        while let Some(id) = open.pop() {
            let task = known.get(id);
            if !seen.insert(id) || task.is_some_and(|it| it.status == Status::Shipped) {
                continue;
            }
            match task.filter(|it| !it.superseded_by.is_empty()) {
                Some(split) => open.extend(split.superseded_by.iter().rev()),
                None => waits.push(id),
            }
        }
        waits
    }
}

/// The mark and the colours of a status.
#[derive(Debug, PartialEq, Eq)]
struct Look {
    name: &'static str,
    mark: char,
    /// Fill and line on a light ground.
    light: [&'static str; 2],
    dark: [&'static str; 2],
}

impl Look {
    /// The name as a class of CSS.
    fn class(&self) -> String {
        self.name.replace(' ', "-")
    }
}

/// The text; if it does not fit, its beginning and `…`.
fn cut(text: &str, room: usize, width: fn(char) -> usize) -> String {
    if fitting(text, room, width) == text.len() {
        return text.to_owned();
    }
    let end = fitting(text, room.saturating_sub(width('…')), width);
    format!("{}…", text[..end].trim_end())
}

/// The number of bytes of the text that fit.
fn fitting(text: &str, room: usize, width: fn(char) -> usize) -> usize {
    let mut used = 0;
    let is_over = |c: char| {
        used += width(c);
        used > room
    };
    text.find(is_over).unwrap_or(text.len())
}

/// The columns of a character in a terminal.
fn columns(c: char) -> usize {
    if is_wide(c) { 2 } else { 1 }
}

fn is_wide(c: char) -> bool {
    matches!(c, '\u{1100}'..='\u{115f}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7a3}'
        | '\u{f900}'..='\u{faff}' | '\u{fe30}'..='\u{fe6f}' | '\u{ff00}'..='\u{ff60}'
        | '\u{1f300}'..='\u{1faff}' | '\u{20000}'..='\u{3fffd}')
}

/// The text for a quoted string of Graphviz, which also decodes HTML entities.
fn quoted(text: &str) -> String {
    text.replace('&', "&amp;").replace('\\', "\\\\").replace('"', "\\\"")
}

static LOOKS: [Look; 7] = [
    look("shipped", '✓', ["#dcf5e3", "#2f8f54"], ["#12351f", "#4cc27d"]),
    look("in progress", '●', ["#dbeafe", "#2563eb"], ["#13294b", "#6aa5ff"]),
    look("parked", '‖', ["#fef3c7", "#a86a12"], ["#3a2c08", "#e0b040"]),
    look("halted", '✗', ["#fde2e1", "#d0342c"], ["#451614", "#ff7a70"]),
    look("blocked", '◌', ["#f5eafb", "#9a54c4"], ["#2f1b3b", "#c58be8"]),
    look("pending", '○', ["#ffffff", "#7a8494"], ["#1d2026", "#8b96a7"]),
    look("abandoned", '–', ["#e8e8ec", "#80808a"], ["#2a2b30", "#8f9099"]),
];

const fn look(
    name: &'static str,
    mark: char,
    light: [&'static str; 2],
    dark: [&'static str; 2],
) -> Look {
    Look { name, mark, light, dark }
}

const COLUMNS: usize = 100;
const ID_PADDED_MAX: usize = 40;
const TITLE_MIN: usize = 24;
/// The room for ` +99`.
const MORE: usize = 4;
const DOT_COLUMNS: usize = 40;

#[cfg(test)]
mod tests {
    use sealwright_kernel::owner::Header;
    use sealwright_kernel::project::Event;
    use sealwright_kernel::{Lane, Machine as _, scripted};

    use super::*;

    fn id(name: &str) -> TaskId {
        TaskId::new(format!("T-{name}")).unwrap()
    }

    pub(super) fn task(name: &str, status: Status, depends_on: &[&str]) -> GraphTask {
        GraphTask {
            id: id(name),
            title: format!("do {name}"),
            status,
            is_blocked: false,
            depends_on: depends_on.iter().map(|it| id(it)).collect(),
            superseded_by: vec![],
        }
    }

    /// Twelve tasks of every status, one of them split.
    pub(super) fn mixed() -> TaskGraph {
        use Status::{Abandoned, Halted, InProgress, Parked, Pending, Shipped};
        let mut tasks = vec![
            task("schema", Shipped, &[]),
            task("config", Shipped, &[]),
            task("tariffs", Shipped, &["schema"]),
            task("entry", InProgress, &["schema", "config"]),
            task("import", Abandoned, &["config"]),
            task("payment", Parked, &["tariffs"]),
            task("receipts", Pending, &["payment", "tariffs"]),
            task("cameras", Halted, &["config"]),
            task("plates", Pending, &["cameras", "entry"]),
            task("report", Pending, &["receipts", "import", "schema"]),
            task("import-csv", Shipped, &[]),
            task("import-api", Pending, &["entry"]),
        ];
        tasks[4].superseded_by = vec![id("import-csv"), id("import-api")];
        tasks[8].is_blocked = true;
        tasks[5].title =
            "Charge a card & print <receipt>, even when the network is down".to_owned();
        TaskGraph { tasks }
    }

    pub(super) fn hostile() -> TaskGraph {
        let mut graph = TaskGraph { tasks: vec![task("a", Status::Pending, &["a", "gone"])] };
        graph.tasks[0].title =
            "\"];}\n<script>alert(1)</script>\\ &#60;\u{1b}[2J\u{ffff}".to_owned();
        graph
    }

    #[test]
    fn a_project_gives_its_tasks_in_order_with_what_blocks_them() {
        let mut project = Project::default();
        let mut tell = |event| project.evolve(&event);
        for (name, order, on) in
            [("z", 0, vec![]), ("m", 1, vec![id("z")]), ("a", 2, vec![id("m")])]
        {
            let charter = scripted::charter(id(name).as_str(), Lane::Quick, Header::default());
            tell(Event::Admitted { charter, order, by: "ada".to_owned(), depends_on: on });
        }
        tell(Event::Heard { task: id("z"), news: 1, status: Status::Halted, phase: None });
        let mut blocked = [
            task("z", Status::Halted, &[]),
            task("m", Status::Pending, &["z"]),
            task("a", Status::Pending, &["m"]),
        ];
        blocked[1].is_blocked = true;
        blocked[2].is_blocked = true;
        let title = |it: &TaskId| format!("do {}", &it.as_str()[2..]);
        assert_eq!(TaskGraph::of(&project, title).tasks, blocked);
    }

    #[test]
    fn the_text_marks_each_status_and_names_what_is_waited_for() {
        insta::assert_snapshot!(mixed().text(), @"
        ✓ T-schema      do schema
        ✓ T-config      do config
        ✓ T-tariffs     do tariffs
        ● T-entry       do entry
        – T-import      do import  split into T-import-csv, T-import-api
        ‖ T-payment     Charge a card & print <receipt>, even when the network is down
        ○ T-receipts    do receipts  after T-payment
        ✗ T-cameras     do cameras
        ◌ T-plates      do plates  after T-cameras, T-entry
        ○ T-report      do report  after T-receipts, T-import-api
        ✓ T-import-csv  do import-csv
        ○ T-import-api  do import-api  after T-entry
        12 tasks: 4 shipped, 1 in progress, 1 parked, 1 halted, 1 blocked, 3 pending, 1 abandoned
        ");
    }

    #[test]
    fn a_line_has_a_hundred_columns_and_one_dependency_at_least() {
        let names: Vec<String> = (0..9).map(|nth| format!("{nth}-{}", "x".repeat(20))).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut graph = TaskGraph { tasks: vec![task("last", Status::Pending, &names)] };
        graph.tasks[0].title = "語".repeat(90);
        let text = graph.text();
        let (row, on) = (text.lines().next().unwrap(), "x".repeat(20));
        assert!(row.ends_with(&format!("語…  after T-0-{on}, T-1-{on} +7")), "{row}");
        let used: usize = row.chars().map(columns).sum();
        assert!((90..=COLUMNS).contains(&used), "{used}: {row}");
        assert_eq!(
            (cut("語語語", 6, columns), cut("語語語", 5, columns)),
            ("語語語".into(), "語語…".into())
        );
        let long = "y".repeat(120);
        graph.tasks[0] = task(&long, Status::Pending, &[&long, "b", "c"]);
        let text = graph.text();
        assert!(text.contains(&format!("  after T-{long} +2\n")), "{text}");
    }

    #[test]
    fn graphviz_reads_titles_as_text() {
        let dot = hostile().dot();
        assert!(
            dot.contains(r#"  "T-a" [label="○ T-a\n\"];} <script>alert(1)</script>\\ &amp;#60;"#),
            "{dot}"
        );
        assert_eq!(dot.lines().count(), 7, "{dot}");
        let dot = mixed().dot();
        assert!(dot.contains("  \"T-schema\" -> \"T-tariffs\";\n"), "{dot}");
        assert!(dot.contains("  \"T-import\" -> \"T-import-csv\" [style=dashed];\n"), "{dot}");
        assert!(
            dot.contains(
                "\"T-cameras\" [label=\"✗ T-cameras\\ndo cameras\", fillcolor=\"#fde2e1\"]"
            )
        );
    }
}
