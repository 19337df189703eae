//! The moves of the world: truths, unusable answers, and lies that must be refused.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use sealwright_kernel::{
    Actor, Digest, Effect as _, EffectId, EscalationId, Machine as _, Ref, scripted,
};

use super::account::Account;
use super::answers::{self, Sample};
use crate::debate::adjudication::{Decision, Observed};
use crate::debate::dossier::ImportKind;
use crate::debate::escalation::Resolution;
use crate::debate::probe::ProbeResult;
use crate::debate::ship::TestResult;
use crate::debate::vocabulary::{Effect, Input, Report, Want};
use crate::debate::{Module, Stage};

#[derive(Clone, Debug)]
pub(super) struct Move {
    pub(super) input: Input,
    pub(super) truth: Truth,
    /// Whether a diligent world makes it.
    pub(super) is_diligent: bool,
}

/// What is known of a move, apart from the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    /// It must be refused.
    Lie,
    /// Whether it counts is unknown.
    Unknown,
    /// Anything that has no rule of its own.
    Plain,
    Stops,
    Unusable {
        is_read: bool,
    },
    Proposal,
    Dossier {
        is_clean: bool,
    },
    Challenge {
        passes: bool,
        blames_plan: bool,
        splits: bool,
    },
    Adjudication(Decision),
    Applied {
        is_all: bool,
    },
    Seen {
        is_there: bool,
        is_lawful: bool,
    },
    Surface {
        same_tree: bool,
        is_there: bool,
        is_equal: bool,
    },
    Tests {
        same_tree: bool,
        passes: bool,
    },
    Promoted,
    Override,
    Fix,
    Abandon,
}

/// Every move to try here.
pub(super) fn moves(
    sample: &Sample,
    module: &Module,
    account: &Account,
    fixes_max: u32,
) -> Vec<Move> {
    let mut moves = vec![];
    let create = Input::Create { charter: sample.charter.clone() };
    let Some(data) = module.data() else {
        let mut other = sample.charter.clone();
        other.slices[0].planned.fingerprint = Digest::ZERO;
        let lie = Input::Create { charter: other };
        return vec![good(create, Truth::Plain), lie_(lie)];
    };
    moves.push(lie_(create));
    for effect in module.owed() {
        match &effect {
            Effect::Slice { effect } => {
                let inputs = scripted::slice_answers(effect).into_iter().take(1);
                moves.extend(inputs.map(|input| good(Input::Slice { input }, Truth::Plain)));
                let lies = scripted::slice_lies(effect);
                moves.extend(lies.into_iter().map(|input| lie_(Input::Slice { input })));
                let id = effect.id();
                let input = Input::Slice {
                    input: sealwright_kernel::task::slice::Input::Impossible {
                        effect: id,
                        why: "no".to_string(),
                    },
                };
                moves.push(Move { input, truth: Truth::Stops, is_diligent: false });
                let exception = Ref::new("ICE-0c0c0c0c@1.0.0").expect("it is a reference");
                let input = Input::Exception { effect: effect.id(), exception };
                moves.push(Move { input, truth: Truth::Stops, is_diligent: false });
            }
            Effect::Module { round, attempt, want, .. } => {
                let asked = Asked { id: effect.id(), round: *round, attempt: *attempt };
                asked.answers(sample, account, data.locked(), want, &mut moves);
                asked.lies(&effect, &mut moves);
            }
        }
    }
    if let Stage::Halted { id, .. } = module.stage() {
        people(id, account, fixes_max, &mut moves);
    }
    if !matches!(module.stage(), Stage::Shipped { .. } | Stage::Halted { .. } | Stage::Abandoned) {
        let input = Input::Stop { why: "a sibling stopped the task".to_string() };
        moves.push(Move { input, truth: Truth::Stops, is_diligent: false });
    }
    // The first good move to the first owed effect is the diligent one.
    let mut is_first = true;
    for made in &mut moves {
        made.is_diligent &= is_first;
        is_first &= !made.is_diligent;
    }
    moves
}

struct Asked {
    id: EffectId,
    round: u32,
    attempt: u32,
}

impl Asked {
    fn report(&self, report: Report) -> Input {
        let (effect, round, attempt) = (self.id.clone(), self.round, self.attempt);
        Input::Report { effect, round, attempt, report }
    }

