//! Models asked directly, against a server on loopback that says what a test has written down for it. Everything
//! between is real: the client, the egress proxy, the schema.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod bounds;
mod corrections;
mod failures;
mod noise;
mod protocols;
mod spoken;
mod world;
