//! Plays one script on one port, until it is stopped.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::Parser;
use sealwright_model::{Model, Script, Settings};

/// A scripted model: speaks what model providers speak, and does what a script says.
#[derive(Parser)]
struct Args {
    /// What the model does: a TOML file, one `[[step]]` for each turn.
    #[arg(long)]
    script: PathBuf,
    /// Where it listens on this machine; zero is any port that is free.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// Every request is written to this file, one line of JSON each.
    #[arg(long)]
    log: Option<PathBuf>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    let script = Script::open(&args.script).map_err(|error| {
        let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
        let what = format!("`{}` cannot be played{hint}", args.script.display());
        anyhow::Error::new(error).context(what)
    })?;
    let settings = Settings { port: args.port, log: args.log };
    let model = Model::start_with(script, &settings).context("the model cannot listen")?;
    // Whoever started this waits for the line, so it must not stay in a buffer.
    let mut out = std::io::stdout().lock();
    writeln!(out, "http://{}", model.address())?;
    out.flush()?;
    loop {
        std::thread::park();
    }
}
