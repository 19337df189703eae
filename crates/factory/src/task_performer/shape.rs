//! Intake and shape: the frame, the contract and plan, and the acceptance tests.

use sealwright_agents::{BriefInput, Quoted};
use sealwright_kernel::pack::InputKind;
use sealwright_kernel::task::slice::{Pass, Planned, Progress, ScopeCap};
use sealwright_kernel::task::{Bundle, Frame, Missing, Part, PartKind, Phase, Report};
use sealwright_kernel::{Digest, Role};
use sealwright_sandbox::view::{Brief, Hand};
use serde_json::{Value, json};

use super::acceptance::{Acceptance, Contract};
use super::agent_caller::{AgentCaller, Key};
use super::answers::{self, Drafted, FrameAnswer, PlannedAnswer, ShapeAnswer, TestsAnswer};
use super::call::{CallSpec, RoleAnswer};
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer};
use crate::gate_runner::listing;
use crate::task_store::TaskStore;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn frame(&self, context: &EffectContext) -> PerformResult {
        let wanted = self.store.blobs().find(&context.data.charter.text).await?;
        let mut brief =
            context.brief(Role::Builder, Phase::Intake, &answers::frame_schema(), FRAME_REQUEST);
        brief.objective = String::from_utf8_lossy(&wanted).into_owned();
        let tree = self.laid_out(context, &self.trees.start(&context.base)).await?;
        let files = Vec::new();
        let spec = CallSpec::new(context, Key::Frame, Some(Hand::Tries), files, brief);
        let answered: RoleAnswer<FrameAnswer> = self.call_role(context, spec, Some(tree)).await?;
        if let Some(why) = answered.answer.stop.message() {
            return Err(PerformError::Impossible { why });
        }
        let answer = answered.answer;
        // Criteria written by a person are kept word for word.
        let is_kept = |criterion: &&String| {
            answer.done_gate.iter().any(|line| line.trim() == criterion.trim())
        };
        if let Some(lost) = context.data.charter.criteria.iter().find(|it| !is_kept(it)) {
            let why = format!("criterion `{lost}` is missing from the done gate or reworded");
            return Err(PerformError::Unusable { part: Key::Frame.name(), why });
        }
        let kept = self.keep(answered.text.to_string()).await?;
        let frame = Frame {
            objective: answer.objective,
            done_gate: answer.done_gate,
            not_doing: answer.not_doing,
            reality: answer.reality,
            validation: Vec::new(),
            audience: answer.audience,
            features: answer.features,
        };
        let pass = Pass { progress: vec![Progress::State], proposed_next: None };
        Ok(EffectResult::machine(context, Report::Framed { frame, pass }).resting_on([kept]))
    }

    pub(super) async fn shape(
        &self,
        context: &EffectContext,
        declined: Option<&str>,
        missing: &[Missing],
    ) -> PerformResult {
        // A draft for one repository needs to see it, at any risk.
        let role = Role::Builder;
        let mut brief = context.brief(role, Phase::Shape, &answers::shape_schema(), SHAPE_REQUEST);
        brief.quoted.extend(declined.map(|why| Quoted {
            title: "why a person did not accept the last draft".to_owned(),
            text: why.to_owned(),
        }));
        if !missing.is_empty() {
            let lacks: Vec<String> = missing.iter().map(ToString::to_string).collect();
            brief.quoted.push(Quoted {
                title: "what the last draft lacked".to_owned(),
                text: lacks.join("\n"),
            });
        }
        let tree = self.laid_out(context, &self.trees.start(&context.base)).await?;
        let files = Vec::new();
        let spec = CallSpec::new(context, Key::Shape, Some(Hand::Tries), files, brief);
        let answered: RoleAnswer<ShapeAnswer> = self.call_role(context, spec, Some(tree)).await?;
        if let Some(why) = answered.answer.impossible.clone().into_option() {
            return Err(PerformError::Impossible { why });
        }
        let answer = answered.answer;
        let contract = Contract::from_answer(&answer);
        // The contract text and the declared changes are frozen by one digest.
        let texts = [
            (PartKind::Spec, &answer.spec, answer.spec.text.clone().into_bytes()),
            (PartKind::Scenarios, &answer.scenarios, answer.scenarios.text.clone().into_bytes()),
            (PartKind::Contract, &answer.contract, contract.text()),
        ];
        let mut blobs = vec![self.keep(answered.text.to_string()).await?];
        let mut parts = Vec::new();
        for (kind, Drafted { confidence, flags, .. }, text) in texts {
            let blob = self.keep(text).await?;
            blobs.push(blob);
            let confidence = (*confidence).min(100);
            parts.push(Part { kind, content: blob.sha256, confidence, flags: flags.clone() });
        }
        let fingerprint = parts.last().map_or(Digest::ZERO, |part| part.content);
        let mut frame = context.data.frame.clone().unwrap_or_default();
        frame.validation = answer.validation;
        let plan = answer.slices.into_iter().map(|slice| planned(slice, fingerprint)).collect();
        let bundle = Bundle { frame, parts, plan };
        let pass = Pass { progress: vec![Progress::State], proposed_next: None };
        Ok(EffectResult::machine(context, Report::Shaped { bundle, pass }).resting_on(blobs))
    }

    pub(super) async fn write_tests(
        &self,
        context: &EffectContext,
        vacuous: &[String],
    ) -> PerformResult {
        let contract = self.contract(context).await?;
        let mut brief =
            context.brief(Role::Builder, Phase::Shape, &answers::tests_schema(), TESTS_REQUEST);
        if !vacuous.is_empty() {
            brief.quoted.push(Quoted {
                title: "tests that were sent back".to_owned(),
                text: vacuous.join("\n"),
            });
        }
        let start = self.trees.start(&context.base);
        let tree = self.laid_out(context, &start).await?;
        let files = vec![
            given(InputKind::ModuleContract, "contract.md", contract.contract.clone()),
            given(InputKind::AcceptanceCriteria, "criteria.md", context.criteria_text()),
        ];
        let spec = CallSpec::new(context, Key::Tests, Some(Hand::Builds), files, brief);
        let answered: RoleAnswer<TestsAnswer> = self.call_role(context, spec, Some(tree)).await?;
        let answer = self.keep(answered.text.to_string()).await?;
        let listing = listing(&start, &context.base, &start);
        let acceptance = Acceptance::freeze(
            &listing,
            &contract,
            &answered.changes,
            &answered.answer.traces,
            context.criteria().len(),
            context.seed(),
        )
        .map_err(|why| PerformError::Unusable { part: Key::Tests.name(), why })?;
        let mut blobs = vec![answer];
        for content in answered.changes.values().flatten().map(|(_, content)| content) {
            blobs.push(self.keep(content.clone()).await?);
        }
        let visible = acceptance.visible(&answered.changes);
        let (tree, _) = self.trees.after(&context.base, &start, &visible).await?;
        blobs.push(self.trees.keep(&tree).await?);
        let tests = self.keep(acceptance.text()).await?;
        blobs.push(tests);
        let report = Report::TestsWritten { tests: tests.sha256, tree: tree.digest() };
        Ok(EffectResult::machine(context, report).resting_on(blobs))
    }

    pub(super) async fn contract(&self, context: &EffectContext) -> PerformResult<Contract> {
        let digest = context.data.bundle.as_ref().map_or(Digest::ZERO, Bundle::contract);
        let text = self.store.blobs().find(&digest).await?;
        Ok(serde_json::from_slice(&text).map_err(std::io::Error::other)?)
    }
}

