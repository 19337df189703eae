//! The loop on a terminal: keys in, pictures out, and the terminal as it was at the end.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event};
use sealwright_engine::Clock;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};

use super::keys::{Extent, Hand, Then};
use super::lookout::{Lookout, News, Reads};
use super::screen::{Palette, Picture};

/// Watches until the person leaves, or somebody ends the process.
pub(super) fn watch(
    lookout: &mut Lookout,
    hand: &mut Hand,
    palette: Palette,
    clock: &impl Clock,
) -> io::Result<()> {
    let is_over = Arc::new(AtomicBool::new(false));
    for signal in [SIGTERM, SIGINT, SIGHUP] {
        signal_hook::flag::register(signal, Arc::clone(&is_over))?;
    }
    let mut stage = Stage { terminal: ratatui::try_init()? };
    let ended = follow(&mut stage.terminal, lookout, hand, palette, clock, &is_over);
    match ended {
        // The terminal is gone, and with it whoever watched.
        Err(_) if is_over.load(Ordering::Relaxed) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        ended => ended,
    }
}

/// The terminal, which is put right again however this ends; a panic does it by ratatui's own hook.
struct Stage {
    terminal: DefaultTerminal,
}

impl Drop for Stage {
    fn drop(&mut self) {
        // Nobody can be told that the terminal is gone.
        let _ = ratatui::try_restore();
    }
}

fn follow(
    terminal: &mut DefaultTerminal,
    lookout: &mut Lookout,
    hand: &mut Hand,
    palette: Palette,
    clock: &impl Clock,
    is_over: &AtomicBool,
) -> io::Result<()> {
    let mut extent = Extent::default();
    let mut due = Due::default();
    let mut is_drawn = false;
    while !is_over.load(Ordering::Relaxed) {
        let now = clock.now();
        let mut news = News::Same;
        if due.sweep.comes(now.as_millis(), SWEEP_MS) || lookout.is_behind() {
            news = news.and(lookout.sweep(Reads::Few));
            hand.settle(&lookout.sight().tasks);
        }
        if due.look.comes(now.as_millis(), LOOK_MS) || lookout.shows() != hand.selected.as_ref() {
            news = news.and(lookout.show(hand.selected.as_ref()));
        }
        // Ages are told to the second.
        let has_ticked = due.draw.comes(now.as_millis(), 1_000);
        if news == News::Changed || has_ticked || !is_drawn {
            let picture = Picture { sight: lookout.sight(), hand, now, palette };
            terminal.draw(|frame| extent = picture.draw(frame.area(), frame.buffer_mut()))?;
            is_drawn = true;
        }
        let mut wait = if lookout.is_behind() { 0 } else { LOOK_MS };
        // A person who leans on a key is answered, and still sees what changes.
        for _ in 0..KEYS_MAX {
            if !event::poll(Duration::from_millis(wait))? {
                break;
            }
            wait = 0;
            match event::read()? {
                Event::Key(key) => match hand.press(&key, &lookout.sight().tasks, extent) {
                    Then::Leave => return Ok(()),
                    Then::Draw => is_drawn = false,
                    Then::Nothing => {}
                },
                Event::Resize(..) => is_drawn = false,
                Event::FocusGained | Event::FocusLost | Event::Mouse(_) | Event::Paste(_) => {}
            }
        }
    }
    Ok(())
}

/// When each thing was last done.
#[derive(Default)]
struct Due {
    sweep: Last,
    look: Last,
    draw: Last,
}

#[derive(Default)]
struct Last(Option<u64>);

impl Last {
    /// Whether `every` has passed since it last came. A clock that was set back makes it come at once.
    fn comes(&mut self, now: u64, every: u64) -> bool {
        let is_due = self.0.is_none_or(|last| now < last || now - last >= every);
        if is_due {
            self.0 = Some(now);
        }
        is_due
    }
}

/// How often the task that is looked at is looked at again.
const LOOK_MS: u64 = 250;
/// How often all the others are.
const SWEEP_MS: u64 = 1_000;
const KEYS_MAX: usize = 64;

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
