//! `cargo xtask schemas`: writes `docs/schemas` from the wire types, or checks that the files match.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use sealwright_factory::role_calls::Key;
use sealwright_kernel::Lane;
use sealwright_views::wire::schema::{self, SchemaFile};

use crate::workspace::{files, root, say};

#[derive(clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail if a file differs from its type.
    #[arg(long)]
    check: bool,
}

/// The answer of every call of a role, for those who write scripts.
fn answers() -> impl Iterator<Item = SchemaFile> {
    Key::ALL.into_iter().map(|key| {
        let call = key.call(Lane::default());
        let mut schema = (call.answer)();
        schema["$schema"] = "https://json-schema.org/draft/2020-12/schema".into();
        schema["title"] = format!("the answer of the call `{}`", key.name()).into();
        let text = serde_json::to_string_pretty(&schema).unwrap_or_default() + "\n";
        SchemaFile { name: format!("{ANSWERS}/{}.json", key.name()), text }
    })
}

/// Beside the schemas of commands.
const ANSWERS: &str = "../answers";

pub(crate) fn run(args: &Args) -> Result<()> {
    let folder = root().join("docs/schemas");
    let mut generated = schema::files();
    generated.extend(answers());
    let names: BTreeSet<&str> = generated.iter().map(|file| file.name.as_str()).collect();
    let is_stale = |file: &&SchemaFile| {
        !std::fs::read_to_string(folder.join(&file.name)).is_ok_and(|text| text == file.text)
    };
    let stale: Vec<&SchemaFile> = generated.iter().filter(is_stale).collect();
    let mut left_over = files(&folder, "json")?;
    left_over.retain(|path| {
        let below = path.strip_prefix(&folder).unwrap_or(path);
        !names.contains(&*below.to_string_lossy())
    });
    if args.check {
        let stale: Vec<&str> = stale.iter().map(|file| file.name.as_str()).collect();
        ensure!(
            stale.is_empty() && left_over.is_empty(),
            "docs/schemas differs from the wire types; `cargo xtask schemas` writes it:\n  {}\n  {left_over:?}",
            stale.join("\n  ")
        );
    } else {
        std::fs::create_dir_all(folder.join(ANSWERS))?;
        for file in &stale {
            std::fs::write(folder.join(&file.name), &file.text)?;
        }
        for path in &left_over {
            std::fs::remove_file(path)?;
        }
    }
    say(&format!("schemas: {} generated, {} written", generated.len(), stale.len()));
    Ok(())
}
