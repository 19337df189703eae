//! `cargo xtask …`: rules and proofs of this repository.

mod bare;
mod book;
mod dist;
mod named_tests;
mod planted;
mod portable;
mod prove;
mod recipe;
mod requirements;
mod sample;
mod schemas;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Rules and proofs of this repository.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the structure of the repository: dependencies, headers, paths, sizes.
    Tidy,
    /// Count the requirements that are proven for real, as a rule, in part and open, from the `Proves:` tags.
    Requirements(requirements::Args),
    /// Generate pages of the guide from the code, or check that they are current.
    Book(book::Args),
    /// Write the JSON Schemas of what commands print, or check that they match.
    Schemas(schemas::Args),
    /// Build the release archive with the program, manual, completions and checksums.
    Dist(dist::Args),
    /// Prove a capability and print its figures.
    Prove(prove::Args),
    /// Follow the recipes of ARCHITECTURE.md and test the result.
    Recipe,
    /// Build the kernel for targets that have no standard library.
    Bare,
    /// Check the crates that need no Linux for a system that is another one.
    Portable,
    /// Append to a stream until killed; used by `prove journal`.
    #[command(hide = true)]
    Writer(prove::writer::Args),
}

fn main() -> ExitCode {
    let outcome = match Args::parse().command {
        Command::Tidy => tidy::run(),
        Command::Requirements(args) => requirements::run(&args),
        Command::Book(args) => book::run(&args),
        Command::Schemas(args) => schemas::run(&args),
        Command::Dist(args) => dist::run(&args),
        Command::Prove(args) => prove::run(&args),
        Command::Recipe => recipe::run(),
        Command::Bare => bare::run(),
        Command::Portable => portable::run(),
        Command::Writer(args) => prove::writer::run(&args),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            workspace::say(&format!("failed: {error:#}"));
            ExitCode::FAILURE
        }
    }
}
