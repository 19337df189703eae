//! The host: drives one machine on one stream.
//!
//! ```text
//! report(input) ─▶ decide ─▶ append (durable) ─▶ evolve ─▶ owed ─▶ perform ─▶ report …
//! ```
//!
//! A [`Host`] is generic over the machine, the journal, the [`Performer`] and the [`Clock`]; it contains no pipeline,
//! lane or gate. It performs effects at least once and reports each answer once; the machine decides what a report
//! means. Another host can run the same performers if it passes them a [`ReportHandle`] of its own.

mod agenda;
mod aggregates;
mod clock;
mod error;
mod handle;
mod host;
mod performer;
mod recording;
mod replay;

pub use aggregates::{StreamState, replay_stream};
pub use clock::{Clock, SystemClock};
pub use error::{HostError, ReportError, Stalled};
pub use handle::Handle;
pub use host::{Ended, Host, Limits, Observer};
pub use performer::{
    Answer, CallOff, CalledOff, NoPerformer, NotPerformed, Performer, ReportHandle, ReportSink,
    Reported,
};
pub use recording::{Performed, Recording};
pub use replay::{Replayed, replay, state_of};
