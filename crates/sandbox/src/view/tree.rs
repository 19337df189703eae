//! A layout as a tree, for people who want to stand where the role stands.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::layout::{Cap, Content, Entry, Layout, WorkMount};
use super::{BRIEF, HOME, MODULES, TMP, WORK};
use crate::plan::{Access, EGRESS_PORT, Network};
use sealwright_kernel::shown;

pub fn tree(layout: &Layout) -> String {
    let mut out = format!("{}\n", layout.title());
    let mut rooms: Vec<Node> = Vec::new();
    if let Some(work) = layout.work() {
        rooms.push(Node::leaf(format!("{WORK}  {}", about_work(work))));
    }
    rooms.extend(room(layout, MODULES));
    rooms.extend(room(layout, BRIEF));
    rooms.push(Node::leaf(format!("{HOME}  private, gone afterwards")));
    rooms.push(Node::leaf(format!("{TMP}  private, gone afterwards")));
    draw(&mut out, &rooms, "");
    let _ = writeln!(out, "reaches: {}", reach(layout.network()));
    for (reference, reason) in layout.withheld() {
        let _ = writeln!(out, "withheld: {reference}: {}", shown(reason));
    }
    out
}

struct Node {
    line: String,
    children: Vec<Self>,
}

impl Node {
    fn leaf(line: String) -> Self {
        Self { line, children: Vec::new() }
    }
}

/// The files below one folder, or nothing if there are none.
fn room(layout: &Layout, folder: &str) -> Option<Node> {
    let mut groups: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    let mut files = Vec::new();
    for entry in layout.entries() {
        let Some(rest) = entry.at().strip_prefix(folder).and_then(|rest| rest.strip_prefix('/'))
        else {
            continue;
        };
        match rest.split_once('/') {
            Some((group, _)) => groups.entry(group).or_default().push(entry),
            None => files.push(Node::leaf(about_file(rest, entry))),
        }
    }
    let in_groups = groups.into_iter().map(|(group, entries)| {
        let start = folder.len() + group.len() + 2;
        let permission = entries.first().map_or("", |entry| entry.permission().name());
        let line =
            if folder == MODULES { format!("{group}  {permission}") } else { group.to_owned() };
        let children =
            entries.iter().map(|entry| Node::leaf(about_file(&entry.at()[start..], entry)));
        Node { line, children: children.collect() }
    });
    let children: Vec<Node> = in_groups.chain(files).collect();
    (!children.is_empty()).then(|| Node { line: format!("{folder}  read-only"), children })
}

fn about_file(name: &str, entry: &Entry) -> String {
    let origin = match entry.content() {
        Content::Copied { .. } => "",
        Content::Synthesized { .. } => ", written for this run",
    };
    format!("{}  {} bytes{origin}", shown(name), entry.bytes())
}

fn about_work(work: &WorkMount) -> String {
    let access = match work.access {
        Access::ReadWrite | Access::ReadWriteNoLinks => "read-write, a private copy",
        Access::CopyOnWrite => "may be changed, and every change is thrown away",
        Access::ReadOnly => "read-only",
    };
    let cap = match &work.cap {
        Cap::WholeTree => String::new(),
        Cap::Only(caps) => {
            let caps: Vec<String> = caps.iter().map(|cap| shown(cap.as_str())).collect();
            format!(", only {}", caps.join(", "))
        }
    };
    format!("{}, {access}{cap}", work.module)
}

fn reach(network: Network) -> String {
    match network {
        Network::Off => "nothing".to_owned(),
        Network::Egress => format!("the egress proxy at 127.0.0.1:{EGRESS_PORT}, and nothing else"),
    }
}

fn draw(out: &mut String, nodes: &[Node], indent: &str) {
    for (nth, node) in nodes.iter().enumerate() {
        let is_last = nth + 1 == nodes.len();
        let (branch, below) =
            if is_last { ("└── ", "    ") } else { ("├── ", "│   ") };
        let _ = writeln!(out, "{indent}{branch}{}", node.line);
        draw(out, &node.children, &format!("{indent}{below}"));
    }
}
