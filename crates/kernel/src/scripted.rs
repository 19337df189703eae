//! A scripted world: every answer an effect can get, and lies that must be turned away.
//!
//! It stands in for agents, gates and people in tests and proofs. The first answer of every
//! list is the honest one that leads on.

mod money;
pub mod project;

use alloc::string::{String, ToString as _};
use alloc::vec;
use alloc::vec::Vec;

use crate::owner::Header;
use crate::product::Sketch;
use crate::product::split::SplitPart;
use crate::task::escalation::Resolution;
use crate::task::slice::{
    self, AuditReport, Certainty, Claim, Diagnosis, Edit, FactKind, GateKind, GateRun, Need,
    NewFact, NewFinding, Pass, Plan, PlanAnswer, Planned, Progress, Rung, ScopeCap,
};
use crate::task::{
    Adjudication, Audience, Bundle, Challenge, Charter, Choice, Compliance, Effect, Feature,
    FeatureLabel, Frame, Freeze, Input, Membership, Part, PartKind, PersonInput, Phase, Probe,
    ProbeResult, Question, QuestionSubject, Report, Residue, ResidueKind, ReviewQuestion,
    ShipRefusal, Want,
};
use crate::{
    Actor, Artifact, Cheat, Cost, Digest, Effect as _, EffectId, Evidence, InvocationId, Lane,
    Role, Source, TaskId, Verdict,
};

pub use money::{money_lies, more_than, spend};

/// A task like any other.
pub fn charter(id: &str, lane: Lane, header: Header) -> Charter {
    Charter {
        id: TaskId::new(id).unwrap_or_else(|_| unreachable!("a script names its tasks well")),
        title: "make the rate limiter per tenant".to_string(),
        text: Digest::of(b"the text of the task"),
        criteria: vec!["a tenant's limit does not touch another's (verify: tests)".to_string()],
        lane,
        header,
        freeze: Freeze::Asked,
        checks: vec!["tests".to_string()],
        belongs: Membership::Alone,
        base: None,
        budget: None,
    }
}

pub fn create(charter: Charter) -> Input {
    Input::Create { by: ada(), charter }
}

pub fn ada() -> Actor {
    Actor::Human("ada".to_string())
}

/// What is wanted, in words.
pub fn frame() -> Frame {
    Frame {
        objective: "limits per tenant".to_string(),
        done_gate: vec!["tests pass for two tenants at once".to_string()],
        not_doing: vec!["limits per user".to_string()],
        reality: vec!["the store has no transactions".to_string()],
        validation: vec!["cargo test limiter".to_string()],
        audience: Audience::People,
        features: vec![Feature {
            name: "limit header".to_string(),
            label: FeatureLabel::RealWorking,
        }],
        draft: None,
    }
}

/// A contract and a plan of so many slices.
pub fn bundle(slices: usize) -> Bundle {
    let part = |kind, text: &str, confidence| Part {
        kind,
        content: Digest::of(text.as_bytes()),
        confidence,
        flags: vec![],
    };
    Bundle {
        frame: frame(),
        parts: vec![
            part(PartKind::Spec, "spec", 90),
            part(PartKind::Scenarios, "scenarios", 60),
            part(PartKind::Contract, "contract", 80),
        ],
        plan: (0..slices).map(|_| planned(vec![])).collect(),
        keeps_behaviour: false,
    }
}

pub fn planned(unknowns: Vec<String>) -> Planned {
    Planned {
        sentence: "count requests per tenant".to_string(),
        cap: cap(),
        places: vec![],
        unknowns,
        criteria: vec!["two tenants are counted apart".to_string()],
        constraints: vec!["no new dependency".to_string()],
        gate_iteration: "fast".to_string(),
        gate_exit: "full".to_string(),
        fingerprint: fingerprint(),
    }
}

pub fn fingerprint() -> Digest {
    Digest::of(b"contract")
}

/// What a command left behind.
pub fn evidence(tree: Digest, exit: i32) -> Evidence {
    let argv = vec!["cargo".to_string(), "test".to_string()];
    said(tree, Source::Command { argv, exit, confinement: None })
}

pub fn word(role: Role, tree: Digest) -> Evidence {
    said(tree, Source::Role { role, invocation: InvocationId::new(1) })
}

