//! Mutants of Python, listed with the operators of Cosmic Ray.
//!
//! Of the two tools that are kept up, mutmut rewrites whole modules around a switch and cannot be held to lines;
//! Cosmic Ray says of each mutant where it is, and applies it to a text.

use serde::Deserialize;
use serde_json::json;

use crate::mutants::{Aim, Listing, Mutant, Sample};
use crate::toolchain::language::{Mutator, Unread};

pub(super) const MUTATOR: Mutator = Mutator { argv, read };

fn argv(aim: &Aim, sample: &Sample) -> Vec<String> {
    let lines: serde_json::Map<_, _> =
        aim.files.iter().map(|(path, target)| (path.clone(), json!(target.lines))).collect();
    let seed = sample.seed.to_string();
    let asked = json!({ "lines": lines, "seed": seed, "most": sample.most });
    ["python3", "-P", "-s", "-S", "-B", "-c", SCRIPT, &asked.to_string()].map(str::to_owned).into()
}

fn read(stdout: &[u8], aim: &Aim) -> Result<Listing, Unread> {
    let unread = |why: String| Unread { path: "the list of mutants".to_owned(), why };
    let told: ListedMutant =
        serde_json::from_slice(stdout).map_err(|error| unread(error.to_string()))?;
    for mutant in &told.mutants {
        let text = aim.files.get(&mutant.path).map(|target| target.text.as_str());
        if text.and_then(|text| mutant.apply(text)).is_none() {
            return Err(unread(format!("{}: it does not fit", mutant.line())));
        }
    }
    // Whether a module is the program is settled before any test runs; no test can notice it.
    let is_entry = |mutant: &Mutant| {
        let text = aim.files.get(&mutant.path).map_or("", |target| target.text.as_str());
        let line = text.lines().nth(mutant.line.saturating_sub(1) as usize);
        line.is_some_and(|line| line.trim_start().starts_with("if __name__"))
    };
    let (entries, mutants): (Vec<Mutant>, Vec<Mutant>) =
        told.mutants.into_iter().partition(is_entry);
    Ok(Listing { count: told.count.saturating_sub(entries.len()), mutants })
}

#[derive(Deserialize)]
struct ListedMutant {
    count: usize,
    mutants: Vec<Mutant>,
}

const SCRIPT: &str = include_str!("mutants.py");

#[cfg(test)]
mod tests;
