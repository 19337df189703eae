//! The derivation of verdicts, with scripted confinements.

use std::cell::RefCell;
use std::path::Path;

use anyhow::Result;
use sealwright_attacks::attack::{AGENT_EXIT, Attack, Follow};
use sealwright_attacks::attacks;
use sealwright_attacks::barrier::Barrier;
use sealwright_attacks::confinement::{Confinement, Exit, Ran, Took};
use sealwright_attacks::ended::Ended;
use sealwright_attacks::fixture::Round;
use sealwright_attacks::fixture_setup::FixtureSetup;
use sealwright_attacks::matrix::{Cell, ablate, run};

#[test]
fn keys_are_never_reused_and_there_are_more_than_enough() {
    let mut keys: Vec<&str> = attacks::all().map(|attack| attack.key).collect();
    let count = keys.len();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), count);
    assert!(count >= 64, "{count} attacks");
}

#[test]
fn a_line_is_found_again_in_the_output_it_was_printed_to() {
    for ended in [
        Ended::Succeeded { what: "read it".to_string() },
        Ended::Stopped { by: "open: ENOENT".to_string() },
        Ended::Void { why: "there is no git".to_string() },
    ] {
        let output = format!("noise: of the attack\n{}\n", ended.line());
        assert_eq!(Ended::find(output.as_bytes()), Some(ended));
    }
    assert_eq!(Ended::find(b"nothing of the kind"), None);
}

#[test]
fn a_run_that_says_nothing_is_stopped_by_a_signal_and_void_otherwise() {
    let attack = attacks::find("read-key").unwrap();
    let ends = |exit| cell(&Scripted::saying("", exit), attack);
    assert_eq!(
        ends(Exit::Signal(31)),
        Cell::Ended(Ended::Stopped { by: "killed by signal 31".to_string() })
    );
    assert!(matches!(ends(Exit::Code(101)), Cell::Ended(Ended::Void { .. })));
    assert!(matches!(ends(Exit::Unknown), Cell::Ended(Ended::Void { .. })));
}

#[test]
fn what_an_attack_says_of_itself_counts_for_nothing_where_the_harness_looks() {
    let attack = attacks::find("write-tests").unwrap();
    let boast = Scripted::saying("succeeded: it was written", Exit::Code(AGENT_EXIT));
    let expected = Ended::Stopped { by: "nothing came of it outside (it was written)".to_string() };
    assert_eq!(cell(&boast, attack), Cell::Ended(expected));
    let modest = Scripted {
        meddle: true,
        ..Scripted::saying("stopped: open: EROFS", Exit::Code(AGENT_EXIT))
    };
    let expected = Ended::Succeeded { what: "acceptance.rs: content, time changed".to_string() };
    assert_eq!(cell(&modest, attack), Cell::Ended(expected));
}

#[test]
fn a_forged_result_is_noticed_whatever_the_attack_says() {
    let attack = attacks::find("forge-result").unwrap();
    let forged = Scripted::saying("stopped: nothing", Exit::Code(0));
    assert!(matches!(cell(&forged, attack), Cell::Ended(Ended::Succeeded { .. })));
    let honest = Scripted::saying("stopped: nothing", Exit::Code(AGENT_EXIT));
    assert!(matches!(cell(&honest, attack), Cell::Ended(Ended::Stopped { .. })));
}

#[test]
fn a_host_that_got_stuck_was_beaten_and_one_that_refused_was_not() {
    let attack = attacks::find("take-pipe").unwrap();
    let left = "succeeded: a pipe is there";
    let stuck = Scripted { took: Took::Hung, ..Scripted::saying(left, Exit::Code(AGENT_EXIT)) };
    assert!(matches!(cell(&stuck, attack), Cell::Ended(Ended::Succeeded { .. })));
    let refused = Took::Refused("not a plain file".to_string());
    let wary = Scripted { took: refused, ..Scripted::saying(left, Exit::Code(AGENT_EXIT)) };
    let expected = Ended::Stopped { by: "refused: not a plain file".to_string() };
    assert_eq!(cell(&wary, attack), Cell::Ended(expected));
}