/// The tree after a change: there are only two, so that walks stay finite.
pub fn tree_after(tree: Digest) -> Digest {
    let one = Digest::of(b"one tree");
    if tree == one { Digest::of(b"another tree") } else { one }
}

/// The answer that leads on.
pub fn honest(effect: &Effect) -> Option<Input> {
    answers(effect).into_iter().next()
}

/// Every answer the world may give, as a machine would journal it.
pub fn answers(effect: &Effect) -> Vec<Input> {
    let id = effect.id();
    match effect {
        Effect::Slice { effect } => {
            slice_answers(effect).into_iter().map(|input| Input::Slice { input }).collect()
        }
        Effect::Task { want: Want::Ask { question }, .. } => decisions(&id, question),
        Effect::Task { want, .. } => {
            let report = |report| Input::Report { effect: id.clone(), report };
            reports(want).into_iter().map(report).collect()
        }
    }
}

pub fn slice_answers(effect: &slice::Effect) -> Vec<slice::Input> {
    use slice::Input;
    let id = || effect.id();
    let mut answers = match &effect.want {
        slice::Want::Scout { unknowns, .. } => {
            let finding = |(nth, source): (usize, &str)| NewFinding {
                unknown: nth as u32,
                source: source.to_string(),
                snippet: String::new(),
                note: "it is there".to_string(),
                certainty: Certainty::Seen,
            };
            let found = (0..unknowns.len()).map(|nth| finding((nth, "src/limiter.rs:12")));
            vec![
                Input::Scouted { effect: id(), findings: found.collect() },
                Input::Scouted { effect: id(), findings: vec![] },
                Input::Scouted { effect: id(), findings: vec![finding((0, "secrets/key.pem"))] },
            ]
        }
        slice::Want::Consolidate { captured, first } => {
            let fact = NewFact {
                kind: FactKind::KeyPlace,
                text: "the limiter stands in src/limiter.rs".to_string(),
                from: vec![*first],
            };
            let is_seen = |it: &NewFinding| it.certainty == Certainty::Seen;
            let facts = if captured.first().is_some_and(is_seen) { vec![fact] } else { vec![] };
            let gaps = vec!["who calls it".to_string()];
            vec![
                Input::Consolidated { effect: id(), facts, gaps: vec![] },
                Input::Consolidated { effect: id(), facts: vec![], gaps },
            ]
        }
        slice::Want::Plan => {
            let unknown = "how is the clock read".to_string();
            let wider = ScopeCap { allowed: vec![".".to_string()], ..cap() };
            let narrow = PlanAnswer::CapTooNarrow { cap: wider, because: unknown.clone() };
            vec![
                Input::Planned { effect: id(), answer: PlanAnswer::Grounded(plan()) },
                Input::Planned { effect: id(), answer: PlanAnswer::FactMissing { unknown } },
                Input::Planned { effect: id(), answer: narrow },
            ]
        }
        slice::Want::Edit { tree, .. } => {
            let edit = |claim, place: &str, pass| Edit {
                tree: tree_after(*tree),
                places: vec![place.to_string()],
                claim,
                pass,
            };
            let wild = Pass { proposed_next: Some(Phase::Done), ..gained() };
            let edited = |edit| Input::Edited { effect: id(), edit };
            vec![
                edited(edit(Claim::Ready, "src/limiter.rs", gained())),
                edited(edit(Claim::MoreToDo, "src/limiter.rs", gained())),
                edited(edit(Claim::Ready, "tests/limits.rs", gained())),
                edited(edit(Claim::Ready, "src/limiter.rs", Pass::default())),
                edited(edit(Claim::Ready, "src/limiter.rs", wild)),
                Input::Blocked {
                    effect: id(),
                    need: Need::Fact { unknown: "the unit".to_string() },
                },
                Input::Blocked {
                    effect: id(),
                    need: Need::Contract { what: "no unit".to_string() },
                },
            ]
        }
        slice::Want::RunGate { gate, tree, .. } => {
            let ran = |run| Input::GateRan { effect: id(), run };
            let failed = run(Verdict::Fail, evidence(*tree, 1), &["two tenants share a count"]);
            let silent = run(Verdict::Fail, evidence(*tree, 1), &[]);
            let untold = run(Verdict::CannotTell, evidence(*tree, 127), &["no cargo here"]);
            let unmet = GateRun {
                unmet: vec!["two tenants are counted apart".to_string()],
                ..run(Verdict::Pass, evidence(*tree, 0), &[])
            };
            let other = GateRun {
                fingerprint: Some(Digest::of(b"another contract")),
                ..run(Verdict::Pass, evidence(*tree, 0), &[])
            };
            let bent = (Cheat::RedTestChanged, "tests/limits.rs: not what was frozen".to_string());
            // Whatever else the gate says.
            let cheated =
                GateRun { cheats: vec![bent], ..run(Verdict::Pass, evidence(*tree, 0), &[]) };
            let mut all = vec![
                ran(run(Verdict::Pass, evidence(*tree, 0), &[])),
                ran(failed),
                ran(silent),
                ran(untold),
            ];
            if *gate == GateKind::Exit {
                let blank = run(Verdict::Pass, evidence(*tree, 0), &[]);
                let blank = GateRun { fingerprint: None, ..blank };
                all.extend([ran(unmet), ran(other), ran(blank)]);
            }
            all.push(ran(cheated));
            all
        }
        slice::Want::Audit => vec![Input::Audited { effect: id(), report: audit() }],
        slice::Want::ChooseRung => [Rung::FixForward, Rung::Rescout, Rung::Replan]
            .map(|rung| Input::RungChosen { effect: id(), rung, because: vec![1] })
            .to_vec(),
    };
    answers.push(Input::Impossible { effect: id(), why: "no compiler here".to_string() });
    answers
}