    fn answers(
        &self,
        sample: &Sample,
        account: &Account,
        locked: Digest,
        want: &Want,
        moves: &mut Vec<Move>,
    ) {
        let unusable = |is_read| Truth::Unusable { is_read };
        let mut all: Vec<(Report, Truth)> = vec![];
        match want {
            Want::Propose { tree, .. } => {
                let proposed = |tree, answer| Report::Proposed { tree, answer };
                all.push((proposed(*tree, answers::proposal().to_string()), Truth::Proposal));
                all.push((proposed(*tree, answers::garbage()), unusable(false)));
                all.push((
                    proposed(*tree, "{\"claim\":\"x\",\"acceptance_checks\":[]}".to_string()),
                    unusable(true),
                ));
                all.push((proposed(Digest::ZERO, answers::proposal().to_string()), Truth::Lie));
            }
            Want::Revise { .. } => {
                let tree = Digest::of(format!("tree of round {}", self.round).as_bytes());
                let proposed = |answer| Report::Proposed { tree, answer };
                all.push((proposed(answers::proposal().to_string()), Truth::Proposal));
                all.push((proposed(answers::garbage()), unusable(false)));
            }
            Want::Examine { tree } => {
                let files = vec!["src/lib.rs".to_string()];
                let dossier = |dossier| Report::Dossier { dossier, files: files.clone() };
                let mut clean = sample.dossier(*tree);
                clean.fingerprint = locked;
                let mut stained = clean.clone();
                stained.imports[0].kind = ImportKind::Internal;
                let mut folded = clean.clone();
                folded.entry_points = vec!["fn admit() {\n    todo!()\n}".to_string()];
                all.push((dossier(clean), Truth::Dossier { is_clean: true }));
                all.push((dossier(stained), Truth::Dossier { is_clean: false }));
                all.push((dossier(folded), Truth::Lie));
                all.push((dossier(sample.dossier(Digest::ZERO)), Truth::Lie));
            }
            Want::Challenge { .. } => self.challenges(account, &mut all, moves),
            Want::RunProbe { .. } => {
                let returned = ProbeResult::Returned { value: "true".to_string() };
                let loud = ProbeResult::Returned { value: "x".repeat(9000) };
                all.push((Report::Probed { result: returned }, Truth::Plain));
                all.push((Report::Probed { result: loud }, Truth::Lie));
            }
            Want::Adjudicate { .. } => {
                let judged = |answer: String| Report::Adjudicated { answer };
                let verdict = account.challenged.map(|(_, passes)| passes);
                let amend = answers::amend("examples:Admit a request").to_string();
                let amend_contract = answers::amend("contract:/inputs/0/constraints/0").to_string();
                let may = |is_valid, decision| {
                    if is_valid { Truth::Adjudication(decision) } else { unusable(true) }
                };
                let approval = may(verdict == Some(true), Decision::Approve);
                let amended = may(verdict.is_some(), Decision::ApproveWithAmendments);
                all.push((judged(answers::approve().to_string()), approval));
                all.push((judged(amend), amended));
                all.push((
                    judged(answers::reject().to_string()),
                    Truth::Adjudication(Decision::Reject),
                ));
                all.push((judged(amend_contract), amended));
                all.push((judged(answers::amend_vaguely().to_string()), unusable(true)));
                all.push((judged(answers::garbage()), unusable(false)));
                let contradicted = answers::decision("REJECT", "SHIP", serde_json::json!([]));
                all.push((judged(contradicted.to_string()), unusable(true)));
                let nothing =
                    answers::decision("APPROVE_WITH_AMENDMENTS", "SHIP", serde_json::json!([]));
                all.push((judged(nothing.to_string()), unusable(true)));
            }
            Want::Amend { .. } => {
                let tree = Digest::of(format!("amended in round {}", self.round).as_bytes());
                let amended = |answer| Report::Amended { tree, answer };
                all.push((
                    amended(answers::applied(true).to_string()),
                    Truth::Applied { is_all: true },
                ));
                all.push((
                    amended(answers::applied(false).to_string()),
                    Truth::Applied { is_all: false },
                ));
                all.push((amended("{\"records\":[]}".to_string()), unusable(true)));
            }
            Want::SeeAmendments { after, .. } => {
                let another = Digest::of(b"another contract");
                for (tree, seen, is_same, truth) in [
                    (*after, changed(), true, Truth::Seen { is_there: true, is_lawful: true }),
                    (*after, unchanged(), true, Truth::Seen { is_there: false, is_lawful: true }),
                    (*after, vec![], true, Truth::Seen { is_there: false, is_lawful: true }),
                    (
                        *after,
                        changed(),
                        false,
                        Truth::Seen {
                            is_there: true,
                            is_lawful: account.amends_contract || locked == another,
                        },
                    ),
                    (Digest::ZERO, changed(), true, Truth::Lie),
                ] {
                    let fingerprint = if is_same { locked } else { another };
                    all.push((Report::AmendmentsSeen { tree, observed: seen, fingerprint }, truth));
                }
            }
            Want::ReadSurface { tree, amendments, .. } => {
                let seen = if amendments.is_empty() { vec![] } else { changed() };
                let mut read = |tree, fingerprint, observed, truth| {
                    let differing = vec!["inputs".to_string()];
                    all.push((
                        Report::SurfaceRead { tree, fingerprint, differing, observed },
                        truth,
                    ));
                };
                let truth = |same_tree, is_there, is_equal| Truth::Surface {
                    same_tree,
                    is_there,
                    is_equal,
                };
                read(*tree, locked, seen.clone(), truth(true, true, true));
                read(*tree, Digest::of(b"bent"), seen.clone(), truth(true, true, false));
                read(Digest::ZERO, locked, seen, truth(false, true, true));
                if !amendments.is_empty() {
                    read(*tree, locked, unchanged(), truth(true, false, true));
                }
            }
            Want::RunTests { tree } => {
                let mut ran = |tree, results: &[TestResult], truth| {
                    all.push((Report::TestsRun { tree, log: sample.log(results) }, truth));
                };
                let truth = |same_tree, passes| Truth::Tests { same_tree, passes };
                ran(*tree, &[TestResult::Pass; 2], truth(true, true));
                ran(*tree, &[TestResult::Pass, TestResult::Fail], truth(true, false));
                ran(*tree, &[], truth(true, false));
                ran(Digest::ZERO, &[TestResult::Pass], truth(false, true));
                let mut miscounted = sample.log(&[TestResult::Fail]);
                miscounted.summary.failed = 0;
                all.push((Report::TestsRun { tree: *tree, log: miscounted }, Truth::Lie));
            }
            Want::Promote { tree, .. } => {
                let promoted = |tree| Report::Promoted { tree, version: Digest::of(b"version") };
                all.push((promoted(*tree), Truth::Promoted));
                all.push((promoted(Digest::ZERO), Truth::Lie));
            }
            Want::Tell { .. } => all.push((Report::Told, Truth::Plain)),
        }
        let fails = !matches!(want, Want::Tell { .. } | Want::RunProbe { .. });
        let why = || "the disk is full".to_string();
        let failed = if fails { Truth::Stops } else { Truth::Lie };
        all.push((Report::Impossible { why: why() }, failed));
        all.push((Report::OverBudget { why: why() }, failed));
        moves.extend(all.into_iter().map(|(report, truth)| {
            let is_good = !matches!(truth, Truth::Lie | Truth::Unusable { .. } | Truth::Stops);
            Move { input: self.report(report), truth, is_diligent: is_good }
        }));
    }

