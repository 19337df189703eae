//! Outlines: what stands in files, without running any of it.

use std::sync::Arc;

use sealwright_gates::toolchain::{Outline, Outliner, Unread};
use sealwright_gates::{Command, Ended, Seen, Toolchain};
use sealwright_sandbox::Cancel;

use super::{Candidate, GateRunner, GateRunnerError};

impl GateRunner {
    /// The outlines of these files of a candidate, as everything frozen lies over it, and of those that have none, why.
    pub async fn outlines(
        self: &Arc<Self>,
        candidate: &Candidate,
        toolchain: Toolchain,
        paths: &[String],
        cancel: &Arc<Cancel>,
    ) -> Result<(Vec<Outline>, Vec<Unread>), GateRunnerError> {
        let (mut outlines, mut unread) = (Vec::new(), Vec::new());
        if paths.is_empty() {
            return Ok((outlines, unread));
        }
        match toolchain.language().outliner() {
            Outliner::Text(outline) => {
                for path in paths {
                    let text = text_of(candidate, path).await?;
                    match outline(path, &text) {
                        Ok(found) => outlines.push(found),
                        Err(why) => unread.push(why),
                    }
                }
            }
            Outliner::Command { argv, read } => {
                let mut words = argv();
                words.extend(paths.iter().cloned());
                let command = Command {
                    argv: words,
                    environment: Vec::new(),
                    reports: Vec::new(),
                    timeout_s: TIMEOUT_S,
                };
                let failed = |why| Err(Unread { path: paths[0].clone(), why });
                let found = match self.run(command, candidate, cancel).await?.0 {
                    Seen::Ran(ran) if ran.ended == Ended::Exited(0) && ran.stdout.is_whole() => {
                        read(&ran.stdout.bytes)
                    }
                    Seen::Ran(ran) => failed(ran.stderr.text()),
                    Seen::Visited(_) | Seen::Listing(_) | Seen::Files(_) | Seen::Nothing { .. } => {
                        failed("what reads it could not be started".to_owned())
                    }
                };
                match found {
                    Ok(found) => outlines.extend(found),
                    Err(why) => unread.push(why),
                }
            }
        }
        Ok((outlines, unread))
    }
}

async fn text_of(candidate: &Candidate, path: &str) -> Result<String, GateRunnerError> {
    let frozen = candidate.frozen.files.get(path).cloned();
    let content = match frozen {
        Some(content) => content,
        None => {
            let Candidate { trees, base, tree, .. } = candidate;
            trees.read(base, tree, path).await?.unwrap_or_default()
        }
    };
    Ok(String::from_utf8_lossy(&content).into_owned())
}

const TIMEOUT_S: u32 = 120;
