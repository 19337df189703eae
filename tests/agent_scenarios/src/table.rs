//! The table: every route and every scene, as lines for programs and as a page for people.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::scenes::{SCENES, Verdict};

/// What one scene came to on one route.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The route.
    pub route: String,
    /// The scene.
    pub scene: String,
    /// Whether it held.
    pub held: bool,
    /// What was seen.
    pub seen: String,
    /// How long it took.
    pub took_ms: u64,
}

impl Line {
    /// A line of the table.
    pub fn new(route: &str, scene: &str, verdict: Verdict, took_ms: u64) -> Self {
        let Verdict { held, seen } = verdict;
        Self { route: route.to_owned(), scene: scene.to_owned(), held, seen, took_ms }
    }
}

/// The page: versions, one row for each scene, and what was seen of each.
pub fn page(lines: &[Line], versions: &[(String, String)]) -> String {
    let mut routes: Vec<&str> = lines.iter().map(|line| line.route.as_str()).collect();
    routes.dedup();
    routes.sort_unstable();
    routes.dedup();
    let mut page = String::from(HEAD);
    for (agent, version) in versions {
        let _ = writeln!(page, "| {agent} | {version} |");
    }
    page.push_str("\n## What was seen\n\n| what holds |");
    routes.iter().for_each(|route| page.push_str(&format!(" {route} |")));
    page.push_str("\n|---|");
    routes.iter().for_each(|_| page.push_str("---|"));
    page.push('\n');
    for scene in SCENES {
        let _ = write!(page, "| {} |", scene.about);
        for route in &routes {
            let line = lines.iter().find(|line| line.route == *route && line.scene == scene.key);
            let word = match line {
                Some(line) if line.held => "yes",
                Some(_) => "**no**",
                None => "–",
            };
            let _ = write!(page, " {word} |");
        }
        page.push('\n');
    }
    page.push_str("\nA dash: there is nothing to hold, because a model asked directly has no hands.\n\n## How each ended\n\n");
    for scene in SCENES {
        let _ = writeln!(page, "- {}", scene.about);
        for line in lines.iter().filter(|line| line.scene == scene.key) {
            let seen = line.seen.replace('|', "\\|").replace('<', "&lt;");
            let _ = writeln!(page, "  - {}: {seen}", line.route);
        }
    }
    page
}

const HEAD: &str = "# Agents\n\n\
    Written by `cargo xtask prove agents` from what happened in one run: real agents, installed as people install them, \
    inside the walls, with a scripted model as the only fake. Do not edit.\n\n\
    ## Releases\n\n| agent | release |\n|---|---|\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_says_yes_no_and_nothing_to_hold() {
        let line = |route: &str, scene: &str, held| {
            Line::new(route, scene, Verdict { held, seen: "a | b".to_owned() }, 1)
        };
        let page = page(
            &[line("codex", "edits", true), line("api", "answers", false)],
            &[("codex".to_owned(), "1.0".to_owned())],
        );
        assert!(page.contains("| edits files | – | yes |"), "{page}");
        assert!(page.contains("| hands in a typed answer | **no** | – |"), "{page}");
        assert!(page.contains("  - codex: a \\| b"), "{page}");
    }
}
