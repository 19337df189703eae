//! `sealwright watch`: follows tasks while they run.
//!
//! ```text
//! files another process writes ─▶ follower ─▶ model ─▶ screen ─▶ terminal
//!                                              ▲ keys ◀──────────┘
//! ```
//!
//! It only reads: it takes no lock, writes no cache and sends no request. Without a terminal it prints one frame.

mod follower;
mod frame;
mod keys;
mod screen;
mod terminal;
mod transcript;
mod writer;

use std::io::IsTerminal as _;

use anstream::ColorChoice;
use sealwright_host::{Clock as _, SystemClock};
use sealwright_views::wire::WatchFrame;

pub(crate) use self::writer::writer_of;

use self::follower::{Follower, Reads};
use self::keys::Hand;
use self::screen::Palette;
use crate::args::Format;
use crate::error::CliResult;
use crate::output::Output;
use crate::repository::Repository;

/// Watch tasks while they run.
///
/// Lists every task with its phase, and for the selected task its slices, last evidence, running calls, transcript, open
/// question and cost. It changes nothing. Without a terminal it prints one frame.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Task id, or a unique part of it [default: all tasks].
    task: Option<String>,
}

pub(crate) fn run(args: &Args, repository: &Repository, output: &mut Output) -> CliResult {
    let task = args.task.as_deref().map(|named| repository.task(named)).transpose()?;
    let mut follower = Follower::at(&repository.root.join(".sealwright"));
    let mut hand = Hand::new(task);
    if output.format == Format::Human && can_be_drawn_on() {
        let palette = match anstream::AutoStream::choice(&std::io::stdout()) {
            ColorChoice::Never => Palette::None,
            ColorChoice::Auto | ColorChoice::Always | ColorChoice::AlwaysAnsi => Palette::Colours,
        };
        return Ok(terminal::watch(&mut follower, &mut hand, palette, &SystemClock)?);
    }
    follower.sweep(Reads::All);
    hand.settle(&follower.sight().tasks);
    follower.show(hand.selected.as_ref());
    match output.format {
        Format::Json => output.json(&WatchFrame::from(follower.sight())),
        Format::Human => frame::print(follower.sight(), SystemClock.now(), output),
    }
}

/// Whether standard output is a terminal with a movable cursor.
fn can_be_drawn_on() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
    std::io::stdout().is_terminal() && !is_dumb
}
