//! `sealwright`: the command line.
//!
//! Data goes to standard output, talk to standard error. Every error ends in one of the
//! documented exit codes, and only here.

mod args;
mod commands;
mod error;
mod input_files;
mod output;
mod person;
mod repository;

use std::process::ExitCode;

use clap::Parser as _;
use mimalloc::MiMalloc;

use crate::args::Args;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // This program is its own stage: it starts itself again to put walls up.
    sealwright_sandbox::launcher::take_over_if_asked();
    let args = Args::parse();
    match commands::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            output::explain(&error);
            ExitCode::from(error.exit().code())
        }
    }
}
