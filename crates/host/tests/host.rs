//! The host on real files, with scripted performers.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use sealwright_host::{
    Answer, CalledOff, Clock, Ended, Handle, Host, Limits, NotPerformed, Performer, Recording,
    ReportError, ReportHandle, replay,
};
use sealwright_kernel::{
    Access, Actor, Digest, Effect as _, EffectId, InvocationId, Role, StreamId, Timestamp,
};
use sealwright_sample_machine::{
    Brief, Capture, Effect, Errand, Fault, Input, Rejected, State, stream_of,
};
use sealwright_store::{BlobRef, FileJournal, Head, JournalError, Layout, verify};

type Answering = fn(&Effect) -> Result<Input, NotPerformed>;

#[derive(Clone, Copy)]
struct Noon;

impl Clock for Noon {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(43_200_000)
    }
}

fn stream() -> StreamId {
    stream_of(InvocationId::new(7))
}

fn request() -> Input {
    let (id, task) = (InvocationId::new(7), Digest::of(b"task"));
    Input::Request { brief: Brief { id, role: Role::Builder, access: Access::Write, task } }
}

fn ada() -> Actor {
    Actor::Human("ada".to_owned())
}

fn honest(effect: &Effect) -> Input {
    let (id, digest) = (effect.id(), Digest::of(b"x"));
    match effect {
        Effect::BuildContext { .. } => Input::ContextBuilt { effect: id, context: digest },
        Effect::Invoke { .. } => {
            Input::Answered { effect: id, capture: Capture { output: digest, changes: digest } }
        }
        Effect::Inspect { .. } => Input::Inspected { effect: id, findings: vec![] },
        Effect::Checkpoint { .. } | Effect::Restore { .. } => {
            Input::TreeSettled { effect: id, at: digest }
        }
    }
}

fn quick() -> Limits {
    Limits { tries_max: 3, backoff: Duration::from_millis(1), ..Limits::default() }
}

async fn open<P: Performer<Errand>>(
    journal: &FileJournal,
    performer: &Arc<P>,
) -> Host<Errand, FileJournal, P, Noon> {
    Host::open(journal.clone(), &stream(), performer.clone(), Noon, quick()).await.unwrap()
}

fn home() -> (tempfile::TempDir, FileJournal) {
    let folder = tempfile::tempdir().unwrap();
    let journal = FileJournal::create(folder.path().join(".sealwright")).unwrap();
    (folder, journal)
}

