//! The simulator: one seed drives one world with every kind of failure.
//!
//! A run is a sequence of *lives* of one process on one disk. In each life the host drives a sample errand or a
//! task while the world answers its effects early, late, twice, wrongly or never, the disk fills up, tears writes and
//! fails to sync, and the process is killed at some await or in the middle of a disk operation. In the last life every
//! effect is answered eventually, so the machine must reach its end.
//!
//! The checkers read the journal from outside and share no code with the host.

mod check;
mod life;
mod part;
mod world;

use std::sync::Arc;

use sealwright_store::disk::SimulatedDisk;
use sealwright_store::{FileJournal, Layout};

use crate::life::{Death, Kindness, live};
pub use crate::part::Part;
use crate::world::World;

/// Counters of a run, to show that the failures happened.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seen {
    pub lives: u64,
    pub killed_at_an_await: u64,
    pub killed_in_a_disk_operation: u64,
    /// Power losses, after which only synced bytes survive.
    pub power_losses: u64,
    /// Openings or runs that ended with a disk error.
    pub disk_errors: u64,
    pub performances: u64,
    /// Reports refused by the rules.
    pub refusals: u64,
    /// Reports that could not be made durable.
    pub not_durable: u64,
    pub torn_tails: u64,
    /// Records in the journals at the end.
    pub records: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The seed that reproduces it.
    pub seed: u64,
    pub what: String,
}

/// Runs one seed with the machine `P`.
pub fn run<P: Part>(seed: u64) -> Result<Seen, Violation> {
    let mut dice = fastrand::Rng::with_seed(seed);
    let mut disk = SimulatedDisk::new(dice.u64(..));
    let world = Arc::new(World::<P>::new(dice.fork()));
    let segment_bytes_max = dice.u64(400..6_000);
    let snapshot_every = dice.u64(1..12);
    let lives = dice.u64(1..8);
    let violation = |what: String| Violation { seed, what };
    let mut seen = Seen::default();
    let mut is_over = false;
    for life in 0..=lives {
        // After the end, one more start shows that the end is final.
        let kindness = if life == lives || is_over { Kindness::Kind } else { Kindness::Careless };
        seen.lives += 1;
        let journal = journal(&disk, segment_bytes_max);
        let death = live(&journal, &disk, &world, kindness, snapshot_every, &mut dice);
        match death.map_err(violation)? {
            Death::KilledAtAnAwait => seen.killed_at_an_await += 1,
            Death::KilledInADiskOperation => seen.killed_in_a_disk_operation += 1,
            Death::DiskError => seen.disk_errors += 1,
            Death::Natural => {}
        }
        disk = if dice.bool() {
            disk.restart_after_kill()
        } else {
            seen.power_losses += 1;
            disk.restart_after_power_loss()
        };
        let journal = self::journal(&disk, segment_bytes_max);
        let checked = check::journal(&journal, &P::stream(), &world).map_err(violation)?;
        seen.torn_tails = checked.torn_tails;
        seen.records = checked.records;
        is_over = checked.is_over;
        match (kindness, is_over) {
            (Kindness::Kind, true) => break,
            (Kindness::Kind, false) => {
                let what =
                    format!("something owed was forgotten; it ended in {:?}", checked.machine);
                return Err(violation(what));
            }
            (Kindness::Careless, _) => {}
        }
    }
    (seen.performances, seen.refusals, seen.not_durable) = world.counts();
    Ok(seen)
}

fn journal(disk: &SimulatedDisk, segment_bytes_max: u64) -> FileJournal<SimulatedDisk> {
    FileJournal::on(disk.clone(), Layout::new(".sealwright")).with_segments_of(segment_bytes_max)
}

impl Seen {
    pub fn add(&mut self, other: &Self) {
        self.lives += other.lives;
        self.killed_at_an_await += other.killed_at_an_await;
        self.killed_in_a_disk_operation += other.killed_in_a_disk_operation;
        self.power_losses += other.power_losses;
        self.disk_errors += other.disk_errors;
        self.performances += other.performances;
        self.refusals += other.refusals;
        self.not_durable += other.not_durable;
        self.torn_tails += other.torn_tails;
        self.records += other.records;
    }
}

#[cfg(test)]
mod tests {
    use sealwright_kernel::task::Task;
    use sealwright_sample_machine::Errand;

    use super::*;

    #[test]
    fn a_seed_always_tells_the_same_story() {
        for seed in 0..100 {
            assert_eq!(run::<Errand>(seed), run::<Errand>(seed), "seed {seed}");
            assert_eq!(run::<Task>(seed), run::<Task>(seed), "seed {seed}");
        }
    }

    #[test]
    fn a_thousand_worlds_break_no_errand_and_see_everything() {
        see_everything::<Errand>(1_000);
    }

    #[test]
    fn hundreds_of_worlds_break_no_task_and_see_everything() {
        see_everything::<Task>(400);
    }

    fn see_everything<P: Part>(seeds: u64) {
        let mut seen = Seen::default();
        for seed in 0..seeds {
            match run::<P>(seed) {
                Ok(one) => seen.add(&one),
                Err(Violation { seed, what }) => panic!("seed {seed}: {what}"),
            }
        }
        let counts = [
            seen.killed_at_an_await,
            seen.killed_in_a_disk_operation,
            seen.power_losses,
            seen.disk_errors,
            seen.refusals,
            seen.not_durable,
            seen.torn_tails,
        ];
        // A task stopped by its budget runs shorter, so fewer failures can happen to it.
        assert!(counts.iter().all(|count| *count >= seeds / 30), "too tame a world: {seen:?}");
    }
}