/// Answers to a slice's effect that no slice may believe.
pub fn slice_lies(effect: &slice::Effect) -> Vec<slice::Input> {
    use slice::Input;
    let id = || effect.id();
    let stale = EffectId::of(format_args!("{}/{}", effect.task, effect.slice), "plan", 99_999);
    let mut lies = vec![Input::Impossible { effect: stale, why: "late".to_string() }];
    match &effect.want {
        slice::Want::Scout { .. } => {
            let finding = |unknown, source: &str| NewFinding {
                unknown,
                source: source.to_string(),
                snippet: String::new(),
                note: "it is there".to_string(),
                certainty: Certainty::Seen,
            };
            let told = |finding| Input::Scouted { effect: id(), findings: vec![finding] };
            lies.extend([told(finding(999, "src/limiter.rs")), told(finding(0, " "))]);
            lies.push(Input::Planned { effect: id(), answer: PlanAnswer::Grounded(plan()) });
        }
        slice::Want::Consolidate { .. } => {
            let fact =
                |from| NewFact { kind: FactKind::Conclusion, text: "surely".to_string(), from };
            let told = |fact| Input::Consolidated { effect: id(), facts: vec![fact], gaps: vec![] };
            lies.extend([told(fact(vec![])), told(fact(vec![9_999]))]);
        }
        slice::Want::Plan => {
            let told = |plan| Input::Planned { effect: id(), answer: PlanAnswer::Grounded(plan) };
            lies.extend([
                told(Plan { cites: vec![], ..plan() }),
                told(Plan { cites: vec![9_999], ..plan() }),
                told(Plan { gate: "none".to_string(), ..plan() }),
                told(Plan { places: vec!["../elsewhere".to_string()], ..plan() }),
                told(Plan { places: vec![], ..plan() }),
            ]);
        }
        slice::Want::RunGate { tree, .. } => {
            let ran =
                |evidence| Input::GateRan { effect: id(), run: run(Verdict::Pass, evidence, &[]) };
            let silent = Evidence {
                source: Source::Command { argv: vec![" ".to_string()], exit: 0, confinement: None },
                ..evidence(*tree, 0)
            };
            lies.extend([
                ran(evidence(*tree, 1)),
                ran(evidence(Digest::of(b"a third tree"), 0)),
                ran(word(Role::Builder, *tree)),
                ran(silent),
            ]);
        }
        slice::Want::ChooseRung => {
            let rung = Rung::FixForward;
            lies.push(Input::RungChosen { effect: id(), rung, because: vec![] });
            lies.push(Input::RungChosen { effect: id(), rung, because: vec![9_999] });
        }
        slice::Want::Edit { .. } | slice::Want::Audit => {
            let run = run(Verdict::Pass, evidence(Digest::ZERO, 0), &[]);
            lies.push(Input::GateRan { effect: id(), run });
        }
    }
    lies
}

