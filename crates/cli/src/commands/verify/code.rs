//! What `verify` says of the code, for people.

use sealwright_verify::Explained;
use sealwright_verify::code::{ChangedFile, CodeReport, Proven, Standing};
use sealwright_verify::git::Oid;

use crate::error::CliResult;
use crate::output::{Output, counted, good, sanitize, warn};

pub(super) fn tell(code: &CodeReport, asked: &str, output: &mut Output) -> CliResult {
    for Proven { task, commit } in &code.moved {
        output.line(&format!(
            "• {}: the change of {task} on top of other files than it was proven on",
            short(*commit)
        ))?;
    }
    for Proven { task, commit } in &code.unknown {
        let commit = short(*commit);
        output.line(&format!(
            "• {commit}: cannot compare it with {task}: the commit that the work started from is not here"
        ))?;
    }
    for Proven { task, commit } in &code.branches {
        let (branch, commit) = (task.branch(), short(*commit));
        output.line(&format!("{} {branch} ({commit}) is exactly what was proven", good("✓")))?;
    }
    for task in &code.elsewhere {
        output.line(&format!("• {task} shipped a commit that is in no branch here"))?;
    }
    let at = match sanitize(asked) {
        named if code.commit.to_string().starts_with(&named) => short(code.commit),
        named => format!("{named} ({})", short(code.commit)),
    };
    match &code.standing {
        Standing::Proven(Proven { task, .. }) => {
            output.line(&format!("{} {at} is exactly what {task} proved", good("✓")))
        }
        Standing::Joined { from } => output.line(&format!(
            "{} {at}: everything in it was proven by {}; together it was not tested",
            warn("•"),
            tasks(from)
        )),
        Standing::Changed { from, files } => {
            let count = counted(files.len() as u64, "file");
            let line = format!("{at}: {count} changed since {} proved it", tasks(from));
            output.line(&format!("{} {line}", warn("•")))?;
            changed(files, output)
        }
        Standing::Never => {
            output.line(&format!("{} {at}: nothing in its history was proven", warn("•")))
        }
    }
}

/// What stands for one file.
pub(super) fn explain(file: &str, explained: &[Explained], output: &mut Output) -> CliResult {
    let file = sanitize(file);
    if explained.is_empty() {
        return output.line(&format!("• no task in this history changed {file}"));
    }
    for Explained { work, is_as_proven, criteria, evidence } in explained {
        let (task, commit) = (&work.task, short(work.commit));
        output.line(&if *is_as_proven {
            format!("{} {file} is as {task} proved it in {commit}", good("✓"))
        } else {
            format!("• {file} was changed by {task} in {commit}, and again since")
        })?;
        for (criterion, tests) in criteria {
            output.line(&format!("  criterion: {}", sanitize(criterion)))?;
            for test in tests {
                output.line(&format!("    test: {}", sanitize(test)))?;
            }
        }
        for (id, check) in evidence {
            output.line(&format!("  evidence: {id} {}", sanitize(check)))?;
        }
    }
    Ok(())
}

fn changed(files: &[ChangedFile], output: &mut Output) -> CliResult {
    for file in files.iter().take(SHOWN_MAX) {
        let commits: Vec<String> = file.commits.iter().map(|id| short(*id)).take(3).collect();
        let since = match file.commits.len() {
            0 => String::new(),
            n if n > commits.len() => format!(" in {} and {} more", commits.join(", "), n - 3),
            _ => format!(" in {}", commits.join(", ")),
        };
        output.line(&format!("  {}{since}", sanitize(&file.path)))?;
    }
    match files.len().saturating_sub(SHOWN_MAX) {
        0 => Ok(()),
        more => output.line(&format!("  and {more} more; `--format json` lists all")),
    }
}

fn tasks(from: &[Proven]) -> String {
    let named: Vec<String> = from.iter().map(|it| it.task.to_string()).take(3).collect();
    match from.len().saturating_sub(named.len()) {
        0 => named.join(" and "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}

fn short(commit: Oid) -> String {
    commit.to_hex_with_len(SHORT).to_string()
}

const SHOWN_MAX: usize = 20;
const SHORT: usize = 10;
