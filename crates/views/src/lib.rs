//! What people and programs read of Sealwright, as pure functions and plain types.

#![forbid(unsafe_code)]

pub mod wire;
