//! The walk over the task machine, and its invariants.

use sealwright_kernel::owner::{Autonomy, Header, Risk};
use sealwright_kernel::scripted;
use sealwright_kernel::task::escalation::{Cause, Resolution};
use sealwright_kernel::task::{
    Adjudication, Budget, Charter, Choice, Completion, Compliance, Effect, Event, Freeze, Input,
    Membership, Notice, PersonInput, Phase, Probe, ProbeResult, RecordOwner, Report, Residue,
    ResidueKind, Stage, Task, Want, slice,
};
use sealwright_kernel::{
    Actor, Cheat, Cost, Digest, Effect as _, Lane, Machine as _, Role, Source, Verdict,
};

use crate::walk::{Hand, Move, Step, Walked, World, walk};

pub fn explore(lane: Lane, header: Header, freeze: Freeze) -> Result<Walked, String> {
    walk(&world(lane, header, freeze), Task::default(), Default::default(), STATES_MAX)
}

pub(crate) fn world(
    lane: Lane,
    header: Header,
    freeze: Freeze,
) -> impl World<Task, Ghost: Default> {
    Scripted { charter: Charter { freeze, ..scripted::charter("T-x", lane, header) } }
}

/// Walks a quick-lane task whose budget is reached repeatedly: at each role call it may be used up, and a call that
/// started before may still answer.
pub fn explore_with_budget() -> Result<Walked, String> {
    let budget = Some(Budget { micro_dollars: Some(1), ..Budget::default() });
    let charter = scripted::charter("T-x", Lane::Quick, Header::default());
    let world = Scripted { charter: Charter { budget, ..charter } };
    walk(&world, Task::default(), Ghost::default(), STATES_MAX)
}

/// Every lane, autonomy and risk, with the freeze in advance where it exists.
pub fn all() -> Vec<(Lane, Header, Freeze)> {
    let mut all = Vec::new();
    for lane in Lane::ALL {
        for autonomy in [Autonomy::Manual, Autonomy::Conservative, Autonomy::Auto] {
            for risk in [Risk::Normal, Risk::High] {
                let header = Header { autonomy, risk };
                all.push((lane, header, Freeze::Asked));
                if lane == Lane::Quick && risk == Risk::Normal {
                    all.push((lane, header, Freeze::InAdvance));
                }
            }
        }
    }
    all
}

/// Checks one task from outside, step by step.
#[derive(Debug, Default)]
pub struct Watch {
    world: Option<Scripted>,
    ghost: Ghost,
}

impl Watch {
    pub fn see(
        &mut self,
        before: &Task,
        input: &Input,
        events: &[Event],
        after: &Task,
    ) -> Result<(), String> {
        if let Input::Create { charter, .. } = input {
            self.world = Some(Scripted { charter: charter.clone() });
        }
        let Some(world) = &mut self.world else { return Err("it was never created".to_owned()) };
        if let Input::Person { says: PersonInput::Adopt { lane, header, .. }, .. } = input {
            (world.charter.lane, world.charter.header) = (*lane, *header);
        }
        let step = Step { before, input, hand: Hand::World, events, after };
        self.ghost = world.step(&step, &self.ghost)?;
        world.state(after, &self.ghost)
    }
}

#[derive(Debug)]
struct Scripted {
    charter: Charter,
}

/// Facts about a path, derived from the answers alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Ghost {
    first_attempt_over: bool,
    has_bundle: bool,
    frozen: bool,
    red: bool,
    drifted: bool,
    probes: u32,
    clean: bool,
    residue: bool,
    verified: Option<Digest>,
    challenged: Option<Digest>,
    approved: Option<Digest>,
    fix: bool,
    gate_open: bool,
    amending: bool,
    security: bool,
    verify_fails: u32,
    revisions: u32,
    heals: u32,
    spent: Cost,
    budget: Budget,
}

impl World<Task> for Scripted {
    type Ghost = Ghost;

