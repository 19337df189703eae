//! Which effect can get which report, found by a walk over the machines with the answers of the scripted world.
//!
//! The walk keeps one state for each set of effects owed, which is enough to meet every effect. An effect that it never
//! meets, and an answer of the scripted world that no machine accepts, are errors.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use anyhow::{Result, ensure};
use clap::ValueEnum as _;
use sealwright_kernel::owner::{Autonomy, Header, Risk};
use sealwright_kernel::task::slice::{self, Edit, Need, Pass};
use sealwright_kernel::task::{
    Budget, Charter, Effect, Input, Membership, Probe, ProbeResult, Report, Residue, ResidueKind,
    Stage, Task, Want,
};
use sealwright_kernel::{Cheat, Cost, Effect as _, Lane, Machine as _, Verdict, scripted};

use super::cells::{Cell, EffectKind, cells};

pub(super) fn possible() -> Result<BTreeSet<Cell>> {
    let mut walk = Walk::default();
    for charter in charters() {
        walk.over(charter);
    }
    let met: BTreeSet<EffectKind> = walk.cells.keys().map(|cell| cell.effect).collect();
    let missed: Vec<String> = EffectKind::value_variants()
        .iter()
        .filter(|it| !met.contains(it))
        .map(|it| it.name())
        .collect();
    ensure!(missed.is_empty(), "no walk meets {}", missed.join(", "));
    let refused = |(cell, is_taken): (&Cell, &bool)| {
        (!is_taken).then(|| format!("{}: {}", cell.effect.name(), cell.report))
    };
    let refused: Vec<String> = walk.cells.iter().filter_map(refused).collect();
    ensure!(refused.is_empty(), "answers that no state takes: {}", refused.join(", "));
    Ok(walk.cells.into_keys().collect())
}

/// Tasks that together owe every effect.
fn charters() -> [Charter; 4] {
    let charter =
        |lane, autonomy| scripted::charter("T-x", lane, Header { autonomy, risk: Risk::Normal });
    let budget = Budget { micro_dollars: Some(1), ..Budget::default() };
    [
        charter(Lane::Quick, Autonomy::Auto),
        charter(Lane::Strict, Autonomy::Conservative),
        Charter { budget: Some(budget), ..charter(Lane::Quick, Autonomy::Auto) },
        Charter { belongs: Membership::Project, ..charter(Lane::Quick, Autonomy::Auto) },
    ]
}

#[derive(Default)]
struct Walk {
    /// Every cell that was met, and whether a state took the answer.
    cells: BTreeMap<Cell, bool>,
}

impl Walk {
    fn over(&mut self, charter: Charter) {
        let mut start = Task::default();
        let is_paid = charter.budget.is_some();
        put(&mut start, &scripted::create(charter));
        let (mut known, mut open) = (BTreeSet::from([place(&start)]), VecDeque::from([start]));
        while let Some(task) = open.pop_front() {
            let mut next = Vec::new();
            next.extend(after(&task, &Input::Dispatch));
            for effect in task.owed() {
                for input in scripted::answers(&effect) {
                    let task_after = after(&task, &input);
                    for cell in cells(&task, &effect, &input) {
                        *self.cells.entry(cell).or_default() |= task_after.is_some();
                    }
                    next.extend(task_after);
                }
                for input in further_answers(&effect) {
                    let Some(task_after) = after(&task, &input) else { continue };
                    self.cells
                        .extend(cells(&task, &effect, &input).into_iter().map(|cell| (cell, true)));
                    next.push(task_after);
                }
                if is_paid && effect.asks_a_role() {
                    let nth = task.data().map_or(0, |data| data.spending.all().calls) + 1;
                    let cost = Cost { micro_dollars: 1, ..Cost::default() };
                    next.extend(after(&task, &scripted::spend(&effect, nth, cost)));
                }
            }
            for task in next {
                if known.insert(place(&task)) {
                    open.push_back(task);
                }
            }
        }
    }
}

