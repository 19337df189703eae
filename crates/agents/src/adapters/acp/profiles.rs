//! The agents that are driven by the Agent Client Protocol, one file each.

pub mod copilot;
pub mod gemini;
pub mod goose;
pub mod opencode;

use std::collections::BTreeMap;

fn environment<const N: usize>(of: [(&str, &str); N]) -> BTreeMap<String, String> {
    of.map(|(name, value)| (name.to_owned(), value.to_owned())).into()
}

fn words<const N: usize>(of: [&str; N]) -> Vec<String> {
    of.map(str::to_owned).to_vec()
}
