//! Figures: measurements against their targets.

use anyhow::{Result, ensure};

use crate::prove::Size;
use crate::workspace::say;

#[derive(Debug)]
pub(crate) struct Figures {
    name: &'static str,
    size: Size,
    figures: Vec<String>,
    broken: Vec<String>,
}

impl Figures {
    pub(crate) fn new(name: &'static str, size: Size) -> Self {
        Self { name, size, figures: Vec::new(), broken: Vec::new() }
    }

    pub(crate) fn hold(&mut self, text: String, holds: bool) {
        say(&format!("  {} {text}", if holds { "✓" } else { "✗" }));
        if !holds {
            self.broken.push(text.clone());
        }
        self.figures.push(text);
    }

    /// Adds a measured time that must hold. Other load on the machine disturbs it, so it is measured up to three times,
    /// every measurement is printed, and the first that holds counts. With `--quick` it is measured once and is
    /// informational only.
    pub(crate) fn hold_measured(
        &mut self,
        mut measure: impl FnMut() -> Result<(String, bool)>,
    ) -> Result<()> {
        let (mut text, mut holds) = measure()?;
        for nth in 2..=MEASUREMENTS_MAX {
            if holds || matches!(self.size, Size::Quick(_)) {
                break;
            }
            say(&format!("  · {text}: measuring again"));
            (text, holds) = measure()?;
            text.push_str(&format!(", measured {nth} times"));
        }
        match (self.size, holds) {
            (Size::Quick(_), false) => {
                self.tell(format!("{text} (misses the target; informational only with --quick)"));
            }
            (Size::Quick(_) | Size::Full, _) => self.hold(text, holds),
        }
        Ok(())
    }

    /// Adds an informational figure.
    pub(crate) fn tell(&mut self, text: String) {
        say(&format!("  · {text}"));
        self.figures.push(text);
    }

    /// Prints all figures as the last line, and fails if one did not hold.
    pub(crate) fn close(self) -> Result<()> {
        let Self { name, figures, broken, .. } = self;
        say(&format!("{name}: {}", figures.join("; ")));
        ensure!(broken.is_empty(), "{name}: did not hold: {}", broken.join("; "));
        Ok(())
    }
}

const MEASUREMENTS_MAX: u32 = 3;