#[tokio::test]
async fn an_honest_errand_runs_to_its_end_and_every_step_is_one_record() {
    let (_folder, journal) = home();
    let performer = Arc::new(Recording::new(|effect: &Effect| Ok(honest(effect))));
    let host = open(&journal, &performer).await;
    let handle = host.handle();
    let (ended, requested) = tokio::join!(host.run(), handle.report(ada(), request()));
    requested.unwrap();
    let Ended::Over(anchor) = ended.unwrap() else { panic!("not over") };
    let performed: Vec<String> = performer.performed().iter().map(|it| it.id.to_string()).collect();
    insta::assert_snapshot!(performed.join("\n"), @"
    INV-000007/context/try-1
    INV-000007/invoke/try-1
    INV-000007/inspect/try-1
    INV-000007/checkpoint/try-1
    ");
    // The request, four reports, the end.
    assert_eq!(anchor.head.seq.get(), 6);
    assert_eq!(verify(&journal, &[anchor], 1).unwrap().findings.len(), 0);
    let replayed = replay::<Errand, _>(&journal, &stream(), None).await.unwrap();
    assert!(matches!(replayed.machine.state(), State::Accepted { .. }));
}

#[tokio::test]
async fn a_second_report_of_one_effect_is_refused() {
    let (_folder, journal) = home();
    let never: Answering = |_| Err(NotPerformed::Cancelled);
    let performer = Arc::new(Recording::new(never));
    let host = open(&journal, &performer).await;
    let handle = host.handle();
    let running = tokio::spawn(host.run());
    handle.report(ada(), request()).await.unwrap();
    let effect = EffectId::of("INV-000007", "context", 1);
    let built = Input::ContextBuilt { effect: effect.clone(), context: Digest::of(b"x") };
    handle.report(Actor::Environment, built.clone()).await.unwrap();
    let refused = handle.report(Actor::Environment, built).await;
    assert_eq!(refused, Err(ReportError::Rejected(Rejected::NotOwed { effect })));
    handle.stop();
    running.await.unwrap().unwrap();
}

#[tokio::test]
async fn what_was_owed_before_a_crash_is_performed_after_it() {
    let (_folder, journal) = home();
    let asked = Arc::new(AtomicU32::new(0));
    for _ in 0..3 {
        let count = asked.clone();
        let performer = Arc::new(Recording::new(move |effect: &Effect| match effect {
            Effect::Invoke { .. } => {
                count.fetch_add(1, Ordering::Relaxed);
                Err(NotPerformed::Cancelled)
            }
            other => Ok(honest(other)),
        }));
        let host = open(&journal, &performer).await;
        let handle = host.handle();
        let running = tokio::spawn(host.run());
        // Rejected from the second run on: the journal holds the request already.
        let _ = handle.report(ada(), request()).await;
        while asked.load(Ordering::Relaxed) == 0 {
            tokio::task::yield_now().await;
        }
        running.abort();
        assert!(running.await.unwrap_err().is_cancelled());
        assert!(asked.swap(0, Ordering::Relaxed) > 0, "the errand was forgotten");
    }
}

#[tokio::test]
async fn a_host_killed_at_each_step_in_turn_repeats_none_that_is_done() {
    let mut results = Vec::new();
    for killed_at in 0..=5 {
        let (_folder, journal) = home();
        let performed = Arc::new(Mutex::new(Vec::<String>::new()));
        let dying = Arc::new(tokio::sync::Notify::new());
        loop {
            let (log, death) = (performed.clone(), dying.clone());
            let performer = Arc::new(Recording::new(move |effect: &Effect| {
                let mut log = log.lock().unwrap();
                log.push(effect.id().to_string());
                if log.len() == killed_at {
                    death.notify_one();
                    return Err(NotPerformed::Cancelled);
                }
                Ok(honest(effect))
            }));
            let host = open(&journal, &performer).await;
            if let State::Idle = host.machine().state() {
                let handle = host.handle();
                tokio::spawn(async move { handle.report(ada(), request()).await });
            }
            tokio::select! {
                biased;
                () = dying.notified() => {}
                ended = host.run() => {
                    assert!(matches!(ended.unwrap(), Ended::Over(_)));
                    break;
                }
            }
        }
        let performed = performed.lock().unwrap().clone();
        let steps = ["context", "invoke", "inspect", "checkpoint"];
        let expected: Vec<String> = steps
            .iter()
            .enumerate()
            // Only the step in which the host was killed is performed again.
            .flat_map(|(nth, step)| vec![*step; if nth + 1 == killed_at { 2 } else { 1 }])
            .map(|step| format!("INV-000007/{step}/try-1"))
            .collect();
        assert_eq!(performed, expected, "killed at step {killed_at}");
        let replayed = replay::<Errand, _>(&journal, &stream(), None).await.unwrap();
        results.push((replayed.machine, replayed.head));
    }
    assert!(results.iter().all(|result| *result == results[0]), "another result: {results:?}");
}

#[tokio::test]
async fn an_effect_that_keeps_failing_stalls_and_stays_owed() {
    let (_folder, journal) = home();
    let failing: Answering = |_| Err(NotPerformed::Failed { why: "no view".to_owned() });
    let performer = Arc::new(Recording::new(failing));
    let host = open(&journal, &performer).await;
    let handle = host.handle();
    let (ended, _) = tokio::join!(host.run(), handle.report(ada(), request()));
    let Ended::Stalled(stalled) = ended.unwrap() else { panic!("not stalled") };
    assert_eq!(
        (stalled[0].effect.as_str(), stalled[0].why.as_str()),
        ("INV-000007/context/try-1", "no view")
    );
    assert_eq!(performer.performed().len(), 3);
    let host = open(&journal, &performer).await;
    assert!(matches!(host.machine().state(), State::Requested { .. }));
    assert!(matches!(host.run().await.unwrap(), Ended::Stalled(_)));
    assert_eq!(performer.performed().len(), 6);
}

#[tokio::test]
async fn a_performer_that_panics_is_tried_again() {
    let (_folder, journal) = home();
    let tries = AtomicU32::new(0);
    let performer = Arc::new(Recording::new(move |effect: &Effect| {
        assert!(tries.fetch_add(1, Ordering::Relaxed) > 0, "the first performance panics");
        Ok(honest(effect))
    }));
    let host = open(&journal, &performer).await;
    let handle = host.handle();
    let (ended, _) = tokio::join!(host.run(), handle.report(ada(), request()));
    assert!(matches!(ended.unwrap(), Ended::Over(_)));
}

/// Waits to be called off when invoked; answers every other effect at once.
struct Patient {
    called_off: AtomicU32,
    tidies_up: bool,
}

impl Performer<Errand> for Patient {
    async fn perform(
        &self,
        effect: Effect,
        reports: ReportHandle<Errand>,
    ) -> Result<Answer<Errand>, NotPerformed> {
        let answer = |input| Answer { input, actor: Actor::Environment, blobs: vec![] };
        if !matches!(effect, Effect::Invoke { .. }) {
            return Ok(answer(honest(&effect)));
        }
        let _ = reports.report(answer(Input::Started { effect: effect.id() })).await;
        reports.called_off().await;
        self.called_off.fetch_add(1, Ordering::Relaxed);
        if !self.tidies_up {
            std::future::pending::<()>().await;
        }
        Err(NotPerformed::Cancelled)
    }

    fn limit(&self, _effect: &Effect) -> Duration {
        Duration::from_secs(3600)
    }
}

async fn until_running(handle: &Handle<Errand>) {
    loop {
        let standing = handle.look().await.expect("the host runs");
        if matches!(standing.machine.state(), State::Running { .. }) {
            return;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_errand_is_called_off_even_if_it_does_not_listen() {
    for tidies_up in [true, false] {
        let (_folder, journal) = home();
        let performer = Arc::new(Patient { called_off: AtomicU32::new(0), tidies_up });
        let host = open(&journal, &performer).await;
        let handle = host.handle();
        let running = tokio::spawn(host.run());
        handle.report(ada(), request()).await.unwrap();
        until_running(&handle).await;
        let (errand, reason) = (InvocationId::new(7), "wrong task".to_owned());
        let begun = tokio::time::Instant::now();
        handle.report(ada(), Input::Cancel { errand, by: ada(), reason }).await.unwrap();
        assert!(matches!(running.await.unwrap().unwrap(), Ended::Over(_)));
        assert_eq!(performer.called_off.load(Ordering::Relaxed), 1);
        // The limit is an hour, so the limit did not end it.
        assert!(begun.elapsed() <= quick().grace, "called off after {:?}", begun.elapsed());
    }
}

/// The host restores the tree only after the agent that was called off has ended.
#[tokio::test(start_paused = true)]
async fn nothing_is_begun_beside_what_was_called_off() {
    struct Lingering(Mutex<Vec<String>>);
    impl Performer<Errand> for Lingering {
        async fn perform(
            &self,
            effect: Effect,
            reports: ReportHandle<Errand>,
        ) -> Result<Answer<Errand>, NotPerformed> {
            let log = |what: String| self.0.lock().unwrap().push(what);
            log(format!("{} begins", effect.id()));
            if let Effect::Invoke { .. } = effect {
                assert_eq!(reports.called_off().await, CalledOff::NotOwed);
                tokio::time::sleep(Duration::from_secs(5)).await;
            }
            log(format!("{} ends", effect.id()));
            Ok(Answer { input: honest(&effect), actor: Actor::Environment, blobs: vec![] })
        }

        fn limit(&self, _effect: &Effect) -> Duration {
            Duration::from_secs(3600)
        }
    }
    let (_folder, journal) = home();
    let performer = Arc::new(Lingering(Mutex::default()));
    let host = open(&journal, &performer).await;
    let handle = host.handle();
    let running = tokio::spawn(host.run());
    handle.report(ada(), request()).await.unwrap();
    while performer.0.lock().unwrap().len() < 3 {
        tokio::task::yield_now().await;
    }
    let (errand, reason) = (InvocationId::new(7), "wrong task".to_owned());
    handle.report(ada(), Input::Cancel { errand, by: ada(), reason }).await.unwrap();
    running.await.unwrap().unwrap();
    insta::assert_snapshot!(performer.0.lock().unwrap().join("\n"), @"
    INV-000007/context/try-1 begins
    INV-000007/context/try-1 ends
    INV-000007/invoke/try-1 begins
    INV-000007/invoke/try-1 ends
    INV-000007/restore/try-1 begins
    INV-000007/restore/try-1 ends
    ");
}

/// The host notices a deadline; the machine decides what it means.
#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_reported_to_the_rules() {
    struct Slow;
    impl Performer<Errand> for Slow {
        async fn perform(
            &self,
            effect: Effect,
            reports: ReportHandle<Errand>,
        ) -> Result<Answer<Errand>, NotPerformed> {
            let input = match &effect {
                Effect::Invoke { .. } => {
                    assert_eq!(reports.called_off().await, CalledOff::OutOfTime);
                    Input::Aborted { effect: effect.id(), why: Fault::TimedOut }
                }
                other => honest(other),
            };
            Ok(Answer { input, actor: Actor::Environment, blobs: vec![] })
        }

        fn limit(&self, _effect: &Effect) -> Duration {
            Duration::from_secs(60)
        }
    }
    let (_folder, journal) = home();
    let host = open(&journal, &Arc::new(Slow)).await;
    let handle = host.handle();
    let (ended, _) = tokio::join!(host.run(), handle.report(ada(), request()));
    assert!(matches!(ended.unwrap(), Ended::Over(_)));
    let replayed = replay::<Errand, _>(&journal, &stream(), None).await.unwrap();
    // Three attempts, and no more.
    let State::Aborted { attempt: 3, .. } = replayed.machine.state() else {
        panic!("{:?}", replayed.machine);
    };
}

#[tokio::test]
async fn a_record_says_who_and_on_what_evidence() {
    struct Evident(BlobRef);
    impl Performer<Errand> for Evident {
        async fn perform(
            &self,
            effect: Effect,
            _reports: ReportHandle<Errand>,
        ) -> Result<Answer<Errand>, NotPerformed> {
            let actor = Actor::Role(Role::Builder, InvocationId::new(7));
            Ok(Answer { input: honest(&effect), actor, blobs: vec![self.0] })
        }

        fn limit(&self, _effect: &Effect) -> Duration {
            Duration::from_secs(60)
        }
    }
    let (_folder, journal) = home();
    let blob = BlobRef { sha256: Digest::of(b"evidence"), size: 8 };
    let host = open(&journal, &Arc::new(Evident(blob))).await;
    let handle = host.handle();
    let (ended, _) = tokio::join!(host.run(), handle.report(ada(), request()));
    ended.unwrap();
    let mut recorded = Vec::new();
    let mut each = |entry: &sealwright_store::Entry<'_>| {
        let record = entry.record()?;
        recorded.push((record.actor, record.blobs));
        Ok(())
    };
    journal.read_blocking(&stream(), Head::START, &mut each).unwrap();
    let builder = Actor::Role(Role::Builder, InvocationId::new(7));
    assert_eq!(recorded[0], (ada(), vec![]));
    assert!(recorded[1..5].iter().all(|it| *it == (builder.clone(), vec![blob])), "{recorded:?}");
    assert_eq!(recorded[5], (Actor::Machine, vec![]));
}

#[tokio::test]
async fn a_performer_cannot_sign_for_a_person() {
    struct Forger;
    impl Performer<Errand> for Forger {
        async fn perform(
            &self,
            effect: Effect,
            reports: ReportHandle<Errand>,
        ) -> Result<Answer<Errand>, NotPerformed> {
            let forged = Answer { input: honest(&effect), actor: ada(), blobs: vec![] };
            assert_eq!(reports.report(forged.clone()).await, Err(ReportError::Forged));
            // A person's input reported by the environment is refused as well.
            let (errand, reason) = (InvocationId::new(7), "enough".to_owned());
            let input = Input::Cancel { errand, by: ada(), reason };
            let worded = Answer { input, actor: Actor::Environment, blobs: vec![] };
            assert_eq!(reports.report(worded.clone()).await, Err(ReportError::Forged));
            Ok(worded)
        }

        fn limit(&self, _effect: &Effect) -> Duration {
            Duration::from_secs(60)
        }
    }
    let (_folder, journal) = home();
    let host = open(&journal, &Arc::new(Forger)).await;
    let handle = host.handle();
    let reporting = async {
        handle.report(ada(), request()).await.unwrap();
        let (errand, reason) = (InvocationId::new(7), "enough".to_owned());
        let cancel = Input::Cancel { errand, by: ada(), reason };
        handle.report(Actor::Human("bob".to_owned()), cancel).await
    };
    let (ended, forged) = tokio::join!(host.run(), reporting);
    assert_eq!(forged, Err(ReportError::Forged));
    assert!(matches!(ended.unwrap(), Ended::Stalled(_)));
    assert_eq!(open(&journal, &Arc::new(Forger)).await.head().seq.get(), 1);
}

/// A host that stops still records answers that arrive within the grace.
#[tokio::test(start_paused = true)]
async fn an_answer_within_the_grace_of_a_stop_is_kept() {
    struct Tidy;
    impl Performer<Errand> for Tidy {
        async fn perform(
            &self,
            effect: Effect,
            reports: ReportHandle<Errand>,
        ) -> Result<Answer<Errand>, NotPerformed> {
            if let Effect::Invoke { .. } = effect {
                let started = Input::Started { effect: effect.id() };
                let actor = Actor::Environment;
                let _ = reports.report(Answer { input: started, actor, blobs: vec![] }).await;
                assert_eq!(reports.called_off().await, CalledOff::Stopping);
                // A stopping host accepts interim reports.
                let late = Input::Started { effect: effect.id() };
                let late = Answer { input: late, actor: Actor::Environment, blobs: vec![] };
                let again = Rejected::AlreadyStarted { effect: effect.id() };
                assert_eq!(reports.report(late).await, Err(ReportError::Rejected(again)));
            }
            Ok(Answer { input: honest(&effect), actor: Actor::Environment, blobs: vec![] })
        }

        fn limit(&self, _effect: &Effect) -> Duration {
            Duration::from_secs(3600)
        }
    }
    let (_folder, journal) = home();
    let host = open(&journal, &Arc::new(Tidy)).await;
    let handle = host.handle();
    let running = tokio::spawn(host.run());
    handle.report(ada(), request()).await.unwrap();
    until_running(&handle).await;
    handle.stop();
    assert_eq!(running.await.unwrap().unwrap(), Ended::Stopped);
    let host = open(&journal, &Arc::new(Tidy)).await;
    assert!(matches!(host.machine().state(), State::Captured { .. }));
}

#[tokio::test(start_paused = true)]
async fn a_stopped_host_leaves_what_is_owed_owed() {
    let (_folder, journal) = home();
    let performer = Arc::new(Patient { called_off: AtomicU32::new(0), tidies_up: true });
    let host = open(&journal, &performer).await;
    let handle = host.handle();
    let running = tokio::spawn(host.run());
    handle.report(ada(), request()).await.unwrap();
    until_running(&handle).await;
    handle.stop();
    assert_eq!(running.await.unwrap().unwrap(), Ended::Stopped);
    assert_eq!(handle.report(ada(), request()).await, Err(ReportError::Stopped));
    assert_eq!(handle.look().await, None);
    let host = open(&journal, &performer).await;
    assert!(matches!(host.machine().state(), State::Running { .. }));
}

#[tokio::test]
async fn a_foreign_snapshot_is_not_believed() {
    use sealwright_store::{Journal as _, Snapshot};
    let (_folder, journal) = home();
    let stop: Answering = |effect| {
        let (effect, why) = (effect.id(), Fault::Dropped);
        Ok(Input::Aborted { effect, why })
    };
    let performer = Arc::new(Recording::new(stop));
    let host = open(&journal, &performer).await;
    let handle = host.handle();
    let running = tokio::spawn(host.run());
    handle.report(ada(), request()).await.unwrap();
    handle.stop();
    running.await.unwrap().unwrap();
    let before = open(&journal, &performer).await.machine().clone();
    // A valid snapshot with the hash of another chain.
    let head = Head { seq: sealwright_kernel::Seq::new(1), hash: Digest::of(b"other") };
    let state = serde_json::to_value(Errand::default()).unwrap();
    let foreign = Snapshot { stream: stream(), head, state };
    journal.keep_snapshot(&foreign).await.unwrap();
    assert_eq!(*open(&journal, &performer).await.machine(), before);
}

#[tokio::test]
async fn a_full_disk_costs_nothing_but_time() {
    use sealwright_store::disk::{Faults, SimulatedDisk};
    let disk = SimulatedDisk::new(1);
    let journal = FileJournal::on(disk.clone(), Layout::new(".sealwright"));
    let invoked = Arc::new(AtomicU32::new(0));
    let (count, filling) = (invoked.clone(), disk.clone());
    let performer = Arc::new(Recording::new(move |effect: &Effect| {
        if matches!(effect, Effect::Invoke { .. }) {
            count.fetch_add(1, Ordering::Relaxed);
            filling.set_faults(Faults { full: true, ..Faults::default() });
        }
        Ok(honest(effect))
    }));
    let host = Host::open(journal, &stream(), performer, Noon, quick()).await.unwrap();
    let handle: Handle<Errand> = host.handle();
    let running = tokio::spawn(host.run());
    handle.report(ada(), request()).await.unwrap();
    while invoked.load(Ordering::Relaxed) == 0 {
        tokio::task::yield_now().await;
    }
    let (errand, reason) = (InvocationId::new(7), "enough".to_owned());
    let cancel = Input::Cancel { errand, by: ada(), reason };
    let refused = handle.report(ada(), cancel).await.unwrap_err();
    // Longer than `tries_max` retries take.
    for _ in 0..50 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let ReportError::NotDurable { why, hint } = refused else { panic!("{refused:?}") };
    assert_eq!(why, "the disk is full");
    assert_eq!(hint.unwrap(), "free some space and continue; nothing was lost");
    disk.set_faults(Faults::default());
    assert!(matches!(running.await.unwrap().unwrap(), Ended::Over(_)));
    assert_eq!(invoked.load(Ordering::Relaxed), 1, "an answer was thrown away");
}

#[tokio::test]
async fn two_hosts_of_one_stream_do_not_meet() {
    let (_folder, journal) = home();
    let performer = Arc::new(Recording::new(|effect: &Effect| Ok(honest(effect))));
    let _first = open(&journal, &performer).await;
    let second = Host::open(journal.clone(), &stream(), performer, Noon, quick()).await;
    let Err(sealwright_host::HostError::Journal(error)) = second else { panic!("{second:?}") };
    assert!(matches!(error, JournalError::Held { .. }));
}
