//! Serves one script, or a folder of scripts, on one port until it is stopped.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Parser;
use sealwright_scripted_model::{Model, Script, ScriptSet, Settings};

/// A scripted model: a server with the protocols of model providers that answers as a script says.
#[derive(Parser)]
struct Args {
    /// The script: a TOML file with one `[[step]]` for each turn.
    #[arg(long, required_unless_present = "scripts", conflicts_with = "scripts")]
    script: Option<PathBuf>,
    /// A folder of scripts, each with `when`: words that select it.
    #[arg(long)]
    scripts: Option<PathBuf>,
    /// The local port; zero selects a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Write every request to this file, one line of JSON each.
    #[arg(long)]
    log: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let scripts = match (&args.scripts, &args.script) {
        (Some(folder), _) => ScriptSet::open(folder)
            .with_context(|| format!("`{}` cannot be loaded", folder.display()))?,
        (None, Some(file)) => one(file)?,
        (None, None) => anyhow::bail!("no script given"),
    };
    let settings = Settings { port: args.port, log: args.log };
    let model = Model::start_with(scripts, &settings).context("the model cannot listen")?;
    // The parent process waits for this line, so flush it.
    let mut out = std::io::stdout().lock();
    writeln!(out, "http://{}", model.address())?;
    out.flush()?;
    loop {
        std::thread::park();
    }
}

fn one(file: &Path) -> anyhow::Result<ScriptSet> {
    let script = Script::open(file).map_err(|error| {
        let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
        let what = format!("`{}` cannot be loaded{hint}", file.display());
        anyhow::Error::new(error).context(what)
    })?;
    Ok(ScriptSet::from(script))
}
