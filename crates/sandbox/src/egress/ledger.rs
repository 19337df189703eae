//! The log while it is being written, by all connections at once.
//!
//! An entry stands from the moment of the decision. What came of it is written once: the first reason wins, so
//! that the first observer is believed. A ticket that is dropped without an outcome has lost its role.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use super::log::{Entry, Failure, Log, Mode, Refusal, RequestOutcome};
use super::policy::{Bounds, Quota};

#[derive(Clone)]
pub(super) struct Ledger {
    began: Instant,
    requests_max: usize,
    refusals_max: usize,
    book: Arc<Mutex<Book>>,
}

/// What is being asked for, as it will stand in the log.
#[derive(Clone, Debug)]
pub(super) struct Asked {
    pub(super) connection: u64,
    pub(super) mode: Mode,
    pub(super) target: String,
    pub(super) method: String,
    pub(super) path: String,
}

/// Whether the log took a refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    Enough,
    None,
}

/// The right to be served. Dropping it ends the entry.
pub(super) struct Ticket {
    mark: Mark,
}

/// A way to write what came of an entry, without being responsible for it.
#[derive(Clone)]
pub(super) struct Mark {
    ledger: Ledger,
    nth: usize,
}

#[derive(Default)]
struct Book {
    log: Log,
    admitted: usize,
    refused: usize,
}

impl Ledger {
    pub(super) fn open(bounds: &Bounds, began: Instant) -> Self {
        let (requests_max, refusals_max) = (bounds.requests_max, bounds.refusals_max);
        Self { began, requests_max, refusals_max, book: Arc::default() }
    }

    /// Writes down that something was not let through, and says whether there was room.
    pub(super) fn refuse(&self, asked: Asked, why: Refusal) -> Room {
        let entry = self.entry(asked, RequestOutcome::Refused { why });
        let mut book = self.book();
        if book.refused < self.refusals_max {
            book.refused += 1;
            book.log.entries.push(entry);
            Room::Enough
        } else {
            book.log.refusals_dropped += 1;
            Room::None
        }
    }

    /// Lets something through, if the run has a request left. If not, it still has to be refused.
    pub(super) fn admit(&self, asked: Asked, quota: Option<&Quota>) -> Result<Ticket, Asked> {
        let mut book = self.book();
        let is_spent = quota.is_some_and(|quota| book.has_spent(quota, &asked));
        if is_spent || book.admitted >= self.requests_max {
            return Err(asked);
        }
        let entry = self.entry(asked, RequestOutcome::Open);
        book.admitted += 1;
        book.log.entries.push(entry);
        let nth = book.log.entries.len() - 1;
        drop(book);
        Ok(Ticket { mark: Mark { ledger: self.clone(), nth } })
    }

    pub(super) fn fold<T>(&self, begin: T, step: impl FnMut(T, &Entry) -> T) -> T {
        self.book().log.entries.iter().fold(begin, step)
    }

    pub(super) fn last(&self, which: impl Fn(&Entry) -> bool) -> Option<Entry> {
        self.book().log.entries.iter().rfind(|entry| which(entry)).cloned()
    }

    /// Writes down that a connection could not be accepted.
    pub(super) fn accept_failed(&self) {
        self.book().log.accepts_failed += 1;
    }

    /// Ends what is open on one connection, because nothing moved on it.
    pub(super) fn time_out(&self, connection: u64) {
        self.end_open(Failure::TimedOut, |entry| entry.connection == connection);
    }

    /// Ends all that is open, because the proxy ends.
    pub(super) fn stop(&self) {
        self.end_open(Failure::Stopped, |_| true);
    }

    /// Hands the log out. What happens afterwards is not in it.
    pub(super) fn close(&self) -> Log {
        self.stop();
        let mut book = self.book();
        (book.admitted, book.refused) = (usize::MAX, usize::MAX);
        std::mem::take(&mut book.log)
    }

    fn end_open(&self, why: Failure, which: impl Fn(&Entry) -> bool) {
        let now_ms = self.now_ms();
        for entry in &mut self.book().log.entries {
            if entry.outcome == RequestOutcome::Open && which(entry) {
                entry.outcome = RequestOutcome::Failed { why };
                entry.took_ms = now_ms.saturating_sub(entry.at_ms);
            }
        }
    }