    fn moves(&self, task: &Task) -> Vec<Move<Task>> {
        let by = |hand| move |input| Move { input, hand };
        if task.data().is_none() {
            let create = scripted::create(self.charter.clone());
            let forged = [Actor::Machine, Actor::Environment, Actor::Human(String::new())];
            let forged = forged.map(|by| Input::Create { by, charter: self.charter.clone() });
            return [by(Hand::Person)(create)]
                .into_iter()
                .chain(forged.map(by(Hand::Liar)))
                .collect();
        }
        let mut moves: Vec<Move<Task>> = Vec::new();
        // Probes are independent of each other; they are answered in order.
        let (owed, withheld) = (task.owed(), task.withheld());
        for effect in owed.into_iter().take(1).chain(withheld.into_iter().take(1)) {
            let hand = match &effect {
                Effect::Task { want: Want::Ask { .. }, .. } => Hand::Person,
                Effect::Task { .. } | Effect::Slice { .. } => Hand::World,
            };
            moves.extend(answers(task, &effect).into_iter().map(by(hand)));
            moves.extend(scripted::lies(&effect).into_iter().map(by(Hand::Liar)));
            moves.extend(self.pay_for(task, &effect).map(by(Hand::World)));
        }
        if self.charter.budget.is_some() {
            moves.extend(scripted::money_lies(task).into_iter().map(by(Hand::Liar)));
        }
        if task.owed().is_empty() {
            let late = Input::Person { by: scripted::ada(), says: heal() };
            moves.push(Move { input: late, hand: Hand::Liar });
            moves.push(Move { input: Input::Dispatch, hand: Hand::Liar });
            return moves;
        }
        let found = Digest::of(b"an edited text");
        moves.extend(
            [
                Input::Person { by: scripted::ada(), says: heal() },
                Input::Person { by: scripted::ada(), says: self.adopt() },
                Input::Notice { notice: Notice::TextDrifted { found } },
                Input::Notice { notice: Notice::TextRestored },
            ]
            .map(by(Hand::Person)),
        );
        moves.extend(
            [
                Input::Dispatch,
                Input::Person { by: Actor::Machine, says: heal() },
                Input::Person { by: Actor::Machine, says: self.adopt() },
            ]
            .map(by(Hand::Liar)),
        );
        moves
    }

    fn key(&self, task: &Task, ghost: &Ghost) -> Digest {
        let Some(known) = task.data() else { return Digest::ZERO };
        // Only whether evidence refers to the current tree matters, not which tree it is.
        let is_here = |tree: Option<Digest>| tree.map(|tree| Some(tree) == known.tree);
        let seen = (
            (ghost.first_attempt_over, ghost.has_bundle, ghost.frozen, ghost.red, ghost.drifted),
            (ghost.probes, ghost.clean, ghost.residue, ghost.fix, ghost.gate_open),
            (ghost.amending, ghost.security),
            (is_here(ghost.verified), is_here(ghost.challenged), is_here(ghost.approved)),
            (ghost.verify_fails, ghost.revisions, ghost.heals.min(4), ghost.is_out_of_budget()),
        );
        let slice = known.slices.last();
        let slice = slice.map(|slice| std::mem::discriminant(slice.state()));
        let stands = (
            (known.drafts, known.test_tries, known.mild, known.attempt.min(2)),
            (known.verify_fails, known.revisions, known.heals.min(4), known.fix_by.is_some()),
            (known.tree.is_some(), is_here(known.verified), known.drifted),
            (known.frozen.is_some(), known.guarded.is_some(), known.bundle.is_some()),
            (known.amendments.is_empty(), known.residue.is_empty(), known.record.is_some()),
        );
        let told = match task.stage() {
            Stage::Halted { escalation } => {
                format!("{:?} {}", std::mem::discriminant(&escalation.cause), escalation.from)
            }
            Stage::Probing { results } => {
                let told = results.iter().map(|(probe, result)| {
                    let ProbeResult { verdict, cheats, frozen_edited, residue, ambiguity, .. } =
                        result;
                    let failed = !result.failed.is_empty();
                    format!("{probe:?} {verdict:?} {failed} {cheats:?} {frozen_edited:?} {residue:?} {ambiguity:?}")
                });
                told.collect::<Vec<_>>().join(", ")
            }
            stage => format!("{stage:?}"),
        };
        // After a halt all counters start at zero.
        match task.stage() {
            Stage::Halted { .. } => {
                let seen = (seen.0, ghost.heals.min(4), ghost.fix, seen.3.0, seen.4.3);
                let stands = stands.3;
                let is_fresh = is_here(known.verified);
                Digest::of(
                    format!("{told} {seen:?} {stands:?} {is_fresh:?} {:?}", known.tree.is_some())
                        .as_bytes(),
                )
            }
            _ => Digest::of(format!("{told} {slice:?} {seen:?} {stands:?}").as_bytes()),
        }
    }