    fn challenges(&self, account: &Account, all: &mut Vec<(Report, Truth)>, moves: &mut Vec<Move>) {
        let said = |answer: String| Report::Challenged { answer };
        let challenge =
            |passes, blames_plan, splits| Truth::Challenge { passes, blames_plan, splits };
        if account.is_clean {
            all.push((said(answers::pass().to_string()), challenge(true, false, false)));
            all.push((
                said(answers::fail(3, "contract:/inputs/0").to_string()),
                challenge(false, false, false),
            ));
            all.push((
                said(answers::fail(6, "one responsibility").to_string()),
                challenge(false, false, true),
            ));
        } else {
            // The machine has shown an internal import: a role may neither pass it nor blame something else.
            let mut answer = answers::fail(4, "import `clock`");
            all.push((said(answer.to_string()), challenge(false, false, false)));
            answer["failures"][0]["invariant"] = "another thing".into();
            all.push((said(answer.to_string()), Truth::Unusable { is_read: true }));
            all.push((said(answers::pass().to_string()), Truth::Unusable { is_read: true }));
        }
        let criterion = if account.is_clean { 3 } else { 4 };
        let plan = answers::fail(criterion, "PLAN: clock is a module of its own");
        all.push((said(plan.to_string()), challenge(false, true, false)));
        all.push((said(answers::garbage()), Truth::Unusable { is_read: false }));
        for (_, mild) in answers::mild_reviews() {
            all.push((said(mild.to_string()), Truth::Unusable { is_read: true }));
        }
        let (effect, round, attempt) = (self.id.clone(), self.round, self.attempt);
        let probe = |arguments: &str| Input::Probe {
            effect: effect.clone(),
            round,
            attempt,
            arguments: arguments.to_string(),
        };
        if account.probes < PROBES_EXPLORED {
            let asked =
                Move { input: probe("{\"tenant\":\"\"}"), truth: Truth::Plain, is_diligent: false };
            moves.push(asked);
        }
        moves.extend(["{\"secret\":1}", "[]", "tenant"].map(|arguments| lie_(probe(arguments))));
        let exception = Ref::new("ICE-0c0c0c0c@1.0.0").expect("it is a reference");
        let raised = Input::Exception { effect: effect.clone(), exception };
        moves.push(Move { input: raised, truth: Truth::Stops, is_diligent: false });
        let other = Ref::new("CHAL-0c0c0c0c@1.0.0").expect("it is a reference");
        moves.push(lie_(Input::Exception { effect, exception: other }));
    }

