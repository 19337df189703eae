//! Names: slugs, folders and task ids, derived from an approved spec and from nothing else.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::spec::ProductSpec;
use super::{Deficiency, Severity};
use crate::order::in_order;
use crate::project::PLANNED_MAX;
use crate::{Digest, TaskId};

/// A task of the spec, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    pub id: TaskId,
    /// Its id in the spec.
    pub spec_task_id: String,
    /// Its place in the order of declaration, depth first.
    pub order: u32,
    /// Which pillar, epic, story and task, counted.
    pub at: [usize; 4],
    /// The folder of its file: pillar, epic, story and task.
    pub folder: [String; 4],
    pub depends_on: Vec<TaskId>,
}

/// The tasks of a spec in the order of declaration, or why it has none.
pub fn plan(spec: &ProductSpec) -> Result<Vec<Place>, Vec<Deficiency>> {
    let mut wrong = Vec::new();
    let mut places: Vec<Place> = Vec::new();
    let mut named: BTreeMap<String, &str> = BTreeMap::new();
    let mut ids: BTreeMap<&str, TaskId> = BTreeMap::new();
    let slugs = slugs(spec.pillars.iter().map(|it| &*it.name), "pillars", &mut wrong);
    for (p, (pillar, p_slug)) in spec.pillars.iter().zip(slugs).enumerate() {
        let path = format!("pillars[{p}]");
        let names = pillar.epics.iter().map(|it| &*it.name);
        let slugs = self::slugs(names, &format!("{path}.epics"), &mut wrong);
        for (e, (epic, e_slug)) in pillar.epics.iter().zip(slugs).enumerate() {
            let path = format!("{path}.epics[{e}]");
            let names = epic.stories.iter().map(|it| &*it.name);
            let slugs = self::slugs(names, &format!("{path}.stories"), &mut wrong);
            for (s, (story, s_slug)) in epic.stories.iter().zip(slugs).enumerate() {
                let path = format!("{path}.stories[{s}]");
                let names = story.tasks.iter().map(|it| &*it.name);
                let slugs = self::slugs(names, &format!("{path}.tasks"), &mut wrong);
                for (t, (task, t_slug)) in story.tasks.iter().zip(slugs).enumerate() {
                    let path = format!("{path}.tasks[{t}]");
                    let id = format!("T-{p_slug}-{e_slug}-{s_slug}-{:03}", t + 1);
                    let mut error = |why: String| {
                        wrong.push(Deficiency::new(Severity::Error, &path, "name", why));
                    };
                    if id.len() > ID_MAX {
                        error(format!(
                            "the id of \"{}\" would have {} characters, more than {ID_MAX}: {id}",
                            task.name,
                            id.len()
                        ));
                        continue;
                    }
                    if let Some(other) = named.insert(id.clone(), &task.name) {
                        error(format!("\"{}\" and \"{other}\" would both be {id}", task.name));
                        continue;
                    }
                    let id = match TaskId::new(&id) {
                        Ok(id) => id,
                        Err(why) => {
                            error(format!("{id}: {why}"));
                            continue;
                        }
                    };
                    ids.insert(&task.task_id, id.clone());
                    let folder = [p_slug.clone(), e_slug.clone(), s_slug.clone(), t_slug];
                    let spec_task_id = task.task_id.clone();
                    let (order, at) = (places.len() as u32, [p, e, s, t]);
                    let depends_on = Vec::new();
                    places.push(Place { id, spec_task_id, order, at, folder, depends_on });
                }
            }
        }
    }
    if !wrong.is_empty() {
        return Err(wrong);
    }
    for place in &mut places {
        let [p, e, s, t] = place.at;
        let task = &spec.pillars[p].epics[e].stories[s].tasks[t];
        let on = task.depends_on.iter().filter_map(|it| ids.get(it.as_str()).cloned());
        place.depends_on = on.collect::<BTreeSet<_>>().into_iter().collect();
    }
    Ok(places)
}