    fn entry(&self, asked: Asked, outcome: RequestOutcome) -> Entry {
        let Asked { connection, mode, target, method, path } = asked;
        let (target, method, path) = (clipped(target), clipped(method), clipped(path));
        let (at_ms, took_ms, bytes_in, bytes_out) = (self.now_ms(), 0, 0, 0);
        Entry {
            at_ms,
            took_ms,
            connection,
            mode,
            target,
            method,
            path,
            outcome,
            retry_after_s: None,
            bytes_in,
            bytes_out,
        }
    }

    fn now_ms(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        // Nothing panics while it holds the book; if something did, the book would still be sound.
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Book {
    /// Whether an upstream has given, or is giving, all the answers it may.
    fn has_spent(&self, quota: &Quota, asked: &Asked) -> bool {
        let is_answer = |entry: &&Entry| {
            entry.target == asked.target
                && quota.counts(&entry.method, &entry.path)
                && matches!(
                    entry.outcome,
                    RequestOutcome::Open | RequestOutcome::Answered { status: 200..=299 }
                )
        };
        quota.counts(&asked.method, &asked.path)
            && self.log.entries.iter().filter(is_answer).count() >= quota.answers_max
    }
}

impl Ticket {
    pub(super) fn mark(&self) -> &Mark {
        &self.mark
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.mark.end(RequestOutcome::Failed { why: Failure::RoleLeft });
    }
}

impl Mark {
    pub(super) fn came_in(&self, bytes: u64) {
        self.change(|entry| entry.bytes_in += bytes);
    }

    /// The upstream asks to be left alone for a while.
    pub(super) fn put_off(&self, retry_after_s: u64) {
        self.change(|entry| entry.retry_after_s = Some(retry_after_s));
    }

    pub(super) fn went_out(&self, bytes: u64) {
        self.change(|entry| entry.bytes_out += bytes);
    }

    fn change(&self, change: impl FnOnce(&mut Entry)) {
        self.ledger.book().log.entries.get_mut(self.nth).map(change);
    }

    /// Writes what came of it, unless that is known already; says what is known now.
    pub(super) fn end(&self, outcome: RequestOutcome) -> RequestOutcome {
        let now_ms = self.ledger.now_ms();
        let mut book = self.ledger.book();
        let Some(entry) = book.log.entries.get_mut(self.nth) else { return outcome };
        if entry.outcome == RequestOutcome::Open {
            entry.outcome = outcome;
            entry.took_ms = now_ms.saturating_sub(entry.at_ms);
        }
        entry.outcome
    }
}

/// Roles choose these texts, so only their beginnings are kept.
fn clipped(mut text: String) -> String {
    if let Some((end, _)) = text.char_indices().nth(TEXT_MAX) {
        text.truncate(end);
        text.push('…');
    }
    text
}

const TEXT_MAX: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_let_through_is_always_in_the_log() {
        let ledger = book(2, 1);
        let tickets =
            [ledger.admit(asked(1), None), ledger.admit(asked(2), None)].map(Result::unwrap);
        for room in [Room::Enough, Room::None, Room::None] {
            let refused = ledger.admit(asked(3), None).err().unwrap();
            assert_eq!(ledger.refuse(refused, Refusal::RequestsSpent), room);
        }
        assert_eq!(ledger.refuse(asked(4), Refusal::Method), Room::None);
        tickets[0].mark().came_in(5);
        tickets[0].mark().went_out(7);
        tickets[0].mark().end(RequestOutcome::Answered { status: 200 });
        let log = ledger.close();
        let seen: Vec<_> = log
            .entries
            .iter()
            .map(|e| (e.connection, e.outcome, e.bytes_in, e.bytes_out))
            .collect();
        let expected = [
            (1, RequestOutcome::Answered { status: 200 }, 5, 7),
            (2, RequestOutcome::Failed { why: Failure::Stopped }, 0, 0),
            (3, RequestOutcome::Refused { why: Refusal::RequestsSpent }, 0, 0),
        ];
        assert_eq!((seen.as_slice(), log.refusals_dropped), (expected.as_slice(), 3));
    }

    #[test]
    fn an_upstream_gives_no_more_answers_than_it_may() {
        let ledger = book(99, 99);
        let quota = Quota { answers_max: 2, endings: vec!["/messages".to_owned()] };
        let post = |path: &str| {
            let asked = Asked { method: "POST".to_owned(), path: path.to_owned(), ..asked(1) };
            ledger.admit(asked, Some(&quota))
        };
        let failed = post("/v1/messages").ok().unwrap();
        failed.mark().end(RequestOutcome::Answered { status: 500 });
        let open = post("/v1/messages").ok().unwrap();
        let done = post("/v1/messages").ok().unwrap();
        done.mark().end(RequestOutcome::Answered { status: 200 });
        assert!(post("/v1/messages").is_err(), "one is answered and one is being answered");
        assert!(post("/v1/messages/count_tokens").is_ok(), "that is no answer");
        open.mark().end(RequestOutcome::Failed { why: Failure::UpstreamBroke });
        assert!(post("/v1/messages").is_ok(), "what broke off does not count");
    }

    #[test]
    fn the_first_reason_is_believed() {
        let ledger = book(9, 9);
        let (slow, left) =
            (ledger.admit(asked(1), None).unwrap(), ledger.admit(asked(2), None).unwrap());
        ledger.time_out(1);
        let known = slow.mark().end(RequestOutcome::Answered { status: 200 });
        drop((slow, left));
        assert_eq!(known, RequestOutcome::Failed { why: Failure::TimedOut });
        let log = ledger.close();
        let outcomes: Vec<RequestOutcome> = log.entries.iter().map(|entry| entry.outcome).collect();
        let expected =
            [Failure::TimedOut, Failure::RoleLeft].map(|why| RequestOutcome::Failed { why });
        assert_eq!(outcomes, expected);
    }

    #[test]
    fn the_last_entry_of_a_kind_is_told_with_what_is_known_by_now() {
        let ledger = book(9, 9);
        let first = ledger.admit(asked(1), None).unwrap();
        let _second = ledger.admit(asked(2), None).unwrap();
        first.mark().put_off(7);
        let last = |connection| ledger.last(|entry| entry.connection == connection);
        assert_eq!(
            last(1).map(|entry| (entry.outcome, entry.retry_after_s)),
            Some((RequestOutcome::Open, Some(7)))
        );
        first.mark().end(RequestOutcome::Answered { status: 429 });
        assert_eq!(
            last(1).map(|entry| entry.outcome),
            Some(RequestOutcome::Answered { status: 429 })
        );
        assert_eq!(ledger.last(|_| true).map(|entry| entry.connection), Some(2));
        assert_eq!(last(3), None);
    }

    #[test]
    fn nothing_is_written_or_let_through_after_the_end() {
        let ledger = book(9, 9);
        let ticket = ledger.admit(asked(1), None).unwrap();
        assert_eq!(ledger.close().entries.len(), 1);
        ticket.mark().came_in(1);
        ledger.refuse(asked(2), Refusal::Method);
        assert!(ledger.admit(asked(3), None).is_err());
        assert_eq!(ledger.close().entries, []);
    }

    #[test]
    fn a_long_text_of_a_role_is_clipped() {
        let ledger = book(9, 9);
        ledger.refuse(Asked { path: "ä".repeat(100_000), ..asked(1) }, Refusal::PathUnclear);
        assert_eq!(ledger.close().entries[0].path.chars().count(), TEXT_MAX + 1);
    }

    fn book(requests_max: usize, refusals_max: usize) -> Ledger {
        let bounds = Bounds { requests_max, refusals_max, ..Bounds::default() };
        Ledger::open(&bounds, Instant::now())
    }

    fn asked(connection: u64) -> Asked {
        let (target, method, path) = (String::new(), "POST".to_owned(), "/v1".to_owned());
        Asked { connection, mode: Mode::Reverse, target, method, path }
    }
}
