//! Mutants of Rust, listed by cargo-mutants.

use serde::Deserialize;

use crate::mutants::{Aim, Edit, Listing, Mutant, Sample};
use crate::toolchain::language::{Mutator, Unread};

pub(super) const MUTATOR: Mutator = Mutator { argv, read };

fn argv(aim: &Aim, _sample: &Sample) -> Vec<String> {
    // It is started by its own name: cargo would ask its configuration what `mutants` is.
    let words = ["cargo-mutants", "mutants", "--no-config", "--colors=never", "--list", "--json"];
    let mut argv: Vec<String> = words.map(str::to_owned).into();
    for path in aim.files.keys() {
        argv.extend(["--file".to_owned(), path.clone()]);
    }
    argv
}

fn read(stdout: &[u8], aim: &Aim) -> Result<Listing, Unread> {
    let unread = |why: String| Unread { path: "the list of mutants".to_owned(), why };
    let all: Vec<ListedMutant> =
        serde_json::from_slice(stdout).map_err(|error| unread(error.to_string()))?;
    let mut listing = Listing::default();
    for told in all {
        let Span { start, end } = told.span;
        if !aim.touches(&told.file, start.line, end.line) {
            continue;
        }
        let target = aim.files.get(&told.file).ok_or_else(|| unread("another file".to_owned()))?;
        let place = |place: &LineColumn| offset(&target.text, place);
        let (Some(start_at), Some(end_at)) = (place(&start), place(&end)) else {
            return Err(unread(format!("{}: outside of the file", told.name)));
        };
        listing.count += 1;
        listing.mutants.push(Mutant {
            path: told.file,
            line: start.line,
            function: told.function.map(|function| function.function_name).unwrap_or_default(),
            what: told.name.splitn(4, ':').last().unwrap_or_default().trim().to_owned(),
            edit: Edit { start: start_at, end: end_at, with: told.replacement },
        });
    }
    Ok(listing)
}

/// The byte at a line and a letter, both counted from one.
fn offset(text: &str, place: &LineColumn) -> Option<usize> {
    let line = usize::try_from(place.line).ok()?.checked_sub(1)?;
    let letter = usize::try_from(place.column).ok()?.checked_sub(1)?;
    let start = match line {
        0 => 0,
        line => text.match_indices('\n').nth(line - 1)?.0 + 1,
    };
    let rest = text.get(start..)?;
    let end = rest.char_indices().map(|(at, _)| at).chain([rest.len()]).nth(letter)?;
    Some(start + end)
}

#[derive(Deserialize)]
struct ListedMutant {
    file: String,
    name: String,
    replacement: String,
    span: Span,
    function: Option<Function>,
}

#[derive(Deserialize)]
struct Function {
    function_name: String,
}

#[derive(Deserialize)]
struct Span {
    start: LineColumn,
    end: LineColumn,
}

#[derive(Deserialize)]
struct LineColumn {
    line: u32,
    column: u32,
}

#[cfg(test)]
mod tests;