impl EffectContext {
    pub(super) fn criteria(&self) -> &[String] {
        match &self.data.frame {
            Some(frame) => &frame.done_gate,
            None => &self.data.charter.criteria,
        }
    }

    pub(super) fn criteria_text(&self) -> String {
        let lines = self.criteria().iter().enumerate();
        lines.map(|(nth, text)| format!("{}. {text}\n", nth + 1)).collect()
    }

    /// A seed that depends on the task and its text only.
    pub(super) fn seed(&self) -> Digest {
        Digest::of(format!("{}/{}", self.task, self.data.charter.text).as_bytes())
    }

    pub(super) fn brief(
        &self,
        role: Role,
        phase: Phase,
        answer: &Value,
        request: &str,
    ) -> BriefInput {
        let mut brief = BriefInput::new(role, phase, answer.clone());
        brief.rung = self.data.charter.header.autonomy;
        brief.request = request.to_owned();
        brief.done_gate = self.criteria().to_vec();
        if let Some(frame) = &self.data.frame {
            brief.objective.clone_from(&frame.objective);
            brief.exclusions.clone_from(&frame.not_doing);
        }
        if let Some(learned) = self.data.post_mortems.last() {
            brief.quoted.push(Quoted {
                title: "what an earlier attempt taught".to_owned(),
                text: json!(learned).to_string(),
            });
        }
        brief
    }
}

pub(super) fn given(input: InputKind, name: &str, text: impl Into<Vec<u8>>) -> Brief {
    Brief { input, name: name.to_owned(), bytes: text.into() }
}

fn planned(slice: PlannedAnswer, fingerprint: Digest) -> Planned {
    Planned {
        sentence: slice.sentence,
        cap: ScopeCap {
            sentence: "where the plan changes something".to_owned(),
            allowed: slice.places,
            excluded: Vec::new(),
        },
        unknowns: slice.unknowns,
        criteria: slice.criteria,
        constraints: slice.constraints,
        gate_iteration: "iteration".to_owned(),
        gate_exit: "exit".to_owned(),
        fingerprint,
    }
}

const FRAME_REQUEST: &str = "Put into words what is wanted: the objective, what must hold for it to be done (one \
    checkable line each), what is not part of it, and what cannot be changed. Criteria that were given are kept word for \
    word. If it is true already, cannot be done, can mean more than one thing, or is larger than one change, say so in \
    `stop`, with the reason you found in the code and the one question whose answer would let the work begin. Otherwise \
    its kind is `none`.";
const SHAPE_REQUEST: &str = "Draft the intent, the cases that matter and the contract: names, signatures, inputs, \
    outputs, errors. Plan the fewest slices; each names the files or folders it may change. Manifests, lock files and \
    test helpers that have to change are declared with the reason. Say how sure you are of each part.";
const TESTS_REQUEST: &str = "Write acceptance tests for the contract, in new test files, at least one for each criterion. \
    They fail now because the behaviour is missing, and for no other reason. Write no implementation. Trace each test \
    as `path::name` to the number of its criterion.";
