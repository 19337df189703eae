//! The drawing of a task graph in layers: a task stands below all tasks that it depends on.
//!
//! A drawing has three columns at most, so that it is readable on a phone; a longer layer continues in the next row. An
//! edge that passes a row runs between the columns.

use std::collections::{BTreeMap, VecDeque};
use std::fmt::Write as _;

use minijinja::HtmlEscape;
use sealwright_kernel::TaskId;
use sealwright_kernel::task::Status;

use super::{GraphTask, LOOKS, TaskGraph, cut, fitting, is_wide};
use crate::markdown::one_line;
use crate::wording::counted;

pub(super) fn draw(graph: &TaskGraph) -> String {
    let tasks = &graph.tasks[..graph.tasks.len().min(TASKS_MAX)];
    let edges = edges(tasks);
    let layout = Layout::of(tasks.len(), &edges);
    let width = (layout.columns * (BOX_WIDTH + GUTTER) + GUTTER).max(WIDTH_MIN);
    let left = (width - layout.columns * (BOX_WIDTH + GUTTER) + GUTTER) / 2;
    let (legend, top) = legend(graph, width);
    let mut body = String::new();
    for (nth, edge) in edges.iter().enumerate() {
        let kind = match (edge.is_split, tasks[edge.from].status) {
            (true, _) => "split",
            (false, Status::Shipped) => "met",
            (false, _) => "unmet",
        };
        let path = layout.path(edge, nth, (left, top));
        let _ = writeln!(body, "<path class=\"edge {kind}\" d=\"{path}\"/>");
    }
    for (task, cell) in tasks.iter().zip(&layout.cells) {
        draw_box(&mut body, task, (left + cell.x(), top + cell.y));
    }
    let mut height = top + layout.height + MARGIN;
    let left_out = graph.tasks.len() - tasks.len();
    if left_out > 0 {
        let note = format!("not drawn: {}", counted(left_out, "task"));
        let _ = writeln!(body, "<text x=\"{GUTTER}\" y=\"{}\">{note}</text>", height + 8);
        height += 24;
    }
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"task-graph\" role=\"img\" \
         viewBox=\"0 0 {width} {height}\" width=\"100%\" style=\"max-width:{}px\">\n\
         <title>Task graph of {}</title>\n<style>{}</style>\n\
         <defs><marker id=\"task-graph-arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto\"><path class=\"arrow\" d=\"M0 .5 8 4 0 7.5z\"/></marker></defs>\n\
         <rect class=\"ground\" width=\"{width}\" height=\"{height}\" rx=\"10\"/>\n{legend}{body}</svg>\n",
        width * 5 / 4,
        graph.summary(),
        style(),
    )
}

struct Edge {
    from: usize,
    to: usize,
    /// The task was split into the other.
    is_split: bool,
}

/// The edges between tasks that are drawn.
fn edges(tasks: &[GraphTask]) -> Vec<Edge> {
    let at: BTreeMap<&TaskId, usize> =
        tasks.iter().enumerate().map(|(nth, task)| (&task.id, nth)).collect();
    let mut edges = Vec::new();
    for (nth, task) in tasks.iter().enumerate() {
        let on = task.depends_on.iter().filter_map(|id| at.get(id));
        edges.extend(on.map(|from| Edge { from: *from, to: nth, is_split: false }));
        let parts = task.superseded_by.iter().filter_map(|id| at.get(id));
        edges.extend(parts.map(|to| Edge { from: nth, to: *to, is_split: true }));
    }
    edges
}

/// The layer of each task: the length of the longest path to it. A cycle ends the path.
fn layers(count: usize, edges: &[Edge]) -> Vec<usize> {
    let (mut layers, mut unmet) = (vec![0; count], vec![0_usize; count]);
    let mut behind: Vec<Vec<usize>> = vec![vec![]; count];
    for edge in edges {
        behind[edge.from].push(edge.to);
        unmet[edge.to] += 1;
    }
    let mut open: VecDeque<usize> = (0..count).filter(|nth| unmet[*nth] == 0).collect();
    while let Some(from) = open.pop_front() {
        for &to in &behind[from] {
            // The queue is in the order of layers, so the last path is the longest.
            layers[to] = layers[from] + 1;
            unmet[to] -= 1;
            if unmet[to] == 0 {
                open.push_back(to);
            }
        }
    }
    layers
}

/// The place of a box.
#[derive(Clone, Copy, Default)]
struct Cell {
    row: usize,
    column: usize,
    y: usize,
    /// The next box in the column.
    below: Option<usize>,
}

impl Cell {
    fn x(self) -> usize {
        self.column * (BOX_WIDTH + GUTTER)
    }
}

