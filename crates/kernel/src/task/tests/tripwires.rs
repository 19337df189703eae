//! Cheats: counted over the whole task, redone three times, never waived.

use super::*;

/// Proves
#[test]
fn a_tripped_wire_is_redone_three_times_and_never_waived() {
    let mut task = at(Phase::Verify, Lane::Quick, Header::default());
    assert_eq!(Cheat::ALL.len(), 5);
    for nth in 1..=4 {
        tell(&mut task, 1);
        tell(&mut task, 0);
        assert_eq!(task.data().unwrap().heals, nth);
        if nth < 4 {
            assert_eq!(task.phase(), Some(Phase::Repair));
            tell(&mut task, 0);
        }
    }
    assert!(matches!(cause(&task), Cause::HardStop { .. }));
    let left = options(&task);
    assert!(!left.contains(&ResolutionKind::ApproveOverride));
    assert!(!left.contains(&ResolutionKind::ProvideFix));
    // It can be recorded in every lane and under every header under which anything is built.
    for lane in Lane::ALL {
        for autonomy in [Autonomy::Manual, Autonomy::Conservative, Autonomy::Auto] {
            for risk in [Risk::Normal, Risk::High] {
                let header = Header { autonomy, risk };
                if header.is_guarded() == Guard::Missing {
                    let frozen = parked(lane, header);
                    assert_eq!(frozen.decide(&answer(&frozen, 0)), Err(Rejected::Unguarded));
                    continue;
                }
                let mut task = at(Phase::Verify, lane, header);
                while !matches!(task.stage(), Stage::Halted { .. }) {
                    let is_wire = task.owed()[0].id().to_string().contains("tripwire");
                    tell(&mut task, usize::from(is_wire));
                }
                assert!(matches!(cause(&task), Cause::HardStop { .. }), "{lane:?} {header:?}");
                assert_eq!(task.data().unwrap().heals, 4);
            }
        }
    }
}

/// Proves: A-012
#[test]
fn an_honest_third_redo_passes() {
    let mut task = at(Phase::Verify, Lane::Quick, Header::default());
    for _ in 0..3 {
        tell(&mut task, 1);
        tell(&mut task, 0);
        assert_eq!(task.phase(), Some(Phase::Repair));
        tell(&mut task, 0);
    }
    tell(&mut task, 0);
    tell(&mut task, 0);
    assert_eq!((task.phase(), task.data().unwrap().heals), (Some(Phase::Review), 3));
    while !task.is_over() {
        tell(&mut task, 0);
    }
    assert_eq!(task.phase(), Some(Phase::Done));
}

/// Proves
#[test]
fn a_cheat_at_the_gate_of_a_slice_counts_too_and_the_fourth_is_a_hard_stop() {
    const CHEATED: usize = 4;
    let is_gate = |task: &Task| {
        task.owed().iter().any(|effect| effect.id().to_string().contains("iteration-gate"))
    };
    let building = at(Phase::Implement, Lane::Quick, Header::default());
    let mut always = building.clone();
    while !matches!(always.stage(), Stage::Halted { .. }) {
        let nth = if is_gate(&always) { CHEATED } else { 0 };
        tell(&mut always, nth);
    }
    assert_eq!(always.data().unwrap().heals, 4);
    assert!(matches!(cause(&always), Cause::HardStop { cheat: Cheat::RedTestChanged, .. }));
    // A new attempt forgets none of them.
    tell(&mut always, 0);
    assert_eq!((always.phase(), always.data().unwrap().heals), (Some(Phase::Intake), 4));
    let mut once = building;
    while once.phase() == Some(Phase::Implement) {
        let nth = if is_gate(&once) && once.data().unwrap().heals == 0 { CHEATED } else { 0 };
        tell(&mut once, nth);
    }
    assert_eq!((once.phase(), once.data().unwrap().heals), (Some(Phase::Verify), 1));
}
