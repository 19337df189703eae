//! `sealwright keys`: the signing keys of a repository.

use std::path::PathBuf;

use sealwright_factory::confined::state_folder;
use sealwright_host::{Clock as _, SystemClock};
use sealwright_kernel::Actor;
use sealwright_store::attest::keys::{Home, Keys, Listed};
use sealwright_store::attest::task_statements::{Attested, attest};
use sealwright_store::attest::{KeyId, PrivateKeys, Retirement};
use sealwright_views::wire::{KeyHome, KeyRow, KeysLine, RetiredKey, SignReport};

use crate::args::Format;
use crate::error::{CliError, CliResult};
use crate::input_files;
use crate::output::{Output, good, sanitize, say, short, table, table_text, timestamp};
use crate::person::person;
use crate::repository::Repository;

/// Manage signing keys.
///
/// Public keys are in `.sealwright/keys` and are committed; the private key of this installation stays in the user's
/// state folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List the keys of this repository.
    List,
    /// Add the key of this installation; create one if there is none.
    ///
    /// Earlier keys of this installation are retired: their signatures up to now stay valid.
    New {
        /// Create a new key even if there is one.
        #[arg(long)]
        rotate: bool,
    },
    /// Add a key that another person exported.
    Trust {
        /// Exported key file; `-` is standard input.
        file: PathBuf,
    },
    /// Retire a key: its signatures up to now stay valid.
    Retire {
        /// Key id, or a unique part of it.
        key: String,
    },
    /// Print keys with their vouchers, for `keys trust` and `verify --trust`.
    Export {
        /// Key id, or a unique part of it [default: all keys].
        key: Option<String>,
    },
    /// Sign the statements of a finished task that are not signed yet.
    Sign {
        /// Task id, or a unique part of it.
        task: String,
    },
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let keys = Keys::of(&repository.journal, private_keys());
    let now = SystemClock.now();
    match &args.what {
        What::List => list(&keys.list()?, output),
        What::New { rotate } => {
            let who = name(repository)?;
            let taken = if *rotate { keys.rotate(&who, now)? } else { keys.take(&who, now)? };
            if output.format == Format::Json {
                return list(&listed(&keys, &[&[taken.key][..], &taken.retired].concat())?, output);
            }
            output.line(&format!("{} this installation signs with {}", good("✓"), taken.key))?;
            for old in &taken.retired {
                output.line(&format!("• {old} is retired; its signatures stay valid"))?;
            }
            say("commit `.sealwright/keys` so that others can verify signatures");
            Ok(())
        }
        What::Trust { file } => {
            let trusted = keys.trust(&input_files::read(file)?, &name(repository)?, now)?;
            if output.format == Format::Json {
                return list(&listed(&keys, &[trusted.key])?, output);
            }
            let owner = sanitize(&trusted.owner);
            output.line(&format!("{} {} of {owner} is trusted", good("✓"), trusted.key))?;
            say("compare the key id with its owner, then commit `.sealwright/keys`");
            Ok(())
        }
        What::Retire { key } => {
            let key = named(&keys, key)?;
            keys.retire(&key, &name(repository)?, now)?;
            if output.format == Format::Json {
                return list(&listed(&keys, &[key])?, output);
            }
            output.line(&format!("{} {key} is retired; its signatures stay valid", good("✓")))?;
            say("commit `.sealwright/keys`");
            Ok(())
        }
        What::Export { key } => {
            let only = key.as_deref().map(|key| named(&keys, key)).transpose()?;
            let lines = String::from_utf8_lossy(&keys.export(only.as_ref())?).into_owned();
            lines.lines().try_for_each(|line| output.line(line))
        }
        What::Sign { task } => {
            // Refuses roles.
            name(repository)?;
            let task = repository.task(task)?;
            let Attested { key, written, kept } =
                attest(&repository.journal, &task, &keys.signing()?)?;
            match output.format {
                Format::Human => output.line(&format!(
                    "{} {task}: {written} statements signed with {}, {kept} were signed already",
                    good("✓"),
                    short(&key)
                )),
                Format::Json => {
                    let (task, key) = ((&task).into(), key.into());
                    output.json(&KeysLine::Signed(SignReport { task, key, written, kept }))
                }
            }
        }
    }
}

pub(crate) fn private_keys() -> PrivateKeys {
    PrivateKeys::at(state_folder().join("keys"))
}

fn name(repository: &Repository) -> CliResult<String> {
    match person(&repository.root)? {
        Actor::Human(name) => Ok(name),
        Actor::Role(..) | Actor::Machine | Actor::Environment => Err(CliError::NoUserName),
    }
}

fn listed(keys: &Keys<'_>, wanted: &[KeyId]) -> CliResult<Vec<Listed>> {
    Ok(keys.list()?.into_iter().filter(|it| wanted.contains(&it.voucher.key)).collect())
}

/// The only key whose id starts with `text`.
fn named(keys: &Keys<'_>, text: &str) -> CliResult<KeyId> {
    let all: Vec<KeyId> = keys.list()?.iter().map(|listed| listed.voucher.key).collect();
    let begins = |key: &&KeyId| !text.is_empty() && key.to_string().starts_with(text);
    let mut found = all.iter().filter(begins);
    match (found.next(), found.count()) {
        (Some(key), 0) => Ok(*key),
        (_, others) => Err(CliError::WhichKey { named: text.to_owned(), others }),
    }
}

fn list(keys: &[Listed], output: &mut Output) -> CliResult {
    if output.format == Format::Json {
        return keys.iter().try_for_each(|listed| output.json(&wire(listed)));
    }
    if keys.is_empty() {
        return output.line("no keys; `sealwright keys new` adds one");
    }
    let mut rows = table(&["key", "owner", "added", "by", "state"], &["owner", "by"]);
    for Listed { voucher, retirement, home } in keys {
        let state = match (retirement, home) {
            (Some(retirement), _) => format!("retired {}", timestamp(retirement.at)),
            (None, Home::Here) => "signs here".to_owned(),
            (None, Home::HereOnce) => "signed here".to_owned(),
            (None, Home::Elsewhere) => "signs elsewhere".to_owned(),
        };
        let (owner, by) = (sanitize(&voucher.owner), sanitize(&voucher.by));
        rows.add_row([short(&voucher.key), owner, timestamp(voucher.at), by, state]);
    }
    output.line(&table_text(&rows))
}

fn wire(listed: &Listed) -> KeysLine {
    let Listed { voucher, retirement, home } = listed;
    let retired = |it: &Retirement| RetiredKey { at: it.at.into(), by: (&it.by).into() };
    KeysLine::Key(KeyRow {
        key: voucher.key.into(),
        owner: (&voucher.owner).into(),
        by: (&voucher.by).into(),
        at: voucher.at.into(),
        voucher: voucher.voucher.into(),
        retired: retirement.as_ref().map(retired),
        home: match home {
            Home::Here => KeyHome::Here,
            Home::HereOnce => KeyHome::HereOnce,
            Home::Elsewhere => KeyHome::Elsewhere,
        },
    })
}