struct Layout {
    cells: Vec<Cell>,
    columns: usize,
    height: usize,
}

impl Layout {
    fn of(count: usize, edges: &[Edge]) -> Self {
        let layers = layers(count, edges);
        let mut members: Vec<Vec<usize>> = vec![vec![]; layers.iter().max().map_or(0, |it| it + 1)];
        layers.iter().enumerate().for_each(|(nth, layer)| members[*layer].push(nth));
        let mut above: Vec<Vec<usize>> = vec![vec![]; count];
        edges.iter().for_each(|edge| above[edge.to].push(edge.from));
        let columns = members.iter().map(Vec::len).max().unwrap_or(1).min(COLUMNS_MAX);
        let mut layout = Self { cells: vec![Cell::default(); count], columns, height: 0 };
        let (mut row, mut y, mut last) = (0, 0, vec![None; columns]);
        for mut layer in members {
            // A box stands below the middle of its dependencies if that column is free.
            layer.sort_by_cached_key(|nth| layout.wanted(&above[*nth]));
            for (chunk_nth, chunk) in layer.chunks(columns).enumerate() {
                y += if row == 0 { 0 } else { BOX_HEIGHT };
                y += if chunk_nth > 0 {
                    ROW_GAP
                } else if row > 0 {
                    LAYER_GAP
                } else {
                    0
                };
                let mut least = 0;
                for (nth, task) in chunk.iter().enumerate() {
                    let wanted = (layout.wanted(&above[*task]) + 50) / 100;
                    let column = wanted.clamp(least, columns - (chunk.len() - nth));
                    layout.cells[*task] = Cell { row, column, y, below: None };
                    if let Some(above) = last[column].replace(*task) {
                        let above: &mut Cell = &mut layout.cells[above];
                        above.below = Some(*task);
                    }
                    least = column + 1;
                }
                row += 1;
            }
        }
        layout.height = y + BOX_HEIGHT;
        layout
    }

    /// The mean column of the boxes in hundredths; the middle column if there are none.
    fn wanted(&self, above: &[usize]) -> usize {
        let sum: usize = above.iter().map(|it| self.cells[*it].column * 100).sum();
        sum.checked_div(above.len()).unwrap_or((self.columns - 1) * 50)
    }

    fn path(&self, edge: &Edge, nth: usize, (left, top): (usize, usize)) -> String {
        let (from, to) = (self.cells[edge.from], self.cells[edge.to]);
        let [x1, x2] = [from, to].map(|it| left + it.x() + BOX_WIDTH / 2);
        let (y1, y2) = (top + from.y + BOX_HEIGHT, top + to.y);
        if to.row == from.row + 1 || from.below == Some(edge.to) {
            let middle = usize::midpoint(y1, y2);
            return format!("M{x1} {y1}C{x1} {middle} {x2} {middle} {x2} {y2}");
        }
        let gutter = match from.column.cmp(&to.column) {
            std::cmp::Ordering::Less => from.column + 1,
            std::cmp::Ordering::Greater => from.column,
            std::cmp::Ordering::Equal if from.column == 0 => 0,
            std::cmp::Ordering::Equal => from.column + 1,
        };
        // Edges in one gutter are drawn side by side.
        let x = left + gutter * (BOX_WIDTH + GUTTER) - GUTTER / 2 + nth % 5 * 3 - 6;
        let (down, up) = (y1 + ROW_GAP, y2.saturating_sub(ROW_GAP));
        format!("M{x1} {y1}C{x1} {down} {x} {y1} {x} {down}V{up}C{x} {y2} {x2} {up} {x2} {y2}")
    }
}

fn draw_box(out: &mut String, task: &GraphTask, (x, y): (usize, usize)) {
    let look = task.look();
    let (name, class, mark) = (look.name, look.class(), look.mark);
    let title = one_line(&task.title);
    let [first, second] = two_lines(&title).map(|it| escaped(&it));
    let hint = escaped(&format!("{}: {} ({name})", task.id, cut(&title, HINT_CHARS, |_| 1)));
    let id = task.id.as_str();
    let skipped = id.len().saturating_sub(ID_CHARS);
    // Ids of siblings differ at the end. Ids are ASCII.
    let id = if skipped == 0 { id.to_owned() } else { format!("…{}", &id[skipped + 1..]) };
    let (width, height) = (BOX_WIDTH - 2, BOX_HEIGHT - 2);
    // The nested `svg` clips text that is wider than estimated.
    let _ = writeln!(
        out,
        "<svg class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{BOX_WIDTH}\" height=\"{BOX_HEIGHT}\">\
         <title>{hint}</title><rect x=\"1\" y=\"1\" width=\"{width}\" height=\"{height}\" rx=\"9\"/>\
         <text class=\"mark\" x=\"10\" y=\"21\">{mark}</text><text x=\"27\" y=\"21\">{first}</text>\
         <text x=\"10\" y=\"38\">{second}</text><text class=\"id\" x=\"10\" y=\"55\">{id}</text></svg>"
    );
}

