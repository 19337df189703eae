//! `sealwright`: the command line.
//!
//! Data goes to standard output, messages to standard error. Only `main` turns an error into an exit code.

mod args;
mod commands;
mod contract;
mod editor;
mod error;
mod input_files;
mod output;
mod person;
mod repository;
mod signing;
mod task_names;

use std::process::ExitCode;

use clap::FromArgMatches as _;
use mimalloc::MiMalloc;

use crate::args::Args;
use crate::repository::Repository;

#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    // The sandbox launcher is this same program, started again.
    sealwright_sandbox::launcher::take_over_if_asked();
    let args = match Args::from_arg_matches(&args::command().get_matches()) {
        Ok(args) => args,
        Err(error) => error.exit(),
    };
    match commands::run(&args) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let names = Repository::find(&args).map(|it| it.names()).unwrap_or_default();
            output::explain(&error, &names);
            ExitCode::from(error.exit().code())
        }
    }
}
