//! Trees as gates see them.

use sealwright_gates::{Fact, Listed};
use sealwright_repo::trees::{Base, Leaf, Tree};

/// Every file of `tree`, with what it was in `before`.
pub fn listing(tree: &Tree, base: &Base, before: &Tree) -> Vec<Listed> {
    let fact = |leaf: Leaf| Fact { digest: leaf.content, bytes: leaf.bytes };
    let listed = |path: &str| Listed {
        path: path.to_owned(),
        now: tree.leaf(base, path).map(fact),
        before: before.leaf(base, path).map(fact),
    };
    let all = tree.paths(base, before).into_iter().map(listed);
    all.filter(|listed| listed.now.is_some() || listed.before.is_some()).collect()
}
