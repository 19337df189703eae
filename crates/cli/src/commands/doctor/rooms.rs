//! The languages whose tests this machine can run in a clean room, and what is missing for the others.

use std::path::Path;

use sealwright_factory::clean_rooms::INSTEAD;
use sealwright_factory::gate_runner::Tools;
use sealwright_gates::Toolchain;

use crate::error::CliResult;
use crate::output::{Output, good, warn};

/// `lack` says why `do` proves nothing in this repository.
pub(super) fn tell(root: &Path, lack: Option<&str>, output: &mut Output) -> CliResult {
    let tools = Tools::find(root);
    for toolchain in Toolchain::ALL {
        let language = toolchain.language();
        let (name, facts) = (language.name(), language.facts());
        if !tools.can_make_rooms(name) {
            let (tool, hint) = (facts.room_tool.name, facts.room_tool.hint);
            output.line(&format!("clean room, {name}: {}; {hint}", warn(&format!("no {tool}"))))?;
            continue;
        }
        let mutants = match tools.can_list_mutants(name) {
            true => String::new(),
            false => format!("; {} are not tried: {}", warn("mutants"), facts.mutant_tool.hint),
        };
        output.line(&format!("clean room, {name}: {}{mutants}", good("ready")))?;
    }
    match lack {
        Some(why) => {
            output.line(&format!("{} `do` proves no change here: {why}; {INSTEAD}", warn("!")))
        }
        None => Ok(()),
    }
}
