//! The matrix: every attack in several confinements, and what each wall is for.
//!
//! The matrix says what happened. Whether that is what a level promises is for the proof to say.

use std::fmt;

use crate::attack::Attack;
use crate::confinement::{Confinement, play};
use crate::ended::Ended;
use crate::wall::Barrier;

/// Every attack in several confinements.
#[derive(Clone, Debug)]
pub struct Matrix {
    /// The confinements' names, in the order of the columns.
    pub names: Vec<String>,
    /// One row for each attack.
    pub rows: Vec<Row>,
}

/// One attack, and how it ended in each confinement.
#[derive(Clone, Debug)]
pub struct Row {
    /// The attack.
    pub attack: &'static Attack,
    /// Its ends, in the order of the columns.
    pub ends: Vec<Cell>,
}

/// How one attack ended in one confinement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// It was played to its end.
    Ended(Ended),
    /// The confinement itself could not run it.
    NotRun(String),
}

/// What gets through when a wall is taken down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Breach {
    /// The wall that was taken down.
    pub without: Barrier,
    /// The attacks that succeed without it, though it is all that was changed.
    pub through: Vec<&'static str>,
    /// The attacks that could not be judged without it.
    pub unclear: Vec<&'static str>,
}

/// Plays attacks in every confinement, one after the other.
pub fn run(confinements: &[&dyn Confinement], attacks: &[&'static Attack]) -> Matrix {
    let names = confinements.iter().map(|confinement| confinement.name()).collect();
    let play_row = |attack: &&'static Attack| Row {
        attack,
        ends: confinements.iter().map(|confinement| cell(*confinement, attack)).collect(),
    };
    Matrix { names, rows: attacks.iter().map(play_row).collect() }
}

/// Plays, without one wall at a time, the attacks that all walls together stop.
pub fn ablate(
    whole: &dyn Confinement,
    without: &[(Barrier, &dyn Confinement)],
    attacks: &[&'static Attack],
) -> Vec<Breach> {
    let is_stopped = |attack: &&&'static Attack| {
        matches!(cell(whole, attack), Cell::Ended(Ended::Stopped { .. }))
    };
    let held: Vec<&'static Attack> = attacks.iter().filter(is_stopped).copied().collect();
    let breach = |(wall, weaker): &(Barrier, &dyn Confinement)| {
        let mut breach = Breach { without: *wall, through: Vec::new(), unclear: Vec::new() };
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
    match play(confinement, attack) {
        Ok(ended) => Cell::Ended(ended),
        Err(error) => Cell::NotRun(format!("{error:#}")),
    }
}

impl Matrix {
    /// The attacks that were not stopped in a column: they got through, or nobody can say.
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
        writeln!(f, "| attack | row | wall | {} |", self.names.join(" | "))?;
        writeln!(f, "|---|---|---|{}", "---|".repeat(self.names.len()))?;
        for Row { attack, ends } in &self.rows {
            write!(f, "| {} | {} | {} |", attack.key, attack.row, attack.wall.name())?;
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