    fn step(&self, step: &Step<'_, Task>, ghost: &Ghost) -> Result<Ghost, String> {
        phases(step)?;
        let mut ghost = ghost.clone();
        self.learn(step, &mut ghost)?;
        for event in step.events {
            self.hold(step, event, &mut ghost)?;
        }
        if step.after.data().map(|known| known.heals) != Some(ghost.heals) {
            return Err(format!("cheats are counted otherwise than {}", ghost.heals));
        }
        Ok(ghost)
    }

    fn state(&self, task: &Task, ghost: &Ghost) -> Result<(), String> {
        ghost.holds_the_budget(task)?;
        can_be_cancelled(task)?;
        let Stage::Halted { escalation } = task.stage() else {
            let is_stuck = !task.is_over() && task.data().is_some() && task.owed().is_empty();
            return if is_stuck { Err(format!("nothing is owed in {task:?}")) } else { Ok(()) };
        };
        for resolution in scripted::resolutions() {
            let says = PersonInput::Resolve {
                escalation: escalation.id.clone(),
                resolution: resolution.clone(),
            };
            let decided = task.decide(&Input::Person { by: scripted::ada(), says });
            let is_hard_stop = matches!(escalation.cause, Cause::HardStop { .. });
            let is_judgement = matches!(
                escalation.cause,
                Cause::ChallengeFailed { .. }
                    | Cause::ArbiterRejected { .. }
                    | Cause::Tradeoff { .. }
            );
            let right = match resolution {
                Resolution::AmendSpec { .. } | Resolution::AbandonTask { .. } => true,
                Resolution::RevisePlan { .. } => ghost.has_bundle,
                // Only a task of a project can have others in its place.
                Resolution::SplitTask { .. } => self.is_of_project(),
                Resolution::ProvideFix { .. } => ghost.frozen && ghost.red && !is_hard_stop,
                Resolution::ApproveOverride { .. } => {
                    is_judgement && ghost.verified.is_some() && ghost.frozen && !self.is_unguarded()
                }
            };
            if decided.is_ok() != right {
                return Err(format!("{:?} for {:?}: {decided:?}", resolution, escalation.cause));
            }
        }
        Ok(())
    }
}

impl Scripted {
    fn adopt(&self) -> PersonInput {
        PersonInput::Adopt {
            text: Digest::of(b"an edited text"),
            title: self.charter.title.clone(),
            criteria: self.charter.criteria.clone(),
            lane: self.charter.lane,
            header: self.charter.header,
        }
    }

    /// A call that uses up the rest of the budget.
    fn pay_for(&self, task: &Task, effect: &Effect) -> Option<Input> {
        let known = task.data()?;
        let left = known.charter.budget?.without(known.spending.all().cost).micro_dollars?;
        let is_due = is_paid(effect) && left > 0;
        let cost = Cost { micro_dollars: left, ..Cost::default() };
        is_due.then(|| scripted::spend(effect, known.spending.all().calls + 1, cost))
    }

    fn is_unguarded(&self) -> bool {
        self.charter.header == Header { autonomy: Autonomy::Auto, risk: Risk::High }
    }

    fn is_of_project(&self) -> bool {
        self.charter.belongs == Membership::Project
    }

    fn is_strict(&self) -> bool {
        self.charter.lane == Lane::Strict || self.charter.header.risk == Risk::High
    }

