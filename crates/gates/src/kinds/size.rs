//! Gate `size`: a brake. A change that grew past what was agreed does not fail: a person is asked about it.

use crate::kinds::changes::{changed, content, lines, read};
use crate::kinds::manifests::{is_manifest, requests};
use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Demand, Key, Kind, Setting};
use crate::toolchain::{Requests, is_lock};
use crate::{File, Finding, Listed, Seen, Step, Wanted};

pub(crate) const KIND: Kind = Kind {
    key: "size",
    proves: "a person is asked when the change touches many files, a file grew long, or a package came unannounced",
    needs: "nothing",
    takes: &[(Key::FilesMax, Demand::Optional), (Key::LinesMax, Demand::Optional)],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => Step::Read(Wanted::Listing),
        [Seen::Listing(listing)] => read(looked_at(listing)),
        [Seen::Listing(listing), Seen::Files(files)] => judge(setting, listing, files),
        _ => no_answer(seen),
    }
}

fn judge(setting: &Setting, listing: &[Listed], files: &[File]) -> Step {
    let mut scales = Scales::default();
    let files_max = setting.files_max.unwrap_or(Setting::FILES_MAX) as usize;
    let lines_max = setting.lines_max.unwrap_or(Setting::LINES_MAX) as usize;
    let touched =
        listing.iter().filter(|listed| listed.is_changed() && !is_lock(&listed.path)).count();
    if touched > files_max {
        let what = format!("{touched} files are touched; the limit is {files_max}");
        brake(&mut scales, "files", "the change", what);
    }
    for path in looked_at(listing) {
        let Some(file) = content(&mut scales, files, path) else { continue };
        let count = |content: &Option<Vec<u8>>| {
            content.as_deref().and_then(lines).map_or(0, |lines| lines.len())
        };
        let (now, before) = (count(&file.now), count(&file.before));
        if now > lines_max && now > before {
            let what = format!("{path} has {now} lines; the limit is {lines_max}");
            brake(&mut scales, "lines", path, what);
        }
        if is_manifest(path) {
            weigh_requests(setting, &mut scales, file);
        }
    }
    scales.say()
}

fn weigh_requests(setting: &Setting, scales: &mut Scales, file: &File) {
    let read = |content: &Option<Vec<u8>>| match content {
        Some(content) => requests(&file.path, content),
        None => Ok(Requests::new()),
    };
    let (now, before) = match (read(&file.now), read(&file.before)) {
        (Ok(now), Ok(before)) => (now, before),
        (Err(why), _) | (_, Err(why)) => return scales.unclear(why),
    };
    for ((table, name), how) in &now {
        let key = (table.clone(), name.clone());
        let what = match before.get(&key) {
            Some(was) if was == how => continue,
            Some(_) => "is requested differently",
            None => "is new",
        };
        if !setting.declared.dependencies.contains(name) {
            let what = format!("`{name}` in {} {what}, which was not declared", file.path);
            brake(scales, "dependencies", &file.path, what);
        }
    }
}

/// A brake is no matter of repair: a person decides, whatever the verdict is.
fn brake(scales: &mut Scales, rule: &str, place: &str, what: String) {
    scales.finding(Finding::architecture(rule, place, what));
}

fn looked_at(listing: &[Listed]) -> impl Iterator<Item = &str> {
    changed(listing).map(|listed| listed.path.as_str()).filter(|path| !is_lock(path))
}

#[cfg(test)]
mod tests;
