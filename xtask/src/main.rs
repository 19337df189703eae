//! The repository's own rules and proofs: `cargo xtask …`.

mod bare;
mod book;
mod dist;
mod planted;
mod portable;
mod prove;
mod recipe;
mod requirements;
mod sample;
mod tidy;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The repository's own rules and proofs.
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Check the shape of the repository: arrows, headers, paths, sizes.
    Tidy,
    /// List what is proven, proven in part and open, from the `Proves:` tags.
    Requirements(requirements::Args),
    /// Write the pages of the guide that are made from the code, or check that they still are.
    Book(book::Args),
    /// Build what is released: one archive with the program, its manual, completions and checksums.
    Dist(dist::Args),
    /// Prove a capability and print its figures.
    Prove(prove::Args),
    /// Follow the recipes of ARCHITECTURE.md to the letter and test what comes out.
    Recipe,
    /// Build the kernel for targets that have no standard library.
    Bare,
    /// Check the crates that need no Linux for a system that is another one.
    Portable,
    /// Append to a stream until killed, for the proof that does so.
    #[command(hide = true)]
    Writer(prove::writer::Args),
}

fn main() -> ExitCode {
    let outcome = match Args::parse().command {
        Command::Tidy => tidy::run(),
        Command::Requirements(args) => requirements::run(&args),
        Command::Book(args) => book::run(&args),
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
