use std::string::{String, ToString as _};
use std::vec;
use std::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::owner::{Autonomy, Header, Risk};
use crate::task::{
    Charter, Effect, Event, Input, PersonInput, Phase, QuestionSubject, Rejected, Stage, Status,
    Task, Want,
};
use crate::{Actor, Effect as _, Lane, Machine as _, fold, scripted};

#[test]
fn a_budget_withholds_every_role_and_asks_instead() {
    let mut task = begun(dollars(5));
    let frame = task.owed();
    assert_eq!(ids(&frame), ["T-x/frame/try-2"]);
    pay(&mut task, &frame[0], 3);
    assert_eq!(task.owed(), frame);
    pay(&mut task, &frame[0], 2);
    assert_eq!(ids(&task.owed()), ["T-x/budget/try-2"]);
    assert_eq!((task.withheld(), task.status()), (frame.clone(), Status::Parked));
    let (_, question) = task.question().unwrap();
    assert_eq!(question.text(), "The budget is reached: $5.00 of $5.00. Shall it go on?");
    // Who was asked before is still heard, and may not be asked again.
    assert!(task.owes(&frame[0].id()) && !task.may_begin(&frame[0].id()));
    raise(&mut task, dollars(9)).unwrap();
    assert_eq!((task.owed(), task.withheld(), task.status()), (frame, vec![], Status::InProgress));
}

#[test]
fn work_that_was_paid_for_is_taken_after_the_budget_is_reached() {
    let mut task = begun(dollars(1));
    let frame = task.owed().remove(0);
    pay(&mut task, &frame, 7);
    put(&mut task, scripted::honest(&frame).unwrap()).unwrap();
    assert_eq!(task.phase(), Some(Phase::Shape));
    assert_eq!(ids(&task.owed()), ["T-x/budget/try-1"]);
    assert_eq!(ids(&task.withheld()), ["T-x/shape/try-3"]);
}

#[test]
fn what_the_machine_does_itself_goes_on() {
    let mut task = begun(dollars(1_000));
    while !matches!(task.stage(), Stage::RedRun { .. }) {
        answer(&mut task);
    }
    let red = task.owed().remove(0);
    pay(&mut task, &red, 1_000);
    assert_eq!((task.owed(), task.withheld(), task.question()), (vec![red], vec![], None));
    answer(&mut task);
    assert_eq!((task.owed().len(), task.withheld().len()), (1, 1));
    assert!(matches!(task.question().unwrap().1.about, QuestionSubject::Budget { .. }));
}

#[test]
fn gates_run_beside_readers_that_are_withheld() {
    let mut task = at_verify(Lane::Strict, dollars(1_000));
    let probe = task.owed().remove(0);
    pay(&mut task, &probe, 1_000);
    assert_eq!(
        ids(&task.owed()),
        ["T-x/verify/tripwire/try-8", "T-x/verify/check-tests/try-8", "T-x/budget/try-1"]
    );
    assert_eq!((task.withheld().len(), task.status()), (2, Status::InProgress));
    answer(&mut task);
    answer(&mut task);
    assert_eq!(
        (ids(&task.owed()), task.status()),
        (vec!["T-x/budget/try-1".to_string()], Status::Parked)
    );
}

#[test]
fn a_slice_is_withheld_like_everybody_else_and_its_gate_is_not() {
    let mut task = begun(dollars(1_000));
    let is_editing = |task: &Task| ids(&task.owed()).iter().any(|id| id.contains("/edit/"));
    while !is_editing(&task) {
        answer(&mut task);
    }
    let edit = task.owed().remove(0);
    pay(&mut task, &edit, 1_000);
    assert_eq!(
        (ids(&task.owed()), task.withheld()),
        (vec!["T-x/budget/try-1".to_string()], vec![edit.clone()])
    );
    put(&mut task, scripted::honest(&edit).unwrap()).unwrap();
    assert!(ids(&task.owed())[0].contains("gate"), "{:?}", ids(&task.owed()));
    assert_eq!(task.question(), None);
}

#[test]
fn a_report_does_not_answer_the_question_about_money() {
    let mut task = begun(dollars(1));
    let frame = task.owed().remove(0);
    pay(&mut task, &frame, 1);
    let Some(Input::Report { report, .. }) = scripted::honest(&frame) else { panic!("no report") };
    let effect = task.owed()[0].id();
    let refused = task.decide(&Input::Report { effect: effect.clone(), report });
    assert_eq!(refused, Err(Rejected::NoAnswer { effect }));
}