/// The marks with the number of tasks that have them, and the height of all rows.
fn legend(graph: &TaskGraph, width: usize) -> (String, usize) {
    let looks = graph.counts().map(|(look, count)| {
        let mark = format!("<tspan class=\"mark\">{}</tspan>", look.mark);
        (look.class(), format!("{mark} {} {count}", look.name))
    });
    let is_split = graph.tasks.iter().any(|it| !it.superseded_by.is_empty());
    let split = is_split.then(|| (String::new(), "┄ split into".to_owned()));
    let items: Vec<_> = looks.chain(split).collect();
    let per_row = (width - 2 * GUTTER) / LEGEND_WIDTH;
    let mut out = String::new();
    for (nth, (class, text)) in items.iter().enumerate() {
        let (x, y) = (GUTTER + nth % per_row * LEGEND_WIDTH, 28 + nth / per_row * 22);
        let _ = writeln!(out, "<text class=\"{class}\" x=\"{x}\" y=\"{y}\">{text}</text>");
    }
    if items.is_empty() {
        let _ = writeln!(out, "<text x=\"{GUTTER}\" y=\"28\">no tasks</text>");
    }
    (out, 22 + items.len().div_ceil(per_row) * 22)
}

/// The title on two lines, the second of which is cut.
fn two_lines(title: &str) -> [String; 2] {
    let end = fitting(title, TITLE_WIDTHS[0], pixels);
    let is_word_end = title[end..].is_empty() || title[end..].starts_with(' ');
    let words = title[..end].rfind(' ').filter(|_| !is_word_end);
    let (first, rest) = title.split_at(words.unwrap_or(end));
    [first.to_owned(), cut(rest.trim_start(), TITLE_WIDTHS[1], pixels)]
}

/// The estimated width of a character in a box.
fn pixels(c: char) -> usize {
    match c {
        'f' | 'i' | 'j' | 'l' | 'r' | 't' | 'I' | ' ' | '.' | ',' | ':' | ';' | '\'' | '|'
        | '(' | ')' | '-' => 5,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '&' | '+' | '<' | '=' | '>' | '~' | '…' => 13,
        'A'..='Z' => 9,
        c if is_wide(c) => 14,
        _ => 8,
    }
}

/// The text escaped for XML, which forbids U+FFFE and U+FFFF. `one_line` has replaced the control characters.
fn escaped(text: &str) -> String {
    HtmlEscape(&text.replace(['\u{fffe}', '\u{ffff}'], "\u{fffd}")).to_string()
}

fn style() -> String {
    let mut light = String::new();
    let mut dark = String::new();
    for look in &LOOKS {
        let class = look.class();
        let ([fill, line], [dark_fill, dark_line]) = (look.light, look.dark);
        let _ = write!(light, ".task-graph .{class}{{--fill:{fill};--line:{line}}}");
        let _ = write!(dark, ".task-graph .{class}{{--fill:{dark_fill};--line:{dark_line}}}");
    }
    format!("{RULES}{light}@media (prefers-color-scheme:dark){{{DARK}{dark}}}")
}

const RULES: &str = "\
.task-graph{--ground:#fafbfc;--ink:#1a1d23;--soft:#5b6472;--edge:#7a8494;display:block;height:auto;\
margin:0 auto;font:14px system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif}\
.task-graph .ground{fill:var(--ground)}\
.task-graph svg>rect{fill:var(--fill);stroke:var(--line);stroke-width:1.5}\
.task-graph .blocked>rect{stroke-dasharray:4 3}\
.task-graph text{fill:var(--ink)}\
.task-graph .mark{fill:var(--line);font-weight:700}\
.task-graph .id{fill:var(--soft);font:11px ui-monospace,Menlo,Consolas,monospace}\
.task-graph .edge{fill:none;stroke:var(--edge);stroke-width:1.5;marker-end:url(#task-graph-arrow)}\
.task-graph .met{opacity:.5}\
.task-graph .split{stroke-dasharray:5 4}\
.task-graph .arrow{fill:var(--edge)}";
const DARK: &str = ".task-graph{--ground:#15171c;--ink:#e8eaee;--soft:#a3acba;--edge:#8b96a7}";

