//! The egress proxy, attacked: real sockets, a real TLS server, and a role that writes what it likes.
//!
//! Nothing here leaves the loopback. `world` holds both ends; each other file is one kind of attack.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

mod bounds;
mod connect;
mod evidence;
mod framing;
mod reverse;
mod world;
