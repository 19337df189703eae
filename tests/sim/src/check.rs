//! Invariants of every journal.

use std::collections::BTreeSet;

use sealwright_host::Replayed;
use sealwright_kernel::{Effect as _, EffectId, Input as _, StreamId};
use sealwright_store::disk::SimulatedDisk;
use sealwright_store::{FileJournal, Head, Note, Record, verify};

use crate::part::Part;
use crate::world::World;

/// What the checkers read from a journal.
pub(crate) struct Checked<P> {
    pub(crate) is_over: bool,
    pub(crate) machine: P,
    pub(crate) torn_tails: u64,
    pub(crate) records: u64,
}

/// The live state equals the fold of the journal.
pub(crate) fn live_state<P: Part>(
    journal: &FileJournal<SimulatedDisk>,
    stream: &StreamId,
    live: &Replayed<P>,
) -> Result<(), String> {
    // A follower reads only durable lines: a line whose sync failed does not count yet.
    let mut folded = P::default();
    let mut head = Head::START;
    let followed = journal.follow(stream, Head::START).catch_up(&mut |entry| {
        // The host may have appended more since.
        if entry.head().seq <= live.head.seq {
            head = entry.head();
            entry.events::<P::Event>()?.iter().for_each(|event| folded.evolve(event));
        }
        Ok(())
    });
    match followed {
        Ok(_) => {}
        // The process died in this very operation.
        Err(_) if journal.disk().is_dead() => return Ok(()),
        Err(error) => return Err(format!("the journal cannot be followed: {error}")),
    }
    let folded = Replayed { machine: folded, head };
    if folded != *live {
        return Err(format!("the live state is not the fold: {live:?} instead of {folded:?}"));
    }
    Ok(())
}

/// No accepted report is lost or doubled, none was accepted that was not owed, and no effect was performed without a
/// record that explains it.
pub(crate) fn journal<P: Part>(
    journal: &FileJournal<SimulatedDisk>,
    stream: &StreamId,
    world: &World<P>,
) -> Result<Checked<P>, String> {
    let verified = verify(journal, &[], 1).map_err(|error| error.to_string())?;
    if let Some(finding) = verified.findings.first() {
        return Err(format!("the journal does not verify: {finding}"));
    }
    let records = read(journal, stream)?;
    let mut machine = P::default();
    let mut watch = P::Watch::default();
    let mut ever_owed: BTreeSet<EffectId> = BTreeSet::new();
    let mut heard: Vec<(P::Input, Vec<P::Event>)> = Vec::new();
    for record in &records {
        let events = machine_events::<P>(record)?;
        if events.is_empty() {
            continue;
        }
        let cause: P::Input = serde_json::from_value(record.cause.clone())
            .map_err(|error| format!("record {} has no cause: {error}", record.seq))?;
        if let Some(effect) = cause.answers()
            && !machine.owes(effect)
        {
            return Err(format!("record {} answers {effect}, which was not owed", record.seq));
        }
        let is_report = cause.answers().is_some();
        if is_report && heard.iter().any(|(input, _)| *input == cause) {
            return Err(format!("record {} was accepted twice: {cause:?}", record.seq));
        }
        if machine.decide(&cause).as_ref() != Ok(&events) {
            return Err(format!("record {} is not what the rules decide", record.seq));
        }
        let before = machine.clone();
        for event in &events {
            machine.evolve(event);
            ever_owed.extend(machine.owed().iter().map(|effect| effect.id()));
        }
        let told = |why| format!("record {}: {why}", record.seq);
        P::watch(&mut watch, &before, &cause, &events, &machine).map_err(told)?;
        heard.push((cause, events));
    }
    // Concurrent reports may be confirmed in either order, so each confirmation takes one record, at any position.
    let mut rest: Vec<_> = heard.iter().map(Some).collect();
    for (input, events) in world.confirmed() {
        let is_same = |record: &Option<&(P::Input, Vec<P::Event>)>| {
            record.is_some_and(|(heard, _)| *heard == input)
        };
        let is_it = |record: &Option<&(P::Input, Vec<P::Event>)>| {
            is_same(record)
                && record.is_some_and(|(_, found)| events.is_empty() || *found == events)
        };
        match rest.iter().position(is_it) {
            Some(nth) => rest[nth] = None,
            None if rest.iter().any(is_same) => {
                return Err(format!("a confirmed report was recorded differently: {input:?}"));
            }
            None => return Err(format!("a confirmed report was lost: {input:?}")),
        }
    }
    if let Some(effect) = world.asked().iter().find(|effect| !ever_owed.contains(effect)) {
        return Err(format!("{effect} was performed, but the record that owed it is gone"));
    }
    let torn_tails = verified_torn(journal, stream)?;
    let is_over = machine.is_over();
    Ok(Checked { is_over, machine, torn_tails, records: records.len() as u64 })
}

fn verified_torn(journal: &FileJournal<SimulatedDisk>, stream: &StreamId) -> Result<u64, String> {
    let mut torn = 0;
    let counted = journal.read_blocking(stream, Head::START, &mut |entry| {
        let notes = entry.notes();
        torn += notes.iter().filter(|note| matches!(note, Note::TornTail { .. })).count() as u64;
        Ok(())
    });
    counted.map_err(|error| error.to_string())?;
    Ok(torn)
}

fn read(journal: &FileJournal<SimulatedDisk>, stream: &StreamId) -> Result<Vec<Record>, String> {
    let mut records = Vec::new();
    let read = journal.read_blocking(stream, Head::START, &mut |entry| {
        records.push(entry.record()?);
        Ok(())
    });
    read.map_err(|error| format!("the journal cannot be read: {error}"))?;
    Ok(records)
}

fn machine_events<P: Part>(record: &Record) -> Result<Vec<P::Event>, String> {
    // Notes of the journal have no cause.
    if record.cause.is_null() {
        return Ok(Vec::new());
    }
    let parsed = record.events.iter().cloned().map(serde_json::from_value);
    parsed.collect::<Result<_, _>>().map_err(|error| format!("record {}: {error}", record.seq))
}
