//! Gate `lockfile`: who asks for packages has locked them, and the lock is as it was unless the change said otherwise.

use std::collections::BTreeSet;

use crate::kinds::changes::{content, read};
use crate::kinds::manifests::{is_manifest, requests};
use crate::kinds::scales::{Scales, no_answer};
use crate::kinds::{Kind, Setting};
use crate::toolchain::{folder_of, is_lock, manifest, resolve};
use crate::{File, Listed, Seen, Step, Wanted};

pub(crate) const KIND: Kind = Kind {
    key: "lockfile",
    proves: "packages are locked, and the lock is unchanged unless that was declared",
    needs: "nothing",
    takes: &[],
    next,
};

fn next(setting: &Setting, seen: &[Seen]) -> Step {
    match seen {
        [] => Step::Read(Wanted::Listing),
        [Seen::Listing(listing)] => read(manifests(listing)),
        [Seen::Listing(listing), Seen::Files(files)] => judge(setting, listing, files),
        _ => no_answer(seen),
    }
}

fn judge(setting: &Setting, listing: &[Listed], files: &[File]) -> Step {
    let mut scales = Scales::default();
    let there: BTreeSet<&str> =
        listing.iter().filter(|it| it.now.is_some()).map(|it| it.path.as_str()).collect();
    for path in manifests(listing) {
        let Some(file) = content(&mut scales, files, path) else { continue };
        match requests(path, file.now.as_deref().unwrap_or_default()) {
            Ok(asked) if asked.is_empty() => {}
            Ok(_) => locked(&mut scales, path, &there),
            Err(why) => scales.unclear(why),
        }
    }
    for listed in listing.iter().filter(|listed| is_lock(&listed.path)) {
        let is_declared = setting.declared.changes.contains(&listed.path);
        let what = match (listed.before, listed.now) {
            (Some(_), None) => "was deleted",
            (None, Some(_)) => "is new",
            (Some(_) | None, _) => "was changed",
        };
        if listed.is_changed() && !is_declared {
            scales.against(format!("`{}` {what}, which was not declared", listed.path));
        }
        if listed.now.is_some_and(|now| now.bytes == 0) {
            scales.against(format!("`{}` is empty", listed.path));
        }
    }
    scales.say()
}

/// A lock stands beside its manifest, or above it where several share one.
fn locked(scales: &mut Scales, path: &str, there: &BTreeSet<&str>) {
    let wanted = self::manifest(path).map_or(&[][..], |manifest| manifest.locks);
    if wanted.is_empty() {
        return;
    }
    let mut folder = folder_of(path);
    loop {
        let is_there =
            |lock: &&str| resolve(folder, lock).is_some_and(|it| there.contains(it.as_str()));
        if wanted.iter().any(is_there) {
            return;
        }
        if folder.is_empty() {
            break;
        }
        folder = folder_of(folder);
    }
    scales.against(format!("`{path}` asks for packages, and there is no {}", wanted.join(" or ")));
}

fn manifests(listing: &[Listed]) -> impl Iterator<Item = &str> {
    let there = listing.iter().filter(|listed| listed.now.is_some());
    there.map(|listed| listed.path.as_str()).filter(|path| is_manifest(path))
}

#[cfg(test)]
mod tests;
