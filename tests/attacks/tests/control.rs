//! One attack of each theme without a sandbox. The `control` command runs them all.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

use sealwright_attacks::attacks;
use sealwright_attacks::control::{Shown, Unconfined, show};
use sealwright_attacks::fixture_setup::{FixtureSetup, Ownership};

#[test]
fn the_first_attack_of_every_theme_is_real() {
    let unconfined = Unconfined { program: PathBuf::from(env!("CARGO_BIN_EXE_attacks")) };
    let mut succeeded = 0;
    for (theme, attacks) in attacks::ALL {
        let first = attacks.first().expect("a theme has attacks");
        match show(&unconfined, first) {
            Shown::Succeeds(_) => succeeded += 1,
            Shown::Fails(what) => {
                panic!("{theme}: {} does not succeed without a sandbox: {what}", first.key)
            }
            Shown::NeedsSandbox(_) | Shown::NotHere(_) => {}
        }
    }
    assert!(succeeded >= attacks::ALL.len() / 2, "only {succeeded} could be shown");
}

#[test]
fn what_belongs_to_the_harness_lies_behind_a_folder_of_its_own() {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_attacks"));
    let attack = attacks::find("stat-sealed").expect("it is in the table");
    let set =
        FixtureSetup::build(attack, &program, Ownership::Harness).expect("a set can be built");
    let host = set.fixture().folder.join("host").symlink_metadata().expect("it is there");
    let own = rustix::process::geteuid().as_raw();
    assert_eq!(host.uid(), own);
    if own == 0 {
        assert_eq!(host.mode() & 0o777, 0o700);
        assert_ne!(set.agent().uid, own);
    }
}
