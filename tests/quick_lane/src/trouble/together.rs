//! Two users at once: two runs in one repository, and one run that both resume.

use anyhow::Result;

use super::{LIMIT, error_of, missing_words, stop_at};
use crate::kills::go_on;
use crate::program::Ran;
use crate::run::{Lane, begin};
use crate::undisturbed::{PROJECT, Undisturbed};

/// Both succeed, each on its own branch.
pub(super) fn begun_twice(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("begun-twice")?;
    let (mut first, mut second) = (
        begin(&repository, PROJECT, Lane::Quick)?.logged("first").start()?,
        begin(&repository, PROJECT, Lane::Quick)?.logged("second").start()?,
    );
    let ran = [first.wait(LIMIT)?, second.wait(LIMIT)?];
    let mut wrong = Vec::new();
    for ran in &ran {
        wrong.extend(undisturbed.compare(&repository, ran)?);
    }
    let branches = repository.branches()?;
    if branches.len() != 2 {
        wrong.push(format!("there are {} branches", branches.len()));
    }
    Ok((format!("both are kept: {}", branches.join(", ")), wrong))
}

/// One continues, the other gets an error.
pub(super) fn continued_twice(undisturbed: &mut Undisturbed<'_>) -> Result<(String, Vec<String>)> {
    let repository = undisturbed.anew("continued-twice")?;
    stop_at(undisturbed, &repository, "tests")?;
    let mut first = go_on(&repository).logged("first").start()?;
    let mut second = go_on(&repository).logged("second").start()?;
    let ran = [first.wait(LIMIT)?, second.wait(LIMIT)?];
    let (well, refused): (Vec<&Ran>, Vec<&Ran>) = ran.iter().partition(|ran| ran.code == Some(0));
    let mut wrong = Vec::new();
    match (&well[..], &refused[..]) {
        ([well], [refused]) => {
            wrong.extend(missing_words(refused, 12, &["is already running"]));
            wrong.extend(undisturbed.compare(&repository, well)?);
        }
        (well, _) => {
            wrong.push(format!("{} of them went on", well.len()));
            wrong.extend(ran.iter().map(|ran| format!("{}{}", ran.said, ran.talked)));
        }
    }
    let errors: Vec<String> = refused.iter().map(|ran| error_of(ran)).collect();
    Ok((format!("one is kept, the other: {}", errors.join("; ")), wrong))
}
