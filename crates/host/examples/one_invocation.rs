//! Runs one scripted invocation in the folder named on the command line and leaves its journal there to verify and
//! replay.
//!
//! The first answer is invalid on purpose: the journal shows the retry.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use sealwright_host::{Clock, Ended, Host, Limits, Recording};
use sealwright_kernel::invocation::{Access, Brief, Capture, Effect, Finding, Input, Invocation};
use sealwright_kernel::{Actor, Digest, Effect as _, InvocationId, Role, Timestamp};
use sealwright_store::FileJournal;

/// A clock that advances one second per call, so that every run writes the same journal.
struct Ticking(AtomicU64);

impl Clock for Ticking {
    fn now(&self) -> Timestamp {
        Timestamp::from_millis(self.0.fetch_add(1_000, Ordering::Relaxed))
    }
}

#[expect(clippy::print_stdout, reason = "the anchor is what this prints")]
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".to_owned());
    let journal = FileJournal::create(std::path::Path::new(&folder).join(".sealwright"))?;
    let id = InvocationId::new(1);
    let performer = Arc::new(Recording::new(|effect: &Effect| Ok(answer(effect))));
    let clock = Ticking(AtomicU64::new(1_767_225_600_000));
    let host: Host<Invocation, _, _, _> =
        Host::open(journal, &id.stream(), performer, clock, Limits::default()).await?;
    let handle = host.handle();
    let task = Digest::of(b"make the rate limiter per tenant");
    let brief = Brief { id, role: Role::Builder, access: Access::Write, task };
    let asking = handle.report(Actor::Human("ada".to_owned()), Input::Request { brief });
    let (ended, asked) = tokio::join!(host.run(), asking);
    asked?;
    match ended? {
        Ended::Over(anchor) => println!("{}", anchor.trailer()),
        other @ (Ended::Stopped | Ended::Stalled(_) | Ended::Waiting(_) | Ended::Parked { .. }) => {
            println!("{other:?}")
        }
    }
    Ok(())
}

fn answer(effect: &Effect) -> Input {
    let id = effect.id();
    let digest = Digest::of(id.as_str().as_bytes());
    match effect {
        Effect::BuildContext { .. } => Input::ContextBuilt { effect: id, context: digest },
        Effect::Invoke { .. } => {
            Input::Answered { effect: id, capture: Capture { output: digest, changes: digest } }
        }
        Effect::Inspect { attempt: 1, .. } => {
            let why = "`verdict` is missing".to_owned();
            Input::Inspected { effect: id, findings: vec![Finding::SchemaInvalid { why }] }
        }
        Effect::Inspect { .. } => Input::Inspected { effect: id, findings: vec![] },
        Effect::Checkpoint { .. } | Effect::Restore { .. } => {
            Input::TreeSettled { effect: id, at: digest }
        }
    }
}
