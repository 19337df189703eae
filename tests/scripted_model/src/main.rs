//! Plays one script, or a repertoire, on one port, until it is stopped.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Parser;
use sealwright_scripted_model::{Model, Repertoire, Script, Settings};

/// A scripted model: speaks what model providers speak, and does what a script says.
#[derive(Parser)]
struct Args {
    /// What the model does: a TOML file, one `[[step]]` for each turn.
    #[arg(long, required_unless_present = "repertoire", conflicts_with = "repertoire")]
    script: Option<PathBuf>,
    /// A folder of such files, each with `when`: the words by which it is meant.
    #[arg(long)]
    repertoire: Option<PathBuf>,
    /// Where it listens on this machine; zero is any port that is free.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Every request is written to this file, one line of JSON each.
    #[arg(long)]
    log: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let repertoire = match (&args.repertoire, &args.script) {
        (Some(folder), _) => Repertoire::open(folder)
            .with_context(|| format!("`{}` cannot be played", folder.display()))?,
        (None, Some(file)) => one(file)?,
        (None, None) => anyhow::bail!("there is nothing to play"),
    };
    let settings = Settings { port: args.port, log: args.log };
    let model = Model::start_with(repertoire, &settings).context("the model cannot listen")?;
    // Whoever started this waits for the line, so it must not stay in a buffer.
    let mut out = std::io::stdout().lock();
    writeln!(out, "http://{}", model.address())?;
    out.flush()?;
    loop {
        std::thread::park();
    }
}

fn one(file: &Path) -> anyhow::Result<Repertoire> {
    let script = Script::open(file).map_err(|error| {
        let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
        let what = format!("`{}` cannot be played{hint}", file.display());
        anyhow::Error::new(error).context(what)
    })?;
    Ok(Repertoire::from(script))
}
