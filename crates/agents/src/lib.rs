//! Hands: the coding agents and model APIs people already have, behind one vocabulary.
//!
//! ```text
//! assignment ──▶ agent.carry_out ──▶ events … ──▶ outcome
//!                     │    ▲
//!                     ▼    └── role tools: the answer comes in here, checked, never by an exit code
//!                  sandbox ──▶ egress ──▶ model
//! ```
//!
//! An agent works inside walls and says what it does; nothing it says is a verdict. What it changed is read from its
//! view by whoever built the view. Nothing in here decides what happens next, and nothing is stored.

pub mod adapters;
mod agent;
mod assignment;
mod brief;
mod budget;
mod event;
pub mod find;
mod home;
mod outcome;
mod price;
pub mod program;
mod schema;
mod tool_server;
pub mod tools;
mod trail;
mod trouble;
pub mod unguessable;
mod usage;
mod way_out;

pub use agent::{Agent, AgentSandbox};
pub use assignment::{Assignment, Endpoint, Key, Protocol};
pub use brief::{BriefError, BriefInput, Briefs, Duties, Quoted, Visible};
pub use budget::{Budget, Limit, Spent};
pub use event::{Deed, Event};
pub use outcome::{CallOutcome, End, Failure, Said, conclude};
pub use price::{Price, PriceError, Prices};
pub use schema::{AnswerSchema, SchemaError};
pub use tool_server::ToolServer;
pub use usage::Usage;
