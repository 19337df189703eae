//! Translation: where things are, when a mechanism cannot put them where the plan says.
//!
//! Without a root of its own a run sees the host's paths. The command, its words and its environment then speak
//! of those.

use std::path::PathBuf;

use crate::channel::Order;
use crate::isolation::Barrier;

/// Whether the run has a root of its own, so that everything is where the plan says.
pub(crate) fn has_own_root(order: &Order) -> bool {
    order.mechanism.has_root() && order.walls.has(Barrier::Root)
}

/// What each place of the plan is called on this root, the deepest first.
pub(crate) struct Translation(Vec<(String, String)>);

impl Translation {
    pub(crate) fn of(order: &Order) -> Self {
        if has_own_root(order) {
            return Self(Vec::new());
        }
        let mounts = order
            .plan
            .mounts
            .iter()
            .map(|mount| (mount.at.clone(), mount.source.display().to_string()));
        let scratch = order.plan.scratch.iter().enumerate().map(|(number, scratch)| {
            (scratch.at.clone(), scratch_folder(order, number).display().to_string())
        });
        let mut pairs: Vec<_> = mounts.chain(scratch).collect();
        pairs.sort_by_key(|(at, _)| std::cmp::Reverse(at.len()));
        Self(pairs)
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        PathBuf::from(self.one(path))
    }

    /// A word that may be a path, or a list of them.
    pub(crate) fn text(&self, text: &str) -> String {
        if self.0.is_empty() {
            return text.to_owned();
        }
        let parts: Vec<_> = text.split(':').map(|part| self.one(part)).collect();
        parts.join(":")
    }

    fn one(&self, text: &str) -> String {
        for (at, here) in &self.0 {
            if let Some(rest) = text.strip_prefix(at.as_str())
                && (rest.is_empty() || rest.starts_with('/'))
            {
                return format!("{here}{rest}");
            }
        }
        text.to_owned()
    }
}

/// Where a folder of scratch is, when it cannot be in memory.
pub(crate) fn scratch_folder(order: &Order, number: usize) -> PathBuf {
    order.folder.join("scratch").join(number.to_string())
}