#[test]
fn a_second_run_is_the_one_that_counts() {
    let attack = attacks::find("message-in-scratch").unwrap();
    assert_eq!(attack.then, Follow::RunAgain);
    let scripted = Scripted::saying("stopped: open: ENOENT", Exit::Code(AGENT_EXIT));
    assert!(matches!(cell(&scripted, attack), Cell::Ended(Ended::Stopped { .. })));
    assert_eq!(*scripted.rounds.borrow(), [Round::First, Round::Second]);
}

#[test]
fn an_ablation_names_what_gets_through_without_a_wall_and_what_stays_unclear() {
    let chosen: Vec<&'static Attack> =
        ["read-key", "read-journal"].iter().map(|key| attacks::find(key).unwrap()).collect();
    let whole = Scripted::saying("stopped: open: ENOENT", Exit::Code(AGENT_EXIT));
    let open = Scripted::saying("succeeded: read it", Exit::Code(AGENT_EXIT));
    let broken = Scripted::saying("void: there is no such program", Exit::Code(AGENT_EXIT));
    let without: [(Barrier, &dyn Confinement); 3] = [
        (Barrier::MountNamespace, &open),
        (Barrier::Landlock, &whole),
        (Barrier::Seccomp, &broken),
    ];
    let breaches = ablate(&whole, &without, &chosen);
    let said: Vec<String> = breaches.iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "without mount namespace: read-key, read-journal got through",
            "without landlock: nothing got through",
            "without seccomp: nothing got through; unclear: read-key, read-journal",
        ]
    );
}

#[test]
fn the_matrix_lists_what_was_not_stopped() {
    let chosen = [attacks::find("read-key").unwrap()];
    let whole = Scripted::saying("stopped: open: ENOENT", Exit::Code(AGENT_EXIT));
    let open = Scripted::saying("succeeded: read it", Exit::Code(AGENT_EXIT));
    let matrix = run(&[&whole, &open], &chosen);
    assert!(matrix.not_stopped(0).is_empty());
    assert_eq!(matrix.not_stopped(1), ["read-key"]);
    let row =
        "| read-key | 3.1/01 | mount namespace | stopped: open: ENOENT | SUCCEEDED: read it |";
    assert!(matrix.to_string().lines().any(|line| line == row), "{matrix}");
}

fn cell(confinement: &dyn Confinement, attack: &'static Attack) -> Cell {
    run(&[confinement], &[attack]).rows[0].ends[0].clone()
}

/// A confinement with a scripted result.
struct Scripted {
    ran: Ran,
    took: Took,
    meddle: bool,
    rounds: RefCell<Vec<Round>>,
}

impl Scripted {
    fn saying(line: &str, exit: Exit) -> Self {
        let stdout = line.as_bytes().to_vec();
        let ran = Ran { stdout, exit, timed_out: false, truncated: false, survivors: 0 };
        Self { ran, took: Took::Done, meddle: false, rounds: RefCell::default() }
    }
}

impl Confinement for Scripted {
    fn name(&self) -> String {
        "scripted".to_string()
    }

    fn program(&self) -> &Path {
        Path::new(env!("CARGO_BIN_EXE_attacks"))
    }

    fn run(&self, set: &FixtureSetup, _: &Attack, round: Round) -> Result<Ran> {
        self.rounds.borrow_mut().push(round);
        if self.meddle {
            std::fs::write(set.fixture().inside.frozen.join("acceptance.rs"), "changed")?;
        }
        Ok(self.ran.clone())
    }

    fn afterwards(&self, _: &FixtureSetup, _: &Attack) -> Result<Took> {
        Ok(self.took.clone())
    }
}