/// Answers that the scripted world leaves out because they lead where others lead.
fn further_answers(effect: &Effect) -> Vec<Input> {
    let id = effect.id();
    match effect {
        Effect::Task { want: Want::Ask { .. } | Want::Tell { .. }, .. } => vec![],
        Effect::Task { want, .. } => {
            let impossible = Report::Impossible { why: "no compiler here".to_owned() };
            let reports = match (want, scripted::honest(effect)) {
                (
                    Want::Probe { probe, .. },
                    Some(Input::Report { report: Report::Probed { result }, .. }),
                ) => further_probes(probe, &result),
                (
                    Want::Repair { .. },
                    Some(Input::Report {
                        report: Report::Repaired { tree, outside, pass }, ..
                    }),
                ) => {
                    let with = |kind| {
                        let pass = Pass { residue: left(kind), ..pass.clone() };
                        Report::Repaired { tree, outside: outside.clone(), pass }
                    };
                    vec![with(ResidueKind::Security), with(ResidueKind::Concurrency)]
                }
                (_, _) => vec![],
            };
            let all = reports.into_iter().chain([impossible]);
            all.map(|report| Input::Report { effect: id.clone(), report }).collect()
        }
        Effect::Slice { .. } => match scripted::honest(effect) {
            Some(Input::Slice { input: slice::Input::Edited { edit, .. } }) => {
                let with = |kind| {
                    let pass = Pass { residue: left(kind), ..edit.pass.clone() };
                    slice::Input::Edited { effect: id.clone(), edit: Edit { pass, ..edit.clone() } }
                };
                let cap = scripted::planned(vec![]).cap;
                let need = Need::Cap { cap, because: "who calls it".to_owned() };
                let blocked = slice::Input::Blocked { effect: id.clone(), need };
                [with(ResidueKind::Security), with(ResidueKind::Concurrency), blocked]
                    .map(|input| Input::Slice { input })
                    .to_vec()
            }
            Some(_) | None => vec![],
        },
    }
}

/// What checks and readers report besides: a cheat, a failure, no verdict, findings that no test can settle.
fn further_probes(probe: &Probe, honest: &ProbeResult) -> Vec<Report> {
    if *probe == Probe::Tripwire {
        let residue = left(ResidueKind::Architecture);
        return vec![Report::Probed { result: ProbeResult { residue, ..honest.clone() } }];
    }
    let cheats = vec![(Cheat::Overfit, "it knows its tests".to_owned())];
    let failed = vec!["it does not hold".to_owned()];
    [
        ProbeResult { cheats, ..honest.clone() },
        ProbeResult { verdict: Verdict::Fail, failed, ..honest.clone() },
        ProbeResult { verdict: Verdict::CannotTell, ..honest.clone() },
        ProbeResult { residue: left(ResidueKind::Security), ..honest.clone() },
        ProbeResult { residue: left(ResidueKind::Concurrency), ..honest.clone() },
    ]
    .map(|result| Report::Probed { result })
    .to_vec()
}

fn left(kind: ResidueKind) -> Vec<Residue> {
    vec![Residue { kind, what: "two writers race".to_owned() }]
}

/// What tells states apart: what is owed, how often gates failed in a row, whether amendments wait or a person's fix is
/// judged, and what a halt admits.
fn place(task: &Task) -> String {
    let owed: Vec<String> =
        task.owed().iter().map(|effect| EffectKind::of(effect).name()).collect();
    let data = task.data();
    let header = data.and_then(|data| data.slices.last()?.snapshot()).map(|it| &it.header);
    let fails = header.map(|header| (header.iteration_fails, header.exit_fails));
    let amends = data.map(|data| (data.amendments.is_empty(), data.fix_by.is_some()));
    let halt = match task.stage() {
        Stage::Halted { escalation } => Some(escalation.options.clone()),
        _ => None,
    };
    format!("{owed:?} {fails:?} {amends:?} {halt:?}")
}

fn after(task: &Task, input: &Input) -> Option<Task> {
    let events = task.decide(input).ok()?;
    let mut task = task.clone();
    events.iter().for_each(|event| task.evolve(event));
    Some(task)
}

fn put(task: &mut Task, input: &Input) {
    if let Some(next) = after(task, input) {
        *task = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_and_every_scripted_answer_is_met() {
        let cells = possible().unwrap();
        assert!(cells.len() > 90, "{}", cells.len());
    }
}
