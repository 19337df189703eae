//! Things in an order in which each stands behind those it depends on.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

/// The keys, each behind those it depends on; or those that depend on themselves, through others too, and those behind
/// them: one at least. A dependency that is no key is as good as met.
pub(crate) fn in_order<'k, K: Ord + ?Sized>(
    depends_on: &BTreeMap<&'k K, BTreeSet<&'k K>>,
) -> Result<Vec<&'k K>, Vec<&'k K>> {
    let mut left: BTreeMap<&K, usize> = BTreeMap::new();
    let mut behind: BTreeMap<&K, Vec<&'k K>> = BTreeMap::new();
    for (key, on) in depends_on {
        let inside = on.iter().filter(|on| depends_on.contains_key(*on));
        left.insert(key, inside.clone().count());
        inside.for_each(|on| behind.entry(on).or_default().push(key));
    }
    let is_free = |key: &&'k K| left.get(*key) == Some(&0);
    let mut open: Vec<&'k K> = depends_on.keys().copied().filter(is_free).collect();
    let mut order = Vec::with_capacity(depends_on.len());
    while let Some(key) = open.pop() {
        left.remove(key);
        order.push(key);
        for other in behind.remove(key).unwrap_or_default() {
            if let Some(count) = left.get_mut(other) {
                *count -= 1;
                if *count == 0 {
                    open.push(other);
                }
            }
        }
    }
    if left.is_empty() {
        return Ok(order);
    }
    Err(depends_on.keys().copied().filter(|key| left.contains_key(key)).collect())
}
