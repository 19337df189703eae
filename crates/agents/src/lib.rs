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
//! view by the caller that built it. Nothing in here decides what happens next, and nothing is stored.

pub mod adapters;
mod agent;
mod agent_error;
mod assignment;
mod brief;
mod budget;
pub mod conversation;
mod egress_policy;
mod egress_record;
mod event;
pub mod find;
mod home;
pub mod login;
mod outcome;
mod price;
pub mod program;
pub mod random_word;
mod schema;
mod tool_server;
pub mod tools;
mod usage;

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
