//! Guards taken away, one at a time: a property has to miss each of them.

use anyhow::Result;
use sealwright_kernel::pipeline::table::ROWS;
use sealwright_kernel::pipeline::walk::walk;
use sealwright_kernel::pipeline::{FAILS_MAX, Guard, Kind, Phase, Row, Rules, State};

use super::refinement::Refinement;
use crate::prove::Size;
use crate::prove::figures::Figures;

pub(super) fn prove(size: Size, figures: &mut Figures) -> Result<()> {
    let refinement = Refinement::read()?;
    let all: Vec<(usize, usize)> = (0..ROWS.len())
        .flat_map(|row| (0..ROWS[row].guards.len()).map(move |guard| (row, guard)))
        .filter(|(row, guard)| !is_implied(&ROWS[*row], *guard))
        .collect();
    let chosen = match size {
        Size::Full => all.clone(),
        Size::Quick(sample) => sample.of(&all, AT_LEAST),
    };
    let mut survivors = Vec::new();
    for (row, guard) in &chosen {
        let mut rows = ROWS.to_vec();
        let mut guards = rows[*row].guards.to_vec();
        let gone = guards.remove(*guard);
        rows[*row].guards = guards.leak();
        let bent = Rules { rows: &rows, fails_max: FAILS_MAX };
        if walk(bent, |taken| refinement.broken_by(taken)).is_ok() {
            survivors.push(format!("{:?} without {gone:?}", rows[*row].action));
        }
    }
    let caught = chosen.len() - survivors.len();
    let mut text = format!("{caught} of {} tables without one guard are caught", chosen.len());
    if !survivors.is_empty() {
        text.push_str(&format!("; not: {}", survivors.join(", ")));
    }
    figures.hold(text, survivors.is_empty() && chosen.len() >= AT_LEAST);
    Ok(())
}

/// Whether the guard follows from where the row begins, so that nothing changes without it: behind the gate of Build, every
/// change makes a gate stale, and what is prepared was never delivered.
fn is_implied(row: &Row, guard: usize) -> bool {
    let is_late = matches!(row.from.kind(), Kind::Passed(phase) if phase >= Phase::Build);
    let is_first = row.from == State::PreferencesConfigured;
    match row.guards[guard] {
        Guard::MakesStale => is_late,
        Guard::NotDelivered => is_first,
        _ => false,
    }
}

const AT_LEAST: usize = 16;
