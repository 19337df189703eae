//! `evaluate --last 10`: no change of people who knew what they did is stopped without an explanation.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::Result;
use sealwright_frauds::queue;
use serde_json::Value;

use super::known::reasons;
use super::repositories::{self, Ready};
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let known = reasons("stop")?;
    let last = size.choose(2, 10);
    let repositories = super::ready(size, figures)?;
    repositories::prepare(size)?;
    let counted = queue::each(&repositories, |repository| evaluated(repository, last, &known));
    let counted: Vec<Counts> = counted.into_iter().collect::<Result<_>>()?;
    let sum = |of: fn(&Counts) -> usize| counted.iter().map(of).sum::<usize>();
    let (changes, stopped, unexplained) =
        (sum(|it| it.changes), sum(|it| it.stopped), sum(|it| it.unexplained));
    let (untold, nothing) = (sum(|it| it.untold), sum(|it| it.nothing));
    // No change at all means that nothing was evaluated.
    let unevaluated = counted.iter().filter(|it| it.changes == 0).count();
    figures.hold(
        format!(
            "{changes} changes, {stopped} stopped, {unexplained} of them without an explanation"
        ),
        unexplained == 0,
    );
    figures.hold(
        format!("{unevaluated} repositories of which no change was evaluated"),
        unevaluated == 0,
    );
    figures.hold(
        format!("{untold} cannot be told, {nothing} have nothing to check"),
        untold * 5 <= changes || changes == 0,
    );
    Ok(())
}

/// What was said of the changes of one repository.
#[derive(Default)]
struct Counts {
    changes: usize,
    stopped: usize,
    /// Those that were stopped for no known reason.
    unexplained: usize,
    untold: usize,
    nothing: usize,
}

fn evaluated(
    repository: &Ready,
    last: usize,
    known: &BTreeMap<(String, String), String>,
) -> Result<Counts> {
    repository.fetch_last(last)?;
    let began = Instant::now();
    let last = last.to_string();
    let words =
        ["evaluate", "--last", &last, "--mutants-max", "8", "--minutes", "30", "--format", "json"];
    let (told, exit) = repository.sealwright(&words)?;
    let mut counts = Counts::default();
    let mut lines = String::new();
    for change in told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        let (Some(fate), Some(commit)) = (change["fate"].as_str(), change["commit"].as_str())
        else {
            continue;
        };
        counts.changes += 1;
        let why = change["why"][0].as_str().unwrap_or_default();
        let subject = change["subject"].as_str().unwrap_or_default();
        match fate {
            "stopped" => {
                counts.stopped += 1;
                let reason = known.get(&(repository.name.to_owned(), commit[..12].to_owned()));
                counts.unexplained += usize::from(reason.is_none());
                let told = reason.map_or("NOT EXPLAINED", String::as_str);
                lines.push_str(&format!(
                    "    stopped {} {subject}: {why} ({told})\n",
                    &commit[..12]
                ));
            }
            "cannot_tell" | "not_reached" => {
                counts.untold += 1;
                lines.push_str(&format!("    cannot tell {} {subject}: {why}\n", &commit[..12]));
            }
            "nothing" => counts.nothing += 1,
            _ => {}
        }
    }
    let (name, own) = (repository.name, counts.changes as u64);
    if own == 0 {
        lines.push_str(&format!("  ✗ {name}: no change was evaluated, exit {exit:?}\n"));
    }
    let seconds = began.elapsed().as_secs();
    let each = seconds.checked_div(own).unwrap_or(seconds);
    // Two repositories are looked at together: what is said of one stays together.
    say(&format!("{lines}  {name}: {own} changes, {seconds} s, {each} s each"));
    Ok(counts)
}