    /// Late, early and foreign answers. They carry what would be true of the effect that is owed.
    fn lies(&self, owed: &Effect, moves: &mut Vec<Move>) {
        let Some(report) = moves.iter().find_map(|made| match &made.input {
            Input::Report { effect, report, .. } if *effect == self.id && made.is_diligent => {
                Some(report.clone())
            }
            _ => None,
        }) else {
            return;
        };
        let mut lie = |effect: EffectId, round, attempt| {
            let report = report.clone();
            moves.push(lie_(Input::Report { effect, round, attempt, report }));
        };
        lie(self.id.clone(), self.round + 1, self.attempt);
        lie(self.id.clone(), self.round, self.attempt + 1);
        let Effect::Module { task, module, want, .. } = owed else { return };
        for (round, attempt) in [
            (self.round + 1, self.attempt),
            (self.round.saturating_sub(1), self.attempt),
            (self.round, self.attempt + 7),
        ] {
            let other = Effect::Module {
                task: task.clone(),
                module: module.clone(),
                round,
                attempt,
                want: want.clone(),
            };
            if other.id() != self.id {
                lie(other.id(), round, attempt);
                // The numbers of the effect that is owed do not make another one right.
                lie(other.id(), self.round, self.attempt);
            }
        }
    }
}

fn people(id: &EscalationId, account: &Account, fixes_max: u32, moves: &mut Vec<Move>) {
    let person = || Actor::Human("mara".to_string());
    let resolve = |by, escalation: &EscalationId, resolution| Input::Resolve {
        by,
        escalation: escalation.clone(),
        resolution,
    };
    let why = || "it was looked at in person".to_string();
    let approve = || Resolution::ApproveOverride { rationale: why() };
    let tree = Digest::of(b"a person's tree");
    let fix = || Resolution::ProvideFix { fix_description: why(), tree };
    let abandon = || Resolution::AbandonModule { rationale: why() };
    let truth = if account.may_override { Truth::Override } else { Truth::Lie };
    let mut offer = |resolution, truth| {
        let is_diligent = !matches!(truth, Truth::Lie);
        moves.push(Move { input: resolve(person(), id, resolution), truth, is_diligent });
    };
    offer(approve(), truth);
    if account.fixes < fixes_max {
        offer(fix(), Truth::Fix);
    }
    offer(abandon(), Truth::Abandon);
    offer(Resolution::AbandonModule { rationale: " ".to_string() }, Truth::Lie);
    let other = EscalationId::try_from("ESC-00000000".to_string()).expect("it is an escalation");
    moves.push(lie_(resolve(person(), &other, abandon())));
    moves.push(lie_(resolve(Actor::Machine, id, abandon())));
    moves.push(lie_(resolve(Actor::Human("  ".to_string()), id, abandon())));
}

/// The text of a role's answer.
pub(super) fn answer_of(input: &mut Input) -> Option<&mut String> {
    match input {
        Input::Report {
            report:
                Report::Proposed { answer, .. }
                | Report::Challenged { answer }
                | Report::Adjudicated { answer }
                | Report::Amended { answer, .. },
            ..
        } => Some(answer),
        _ => None,
    }
}

fn good(input: Input, truth: Truth) -> Move {
    Move { input, truth, is_diligent: true }
}

fn lie_(input: Input) -> Move {
    Move { input, truth: Truth::Lie, is_diligent: false }
}

fn changed() -> Vec<Observed> {
    vec![Observed {
        amendment_index: 0,
        before: Some(Digest::of(b"a")),
        after: Some(Digest::of(b"b")),
    }]
}

fn unchanged() -> Vec<Observed> {
    vec![Observed {
        amendment_index: 0,
        before: Some(Digest::of(b"a")),
        after: Some(Digest::of(b"a")),
    }]
}

/// Probes in the walk; more of them change nothing.
const PROBES_EXPLORED: u32 = 1;
