//! Usage windows: how much of a subscription is used up, as its maker says with each answer.

use serde::{Deserialize, Serialize};

use super::LoginKind;

/// A window of a subscription.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UsageWindow {
    /// How long it is: `5h`, `7d`.
    pub length: String,
    /// How much of it is used, in thousandths. It may be more than all.
    pub used_permille: u32,
    /// When it begins anew, in seconds since 1970.
    pub resets_s: Option<u64>,
}

type Header<'a> = &'a dyn Fn(&str) -> Option<String>;

/// The windows that the headers of an answer tell of.
pub(super) fn told(kind: LoginKind, header: Header<'_>) -> Vec<UsageWindow> {
    match kind {
        LoginKind::ClaudeCode => {
            let window = |length: &str| {
                let text = |what: &str| header(&format!("{CLAUDE}-{length}-{what}"));
                Some(UsageWindow {
                    length: length.to_owned(),
                    used_permille: permille(&text("utilization")?, 1000.0)?,
                    resets_s: text("reset").and_then(|text| text.parse().ok()),
                })
            };
            ["5h", "7d"].into_iter().filter_map(window).collect()
        }
        LoginKind::Codex => {
            let window = |name: &str| {
                let text = |what: &str| header(&format!("x-codex-{name}-{what}"));
                Some(UsageWindow {
                    length: length(text("window-minutes")?.parse().ok()?),
                    used_permille: permille(&text("used-percent")?, 10.0)?,
                    resets_s: text("reset-at").and_then(|text| text.parse().ok()),
                })
            };
            ["primary", "secondary"].into_iter().filter_map(window).collect()
        }
        // It counts requests of a month, and says so elsewhere.
        LoginKind::Copilot => Vec::new(),
    }
}

/// For how many seconds the maker refuses what is asked: until the last window that is full begins anew.
pub(super) fn wait_s(
    kind: LoginKind,
    windows: &[UsageWindow],
    header: Header<'_>,
    now_s: u64,
) -> Option<u64> {
    let full = windows.iter().filter(|window| window.used_permille >= FULL);
    let reset = full.filter_map(|window| window.resets_s).max();
    // Which window it is that refuses may not be said.
    let refused = || match kind {
        LoginKind::ClaudeCode => header(&format!("{CLAUDE}-reset"))?.parse().ok(),
        LoginKind::Codex | LoginKind::Copilot => None,
    };
    let wait = reset.or_else(refused)?.saturating_sub(now_s);
    Some(wait.clamp(1, WAIT_S_MAX))
}

/// A share as thousandths, up to a bound.
fn permille(text: &str, times: f64) -> Option<u32> {
    let share: f64 = text.trim().parse().ok()?;
    let permille = (share * times).clamp(0.0, PERMILLE_MAX);
    // `as` keeps within bounds that were just set.
    (share.is_finite()).then_some(permille as u32)
}

fn length(minutes: u64) -> String {
    match minutes {
        minutes if minutes > 0 && minutes.is_multiple_of(24 * 60) => {
            format!("{}d", minutes / (24 * 60))
        }
        minutes if minutes > 0 && minutes.is_multiple_of(60) => format!("{}h", minutes / 60),
        minutes => format!("{minutes}min"),
    }
}

const CLAUDE: &str = "anthropic-ratelimit-unified";
const FULL: u32 = 1000;
const PERMILLE_MAX: f64 = 1_000_000.0;
/// More than any window is long.
const WAIT_S_MAX: u64 = 32 * 24 * 60 * 60;