/// Answers to an effect that no task may believe.
pub fn lies(effect: &Effect) -> Vec<Input> {
    let id = effect.id();
    let (task, visit, want) = match effect {
        Effect::Slice { effect } => {
            return slice_lies(effect).into_iter().map(|input| Input::Slice { input }).collect();
        }
        Effect::Task { task, visit, want } => (task, *visit, want),
    };
    let report = |report| Input::Report { effect: id.clone(), report };
    let stale = EffectId::of(task, "ship", visit + 999);
    let mut lies = vec![
        Input::Report { effect: stale, report: Report::Shipped { tree: Digest::ZERO } },
        report(Report::Shipped { tree: Digest::of(b"a third tree") }),
        Input::Create { by: ada(), charter: charter("T-other", Lane::Quick, Header::default()) },
    ];
    match want {
        Want::RunRed { tree, .. } => {
            let red = |evidence| {
                report(Report::RedRan { evidence, verdict: Verdict::Fail, green: vec![] })
            };
            lies.extend([
                red(evidence(*tree, 0)),
                red(evidence(Digest::of(b"a third tree"), 1)),
                red(word(Role::Builder, *tree)),
            ]);
        }
        Want::Probe { probe, tree } => {
            let probed = |evidence| {
                report(Report::Probed { result: ProbeResult { evidence, ..held(probe, *tree) } })
            };
            let third = Digest::of(b"a third tree");
            match probe {
                Probe::Tripwire | Probe::Check(_) => lies.extend([
                    probed(evidence(*tree, 1)),
                    probed(evidence(third, 0)),
                    probed(word(Role::Builder, *tree)),
                ]),
                Probe::Read(role) => lies.extend([
                    probed(word(Role::Builder, *tree)),
                    probed(word(*role, third)),
                    probed(evidence(*tree, 0)),
                ]),
            }
        }
        Want::Challenge { tree, .. } => {
            let told = |evidence| {
                report(Report::Challenged {
                    challenge: Challenge { evidence, ..passed_challenge(*tree) },
                })
            };
            lies.extend([
                told(word(Role::Builder, *tree)),
                told(word(Role::Challenger, Digest::of(b"a third tree"))),
            ]);
        }
        Want::Adjudicate { tree } => {
            let decision = Adjudication::Approve;
            let evidence = word(Role::Challenger, *tree);
            lies.push(report(Report::Adjudicated { evidence, decision }));
            let decision = Adjudication::ApproveWithAmendments { amendments: vec![] };
            let evidence = word(Role::Arbiter, *tree);
            lies.push(report(Report::Adjudicated { evidence, decision }));
        }
        Want::CheckAmendments { tree, .. } => {
            let (evidence, verdict) = (evidence(*tree, 2), Verdict::Pass);
            lies.push(report(Report::AmendmentsChecked { evidence, verdict, missing: vec![] }));
        }
        Want::Ask { question } => lies.extend(forged_decisions(&id, question)),
        Want::Lease
        | Want::Frame
        | Want::Shape { .. }
        | Want::WriteTests { .. }
        | Want::ApplyFix { .. }
        | Want::Repair { .. }
        | Want::Ship { .. }
        | Want::Tell { .. } => {
            let result = held(&Probe::Tripwire, Digest::ZERO);
            lies.push(report(Report::Probed { result }));
        }
    }
    lies
}

pub fn cancel(rationale: &str) -> PersonInput {
    PersonInput::Cancel { rationale: rationale.to_string() }
}

/// Every resolution a person could try, admitted here or not.
pub fn resolutions() -> [Resolution; 6] {
    let why = || "because".to_string();
    [
        Resolution::AmendSpec {
            amended_acceptance_criteria: vec!["one tenant is enough".to_string()],
            amendment_rationale: why(),
        },
        Resolution::RevisePlan { revised_plan: vec![planned(vec![])], rationale: why() },
        Resolution::ProvideFix {
            fix_description: why(),
            fix_patch: Digest::of(b"a patch"),
            fix_places: vec!["src/limiter.rs".to_string()],
        },
        Resolution::ApproveOverride { rationale: why() },
        Resolution::SplitTask { new_tasks: vec![split_part(), split_part()], rationale: why() },
        Resolution::AbandonTask { rationale: why() },
    ]
}

