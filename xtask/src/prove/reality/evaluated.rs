//! `evaluate --last 10`: no change of people who knew what they did is stopped without an explanation.

use std::time::Instant;

use anyhow::Result;
use serde_json::Value;

use super::known::reasons;
use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::say;

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let known = reasons("stop")?;
    let last = size.choose(2, 10);
    let (mut changes, mut stopped, mut unexplained, mut untold, mut nothing) = (0, 0, 0, 0, 0);
    let mut unevaluated = 0;
    for repository in super::ready(size, figures)? {
        repository.fetch_last(last)?;
        let began = Instant::now();
        let last = last.to_string();
        let words = [
            "evaluate",
            "--last",
            &last,
            "--mutants-max",
            "8",
            "--minutes",
            "30",
            "--format",
            "json",
        ];
        let (told, exit) = repository.sealwright(&words)?;
        let mut own = 0;
        for change in told.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
            let (Some(fate), Some(commit)) = (change["fate"].as_str(), change["commit"].as_str())
            else {
                continue;
            };
            own += 1;
            let why = change["why"][0].as_str().unwrap_or_default();
            let subject = change["subject"].as_str().unwrap_or_default();
            match fate {
                "stopped" => {
                    stopped += 1;
                    let key = (repository.name.to_owned(), commit[..12].to_owned());
                    let reason = known.get(&key);
                    unexplained += usize::from(reason.is_none());
                    let told = reason.map_or("NOT EXPLAINED", String::as_str);
                    say(&format!("    stopped {} {subject}: {why} ({told})", &commit[..12]));
                }
                "cannot_tell" | "not_reached" => {
                    untold += 1;
                    say(&format!("    cannot tell {} {subject}: {why}", &commit[..12]));
                }
                "nothing" => nothing += 1,
                _ => {}
            }
        }
        changes += own;
        // No change at all means that nothing was evaluated.
        if own == 0 {
            unevaluated += 1;
            say(&format!("  ✗ {}: no change was evaluated, exit {exit:?}", repository.name));
        }
        let seconds = began.elapsed().as_secs();
        let each = seconds.checked_div(own).unwrap_or(seconds);
        say(&format!("  {}: {own} changes, {seconds} s, {each} s each", repository.name));
    }
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