    /// Updates the facts from the answer itself.
    fn learn(&self, step: &Step<'_, Task>, ghost: &mut Ghost) -> Result<(), String> {
        let tree = step.before.data().and_then(|known| known.tree);
        match step.input {
            Input::Report { report: Report::Probed { result }, .. } => {
                ghost.probes += 1;
                ghost.clean &= is_clean(result);
                ghost.residue |= !result.residue.is_empty();
                ghost.security |= !is_without_security(&result.residue);
            }
            Input::Slice { input } if input.cheat().is_some() => {
                let is_confirmed = |event: &Event| matches!(event, Event::CheatConfirmed { .. });
                if has_passed_a_gate(step) || !step.events.iter().any(is_confirmed) {
                    return Err("a cheat at the gate of a slice is overlooked".to_owned());
                }
            }
            Input::Report { report: Report::Challenged { challenge }, .. } => {
                let security = !is_without_security(&challenge.residue);
                ghost.security |= security;
                let passes = challenge.compliance == Compliance::Kept
                    && challenge.failures.is_empty()
                    && challenge.unmet.is_empty()
                    && challenge.cheats.is_empty()
                    && challenge.tradeoff.is_none()
                    && !security;
                ghost.challenged = passes.then_some(tree).flatten();
                ghost.residue |= !challenge.residue.is_empty();
            }
            Input::Report { report: Report::Adjudicated { decision, .. }, .. } => match decision {
                Adjudication::Approve => ghost.approved = tree,
                Adjudication::ApproveWithAmendments { .. } => ghost.amending = true,
                Adjudication::Reject { .. } => {}
            },
            Input::Report {
                report: Report::AmendmentsChecked { verdict, missing, .. }, ..
            } => {
                let applied = *verdict == Verdict::Pass && missing.is_empty();
                if !ghost.amending {
                    return Err("work that was mended for another reason was not judged".to_owned());
                }
                ghost.approved = applied.then_some(tree).flatten();
                ghost.challenged = ghost.approved;
            }
            Input::Report {
                report: Report::Repaired { .. } | Report::FixApplied { .. }, ..
            } => {
                ghost.verified = None;
            }
            Input::Notice { notice: Notice::TextDrifted { .. } } => {
                ghost.drifted = true;
                (ghost.frozen, ghost.red) = (false, false);
            }
            Input::Notice { notice: Notice::TextRestored } => ghost.drifted = false,
            Input::Person { says: PersonInput::Adopt { .. }, .. } => {
                ghost.drifted = false;
                (ghost.frozen, ghost.red) = (false, false);
            }
            Input::Person { says: PersonInput::Resolve { resolution, .. }, .. } => {
                learn_resolution(resolution, ghost);
            }
            Input::Create { charter, .. } => ghost.budget = charter.budget.unwrap_or_default(),
            Input::Person { says: PersonInput::RaiseBudget { budget }, .. } => {
                ghost.budget = *budget
            }
            Input::Spend { receipt } => ghost.spent = ghost.spent.plus(receipt.cost),
            _ => {}
        }
        Ok(())
    }