fn split_part() -> SplitPart {
    let text = |it: &str| it.to_string();
    SplitPart {
        name: text("count requests"),
        description: text("Requests of a tenant are counted."),
        subtasks: vec![text("count one"), text("forget old ones")],
        acceptance_criteria: vec![text("returns the count"), text("returns 0 without any")],
        io_contract_sketch: Sketch {
            inputs: text("a tenant"),
            outputs: text("a count"),
            error_surfaces: text("UnknownTenant if there is none"),
            effects: text("pure: no side effects"),
            modes: text("one call"),
        },
        depends_on: vec![],
    }
}

fn reports(want: &Want) -> Vec<Report> {
    let failing = || vec!["it does not hold".to_string()];
    let impossible = || Report::Impossible { why: "no compiler here".to_string() };
    match want {
        Want::Lease => vec![Report::Leased],
        Want::Frame => vec![
            Report::Framed { frame: frame(), pass: gained() },
            Report::Framed { frame: Frame { not_doing: vec![], ..frame() }, pass: gained() },
            Report::Framed { frame: frame(), pass: Pass::default() },
            impossible(),
        ],
        Want::Shape { .. } => {
            let incomplete = Bundle { parts: vec![], ..bundle(1) };
            let wild = Pass { proposed_next: Some(Phase::Done), ..gained() };
            vec![
                Report::Shaped { bundle: bundle(1), pass: gained() },
                Report::Shaped { bundle: incomplete, pass: gained() },
                Report::Shaped { bundle: bundle(1), pass: wild },
                impossible(),
            ]
        }
        Want::Ask { .. } => vec![],
        Want::WriteTests { .. } => {
            let (tests, tree) = (Digest::of(b"tests"), tree_after(Digest::ZERO));
            vec![Report::TestsWritten { tests, tree }, impossible()]
        }
        Want::RunRed { tree, .. } => {
            let red = |exit, verdict, green: Vec<String>| Report::RedRan {
                evidence: evidence(*tree, exit),
                verdict,
                green,
            };
            vec![
                red(1, Verdict::Fail, vec![]),
                red(0, Verdict::Pass, vec![]),
                red(1, Verdict::Fail, vec!["a test that cannot fail".to_string()]),
                red(127, Verdict::CannotTell, vec![]),
            ]
        }
        Want::ApplyFix { .. } => {
            vec![Report::FixApplied { tree: Digest::of(b"another tree") }, impossible()]
        }
        Want::Probe { probe, tree } => probe_results(probe, *tree)
            .into_iter()
            .map(|result| Report::Probed { result })
            .collect(),
        Want::Challenge { tree, .. } => challenges(*tree),
        Want::Adjudicate { tree } => {
            let told =
                |decision| Report::Adjudicated { evidence: word(Role::Arbiter, *tree), decision };
            vec![
                told(Adjudication::Approve),
                told(Adjudication::ApproveWithAmendments { amendments: failing() }),
                told(Adjudication::Reject { rationale: "the claim is not shown".to_string() }),
                impossible(),
            ]
        }
        Want::CheckAmendments { tree, .. } => {
            let told = |exit, verdict, missing| Report::AmendmentsChecked {
                evidence: evidence(*tree, exit),
                verdict,
                missing,
            };
            vec![
                told(0, Verdict::Pass, vec![]),
                told(1, Verdict::Fail, failing()),
                told(0, Verdict::Pass, failing()),
                told(127, Verdict::CannotTell, vec![]),
            ]
        }
        Want::Repair { tree, .. } => {
            let repaired =
                |outside, pass| Report::Repaired { tree: tree_after(*tree), outside, pass };
            vec![
                repaired(vec![], gained()),
                repaired(vec!["README.md".to_string()], gained()),
                repaired(vec![], Pass::default()),
                impossible(),
            ]
        }
        Want::Ship { tree } => {
            let what = "an input was added".to_string();
            vec![
                Report::Shipped { tree: *tree },
                Report::ShipRefused { why: ShipRefusal::Fingerprint { what } },
                Report::ShipRefused { why: ShipRefusal::TreeChanged { found: Digest::ZERO } },
                impossible(),
            ]
        }
        Want::Tell { .. } => vec![Report::Told],
    }
}

