//! A scripted model: a server with the protocols of model providers that answers as a script says.
//!
//! Coding agents and the API adapter use it instead of a paid model; everything else is real.
//!
//! ```text
//! request ──▶ protocol.read ──▶ conversation ──▶ plan(script) ──▶ reply ──▶ protocol.write ──▶ pieces on a socket
//!                                                                   ▲                               ▲
//!                                                                   └──────────── fault ────────────┘
//! ```
//!
//! Everything between the two ends is pure. The position in a script is derived from the conversation and never stored,
//! so that side requests and repeated requests have no effect.

mod conversation;
mod deeds;
mod fault;
mod instance;
mod pieces;
mod plan;
pub mod protocol;
mod reply;
mod request;
mod script;
mod script_set;
mod seen;
mod server;
pub mod usage;

pub use conversation::{Answer, Calling, Conversation, Item, Offer};
pub use fault::{Fault, Strike, Times};
pub use plan::{Plan, Served, plan};
pub use protocol::Protocol;
pub use reply::{Call, Content, Delivery, Input, Reply, Stamp, Written};
pub use script::{Action, Script, ScriptError, Step};
pub use script_set::{Piece, ScriptSet, ScriptSetError};
pub use seen::Seen;
pub use server::{Model, Settings};
