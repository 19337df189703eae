//! The event loop on a terminal.
//!
//! A separate thread reads keys: a read may block on an incomplete escape sequence, or forever if the terminal is gone.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use sealwright_host::Clock;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::follower::{Follower, News, Reads};
use super::keys::{Extent, Hand, Then};
use super::screen::{Palette, Picture};

/// Runs until the person quits or a signal arrives.
pub(super) fn watch(
    follower: &mut Follower,
    hand: &mut Hand,
    palette: Palette,
    clock: &impl Clock,
) -> io::Result<()> {
    let is_over = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&is_over))?;
    }
    let mut stage = AlternateScreen { terminal: ratatui::try_init()? };
    let mut watching = Watching { follower, hand, palette, is_over: &is_over, events: events() };
    match watching.follow(&mut stage.terminal, clock) {
        // The terminal is gone.
        Err(_) if is_over.load(Ordering::Relaxed) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        ended => ended,
    }
}

/// Restores the terminal on drop; after a panic the hook of ratatui does.
struct AlternateScreen {
    terminal: DefaultTerminal,
}

impl Drop for AlternateScreen {
    fn drop(&mut self) {
        // Fails only if the terminal is gone.
        let _ = ratatui::try_restore();
    }
}

/// Keys and resize events.
fn events() -> Receiver<Event> {
    let (sender, events) = sync_channel(EVENTS_MAX);
    // The thread ends with the process.
    std::thread::spawn(move || {
        while let Ok(event) = event::read() {
            if sender.send(event).is_err() {
                break;
            }
        }
    });
    events
}

struct Watching<'w> {
    follower: &'w mut Follower,
    hand: &'w mut Hand,
    palette: Palette,
    is_over: &'w AtomicBool,
    events: Receiver<Event>,
}

impl Watching<'_> {
    fn follow(&mut self, terminal: &mut DefaultTerminal, clock: &impl Clock) -> io::Result<()> {
        let mut extent = Extent::default();
        let mut due = Due::default();
        let mut is_drawn = false;
        while !self.is_over.load(Ordering::Relaxed) {
            let now = clock.now();
            let news = self.look(&mut due, now.as_millis());
            // Ages are shown in seconds.
            let has_ticked = due.draw.comes(now.as_millis(), 1_000);
            if news == News::Changed || has_ticked || !is_drawn {
                let (sight, hand, palette) = (self.follower.sight(), &*self.hand, self.palette);
                let picture = Picture { sight, hand, now, palette };
                terminal.draw(|frame| extent = picture.draw(frame.area(), frame.buffer_mut()))?;
                is_drawn = true;
            }
            match self.answer(extent)? {
                Then::Leave => return Ok(()),
                Then::Draw => is_drawn = false,
                Then::Nothing => {}
            }
        }
        Ok(())
    }

    /// Reads what is due.
    fn look(&mut self, due: &mut Due, now: u64) -> News {
        let mut news = News::Same;
        if due.sweep.comes(now, SWEEP_MS) || self.follower.is_behind() {
            news = news.and(self.follower.sweep(Reads::Few));
            self.hand.settle(&self.follower.sight().tasks);
        }
        let selected = self.hand.selected.as_ref();
        if due.look.comes(now, LOOK_MS) || self.follower.shows() != selected {
            news = news.and(self.follower.show(selected));
        }
        news
    }

    /// Waits for a key and handles it and those that follow.
    fn answer(&mut self, extent: Extent) -> io::Result<Then> {
        let mut wait = if self.follower.is_behind() { 0 } else { LOOK_MS };
        let mut then = Then::Nothing;
        // Bounded, so that a held key does not stop updates.
        for _ in 0..EVENTS_MAX {
            let event = match self.events.recv_timeout(Duration::from_millis(wait)) {
                Ok(event) => event,
                Err(RecvTimeoutError::Timeout) => break,
                // Without keys the person cannot quit.
                Err(RecvTimeoutError::Disconnected) => return Err(io::ErrorKind::BrokenPipe.into()),
            };
            wait = 0;
            match event {
                Event::Key(key) => {
                    match self.hand.press(&key, &self.follower.sight().tasks, extent) {
                        Then::Leave => return Ok(Then::Leave),
                        Then::Draw => then = Then::Draw,
                        Then::Nothing => {}
                    }
                }
                Event::Resize(..) => then = Then::Draw,
                Event::FocusGained | Event::FocusLost | Event::Mouse(_) | Event::Paste(_) => {}
            }
        }
        Ok(then)
    }
}

#[derive(Default)]
struct Due {
    sweep: Last,
    look: Last,
    draw: Last,
}

#[derive(Default)]
struct Last(Option<u64>);

impl Last {
    /// Whether `every` milliseconds have passed, or the clock was set back.
    fn comes(&mut self, now: u64, every: u64) -> bool {
        let is_due = self.0.is_none_or(|last| now < last || now - last >= every);
        if is_due {
            self.0 = Some(now);
        }
        is_due
    }
}

/// Interval for the selected task.
const LOOK_MS: u64 = 250;
/// Interval for all tasks.
const SWEEP_MS: u64 = 1_000;
const EVENTS_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_comes_more_often_than_it_is_due() {
        let mut last = Last::default();
        let comes = [0, 100, 250, 400, 499, 500, 20, 30].map(|now| last.comes(now, 250));
        assert_eq!(comes, [true, false, true, false, false, true, true, false]);
    }
}
