//! `sealwright-model-check`: walks the machines and prints the results or the first violation. With `--projects COUNT` it
//! plays so many careless worlds of projects instead.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use sealwright_kernel::Lane;
use sealwright_kernel::owner::Header;
use sealwright_kernel::task::Freeze;
use sealwright_model_check::walk::Walked;
use sealwright_model_check::{graphs, runs, slices, tasks};

fn main() -> ExitCode {
    let mut args = std::env::args().skip_while(|it| it != "--projects").skip(1);
    let held = match args.next().map(|it| it.parse()) {
        Some(Ok(count)) => projects(count),
        Some(Err(_)) => Err("`--projects` takes a number".to_owned()),
        None => all(),
    };
    match held {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            say(&format!("violation: {why}"));
            ExitCode::FAILURE
        }
    }
}

/// Careless worlds of graphs and of whole projects, from the first seed on.
fn projects(count: u64) -> Result<(), String> {
    for seed in 0..count {
        graphs::play(seed)?;
        runs::play(seed)?;
    }
    say(&format!("{count} graphs and {count} projects: nothing is broken"));
    Ok(())
}

/// With `--quick` the strict lane, by far the largest, is skipped.
fn all() -> Result<(), String> {
    let mut slices = Walked::default();
    for unknowns in [0, 1] {
        let walked = slices::explore(unknowns);
        slices.add(walked.map_err(|why| format!("slice with {unknowns} unknowns: {why}"))?);
    }
    say(&format!("slice: {slices}"));
    let budgets =
        tasks::explore_with_budget().map_err(|why| format!("task with a budget: {why}"))?;
    say(&format!("task with a budget: {budgets}"));
    let is_quick = std::env::args().any(|arg| arg == "--quick");
    let is_small = |(lane, header, _): &Place| header.lane(*lane) != Lane::Strict;
    let is_kept = |place: &Place| !is_quick || is_small(place);
    let places: Vec<Place> = tasks::all().into_iter().filter(is_kept).collect();
    let next = AtomicUsize::new(0);
    let found: Mutex<Result<Walked, String>> = Mutex::new(Ok(Walked::default()));
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(place) = places.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let walked = walk_one(*place);
                    let mut found = found.lock().expect("no walker panics");
                    match (found.as_mut(), walked) {
                        (Ok(all), Ok(walked)) => all.add(walked),
                        (Ok(_), Err(why)) => *found = Err(why),
                        (Err(_), _) => return,
                    }
                }
            });
        }
    });
    let tasks = found.into_inner().expect("no walker panics")?;
    say(&format!("task: {tasks}, in {} lanes, rungs and risks", places.len()));
    Ok(())
}

type Place = (Lane, Header, Freeze);

fn walk_one((lane, header, freeze): Place) -> Result<Walked, String> {
    let place = format!("{} {header:?} {freeze:?}", lane.name());
    tasks::explore(lane, header, freeze).map_err(|why| format!("task in {place}: {why}"))
}

#[expect(clippy::print_stdout, reason = "what was found is what it prints")]
fn say(line: &str) {
    println!("{line}");
}
