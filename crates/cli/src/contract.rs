//! The contract that a person is asked to approve, as lines for a terminal.

use sealwright_config::Config;
use sealwright_kernel::Digest;
use sealwright_kernel::task::TaskData;
use sealwright_store::{Blobs, FileJournal};
use sealwright_views::{ContractSection, contract};

use crate::error::CliResult;
use crate::output::{sanitize, warn};

/// Reads the contract, with the commands that the configuration gives its checks.
pub(crate) async fn read(
    journal: &FileJournal,
    data: &TaskData,
    config: Option<&Config>,
) -> CliResult<Vec<ContractSection>> {
    let blobs = Blobs::local(journal.layout()).map_err(sealwright_factory::TaskError::from)?;
    let mut texts: Vec<(Digest, String)> = Vec::new();
    for part in data.bundle.iter().flat_map(|bundle| &bundle.parts) {
        if let Ok(text) = blobs.find(&part.content).await {
            texts.push((part.content, String::from_utf8_lossy(&text).into_owned()));
        }
    }
    let text =
        |digest: &Digest| texts.iter().find(|(it, _)| it == digest).map(|(_, text)| text.clone());
    let command = |name: &str| {
        let check = config?.checks().iter().find(|check| check.name == name)?;
        let words = check.setting.command.join(" ");
        Some(if words.is_empty() { check.kind.key.to_owned() } else { words })
    };
    Ok(contract(data, &text, &command))
}

/// The lines of the contract, at most `lines_max` of each section. `task` is what commands call it.
pub(crate) fn lines(sections: &[ContractSection], task: &str, lines_max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for ContractSection { title, text } in sections {
        lines.push(sanitize(title));
        let count = text.lines().count();
        for line in text.lines().take(lines_max) {
            let line = sanitize(line);
            lines.push(match line.strip_prefix("! ") {
                Some(flag) => format!("  {} {flag}", warn("!")),
                None => format!("  {line}"),
            });
        }
        if count > lines_max {
            lines.push(format!("  … {} more lines; `sealwright show {task}`", count - lines_max));
        }
    }
    lines
}