fn probe_results(probe: &Probe, tree: Digest) -> Vec<ProbeResult> {
    let held = || held(probe, tree);
    let what = || "it was bent".to_string();
    let failed = |exit| ProbeResult {
        verdict: Verdict::Fail,
        evidence: evidence(tree, exit),
        failed: vec!["limits::two_tenants".to_string()],
        ..held()
    };
    let untold =
        || ProbeResult { verdict: Verdict::CannotTell, evidence: evidence(tree, 127), ..held() };
    let residue = |kind| ProbeResult { residue: vec![Residue { kind, what: what() }], ..held() };
    match probe {
        Probe::Tripwire => vec![
            held(),
            ProbeResult {
                verdict: Verdict::Fail,
                evidence: evidence(tree, 1),
                cheats: vec![(Cheat::RedTestChanged, what())],
                ..held()
            },
            ProbeResult { frozen_edited: Some(what()), ..failed(1) },
            untold(),
        ],
        Probe::Check(_) => vec![
            held(),
            failed(1),
            ProbeResult { evidence: evidence(tree, 0), verdict: Verdict::Pass, ..failed(0) },
            untold(),
            residue(ResidueKind::Security),
        ],
        Probe::Read(_) => vec![
            held(),
            ProbeResult { cheats: vec![(Cheat::Overfit, what())], ..held() },
            residue(ResidueKind::Concurrency),
            ProbeResult { ambiguity: Some("which tenants?".to_string()), ..held() },
        ],
    }
}

fn held(probe: &Probe, tree: Digest) -> ProbeResult {
    ProbeResult {
        verdict: Verdict::Pass,
        evidence: match probe {
            Probe::Tripwire | Probe::Check(_) => evidence(tree, 0),
            Probe::Read(role) => word(*role, tree),
        },
        failed: vec![],
        cheats: vec![],
        frozen_edited: None,
        residue: vec![],
        ambiguity: None,
    }
}

fn challenges(tree: Digest) -> Vec<Report> {
    let passed = || passed_challenge(tree);
    let residue = |kind| vec![Residue { kind, what: "two writers race".to_string() }];
    let stubbed = (Cheat::LogicStubbed, "the limiter returns true".to_string());
    [
        passed(),
        Challenge { failures: vec!["a tenant can starve".to_string()], ..passed() },
        Challenge { unmet: vec![ReviewQuestion::NoFakeTruth], ..passed() },
        Challenge { compliance: Compliance::Mild, ..passed() },
        Challenge { residue: residue(ResidueKind::Security), ..passed() },
        Challenge { residue: residue(ResidueKind::Architecture), ..passed() },
        Challenge { cheats: vec![stubbed], ..passed() },
        Challenge { tradeoff: Some("speed or memory?".to_string()), ..passed() },
        Challenge {
            cheats: vec![(Cheat::Overfit, "it knows the fixture".to_string())],
            residue: residue(ResidueKind::Security),
            compliance: Compliance::Mild,
            ..passed()
        },
    ]
    .map(|challenge| Report::Challenged { challenge })
    .into_iter()
    .chain([Report::Impossible { why: "no judge answers".to_string() }])
    .collect()
}

fn passed_challenge(tree: Digest) -> Challenge {
    Challenge {
        evidence: word(Role::Challenger, tree),
        compliance: Compliance::Kept,
        failures: vec![],
        unmet: vec![],
        residue: vec![],
        cheats: vec![],
        tradeoff: None,
    }
}

fn decisions(id: &EffectId, question: &Question) -> Vec<Input> {
    let person = |says| Input::Person { by: ada(), says };
    let decide = |choice| {
        person(PersonInput::Decide {
            question: id.clone(),
            item: question.item,
            choice,
            rationale: "I looked at it".to_string(),
        })
    };
    match &question.about {
        QuestionSubject::Freeze | QuestionSubject::Done { .. } => {
            vec![decide(Choice::Approve), decide(Choice::Reject), decide(Choice::Amend)]
        }
        QuestionSubject::Halt { escalation } => {
            let escalation = &escalation.id;
            let resolve = |resolution| {
                person(PersonInput::Resolve { escalation: escalation.clone(), resolution })
            };
            resolutions().map(resolve).to_vec()
        }
        QuestionSubject::Budget { spent, budget, .. } => {
            money::answers(id, question, *budget, *spent)
        }
    }
}

