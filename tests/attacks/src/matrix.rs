//! The matrix: every attack in several confinements, and the effect of each barrier.
//!
//! The matrix records results. `proof` decides whether they match the promise of a level.

use std::fmt;

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::confinement::{Confinement, run_attack};
use crate::ended::Ended;

/// The results of every attack in several confinements.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The names of the confinements, in column order.
    pub names: Vec<String>,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug)]
pub struct Row {
    pub attack: &'static Attack,
    /// In column order.
    pub ends: Vec<Cell>,
}

/// The result of one attack in one confinement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// It ran to its end.
    Ended(Ended),
    /// The confinement could not run it.
    NotRun(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    pub without: Barrier,
    /// The attacks that succeed without it.
    pub through: Vec<&'static str>,
    /// The attacks without a clear result.
    pub unclear: Vec<&'static str>,
}

/// Runs attacks in every confinement, one after the other.
pub fn run(confinements: &[&dyn Confinement], attacks: &[&'static Attack]) -> Matrix {
    let names = confinements.iter().map(|confinement| confinement.name()).collect();
    let play_row = |attack: &&'static Attack| Row {
        attack,
        ends: confinements.iter().map(|confinement| cell(*confinement, attack)).collect(),
    };
    Matrix { names, rows: attacks.iter().map(play_row).collect() }
}

/// Removes one barrier at a time, and runs the attacks that all barriers together stop.
pub fn ablate(
    whole: &dyn Confinement,
    without: &[(Barrier, &dyn Confinement)],
    attacks: &[&'static Attack],
) -> Vec<Breach> {
    let is_stopped = |attack: &&&'static Attack| {
        matches!(cell(whole, attack), Cell::Ended(Ended::Stopped { .. }))
    };
    let held: Vec<&'static Attack> = attacks.iter().filter(is_stopped).copied().collect();
    let breach = |(barrier, weaker): &(Barrier, &dyn Confinement)| {
        let mut breach = Breach { without: *barrier, through: Vec::new(), unclear: Vec::new() };
        for attack in &held {
            match cell(*weaker, attack) {
                Cell::Ended(Ended::Succeeded { .. }) => breach.through.push(attack.key),
                Cell::Ended(Ended::Stopped { .. }) => {}
                Cell::Ended(Ended::Void { .. }) | Cell::NotRun(_) => {
                    breach.unclear.push(attack.key)
                }
            }
        }
        breach
    };
    without.iter().map(breach).collect()
}

fn cell(confinement: &dyn Confinement, attack: &Attack) -> Cell {
    match run_attack(confinement, attack) {
        Ok(ended) => Cell::Ended(ended),
        Err(error) => Cell::NotRun(format!("{error:#}")),
    }
}

impl Matrix {
    /// The attacks that succeeded or had no clear result in a column.
    pub fn not_stopped(&self, column: usize) -> Vec<&'static str> {
        let is_stopped =
            |row: &&Row| matches!(row.ends.get(column), Some(Cell::Ended(Ended::Stopped { .. })));
        self.rows.iter().filter(|row| !is_stopped(row)).map(|row| row.attack.key).collect()
    }
}

impl Cell {
    fn word(&self) -> &'static str {
        match self {
            Self::Ended(Ended::Succeeded { .. }) => "SUCCEEDED",
            Self::Ended(Ended::Stopped { .. }) => "stopped",
            Self::Ended(Ended::Void { .. }) => "void",
            Self::NotRun(_) => "not run",
        }
    }

    fn what(&self) -> &str {
        match self {
            Self::Ended(
                Ended::Succeeded { what: text }
                | Ended::Stopped { by: text }
                | Ended::Void { why: text },
            )
            | Self::NotRun(text) => text,
        }
    }
}

impl fmt::Display for Matrix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| attack | row | barrier | {} |", self.names.join(" | "))?;
        writeln!(f, "|---|---|---|{}", "---|".repeat(self.names.len()))?;
        for Row { attack, ends } in &self.rows {
            write!(f, "| {} | {} | {} |", attack.key, attack.row, attack.barrier.name())?;
            for cell in ends {
                write!(f, " {}: {} |", cell.word(), cell.what())?;
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list =
            |keys: &[&str]| if keys.is_empty() { "nothing".to_string() } else { keys.join(", ") };
        write!(f, "without {}: {} got through", self.without.name(), list(&self.through))?;
        if !self.unclear.is_empty() {
            write!(f, "; unclear: {}", self.unclear.join(", "))?;
        }
        Ok(())
    }
}
