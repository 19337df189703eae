//! Links that were in the repository before a task, as what they lead to.

use std::collections::BTreeMap;

use super::{Base, Leaf, LeafKind, Tree, TreeError, Trees};

impl Trees {
    /// The files that stand for the links of `tree` that are as in `base`, by path: for a link to a file that file, for
    /// a link to a folder everything below it. A link that leads out of the tree, or to another link, stands for
    /// nothing.
    pub(super) async fn behind_old_links(
        &self,
        base: &Base,
        tree: &Tree,
    ) -> Result<BTreeMap<String, Option<(String, Leaf)>>, TreeError> {
        let mut found = BTreeMap::new();
        for (path, leaf) in tree.leaves(base) {
            if leaf.kind != LeafKind::Link || base.leaves().get(path) != Some(&leaf) {
                continue;
            }
            found.insert(path.to_owned(), None);
            let target = self.content(base, tree, path, leaf).await?;
            let target = String::from_utf8(target).ok().and_then(|to| resolve(path, &to));
            let Some(target) = target else { continue };
            let is_plain = |leaf: &Leaf| leaf.kind != LeafKind::Link;
            if let Some(leaf) = tree.leaf(base, &target).filter(is_plain) {
                found.insert(path.to_owned(), Some((target, leaf)));
                continue;
            }
            let below = format!("{target}/");
            // A folder that holds the link would never end.
            if path.starts_with(&below) {
                continue;
            }
            for (other, leaf) in tree.leaves(base).filter(|(_, leaf)| is_plain(leaf)) {
                if let Some(rest) = other.strip_prefix(&below) {
                    found.insert(format!("{path}/{rest}"), Some((other.to_owned(), leaf)));
                }
            }
        }
        Ok(found)
    }

    /// `files` of `tree`, with what links lead to in place of every link that is as in `base`.
    pub async fn without_old_links(
        &self,
        base: &Base,
        tree: &Tree,
        files: &BTreeMap<String, Vec<u8>>,
    ) -> Result<BTreeMap<String, Vec<u8>>, TreeError> {
        let behind = self.behind_old_links(base, tree).await?;
        let is_link = |path: &&String| {
            behind.contains_key(*path)
                && tree.leaf(base, path).is_some_and(|leaf| leaf.kind == LeafKind::Link)
        };
        let links: Vec<&String> = files.keys().filter(is_link).collect();
        let mut found = files.clone();
        links.iter().for_each(|link| {
            found.remove(*link);
        });
        for (path, from) in &behind {
            let is_behind = |link: &&String| {
                path.strip_prefix(link.as_str())
                    .is_some_and(|it| it.is_empty() || it.starts_with('/'))
            };
            let Some((from, leaf)) = from.as_ref().filter(|_| links.iter().any(is_behind)) else {
                continue;
            };
            let content = match files.get(from) {
                Some(content) => content.clone(),
                None => self.content(base, tree, from, *leaf).await?,
            };
            found.insert(path.clone(), content);
        }
        Ok(found)
    }
}

/// The path in the tree that a link at `path` leads to.
fn resolve(path: &str, to: &str) -> Option<String> {
    if to.starts_with('/') {
        return None;
    }
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in to.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    (!parts.is_empty()).then(|| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::resolve;

    #[test]
    fn a_link_leads_to_a_path_of_the_tree_or_nowhere() {
        let leads = |path, to| resolve(path, to).unwrap_or_default();
        assert_eq!(leads("CLAUDE.md", "AGENTS.md"), "AGENTS.md");
        assert_eq!(leads("src/LICENSE", "../LICENSE-MIT"), "LICENSE-MIT");
        assert_eq!(leads("a/b/c", "./d/../e"), "a/b/e");
        for (path, to) in [("a", "../b"), ("a/b", "../../c"), ("a", "/etc/passwd"), ("a/b", "..")] {
            assert_eq!(resolve(path, to), None, "{path} -> {to}");
        }
    }
}
