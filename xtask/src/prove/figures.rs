//! Figures: what was measured, held against what was promised.

use anyhow::{Result, ensure};

use crate::prove::Size;
use crate::workspace::say;

/// The figures of one proof.
#[derive(Debug)]
pub(crate) struct Figures {
    name: &'static str,
    size: Size,
    told: Vec<String>,
    broken: Vec<String>,
}

impl Figures {
    pub(crate) fn new(name: &'static str, size: Size) -> Self {
        Self { name, size, told: Vec::new(), broken: Vec::new() }
    }

    /// A figure that must hold.
    pub(crate) fn hold(&mut self, text: String, holds: bool) {
        say(&format!("  {} {text}", if holds { "✓" } else { "✗" }));
        if !holds {
            self.broken.push(text.clone());
        }
        self.told.push(text);
    }

    /// A figure of time that must hold. Other work on the machine disturbs it, so it is measured
    /// up to three times, every measurement is printed, and the first that holds counts. In the
    /// quick form, which runs beside anything, it is measured once, told, and binds nobody.
    pub(crate) fn hold_measured(
        &mut self,
        mut measure: impl FnMut() -> Result<(String, bool)>,
    ) -> Result<()> {
        let (mut text, mut holds) = measure()?;
        for nth in 2..=MEASUREMENTS_MAX {
            if holds || matches!(self.size, Size::Quick(_)) {
                break;
            }
            say(&format!("  · {text}: once more"));
            (text, holds) = measure()?;
            text.push_str(&format!(", measured {nth} times"));
        }
        match (self.size, holds) {
            (Size::Quick(_), false) => {
                self.tell(format!("{text} (does not hold here; it binds in the full form)"));
            }
            (Size::Quick(_) | Size::Full, _) => self.hold(text, holds),
        }
        Ok(())
    }

    /// A figure that is told and binds nobody.
    pub(crate) fn tell(&mut self, text: String) {
        say(&format!("  · {text}"));
        self.told.push(text);
    }

    /// Prints all figures in the last line; an error if one did not hold.
    pub(crate) fn close(self) -> Result<()> {
        let Self { name, told, broken, .. } = self;
        say(&format!("{name}: {}", told.join("; ")));
        ensure!(broken.is_empty(), "{name}: did not hold: {}", broken.join("; "));
        Ok(())
    }
}

const MEASUREMENTS_MAX: u32 = 3;
