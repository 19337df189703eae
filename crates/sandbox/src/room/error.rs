//! Errors that keep a room from being built.

use std::io;

use crate::SandboxError;

/// Why nothing was checked. What a check found is in the outcome; this is for what could not be looked at.
///
/// Messages read well after "cannot build the clean room:".
#[derive(Debug, thiserror::Error)]
pub enum RoomError {
    /// A thread died.
    #[error("internal worker thread panicked")]
    Died,
    /// Something that goes into the room could not be read.
    #[error("`{path}` cannot be read")]
    Read { path: String, source: io::Error },
    /// The room, or a cache for it, could not be written.
    #[error("cannot write the clean room")]
    Write {
        #[from]
        source: io::Error,
    },
    /// There is more than a room takes.
    #[error("`{path}` holds more than the {most} {unit} a room takes")]
    TooMuch { path: String, most: u64, unit: &'static str },
    /// A room without frozen tests would prove nothing.
    #[error("no frozen test")]
    NoTests,
    /// A test that is named is not among the frozen files.
    #[error("the test `{path}` is not among the frozen files")]
    NotFrozen { path: String },
    /// The canary's name can be guessed, or is no name.
    #[error(
        "the canary's name must be 16 to 64 lower-case letters and digits that occur nowhere else"
    )]
    Nonce,
    /// A package is called like a module that everything else imports.
    #[error(
        "the package `{name}` would shadow a module of the interpreter or of an installed package"
    )]
    Shadows { name: String },
    /// A manifest or lock of the harness says nothing that can be used.
    #[error("`{path}` cannot be understood: {why}")]
    Manifest { path: String, why: String },
    /// A package comes from somewhere that cannot be checked.
    #[error("`{package}` does not come from the registry with a checksum")]
    Unchecked { package: String },
    /// A package is locked and not there.
    #[error("`{file}` is not in the cache")]
    Missing { file: String },
    /// What is in the cache is not what was locked.
    #[error("`{file}` in the cache is not what the lock says")]
    Poisoned { file: String },
    /// An archive holds what no package needs.
    #[error("`{file}` cannot be unpacked: {why}")]
    Archive { file: String, why: String },
    /// The packages of others do not build.
    #[error("the locked packages do not build: {said}")]
    Warming { said: String },
    /// There is no lock, and cargo could not make one.
    #[error("no `Cargo.lock`, and none can be made from the packages on this machine: {said}")]
    Locking { said: String },
    /// A wrong is put into a file that is not source here.
    #[error("`{path}` is no source of this room")]
    NoSource { path: String },
    /// The language was provided without a tool that lists mutants.
    #[error("no tool that lists mutants was found")]
    NoLister,
    /// Nothing could be run.
    #[error("cannot run a command in the clean room")]
    Sandbox {
        /// Why not.
        #[from]
        source: SandboxError,
    },
}

impl RoomError {
    pub fn hint(&self) -> Option<String> {
        match self {
            Self::Missing { .. } => {
                Some("fetch the locked packages first: `cargo fetch --locked`".to_owned())
            }
            Self::Locking { .. } => Some(
                "run `cargo fetch` in the repository once, or commit its `Cargo.lock`".to_owned(),
            ),
            Self::Poisoned { file } => {
                Some(format!("delete `{file}` and fetch it again; ask who could write there"))
            }
            Self::NoTests | Self::NotFrozen { .. } => {
                Some("freeze at least one test for what is checked".to_owned())
            }
            Self::Unchecked { .. } => {
                Some("lock it from the registry; git and path packages have no checksum".to_owned())
            }
            Self::TooMuch { .. } => {
                Some("name fewer source folders, or move generated files out of them".to_owned())
            }
            Self::Died => None,
            Self::Sandbox { source } => source.hint(),
            Self::Read { .. }
            | Self::Write { .. }
            | Self::Nonce
            | Self::Shadows { .. }
            | Self::Manifest { .. }
            | Self::Archive { .. }
            | Self::Warming { .. }
            | Self::NoSource { .. }
            | Self::NoLister => None,
        }
    }
}
