//! What a Python test file reaches: what it imports, and whatever its texts name.
//!
//! Read line by line: a text or a comment that looks like an import is taken for one. That guards too much at
//! worst.

use std::collections::BTreeSet;

use crate::toolchain::language::{Module, Reach};
use crate::toolchain::paths::{TEXT_MAX, folder_of, resolve};

pub(super) fn of(path: &str, text: &str) -> Reach {
    let mut reach = Reach::default();
    let mut dotted = BTreeSet::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let line = line.trim();
        if let Some(names) = line.strip_prefix("import ") {
            dotted.extend(names.split(',').filter_map(first_word));
        } else if let Some((from, names)) =
            line.strip_prefix("from ").and_then(|rest| rest.split_once(" import"))
        {
            let mut names = names.to_owned();
            while names.contains('(') && !names.contains(')') || names.ends_with('\\') {
                let Some(more) = lines.next() else { break };
                names.push(' ');
                names.push_str(more.split('#').next().unwrap_or_default());
            }
            let from = from.trim();
            dotted.insert(from.to_owned());
            let names = names.replace(['(', ')', '\\'], " ");
            let names = names.split(',').filter_map(first_word);
            let dot = if from.ends_with('.') { "" } else { "." };
            dotted.extend(names.map(|name| format!("{from}{dot}{name}")));
        }
        texts(line, &mut reach.texts);
    }
    // Plugins and late imports are named by texts.
    let named = reach.texts.iter().filter(|text| is_dotted(text)).cloned();
    dotted.extend(named.collect::<Vec<_>>());
    reach.modules = dotted.iter().filter_map(|name| module(path, name)).collect();
    reach
}

fn module(path: &str, dotted: &str) -> Option<Module> {
    let dots = dotted.len() - dotted.trim_start_matches('.').len();
    let name = &dotted[dots..];
    if !name.is_empty() && !is_dotted(name) {
        return None;
    }
    let folder = folder_of(path);
    let mut paths = Vec::new();
    if dots > 0 {
        let mut base = folder;
        for _ in 1..dots {
            base = folder_of(base);
        }
        paths.extend(with_parents(base, name));
    } else {
        // The folders pytest and people put on the path: the project, its sources, and those above the test.
        let mut roots = vec!["", "src"];
        let mut above = folder;
        while !above.is_empty() {
            roots.push(above);
            above = folder_of(above);
        }
        paths.extend(roots.into_iter().flat_map(|root| with_parents(root, name)));
    }
    let root = name.split('.').next().unwrap_or_default().to_owned();
    Some(Module { root, paths })
}

/// A module and the packages it is in: each of them is run when it is imported.
fn with_parents(root: &str, name: &str) -> Vec<String> {
    let mut paths = Vec::new();
    let mut so_far = String::new();
    for part in name.split('.').filter(|part| !part.is_empty()) {
        if !so_far.is_empty() {
            so_far.push('.');
        }
        so_far.push_str(part);
        paths.extend(places(root, &so_far));
    }
    paths
}

/// The paths of a module or package below one folder in which imports look.
fn places(root: &str, dotted: &str) -> impl Iterator<Item = String> {
    let path = dotted.replace('.', "/");
    [format!("{path}.py"), format!("{path}/__init__.py")]
        .into_iter()
        .filter_map(move |relative| resolve(root, &relative))
}

/// What stands between quotes of one line.
fn texts(line: &str, found: &mut Vec<String>) {
    for quote in ['"', '\''] {
        let pieces = line.split(quote).skip(1).step_by(2);
        let pieces = pieces.filter(|piece| !piece.is_empty() && piece.len() <= TEXT_MAX);
        found.extend(pieces.map(str::to_owned));
    }
}

fn first_word(text: &str) -> Option<String> {
    text.split_whitespace().next().map(str::to_owned)
}

fn is_dotted(text: &str) -> bool {
    !text.is_empty()
        && text.split('.').all(|part| {
            part.starts_with(|first: char| first.is_alphabetic() || first == '_')
                && part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
        })
}