/// Places in parts as a project takes them: what a task depends on stands before it or in its part, and a part fits into one
/// record. One part at least.
pub fn parts(spec: &ProductSpec, places: &[Place]) -> Vec<Vec<Place>> {
    let by_id: BTreeMap<&TaskId, &Place> = places.iter().map(|it| (&it.id, it)).collect();
    let depends_on = by_id.iter().map(|(id, it)| (*id, it.depends_on.iter().collect()));
    // A spec that is checked has no circles.
    let order = in_order(&depends_on.collect()).unwrap_or_else(|round| round);
    let mut parts = Vec::from([Vec::new()]);
    let mut bytes = 0;
    for place in order.into_iter().filter_map(|id| by_id.get(id)) {
        let own = place.bytes_in(spec);
        let is_full = |part: &Vec<Place>| {
            !part.is_empty() && (part.len() == PLANNED_MAX || bytes + own > PART_BYTES_MAX)
        };
        if parts.last().is_some_and(is_full) {
            parts.push(Vec::new());
            bytes = 0;
        }
        bytes += own;
        parts.last_mut().into_iter().for_each(|part| part.push((*place).clone()));
    }
    parts
}

/// The name of a folder, and a part of an id: `API v2.0 Integration` becomes `api-v2-0-integration`.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars().flat_map(char::to_lowercase) {
        if letter.is_ascii_lowercase() || letter.is_ascii_digit() {
            slug.push(letter);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
    }
    let slug = slug.trim_end_matches('-');
    if slug.len() <= SLUG_MAX {
        return slug.to_string();
    }
    // Two long names that begin alike stay two.
    let digest = Digest::of(slug.as_bytes()).to_string();
    let kept = slug.get(..KEPT).unwrap_or(slug).trim_end_matches('-');
    format!("{kept}-{}", digest.get(..DIGITS).unwrap_or_default())
}

/// The slugs of siblings: who comes later with a slug that is taken gets a number.
fn slugs<'n>(
    names: impl Iterator<Item = &'n str>,
    path: &str,
    wrong: &mut Vec<Deficiency>,
) -> Vec<String> {
    let natural: Vec<String> = names.map(slug).collect();
    let all: BTreeSet<&String> = natural.iter().collect();
    let mut taken: BTreeSet<String> = BTreeSet::new();
    let mut next: BTreeMap<&String, u32> = BTreeMap::new();
    let mut slugs = Vec::with_capacity(natural.len());
    for (nth, own) in natural.iter().enumerate() {
        if own.is_empty() {
            let path = format!("{path}[{nth}]");
            let why = "the name has no letter or digit of ASCII, so no folder can be named by it";
            wrong.push(Deficiency::new(Severity::Error, &path, "name", why.to_string()));
        }
        let mut chosen = own.clone();
        let number = next.entry(own).or_insert(2);
        // A sibling that is called so itself keeps its name.
        while taken.contains(&chosen) || (chosen != *own && all.contains(&chosen)) {
            let suffix = format!("-{number}");
            let kept = own.get(..SLUG_MAX - suffix.len()).unwrap_or(own).trim_end_matches('-');
            chosen = format!("{kept}{suffix}");
            *number += 1;
        }
        taken.insert(chosen.clone());
        slugs.push(chosen);
    }
    slugs
}

impl Place {
    /// About how many bytes its task takes in a record.
    fn bytes_in(&self, spec: &ProductSpec) -> usize {
        let [p, e, s, t] = self.at;
        let task = &spec.pillars[p].epics[e].stories[s].tasks[t];
        let texts = task.acceptance_criteria.iter().chain([&task.name]);
        let ids = self.depends_on.iter().map(|it| it.as_str().len() + 3);
        // JSON may write a character as six.
        texts.map(|it| it.len() * 2).sum::<usize>() + ids.sum::<usize>() + TERMS_BYTES
    }
}

/// A record holds a part twice: as it was said, and as it was decided.
const PART_BYTES_MAX: usize = 300_000;
const TERMS_BYTES: usize = 1_000;
const SLUG_MAX: usize = 64;
const KEPT: usize = 56;
const DIGITS: usize = 7;
const ID_MAX: usize = 128;