    /// Checks the claim of an event against the facts.
    fn hold(&self, step: &Step<'_, Task>, event: &Event, ghost: &mut Ghost) -> Result<(), String> {
        let tree = step.after.data().and_then(|known| known.tree);
        let right = match event {
            Event::Bundled { .. } => {
                ghost.has_bundle = true;
                true
            }
            Event::Frozen { when, .. } => {
                let is_asked = matches!(
                    step.input,
                    Input::Person {
                        by: Actor::Human(_),
                        says: PersonInput::Decide { choice: Choice::Approve, .. },
                    }
                ) && matches!(step.before.stage(), Stage::AwaitingFreeze { .. });
                let in_advance = self.charter.freeze == Freeze::InAdvance
                    && self.charter.lane == Lane::Quick
                    && !self.is_strict()
                    && !ghost.first_attempt_over;
                ghost.frozen = true;
                ghost.red = false;
                let is_unguarded = self.is_unguarded() && *when == Freeze::Asked;
                (is_asked || in_advance) && !ghost.drifted && !is_unguarded
            }
            Event::SeenRed { .. } => match step.input {
                Input::Report { report: Report::RedRan { evidence, verdict, green }, .. } => {
                    ghost.red = true;
                    let failed =
                        matches!(&evidence.source, Source::Command { exit, .. } if *exit != 0);
                    failed && *verdict == Verdict::Fail && green.is_empty()
                }
                _ => false,
            },
            Event::Entered { phase: Phase::Implement } => ghost.frozen && ghost.red,
            Event::Entered { phase: Phase::Verify } => {
                (ghost.probes, ghost.clean, ghost.security) = (0, true, false);
                // The findings of a challenger stay until the next challenge.
                ghost.residue &= ghost.amending;
                let slices = step.after.data().map(|known| {
                    known.slices.len() == known.plan.len()
                        && known.slices.iter().all(sealwright_kernel::Machine::is_over)
                });
                slices == Some(true)
            }
            Event::FixApplied { .. } => {
                (ghost.probes, ghost.clean, ghost.security) = (0, true, false);
                ghost.residue = false;
                true
            }
            Event::Entered { phase: Phase::Review } => {
                let due = if self.is_strict() { 4 } else { 2 };
                ghost.verified = tree;
                ghost.verify_fails = 0;
                ghost.clean && ghost.probes == due && ghost.frozen && ghost.red
            }
            Event::VerifyFailed { .. } => {
                ghost.verify_fails += 1;
                let goes_on = has_entered(step, Phase::Repair);
                !ghost.clean && goes_on == (ghost.verify_fails < 3 && !ghost.fix)
            }
            Event::CheatConfirmed { .. } => {
                ghost.heals += 1;
                ghost.amending = false;
                match step.input {
                    Input::Slice { .. } => (ghost.heals > 3) == is_stopped_hard(step),
                    _ => {
                        let goes_on = ghost.heals <= 3 && !ghost.security;
                        !ghost.fix && has_entered(step, Phase::Repair) == goes_on
                    }
                }
            }
            Event::SentBack { .. } => {
                let is_counted = matches!(
                    step.input,
                    Input::Report {
                        report: Report::Challenged { .. } | Report::ShipRefused { .. },
                        ..
                    }
                );
                ghost.revisions += u32::from(is_counted);
                ghost.amending &=
                    matches!(step.input, Input::Report { report: Report::Adjudicated { .. }, .. });
                !(is_counted && ghost.revisions > 2)
            }
            Event::GatePassed { record } => {
                ghost.gate_open = true;
                let header = self.charter.header;
                let needs_arbiter = self.charter.lane != Lane::Quick || self.is_strict();
                let is_judged = ghost.challenged.is_some()
                    && ghost.challenged == tree
                    && (!needs_arbiter || ghost.approved == tree);
                let by_person = matches!(step.input, Input::Person { by: Actor::Human(_), .. });
                let is_fresh = ghost.verified.is_some() && ghost.verified == tree;
                let may_run = header.autonomy == Autonomy::Auto
                    && !self.is_strict()
                    && !ghost.residue
                    && !ghost.drifted;
                let owned = match (&record.owner, record.outcome) {
                    (RecordOwner::Run, Completion::Pass) => !by_person && may_run && is_judged,
                    (RecordOwner::Run, Completion::RiskAccepted) => false,
                    (RecordOwner::Person(_), Completion::Pass) => {
                        by_person && is_judged && !ghost.drifted
                    }
                    (RecordOwner::Person(_), Completion::RiskAccepted) => by_person,
                };
                owned && is_fresh && ghost.frozen && !self.is_unguarded()
            }
            Event::Entered { phase: Phase::Repair } => {
                (ghost.gate_open, ghost.security) = (false, false);
                (ghost.challenged, ghost.approved) = (None, None);
                true
            }
            Event::Repaired { .. } => {
                ghost.fix = false;
                true
            }
            Event::Entered { phase: Phase::Done } => {
                ghost.gate_open
                    && ghost.frozen
                    && ghost.red
                    && ghost.verified.is_some()
                    && ghost.verified == tree
            }
            Event::Halted { .. } => {
                (ghost.probes, ghost.clean, ghost.gate_open) = (0, false, false);
                (ghost.challenged, ghost.approved, ghost.residue) = (None, None, false);
                (ghost.amending, ghost.security) = (false, false);
                true
            }
            Event::Abandoned { .. } => {
                let by_person = matches!(step.input, Input::Person { by: Actor::Human(_), .. });
                by_person && step.after.owed().is_empty()
            }
            _ => true,
        };
        if right { Ok(()) } else { Err(format!("{event:?} must not be true here ({ghost:?})")) }
    }
}