#[test]
fn lies_about_money_are_refused_by_name() {
    let mut task = begun(dollars(5));
    let frame = task.owed().remove(0);
    pay(&mut task, &frame, 5);
    let again = scripted::spend(&frame, 1, Cost::default());
    let invocation = InvocationId::new(1);
    assert_eq!(task.decide(&again), Err(Rejected::SpentBefore { invocation }));
    assert_eq!(raise(&mut task, dollars(5)), Err(Rejected::SpentAlready { bound: Bound::Money }));
    let role = Actor::Role(Role::Builder, invocation);
    let says = PersonInput::RaiseBudget { budget: dollars(9) };
    assert_eq!(task.decide(&Input::Person { by: role, says }), Err(Rejected::NotAPerson));
    for lie in scripted::money_lies(&task).into_iter().chain(scripted::lies(&task.owed()[0])) {
        assert!(task.decide(&lie).is_err(), "{lie:?}");
    }
    let long = Receipt { model: "m".repeat(257), ..receipt(&frame, 2) };
    assert!(matches!(task.decide(&Input::Spend { receipt: long }), Err(Rejected::TooMuch(_))));
}

#[test]
fn every_bound_stops_by_itself() {
    for (budget, bound) in [
        (dollars(2), Bound::Money),
        (Budget { tokens: Some(20), ..Budget::default() }, Bound::Tokens),
        (Budget { millis: Some(2_000), ..Budget::default() }, Bound::Time),
    ] {
        let mut task = begun(budget);
        let frame = task.owed().remove(0);
        pay(&mut task, &frame, 1);
        assert_eq!(task.data().unwrap().out_of_budget(), None, "{bound:?}");
        pay(&mut task, &frame, 1);
        assert_eq!(task.data().unwrap().out_of_budget(), Some(bound));
    }
}

#[test]
fn who_does_not_pay_on_gives_the_task_up() {
    let mut task = begun(dollars(1));
    let frame = task.owed().remove(0);
    pay(&mut task, &frame, 1);
    let [_, give_up] = scripted::answers(&task.owed()[0]).try_into().unwrap();
    put(&mut task, give_up).unwrap();
    assert_eq!(task.status(), Status::Abandoned);
    assert!(task.is_over() && task.owed().is_empty() && task.withheld().is_empty());
    assert_eq!(task.decide(&scripted::spend(&frame, 9, Cost::default())), Err(Rejected::Over));
}

#[test]
fn a_budget_of_nothing_is_no_budget() {
    let charter = scripted::charter("T-x", Lane::Quick, Header::default());
    let input = scripted::create(Charter { budget: Some(dollars(0)), ..charter });
    assert!(matches!(Task::default().decide(&input), Err(Rejected::Charter { .. })));
}

#[test]
fn totals_are_kept_by_role_and_beside_the_roles() {
    let mut task = begun(Budget::default());
    let frame = task.owed().remove(0);
    pay(&mut task, &frame, 2);
    let scout = Receipt { role: Role::Scout, ..receipt(&frame, 2) };
    put(&mut task, Input::Spend { receipt: scout }).unwrap();
    let spending = &task.data().unwrap().spending;
    let by_role: Vec<(Role, u32, u32)> =
        spending.roles().map(|(role, it)| (role, it.calls, it.unpriced)).collect();
    assert_eq!(by_role, [(Role::Builder, 1, 0), (Role::Scout, 1, 1)]);
    assert_eq!((spending.all().calls, spending.all().turns), (2, 6));
}

#[test]
fn a_task_without_receipts_is_stored_as_before_there_were_any() {
    let task = begun(Budget::default());
    let stored = serde_json::to_string(&task).unwrap();
    assert!(!stored.contains("spending") && !stored.contains("budget"), "{stored}");
}

