//! `sealwright allow`: lets a repository name addresses, keys, prices, scripts, texts for roles and weaker walls.

use std::path::Path;

use sealwright_factory::agent_registry::briefs_of;
use sealwright_factory::consent::{Consent, Item, VARIABLE};
use sealwright_factory::task_runner::TaskRunnerError;
use sealwright_repo::git::history::top;
use sealwright_store::FileJournal;
use sealwright_views::wire::{AllowReport, AllowedItem};

use crate::args::Format;
use crate::error::CliResult;
use crate::output::{Output, bad, good, sanitize, say};
use crate::person::refuse_roles;
use crate::repository::{self, Repository};

/// Allow addresses, keys, prices and scripts of this repository.
///
/// Some settings take effect only once a person allowed them: in `sealwright.toml` agents with a `base_url` or `key_env`
/// of their own, scripts, prices, and a `[sandbox]` weaker than the standard; beside it the templates in
/// `.sealwright/briefs`. What was allowed is recorded outside the repository, for this folder, with these values and
/// contents: whatever changes has to be allowed again.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only list what is named, and whether it is allowed.
    #[arg(long, conflicts_with = "revoke")]
    show: bool,
    /// Take back what was allowed.
    #[arg(long)]
    revoke: bool,
}

pub(crate) fn run(
    args: &Args,
    found: CliResult<Repository>,
    named: Option<&Path>,
    output: &mut Output,
) -> CliResult {
    if !args.show {
        refuse_roles()?;
    }
    let root = match found {
        Ok(repository) => repository.root,
        Err(_) => {
            let folder = named.unwrap_or(Path::new("."));
            top(folder).unwrap_or_else(|_| folder.to_owned())
        }
    };
    let was_allowed = args.revoke && Consent::revoke(&root)?;
    if args.revoke && output.format == Format::Human {
        return said_back(was_allowed);
    }
    let config = repository::configuration(&root)?.unwrap_or_default();
    let journal = FileJournal::at(root.join(".sealwright"));
    let briefs = briefs_of(journal.layout()).map_err(TaskRunnerError::from)?;
    let consent = Consent::of(&root, &config, &briefs)?;
    if !args.show && !args.revoke {
        consent.allow()?;
    }
    let missing = consent.missing()?;
    let items: Vec<(&Item, bool)> =
        consent.items().map(|item| (item, !missing.contains(item))).collect();
    if output.format == Format::Json {
        let item = |(item, allowed): &(&Item, bool)| AllowedItem {
            name: item.name.clone(),
            value: item.value.clone(),
            allowed: *allowed,
        };
        let by_environment = consent.is_allowed_by_environment();
        return output
            .json(&AllowReport { items: items.iter().map(item).collect(), by_environment });
    }
    for (item, allowed) in &items {
        let sign = if *allowed { good("✓") } else { bad("✗") };
        output.line(&format!("{sign} {}: {}", sanitize(&item.name), sanitize(&item.value)))?;
    }
    if items.is_empty() {
        say("• this repository names nothing that has to be allowed");
    } else if consent.is_allowed_by_environment() {
        say(&format!("• allowed by {VARIABLE}"));
    } else if !args.show {
        say("• allowed for this folder; `sealwright allow --revoke` takes it back");
    } else if !missing.is_empty() {
        say("• `sealwright allow` allows what is marked ✗");
    }
    Ok(())
}

fn said_back(was_allowed: bool) -> CliResult {
    say(match was_allowed {
        true => "• nothing that this repository names is allowed any more",
        false => "• nothing was allowed in this folder",
    });
    if std::env::var_os(VARIABLE).is_some_and(|folders| !folders.is_empty()) {
        say(&format!("• {VARIABLE} is set and may still allow it"));
    }
    Ok(())
}
