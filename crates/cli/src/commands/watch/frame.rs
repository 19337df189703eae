//! One frame without a terminal, for people.

use sealwright_kernel::Timestamp;
use sealwright_views::watch::{
    RowState, Screenful, TAIL_LINES_MAX, Tone, clock, facts, sign, status, windows,
};

use crate::error::CliResult;
use crate::output::{Output, bad, counted, good, sanitize, timestamp, warn};

pub(crate) fn print(sight: &Screenful, now: Timestamp, output: &mut Output) -> CliResult {
    if let Some(trouble) = &sight.trouble {
        output.line(&bad(&format!("! {}", sanitize(trouble))))?;
    }
    if sight.tasks.is_empty() {
        return output.line("no tasks; `sealwright new \"…\"` creates one");
    }
    for seen in sight.tasks.iter().take(ROWS_MAX) {
        let task = seen.task.as_str();
        output.line(&match &seen.told {
            RowState::Unread | RowState::Nothing => format!("· {task} is being created"),
            RowState::Damaged => bad(&format!("✗ {task} is damaged; see `sealwright verify`")),
            RowState::Row(row) => {
                let (sign, tone) = sign(row.status);
                let (state, since) = (status::name(row.status), timestamp(row.since));
                let phase = status::phase(row.phase);
                let line = format!("{sign} {task}  {state}{phase}, since {since}");
                format!("{}\n  {}", toned(tone, &line), sanitize(&row.title))
            }
        })?;
    }
    if sight.tasks.len() > ROWS_MAX {
        let hidden = counted((sight.tasks.len() - ROWS_MAX) as u64, "more task");
        output.line(&format!("{hidden}; use --format json"))?;
    }
    if !sight.windows.is_empty() {
        output.line(&format!("logins: {}", sanitize(&windows(&sight.windows))))?;
    }
    let Some(shown) = &sight.shown else { return Ok(()) };
    output.line("")?;
    for fact in facts(shown, now) {
        let mut name = fact.name;
        for (tone, text) in &fact.lines {
            output.line(&format!("{name:<8}{}", toned(*tone, text)))?;
            name = "";
        }
    }
    let Some(call) = &shown.last else { return Ok(()) };
    output.line(&format!("transcript of {:04}-{}", call.number, sanitize(&call.part)))?;
    let from = call.tail.len().saturating_sub(TAIL_LINES_MAX);
    for said in &call.tail[from..] {
        let (at, how, text) = (clock(said.at), said.how.word(), sanitize(&said.text));
        output.line(&format!("  {at} {how:<8}{text}"))?;
    }
    Ok(())
}

fn toned(tone: Tone, text: &str) -> String {
    match tone {
        Tone::Plain | Tone::Dim => text.to_owned(),
        Tone::Good => good(text),
        Tone::Warn => warn(text),
        Tone::Bad => bad(text),
    }
}

const ROWS_MAX: usize = 40;
