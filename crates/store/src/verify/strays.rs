//! Blobs that no record lists: every one in the store must match its digest.
//!
//! Events name frozen files and artifacts of evidence by digest. Hashing all blobs covers them, so a later check only
//! has to see that a blob exists.

use std::collections::BTreeSet;
use std::path::Path;

use sealwright_kernel::Digest;

use super::{Finding, digest_of};
use crate::disk::Disk;
use crate::files::Home;

/// Hashes every blob whose digest is not among `seen`; how many are sound, and what is wrong with the others.
pub(super) fn check<D: Disk>(home: &Home<D>, seen: &BTreeSet<Digest>) -> (u64, Vec<Finding>) {
    let mut sound = 0;
    let mut findings = Vec::new();
    for room in ROOMS {
        let place = home.layout.blobs().join(room);
        for first in listed(home, &place, room, &mut findings) {
            let (folder, shown) = (place.join(&first), format!("{room}/{first}"));
            for rest in listed(home, &folder, &shown, &mut findings) {
                // An unfinished upload has another name and is ignored.
                let Ok(sha256) = format!("{first}{rest}").parse::<Digest>() else { continue };
                if seen.contains(&sha256) {
                    continue;
                }
                match digest_of(home, &folder.join(&rest)) {
                    Ok(found) if found == sha256 => sound += 1,
                    Ok(_) => findings.push(Finding::Stray { sha256, problem: "has been changed" }),
                    Err(_) => findings.push(Finding::Stray { sha256, problem: "cannot be read" }),
                }
            }
        }
    }
    (sound, findings)
}

/// The names in a folder. One that is no folder, such as a link to somewhere else, hides what is in it.
fn listed<D: Disk>(
    home: &Home<D>,
    folder: &Path,
    shown: &str,
    findings: &mut Vec<Finding>,
) -> Vec<String> {
    home.disk.names(folder).unwrap_or_else(|_| {
        findings.push(Finding::Unlisted { folder: shown.to_owned() });
        vec![]
    })
}

const ROOMS: [&str; 2] = ["sha256", "large/sha256"];