/// Invalid decisions: by actors other than people, about other items, for other questions.
fn forged_decisions(id: &EffectId, question: &Question) -> Vec<Input> {
    let invocation = InvocationId::new(1);
    let strangers = [
        Actor::Machine,
        Actor::Environment,
        Actor::Role(Role::Builder, invocation),
        Actor::Human(" ".to_string()),
    ];
    // Only a person cancels a task, and says why.
    let cancel = |by: &Actor| Input::Person { by: by.clone(), says: cancel("it is enough") };
    let mut forged: Vec<Input> = strangers.iter().map(cancel).collect();
    forged.push(Input::Person { by: ada(), says: self::cancel(" ") });
    for genuine in decisions(id, question) {
        let Input::Person { says, .. } = genuine else { continue };
        for by in &strangers {
            forged.push(Input::Person { by: by.clone(), says: says.clone() });
        }
        let (question, item) = match says.clone() {
            PersonInput::Decide { choice, rationale, item, .. } => {
                let question = EffectId::of("T-another", "ask", 1);
                let stale =
                    PersonInput::Decide { question, item, choice, rationale: rationale.clone() };
                let item = Digest::of(b"something older");
                let other = PersonInput::Decide { question: id.clone(), item, choice, rationale };
                (stale, other)
            }
            PersonInput::Resolve { resolution, .. } => {
                let task = TaskId::new("T-another");
                let task = task.unwrap_or_else(|_| unreachable!("that is a task"));
                let escalation = crate::EscalationId::of(&task, 1);
                let stale = PersonInput::Resolve { escalation, resolution };
                (stale.clone(), stale)
            }
            PersonInput::Heal { .. }
            | PersonInput::Adopt { .. }
            | PersonInput::Acknowledge { .. }
            | PersonInput::Note { .. }
            | PersonInput::RaiseBudget { .. }
            | PersonInput::Cancel { .. } => continue,
        };
        forged.push(Input::Person { by: ada(), says: question });
        forged.push(Input::Person { by: ada(), says: item });
    }
    if let QuestionSubject::Budget { .. } = question.about {
        forged.extend(money::blank_answers(id, question));
    }
    forged
}

fn run(verdict: Verdict, evidence: Evidence, failures: &[&str]) -> GateRun {
    GateRun {
        verdict,
        evidence,
        failures: failures.iter().map(|it| it.to_string()).collect(),
        cheats: vec![],
        unmet: vec![],
        fingerprint: Some(fingerprint()),
    }
}

fn audit() -> AuditReport {
    AuditReport {
        verdict: Verdict::Fail,
        mismatches: vec!["the counter is shared".to_string()],
        diagnosis: vec![Diagnosis {
            category: "wrong key".to_string(),
            evidence: "src/limiter.rs:12".to_string(),
            confidence: 80,
        }],
        gaps: vec!["who resets it".to_string()],
        risks: vec![],
        validations: vec!["count two tenants at once".to_string()],
    }
}

fn plan() -> Plan {
    Plan {
        change: "key the counter by tenant".to_string(),
        cites: vec![1],
        places: vec!["src".to_string()],
        gate: "fast".to_string(),
    }
}

fn cap() -> ScopeCap {
    ScopeCap {
        sentence: "the limiter and its tests".to_string(),
        allowed: vec!["src".to_string(), "tests".to_string()],
        excluded: vec!["src/generated".to_string()],
    }
}

fn gained() -> Pass {
    Pass { progress: vec![Progress::Change], ..Pass::default() }
}

fn said(tree: Digest, source: Source) -> Evidence {
    let output: String = "running 3 tests".to_string();
    let content = Digest::of(output.as_bytes());
    Evidence {
        tree,
        source,
        output: content,
        excerpt: output,
        artifacts: vec![Artifact { name: "output.txt".to_string(), content }],
        cost: Cost { millis: 1_200, tokens: 0, micro_dollars: 0 },
    }
}
