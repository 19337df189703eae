//! Every run that a table allows, found by taking every step.

use alloc::collections::BTreeSet;
use alloc::vec;
use core::fmt;

use super::properties::{INVARIANTS, STEP_PROPERTIES, Taken};
use super::{Pipeline, Rules, Step};

/// What there is to reach. The first run counts as a step, as TLC has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walked {
    pub runs: usize,
    pub steps: usize,
    /// How many rows were taken.
    pub rows: usize,
}

/// A property that does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    pub property: &'static str,
    at: Pipeline,
    step: Option<Step>,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} does not hold: {:?}", self.property, self.at)?;
        self.step.map_or(Ok(()), |step| write!(f, ", {step:?}"))
    }
}

/// Takes every step from the first run on, and stops where a property does not hold; `also` names others that a step breaks.
pub fn walk(
    rules: Rules<'_>,
    also: impl Fn(&Taken<'_>) -> Option<&'static str>,
) -> Result<Walked, Broken> {
    let (mut seen, mut rows) = (BTreeSet::new(), BTreeSet::new());
    let (mut open, mut steps) = (vec![Pipeline::default()], 1);
    seen.insert(Pipeline::default());
    while let Some(at) = open.pop() {
        let broken = INVARIANTS.iter().find(|(_, holds)| !holds(&at, rules));
        if let Some((property, _)) = broken {
            return Err(Broken { property, at, step: None });
        }
        for (row, step, next) in rules.steps(at) {
            let taken = Taken { before: &at, step, after: &next, rules };
            let broken = STEP_PROPERTIES.iter().find(|(_, holds)| !holds(&taken));
            let property = broken.map(|(property, _)| *property).or_else(|| also(&taken));
            if let Some(property) = property {
                return Err(Broken { property, at, step: Some(step) });
            }
            rows.insert((row.from, row.action, row.to));
            steps += 1;
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    Ok(Walked { runs: seen.len(), steps, rows: rows.len() })
}
