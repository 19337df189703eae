//! One life of the process, from start to death.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use sealwright_host::{Ended, Handle, Host, HostError, Limits, Replayed};
use sealwright_store::disk::{Faults, SimulatedDisk};
use sealwright_store::{FileJournal, JournalError};

use crate::check;
use crate::part::Part;
use crate::world::{Ticks, World};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kindness {
    Careless,
    Kind,
}

pub(crate) enum Death {
    KilledAtAnAwait,
    KilledInADiskOperation,
    DiskError,
    Natural,
}

/// Starts the process and runs it until its end. Returns how it ended, or a violation.
pub(crate) fn live<P: Part>(
    journal: &FileJournal<SimulatedDisk>,
    disk: &SimulatedDisk,
    world: &Arc<World<P>>,
    kindness: Kindness,
    snapshot_every: u64,
    dice: &mut fastrand::Rng,
) -> Result<Death, String> {
    world.begin_life(kindness);
    let mut polls_left = u64::MAX;
    if kindness == Kindness::Careless {
        let dies_after = dice.bool().then(|| dice.u64(0..40));
        let sync_fails_one_in = if dice.u8(0..4) == 0 { dice.u64(2..10) } else { 0 };
        let full = dice.u8(0..10) == 0;
        disk.set_faults(Faults { dies_after, sync_fails_one_in, full });
        if dies_after.is_none() {
            polls_left = dice.u64(1..30);
        }
    }
    let whims = dice.u64(0..6);
    // A separate runtime: dropping it stops everything of this life.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .start_paused(true)
        .build()
        .map_err(|error| format!("no runtime: {error}"))?;
    let life = async {
        let limits = Limits {
            in_flight_max: 4,
            tries_max: 5,
            backoff: Duration::from_millis(50),
            backoff_max: Duration::from_secs(2),
            grace: Duration::from_millis(500),
            wait_max: Duration::from_secs(60),
            ends_idle: false,
            snapshot_every: P::snapshot_every(snapshot_every),
        };
        let stream = P::stream();
        let opened =
            Host::open(journal.clone(), &stream, world.clone(), Ticks::default(), limits).await;
        let host = match opened {
            Ok(host) => host,
            Err(error) => return ended_by(error, disk),
        };
        let opened = Replayed { machine: host.machine().clone(), head: host.head() };
        check::live_state(journal, &stream, &opened)?;
        let handle = host.handle();
        world.reach(handle.clone());
        let person = person(journal, world, handle, kindness, whims, dice.fork());
        let (ran, said) = tokio::join!(host.run(), person);
        said?;
        match ran {
            Ok(
                Ended::Over(_)
                | Ended::Stopped
                | Ended::Stalled(_)
                | Ended::Waiting(_)
                | Ended::Parked { .. },
            ) => Ok(Death::Natural),
            Err(error) => ended_by(error, disk),
        }
    };
    let life = Mortal { life: Box::pin(life), polls_left };
    let hour = Duration::from_secs(3_600);
    let minute = Duration::from_secs(60);
    let long = if kindness == Kindness::Kind { hour } else { minute };
    let death = runtime.block_on(async { tokio::time::timeout(long, life).await });
    match death {
        Ok(Some(death)) => death,
        Ok(None) => Ok(Death::KilledAtAnAwait),
        Err(_) if kindness == Kindness::Kind => {
            Err("an hour passed and nothing more happened; something owed was forgotten".to_owned())
        }
        Err(_) => Ok(Death::Natural),
    }
}

/// A person who starts the machine and interferes with it.
async fn person<P: Part>(
    journal: &FileJournal<SimulatedDisk>,
    world: &World<P>,
    handle: Handle<P>,
    kindness: Kindness,
    whims: u64,
    mut dice: fastrand::Rng,
) -> Result<(), String> {
    for _ in 0..whims {
        tokio::time::sleep(Duration::from_millis(dice.u64(0..3_000))).await;
        match dice.u8(0..8) {
            0 if kindness == Kindness::Careless => handle.stop(),
            1..=3 => {
                let Some(live) = handle.look().await else { break };
                check::live_state(journal, &P::stream(), &live)?;
            }
            4 if kindness == Kindness::Careless => {
                let full = dice.bool();
                let sync_fails_one_in = if dice.bool() { 3 } else { 0 };
                let faults = Faults { full, sync_fails_one_in, dies_after: None };
                journal.disk().set_faults(faults);
            }
            _ => {
                let (actor, input) = world.whim();
                world.tell(&handle, actor, input).await;
            }
        }
    }
    if kindness == Kindness::Kind {
        // Eventually a person starts it.
        while matches!(handle.look().await, Some(live) if !live.machine.has_begun()) {
            let (actor, input) = world.begin();
            world.tell(&handle, actor, input).await;
        }
    }
    Ok(())
}

fn ended_by(error: HostError, disk: &SimulatedDisk) -> Result<Death, String> {
    match error {
        _ if disk.is_dead() => Ok(Death::KilledInADiskOperation),
        HostError::Journal(JournalError::Full { .. } | JournalError::Io { .. }) => {
            Ok(Death::DiskError)
        }
        other => Err(format!("the journal could not be used: {other:?}")),
    }
}

/// A future that is dropped after some polls: a process killed at an await.
struct Mortal<F> {
    life: Pin<Box<F>>,
    polls_left: u64,
}

impl<F: Future> Future for Mortal<F> {
    type Output = Option<F::Output>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match self.polls_left.checked_sub(1) {
            None => Poll::Ready(None),
            Some(left) => {
                self.polls_left = left;
                self.life.as_mut().poll(context).map(Some)
            }
        }
    }
}