proptest! {
    /// However a careless world spends, answers, lies and raises: no role is dispatched while the budget is reached, a
    /// raise brings back exactly what was withheld, no question about money comes back once it was answered, and the
    /// journal rebuilds the same task.
    #[test]
    fn a_budget_holds_whatever_happens(
        lane in prop_oneof![Just(Lane::Quick), Just(Lane::Factory), Just(Lane::Strict)],
        bound in 0..3_usize,
        dice in prop::collection::vec(any::<u16>(), 0..160),
    ) {
        let budget = [
            dollars(4),
            Budget { tokens: Some(40), ..dollars(60) },
            Budget { millis: Some(4_000), tokens: Some(900), micro_dollars: None },
        ][bound];
        let header = Header { autonomy: Autonomy::Conservative, risk: Risk::Normal };
        let create = scripted::create(Charter {
            budget: Some(budget),
            ..scripted::charter("T-x", lane, header)
        });
        let mut task = Task::default();
        let mut events = put(&mut task, create).unwrap();
        let mut answered: Vec<String> = Vec::new();
        for die in dice {
            let known = task.data().unwrap();
            let is_reached = known.out_of_budget().is_some();
            let (owed, withheld) = (task.owed(), task.withheld());
            prop_assert!(!is_reached || !owed.iter().any(Effect::asks_a_role));
            prop_assert!(is_reached || withheld.is_empty());
            let asked = task.question().filter(|(_, it)| matches!(it.about, QuestionSubject::Budget { .. }));
            prop_assert_eq!(asked.is_some(), !withheld.is_empty());
            if let Some((id, _)) = &asked {
                prop_assert!(!answered.contains(&id.to_string()), "{id} came back");
            }
            for effect in &withheld {
                prop_assert!(task.owes(&effect.id()) && !task.may_begin(&effect.id()));
            }
            for lie in scripted::money_lies(&task) {
                prop_assert!(task.is_over() || task.decide(&lie).is_err(), "{lie:?}");
            }
            let all: Vec<Effect> = owed.iter().chain(&withheld).cloned().collect();
            let Some(effect) = all.get(usize::from(die >> 8) % all.len().max(1)) else { break };
            let calls = known.spending.all().calls;
            let is_money = matches!(effect, Effect::Task { want: Want::Ask { question }, .. }
                if matches!(question.about, QuestionSubject::Budget { .. }));
            let input = match die % 4 {
                0 | 1 if !is_money => scripted::spend(effect, calls + 1, cost(u64::from(die % 3))),
                _ => {
                    let answers = scripted::answers(effect);
                    let nth = usize::from(die) % answers.len();
                    answers[nth].clone()
                }
            };
            let before: Vec<String> = ids(&withheld);
            let Ok(decided) = put(&mut task, input.clone()) else { continue };
            if let Input::Person { says: PersonInput::RaiseBudget { .. }, .. } = input {
                prop_assert_eq!(task.withheld(), vec![]);
                let now = ids(&task.owed());
                prop_assert!(before.iter().all(|id| now.contains(id)));
                let others = ids(&owed).into_iter().filter(|id| !id.contains("/budget/"));
                prop_assert_eq!(now.len(), before.len() + others.count());
                answered.extend(asked.map(|(id, _)| id.to_string()));
            }
            events.extend(decided);
        }
        prop_assert_eq!(&fold::<Task>(&events), &task);
        let stored = serde_json::to_string(&(&task, &events)).unwrap();
        prop_assert_eq!(serde_json::from_str::<(Task, Vec<Event>)>(&stored).unwrap(), (task, events));
    }
}

/// A task that has just begun its intake.
fn begun(budget: Budget) -> Task {
    let mut task = created(Lane::Quick, budget);
    answer(&mut task);
    task
}

fn at_verify(lane: Lane, budget: Budget) -> Task {
    let mut task = created(lane, budget);
    while task.phase() != Some(Phase::Verify) {
        answer(&mut task);
    }
    task
}

fn created(lane: Lane, budget: Budget) -> Task {
    let header = Header { autonomy: Autonomy::Conservative, risk: Risk::Normal };
    let budget = (!budget.is_boundless()).then_some(budget);
    let mut task = Task::default();
    let charter = scripted::charter("T-x", lane, header);
    put(&mut task, scripted::create(Charter { budget, ..charter })).unwrap();
    task
}

fn dollars(dollars: u64) -> Budget {
    Budget { micro_dollars: Some(dollars * 1_000_000), ..Budget::default() }
}

fn cost(dollars: u64) -> Cost {
    Cost { micro_dollars: dollars * 1_000_000, tokens: dollars * 10, millis: dollars * 1_000 }
}

/// The next call leaves its receipt.
fn pay(task: &mut Task, effect: &Effect, dollars: u64) {
    let nth = task.data().unwrap().spending.all().calls + 1;
    put(task, scripted::spend(effect, nth, cost(dollars))).unwrap();
}

fn receipt(effect: &Effect, nth: u32) -> Receipt {
    let priceless = Cost { tokens: 5, ..Cost::default() };
    let Input::Spend { receipt } = scripted::spend(effect, nth, priceless) else {
        unreachable!("it spends")
    };
    receipt
}

fn raise(task: &mut Task, budget: Budget) -> Result<Vec<Event>, Rejected> {
    put(task, Input::Person { by: scripted::ada(), says: PersonInput::RaiseBudget { budget } })
}

fn answer(task: &mut Task) {
    let input = scripted::honest(&task.owed()[0]).unwrap();
    put(task, input).unwrap();
}

fn put(task: &mut Task, input: Input) -> Result<Vec<Event>, Rejected> {
    let events = task.decide(&input)?;
    events.iter().for_each(|event| task.evolve(event));
    Ok(events)
}

fn ids(effects: &[Effect]) -> Vec<String> {
    effects.iter().map(|effect| effect.id().to_string()).collect()
}
