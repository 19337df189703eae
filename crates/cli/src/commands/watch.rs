//! `sealwright watch`: what happens, while it happens.
//!
//! ```text
//! files another process writes ─▶ follower ─▶ sight ─▶ screen ─▶ terminal
//!                                              ▲ keys ◀──────────┘
//! ```
//!
//! It is a reader and nothing else: it takes no lock, writes no cache and asks nobody. Where there is no terminal it
//! prints what it sees once.

mod facts;
mod follower;
mod frame;
mod keys;
mod screen;
mod sight;
mod terminal;
mod transcript;
mod writer;

use std::io::IsTerminal as _;

use anstream::ColorChoice;
use sealwright_host::{Clock as _, SystemClock};

use self::follower::{Follower, Reads};
use self::keys::Hand;
use self::screen::Palette;
use crate::args::Format;
use crate::error::CliError;
use crate::output::Output;
use crate::repository::Repository;

/// Watch tasks while they are worked on.
///
/// Every task with its phase; for one of them its slices, what was last seen, what runs now and since when, the end of
/// its transcript, what it asks you, and what it cost so far. Nothing is changed by watching. Without a terminal it is
/// printed once.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task to look at, or the beginning of its name [default: all of them].
    task: Option<String>,
}

pub(crate) fn run(
    args: &Args,
    repository: &Repository,
    format: Format,
    output: &mut Output,
) -> Result<(), CliError> {
    let task = args.task.as_deref().map(|named| repository.task(named)).transpose()?;
    let mut follower = Follower::at(&repository.root.join(".sealwright"));
    let mut hand = Hand::new(task);
    if format == Format::Human && can_be_drawn_on() {
        let palette = match anstream::AutoStream::choice(&std::io::stdout()) {
            ColorChoice::Never => Palette::None,
            ColorChoice::Auto | ColorChoice::Always | ColorChoice::AlwaysAnsi => Palette::Colours,
        };
        return Ok(terminal::watch(&mut follower, &mut hand, palette, &SystemClock)?);
    }
    follower.sweep(Reads::All);
    hand.settle(&follower.sight().tasks);
    follower.show(hand.selected.as_ref());
    match format {
        Format::Json => output.json(&frame::wire(follower.sight())),
        Format::Human => frame::print(follower.sight(), SystemClock.now(), output),
    }
}

/// Whether standard output is a terminal on which a cursor can be moved.
fn can_be_drawn_on() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stdout().is_terminal() && !is_dumb
}
