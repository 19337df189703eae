//! `sealwright-explore`: walks, and prints what it found or the first thing that is wrong.

use std::process::ExitCode;

#[expect(clippy::print_stdout, reason = "what was found is what it prints")]
fn main() -> ExitCode {
    for unknowns in [0, 1] {
        match sealwright_explore::slices::explore(unknowns) {
            Ok(walked) => println!("slice with {unknowns} unknowns: {walked:?}"),
            Err(why) => {
                println!("violation in the slice machine: {why}");
                return ExitCode::FAILURE;
            }
        }
    }
    ExitCode::SUCCESS
}
