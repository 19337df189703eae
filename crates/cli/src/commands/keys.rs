//! `sealwright keys`: who signs here, and whose signatures count.

use std::path::PathBuf;

use sealwright_factory::confined::state_folder;
use sealwright_host::{Clock as _, SystemClock};
use sealwright_kernel::Actor;
use sealwright_store::attest::keys::{Home, Keys, Listed};
use sealwright_store::attest::task_statements::{Attested, attest};
use sealwright_store::attest::{KeyId, PrivateKeys, Retirement};
use sealwright_views::wire::{KeyHome, KeyRow, KeysLine, RetiredKey, SignReport};

use crate::args::Format;
use crate::error::CliError;
use crate::input_files;
use crate::output::{Output, good, sanitize, say, short, table, table_text, timestamp};
use crate::person::person;
use crate::repository::Repository;

/// Say who signs here, and whose signatures count.
///
/// Public keys stand in `.sealwright/keys` and are committed; the private half of this installation's key stays in the
/// user's state folder.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, clap::Subcommand)]
enum What {
    /// List the keys of this repository.
    List,
    /// Take this installation's key in here, and make one if there is none.
    ///
    /// Earlier keys of this installation are retired here: what they signed so far holds, and nothing after.
    New {
        /// Make a new key even if there is one.
        #[arg(long)]
        rotate: bool,
    },
    /// Take in a key that somebody else gave out with `export`.
    Trust {
        /// The file they gave; `-` is standard input.
        file: PathBuf,
    },
    /// Retire a key: what it signed so far holds, and nothing after.
    Retire {
        /// The key, or the beginning of its name.
        key: String,
    },
    /// Print keys with who vouches for them, for `trust` elsewhere and for `verify --trust`.
    Export {
        /// The key, or the beginning of its name [default: all of them].
        key: Option<String>,
    },
    /// Sign everything a finished task has proven. What is signed stays as it is.
    Sign {
        /// The task, or the beginning of its name.
        task: String,
    },
}

pub(crate) fn run(
    args: &Args,
    repository: &Repository,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    let keys = Keys::of(&repository.journal, private_keys());
    let now = SystemClock.now();
    match &args.what {
        What::List => list(&keys.list()?, format, output),
        What::New { rotate } => {
            let who = name(repository)?;
            let taken = if *rotate { keys.rotate(&who, now)? } else { keys.take(&who, now)? };
            let is_told = |listed: &Listed| {
                let key = listed.voucher.key;
                key == taken.key || taken.retired.contains(&key)
            };
            let told: Vec<Listed> = keys.list()?.into_iter().filter(is_told).collect();
            if format == Format::Human {
                let key = taken.key;
                output.line(&format!("{} {key} signs here", good("✓")))?;
                for old in &taken.retired {
                    output.line(&format!("• {old} is retired; what it signed still holds"))?;
                }
                say("commit `.sealwright/keys`, so that others can check what is signed");
                return Ok(());
            }
            list(&told, format, output)
        }
        What::Trust { file } => {
            let trusted = keys.trust(&input_files::read(file)?, &name(repository)?, now)?;
            let is_it = |listed: &Listed| listed.voucher.key == trusted.key;
            let told: Vec<Listed> = keys.list()?.into_iter().filter(is_it).collect();
            if format == Format::Human {
                let owner = sanitize(&trusted.owner);
                output.line(&format!("{} {} of {owner} counts here", good("✓"), trusted.key))?;
                say("compare the key with its owner, then commit `.sealwright/keys`");
                return Ok(());
            }
            list(&told, format, output)
        }
        What::Retire { key } => {
            let key = named(&keys, key)?;
            keys.retire(&key, &name(repository)?, now)?;
            let is_it = |listed: &Listed| listed.voucher.key == key;
            let told: Vec<Listed> = keys.list()?.into_iter().filter(is_it).collect();
            if format == Format::Human {
                output
                    .line(&format!("{} {key} is retired; what it signed still holds", good("✓")))?;
                say("commit `.sealwright/keys`");
                return Ok(());
            }
            list(&told, format, output)
        }
        What::Export { key } => {
            let only = key.as_deref().map(|key| named(&keys, key)).transpose()?;
            let lines = String::from_utf8_lossy(&keys.export(only.as_ref())?).into_owned();
            lines.lines().try_for_each(|line| output.line(line))
        }
        What::Sign { task } => {
            // A role cannot have what it did signed.
            name(repository)?;
            let task = repository.task(task)?;
            let Attested { key, written, kept } =
                attest(&repository.journal, &task, &keys.signing()?)?;
            match format {
                Format::Human => output.line(&format!(
                    "{} {task}: {written} statements signed with {}, {kept} were",
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

/// Where this installation keeps its private keys.
pub(crate) fn private_keys() -> PrivateKeys {
    PrivateKeys::at(state_folder().join("keys"))
}

fn name(repository: &Repository) -> Result<String, CliError> {
    match person(&repository.root)? {
        Actor::Human(name) => Ok(name),
        Actor::Role(..) | Actor::Machine | Actor::Environment => Err(CliError::Nobody),
    }
}

/// The key that was named, by its whole name or the beginning of it.
fn named(keys: &Keys<'_>, text: &str) -> Result<KeyId, CliError> {
    let all: Vec<KeyId> = keys.list()?.iter().map(|listed| listed.voucher.key).collect();
    let begins = |key: &&KeyId| !text.is_empty() && key.to_string().starts_with(text);
    let mut found = all.iter().filter(begins);
    match (found.next(), found.count()) {
        (Some(key), 0) => Ok(*key),
        (_, others) => Err(CliError::WhichKey { named: text.to_owned(), others }),
    }
}

fn list(keys: &[Listed], format: Format, output: &mut Output) -> Result<(), CliError> {
    if format == Format::Json {
        return keys.iter().try_for_each(|listed| output.json(&wire(listed)));
    }
    if keys.is_empty() {
        return output.line("no keys yet; `sealwright keys new` takes one in");
    }
    let mut rows = table(&["key", "owner", "taken in", "by", "state"], &["owner", "by"]);
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