impl Ghost {
    fn is_out_of_budget(&self) -> bool {
        let Budget { micro_dollars, tokens, millis } = self.budget;
        micro_dollars.is_some_and(|most| self.spent.micro_dollars >= most)
            || tokens.is_some_and(|most| self.spent.tokens >= most)
            || millis.is_some_and(|most| self.spent.millis >= most)
    }

    /// While the budget is reached, no paid role is dispatched and a person is asked; otherwise neither.
    fn holds_the_budget(&self, task: &Task) -> Result<(), String> {
        let (owed, is_out) = (task.owed(), self.is_out_of_budget());
        if let Some(effect) = owed.iter().find(|effect| is_out && is_paid(effect)) {
            return Err(format!("{} is owed, and the budget is reached", effect.id()));
        }
        let is_asked = owed.iter().any(|effect| effect.id().as_str().contains("/budget/"));
        let is_withheld = task.withheld().iter().any(is_paid);
        if is_asked == is_withheld && (is_out || !is_asked) {
            return Ok(());
        }
        Err(format!("asked about money: {is_asked}, withheld: {is_withheld}"))
    }
}

/// Whether the effect calls a role, by its name alone.
fn is_paid(effect: &Effect) -> bool {
    let id = effect.id();
    let what = id.as_str().rsplit('/').nth(1).unwrap_or_default();
    PAID.contains(&what) || what.starts_with("read-")
}

fn learn_resolution(resolution: &Resolution, ghost: &mut Ghost) {
    (ghost.verify_fails, ghost.revisions) = (0, 0);
    ghost.first_attempt_over = true;
    match resolution {
        Resolution::AmendSpec { .. } | Resolution::RevisePlan { .. } => {
            ghost.has_bundle &= matches!(resolution, Resolution::RevisePlan { .. });
            (ghost.frozen, ghost.red, ghost.fix) = (false, false, false);
            ghost.verified = None;
        }
        Resolution::ProvideFix { .. } => (ghost.fix, ghost.verified) = (true, None),
        Resolution::ApproveOverride { .. }
        | Resolution::SplitTask { .. }
        | Resolution::AbandonTask { .. } => {}
    }
}

/// Every entered phase follows from the previous one by an edge of the table, or by a person's resolution.
fn phases(step: &Step<'_, Task>) -> Result<(), String> {
    let mut at = step.before.phase();
    for event in step.events {
        let to = match event {
            Event::Entered { phase } => Some(*phase),
            Event::Halted { escalation } => Some(escalation.cause.phase()),
            Event::Reopened { at, .. } => Some(*at),
            Event::GatePassed { .. } => Some(Phase::Review),
            _ => continue,
        };
        let edge = (at.map(Phase::name), to.map(Phase::name));
        let by_person =
            matches!(step.input, Input::Person { says: PersonInput::Resolve { .. }, .. });
        let is_there = match edge {
            (None, Some("intake")) => true,
            (Some(from), Some(to)) if from == to => true,
            (Some("blocked" | "needs_user_decision"), Some(to)) => {
                by_person && ["intake", "shape", "verify", "review"].contains(&to)
            }
            (Some(from), Some(to)) => EDGES.contains(&(from, to)),
            (_, _) => false,
        };
        if !is_there {
            return Err(format!("no edge leads from {:?} to {:?}", edge.0, edge.1));
        }
        at = to;
    }
    if step.after.phase() != at && !step.after.is_over() {
        return Err(format!("it is in {:?}, its events lead to {at:?}", step.after.phase()));
    }
    Ok(())
}

