//! Gate `clean-tree`: the change left nothing behind that does not belong to it.

use crate::kinds::changes::{changed, content, lines, read};
use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Kind, Setting};
use crate::toolchain::ecosystems;
use crate::{File, Listed, Seen, Step, Wanted};

pub(crate) const KIND: Kind = Kind {
    key: "clean-tree",
    proves: "no leftovers of tools, no merge conflict markers, no file outside what was declared",
    needs: "nothing",
    takes: &[],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => Step::Read(Wanted::Listing),
        [Seen::Listing(listing)] => read(changed(listing).map(|listed| listed.path.as_str())),
        [Seen::Listing(listing), Seen::Files(files)] => judge(setting, listing, files),
        _ => no_answer(seen),
    }
}

fn judge(setting: &Setting, listing: &[Listed], files: &[File]) -> Step {
    let mut scales = Scales::default();
    for listed in changed(listing) {
        let path = listed.path.as_str();
        let is_new = listed.before.is_none();
        if is_new && is_leftover(path) {
            scales.against(format!("`{path}` is a leftover"));
        } else if is_new && !setting.declared.paths.hold(path) {
            scales.against(format!("`{path}` is new and was not declared"));
        }
        if let Some(file) = content(&mut scales, files, path)
            && let Some(line) = merge_mark(file)
        {
            scales.against(format!("{path}:{line} is a merge conflict marker"));
        }
    }
    scales.say()
}

/// The line on which a conflict begins that was not there before. One line alone may be the text of a heading.
fn merge_mark(file: &File) -> Option<usize> {
    let conflict = |content: &[u8]| {
        let lines = lines(content)?;
        let begins = lines.iter().position(|line| is_mark(line, '<'))?;
        lines[begins..].iter().any(|line| is_mark(line, '>')).then_some(begins + 1)
    };
    let now = conflict(file.now.as_deref()?)?;
    let before = file.before.as_deref().and_then(conflict);
    before.is_none().then_some(now)
}

fn is_mark(line: &str, mark: char) -> bool {
    let rest = line.trim_start_matches(mark);
    line.len() - rest.len() == 7 && (rest.is_empty() || rest.starts_with(' '))
}

fn is_leftover(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_in = |folder: &&str| path.split('/').rev().skip(1).any(|part| part == *folder);
    FILES.contains(&name)
        || ENDINGS.iter().any(|end| name.ends_with(end))
        || ecosystems().any(|it| {
            it.leftover_endings.iter().any(|end| name.ends_with(end))
                || it.leftover_folders.iter().any(is_in)
        })
}

const FILES: [&str; 4] = [".DS_Store", "Thumbs.db", "nohup.out", "core"];
const ENDINGS: [&str; 8] = [".orig", ".rej", ".bak", "~", ".swp", ".swo", ".tmp", ".class"];

#[cfg(test)]
mod tests;