/// The most tasks that are drawn.
const TASKS_MAX: usize = 400;
const COLUMNS_MAX: usize = 3;
const BOX_WIDTH: usize = 152;
const BOX_HEIGHT: usize = 66;
/// The room for the first line of a title, beside the mark, and for the second.
const TITLE_WIDTHS: [usize; 2] = [BOX_WIDTH - 38, BOX_WIDTH - 20];
const GUTTER: usize = 22;
const ROW_GAP: usize = 24;
const LAYER_GAP: usize = 44;
const MARGIN: usize = 20;
const WIDTH_MIN: usize = 380;
const LEGEND_WIDTH: usize = 128;
const ID_CHARS: usize = 19;
const HINT_CHARS: usize = 200;

#[cfg(test)]
mod tests {
    use super::super::tests::{hostile, mixed, task};
    use super::*;

    /// The values of an attribute, in the order of the drawing.
    fn values<'d>(drawing: &'d str, before: &str) -> Vec<&'d str> {
        let parts = drawing.split(before).skip(1);
        parts.map(|it| it.split('"').next().unwrap_or_default()).collect()
    }

    #[test]
    fn every_task_stands_below_what_it_depends_on() {
        let graph = mixed();
        let edges = edges(&graph.tasks);
        let layout = Layout::of(graph.tasks.len(), &edges);
        assert_eq!(edges.len(), 16);
        for edge in &edges {
            assert!(layout.cells[edge.from].row < layout.cells[edge.to].row);
        }
        let mut places: Vec<_> = layout.cells.iter().map(|it| (it.row, it.column)).collect();
        places.sort_unstable();
        places.dedup();
        assert_eq!(places.len(), graph.tasks.len(), "two boxes at one place");
        assert!(places.iter().all(|(_, column)| *column < COLUMNS_MAX));
        let chain = [(0, 1), (1, 2), (0, 2)].map(|(from, to)| Edge { from, to, is_split: false });
        assert_eq!(layers(3, &chain), [0, 1, 2], "the longest way counts");
        let circle = [(0, 1), (1, 2), (2, 1)].map(|(from, to)| Edge { from, to, is_split: false });
        assert_eq!(layers(3, &circle), [0, 1, 0]);
    }

    #[test]
    fn a_drawing_shows_each_task_each_edge_and_the_counts() {
        let drawing = draw(&mixed());
        let kinds = values(&drawing, "<path class=\"edge ");
        let count = |kind: &str| kinds.iter().filter(|it| **it == kind).count();
        assert_eq!((count("met"), count("unmet"), count("split")), (8, 6, 2));
        let boxes = values(&drawing, "<svg class=\"");
        assert_eq!(boxes[..4], ["shipped", "shipped", "shipped", "in-progress"]);
        assert_eq!(boxes.len(), 12);
        assert!(drawing.contains("<title>Task graph of 12 tasks: 4 shipped, 1 in progress, "));
        assert!(drawing.contains("</tspan> blocked 1</text>") && drawing.contains("split into"));
        assert!(
            drawing.contains("role=\"img\" viewBox=\"0 0 ") && drawing.contains("width=\"100%\"")
        );
        assert_eq!(drawing, draw(&mixed()));
        assert!(draw(&TaskGraph::default()).contains(">no tasks</text>"));
    }

    #[test]
    fn hostile_titles_stay_text() {
        let drawing = draw(&hostile());
        assert!(!drawing.contains("<script") && drawing.contains("&lt;script&gt;"), "{drawing}");
        assert!(drawing.contains("&amp;#60;"), "{drawing}");
        assert!(!drawing.contains(['\u{1b}', '\u{ffff}']));
    }

    #[test]
    fn a_title_is_cut_to_its_box() {
        assert_eq!(two_lines("Parse a line"), ["Parse a line", ""]);
        assert_eq!(
            two_lines("Charge a card and print a receipt, even offline"),
            ["Charge a card", "and print a recei…"]
        );
        for title in ["W".repeat(300), "語".repeat(300), "a b ".repeat(90)] {
            let [first, second] = two_lines(&title).map(|it| it.chars().map(pixels).sum::<usize>());
            assert!(
                first <= TITLE_WIDTHS[0] && second <= TITLE_WIDTHS[1],
                "{title}: {first}, {second}"
            );
        }
    }

    #[test]
    fn a_large_graph_is_drawn_in_part_and_says_so() {
        let of = |count: usize| TaskGraph {
            tasks: (0..count).map(|nth| task(&format!("{nth:03}"), Status::Pending, &[])).collect(),
        };
        let (whole, cut) = (draw(&of(TASKS_MAX)), draw(&of(TASKS_MAX + 3)));
        assert!(!whole.contains("not drawn") && cut.contains(">not drawn: 3 tasks</text>"));
        assert_eq!(values(&cut, "<svg class=\"").len(), TASKS_MAX);
    }
}