/// The answers to try. Once a probe has failed, the others answer little.
fn answers(task: &Task, effect: &Effect) -> Vec<Input> {
    let all = scripted::answers(effect);
    let is_spoilt = match task.stage() {
        Stage::Probing { results } => results.iter().any(|(_, result)| !is_clean(result)),
        _ => false,
    };
    match effect {
        Effect::Slice { .. } => {
            // What goes well, what cannot be done, and what is a cheat; the walk of slices covers the rest.
            let last = all.len().saturating_sub(1);
            let is_cheat =
                |input: &Input| matches!(input, Input::Slice { input } if input.cheat().is_some());
            let all = all.into_iter().enumerate();
            all.filter(|(nth, input)| *nth == 0 || *nth == last || is_cheat(input))
                .map(|(_, it)| it)
                .collect()
        }
        Effect::Task { .. } if is_spoilt => all.into_iter().take(1).collect(),
        // The previous reader already covers the possible findings.
        Effect::Task { want: Want::Probe { probe: Probe::Read(Role::Auditor), .. }, .. } => {
            all.into_iter().step_by(2).collect()
        }
        Effect::Task { .. } => all,
    }
}

fn is_clean(result: &ProbeResult) -> bool {
    result.verdict == Verdict::Pass
        && result.failed.is_empty()
        && result.cheats.is_empty()
        && result.frozen_edited.is_none()
        && result.ambiguity.is_none()
        && is_without_security(&result.residue)
}

fn is_without_security(residue: &[Residue]) -> bool {
    !residue.iter().any(|it| it.kind == ResidueKind::Security)
}

fn has_entered(step: &Step<'_, Task>, phase: Phase) -> bool {
    step.events.contains(&Event::Entered { phase })
}

fn is_stopped_hard(step: &Step<'_, Task>) -> bool {
    step.events.iter().any(|event| match event {
        Event::Halted { escalation } => matches!(escalation.cause, Cause::HardStop { .. }),
        _ => false,
    })
}

/// Whether a slice gate passed in this step.
fn has_passed_a_gate(step: &Step<'_, Task>) -> bool {
    step.events.iter().any(|event| match event {
        Event::Slice { event: slice::Event::GateRan { then, .. }, .. } => {
            matches!(then, slice::AfterGate::ExitGate | slice::AfterGate::Planning)
        }
        Event::Slice { event, .. } => matches!(event, slice::Event::Delivered { .. }),
        _ => false,
    })
}

/// A person, and no one else, can cancel a task that is not over. This is no move of the walk: if it were, every state
/// could end.
fn can_be_cancelled(task: &Task) -> Result<(), String> {
    let cancel = |by| Input::Person { by, says: scripted::cancel("not wanted any more") };
    if task.decide(&cancel(Actor::Machine)).is_ok() {
        return Err(format!("a machine can cancel {task:?}"));
    }
    let is_live = task.data().is_some() && !task.is_over();
    let Ok(events) = task.decide(&cancel(scripted::ada())) else {
        return if is_live { Err(format!("cannot be cancelled: {task:?}")) } else { Ok(()) };
    };
    let mut after = task.clone();
    events.iter().for_each(|event| after.evolve(event));
    let is_ended = *after.stage() == Stage::Abandoned && after.is_over();
    if is_live && is_ended { Ok(()) } else { Err(format!("cancelled, and goes on: {after:?}")) }
}

fn heal() -> PersonInput {
    PersonInput::Heal { cheat: Cheat::VacuousAsserts, reason: "the tests cannot fail".to_owned() }
}

/// QuestionSubject three times the number of the largest lane.
const STATES_MAX: usize = 400_000;

/// Effects that call a role.
const PAID: &[&str] = &[
    "frame",
    "shape",
    "write-tests",
    "challenge",
    "adjudicate",
    "repair",
    "scout",
    "consolidate",
    "plan",
    "edit",
    "audit",
    "rung",
];

/// The edges of the table that need no person.
const EDGES: &[(&str, &str)] = &[
    ("intake", "shape"),
    ("shape", "implement"),
    ("shape", "blocked"),
    ("shape", "needs_user_decision"),
    ("implement", "verify"),
    ("implement", "blocked"),
    ("implement", "needs_user_decision"),
    ("verify", "review"),
    ("verify", "repair"),
    ("verify", "blocked"),
    ("verify", "needs_user_decision"),
    ("review", "done"),
    ("review", "repair"),
    ("review", "needs_user_decision"),
    ("repair", "verify"),
    ("repair", "blocked"),
    ("repair", "needs_user_decision"),
];
