//! Intake and shape: the frame, the contract and plan, and the acceptance tests.

use std::collections::BTreeSet;
use std::sync::Arc;

use sealwright_gates::Toolchain;
use sealwright_kernel::task::slice::{Pass, Planned, Progress, ScopeCap};
use sealwright_kernel::task::{Bundle, Frame, Missing, Part, PartKind, Report};
use sealwright_kernel::{Digest, Lane};

use super::acceptance::{Acceptance, Contract};
use super::agent_caller::{AgentCaller, Key};
use super::call::{CallSpec, RoleAnswer};
use super::{EffectContext, EffectResult, PerformError, PerformResult, TaskPerformer, split_tests};
use crate::clean_rooms::{self, INSTEAD};
use crate::gate_runner::guarded_files::text;
use crate::gate_runner::{Candidate, Frozen, listing};
use crate::role_calls::{
    Drafted, FrameAnswer, OptionalText, PlannedAnswer, ShapeAnswer, TestsAnswer, TraceAnswer,
    WRITE_TESTS,
};
use crate::task_store::TaskStore;
use sealwright_repo::trees::Changes;
use serde::Deserialize as _;

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    pub(super) async fn frame(&self, context: &EffectContext) -> PerformResult {
        self.refuse_unprovable(context).await?;
        let wanted = self.store.blobs().find(&context.data.charter.text).await?;
        let mut spec = CallSpec::new(context, Key::Frame.call(context.lane()));
        spec.brief.objective = String::from_utf8_lossy(&wanted).into_owned();
        let tree = self.laid_out(context, &self.trees.start(&context.base)).await?;
        let answered: RoleAnswer<FrameAnswer> = self.call_role(context, spec, Some(tree)).await?;
        if let Some(why) = answered.answer.stop.message() {
            return Err(PerformError::Impossible { why });
        }
        let impossible = answered.answer.draft.as_ref().map(|draft| draft.impossible.clone());
        if let Some(why) = impossible.and_then(OptionalText::into_option) {
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
        let mut blobs = vec![kept];
        if answer.draft.is_some() {
            blobs.push(self.keep(answered.text["draft"].to_string()).await?);
        }
        let frame = Frame {
            objective: answer.objective,
            done_gate: answer.done_gate,
            not_doing: answer.not_doing,
            reality: answer.reality,
            validation: Vec::new(),
            audience: answer.audience,
            features: answer.features,
            draft: blobs.get(1).map(|draft| draft.sha256),
        };
        let pass = Pass { progress: vec![Progress::State], ..Pass::default() };
        Ok(EffectResult::machine(context, Report::Framed { frame, pass }).resting_on(blobs))
    }

    /// Nobody is asked for what could not be proven: without a room there is no test, and tests under names that nothing
    /// here knows would never be run.
    async fn refuse_unprovable(&self, context: &EffectContext) -> PerformResult<()> {
        let (base, tree) = (&context.base, self.trees.start(&context.base));
        let paths: BTreeSet<&str> = base.leaves().keys().map(String::as_str).collect();
        if let Some(why) = clean_rooms::lack(&paths) {
            let why = format!("{why}; nobody was asked. {INSTEAD}");
            return Err(PerformError::Impossible { why });
        }
        let mut toolchains = Toolchain::found(paths.iter().copied());
        toolchains.retain(|it| it.language().has_room(&paths));
        for language in toolchains.iter().map(|it| it.language()) {
            for name in language.test_configurations().iter().filter(|it| paths.contains(**it)) {
                let content = self.trees.read(base, &tree, name).await?.unwrap_or_default();
                let text = text(content).unwrap_or_default();
                if let Some(unknown) = language.unknown_test(&text, &paths) {
                    let why = format!(
                        "{name} says that {unknown}: a change that breaks them would look proven. Nobody was asked"
                    );
                    return Err(PerformError::Impossible { why });
                }
            }
        }
        Ok(())
    }

    pub(super) async fn shape(
        &self,
        context: &EffectContext,
        declined: Option<&str>,
        missing: &[Missing],
    ) -> PerformResult {
        let given = context.data.frame.as_ref().and_then(|frame| frame.draft);
        let text = match given.filter(|_| declined.is_none() && missing.is_empty()) {
            Some(given) => {
                String::from_utf8_lossy(&self.store.blobs().find(&given).await?).into_owned()
            }
            None => self.drafted(context, declined, missing).await?,
        };
        let answer: ShapeAnswer = serde_json::from_str(&text).map_err(std::io::Error::other)?;
        if let Some(why) = answer.impossible.clone().into_option() {
            return Err(PerformError::Impossible { why });
        }
        let contract = Contract::from_answer(&answer);
        // The contract text and the declared changes are frozen by one digest.
        let texts = [
            (PartKind::Spec, &answer.spec, answer.spec.text.clone().into_bytes()),
            (PartKind::Scenarios, &answer.scenarios, answer.scenarios.text.clone().into_bytes()),
            (PartKind::Contract, &answer.contract, contract.text()),
        ];
        let mut blobs = vec![self.keep(text).await?];
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
        frame.draft = None;
        let plan = answer.slices.into_iter().map(|slice| planned(slice, fingerprint)).collect();
        let keeps_behaviour = answer.keeps_behaviour;
        let bundle = Bundle { frame, parts, plan, keeps_behaviour };
        let pass = Pass { progress: vec![Progress::State], ..Pass::default() };
        Ok(EffectResult::machine(context, Report::Shaped { bundle, pass }).resting_on(blobs))
    }

    /// A draft by a call of its own.
    async fn drafted(
        &self,
        context: &EffectContext,
        declined: Option<&str>,
        missing: &[Missing],
    ) -> PerformResult<String> {
        let mut spec = CallSpec::new(context, Key::Shape.call(context.lane()));
        if let Some(why) = declined {
            let title = "a person did not approve the last draft, and says why";
            spec.instruct(title, why.to_owned());
        }
        if !missing.is_empty() {
            let lacks: Vec<String> = missing.iter().map(ToString::to_string).collect();
            spec.instruct("the last draft lacked this", lacks.join("\n"));
        }
        let tree = self.laid_out(context, &self.trees.start(&context.base)).await?;
        let answered: RoleAnswer<ShapeAnswer> = self.call_role(context, spec, Some(tree)).await?;
        Ok(answered.text.to_string())
    }

    pub(super) async fn write_tests(
        &self,
        context: &EffectContext,
        vacuous: &[String],
    ) -> PerformResult {
        let contract = self.contract(context).await?;
        let mut spec = CallSpec::new(context, WRITE_TESTS);
        if !vacuous.is_empty() {
            spec.quote("tests that were sent back", vacuous.join("\n"));
        }
        if context.keeps_behaviour() {
            let text = "Nothing observable changes. The tests pass now, and they have to pass after the change. Write \
                        tests that would notice if it changed.";
            spec.instruct("what the tests have to show", text.to_owned());
        }
        spec.give_contract(context, &contract);
        let criteria = context.criteria().len();
        spec.is_usable = Box::new(move |answer| {
            let answer = TestsAnswer::deserialize(answer).map_err(|error| error.to_string())?;
            super::acceptance::are_traced(&answer.traces, criteria)
        });
        let start = self.trees.start(&context.base);
        let tree = self.laid_out(context, &start).await?;
        let mut answered: RoleAnswer<TestsAnswer> =
            self.call_role(context, spec, Some(tree)).await?;
        let answer = self.keep(answered.text.to_string()).await?;
        let listing = listing(&start, &context.base, &start);
        let traces = &mut answered.answer.traces;
        let divided = self.divide(context, &mut answered.changes, traces).await?;
        let places: Vec<&String> = context.places().collect();
        let acceptance = Acceptance::freeze(
            &listing,
            &contract,
            &places,
            (&answered.changes, divided),
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

    /// Puts tests that are to be held out into files of their own, and names these.
    async fn divide(
        &self,
        context: &EffectContext,
        changes: &mut Changes,
        traces: &mut [TraceAnswer],
    ) -> PerformResult<BTreeSet<String>> {
        let start = self.trees.start(&context.base);
        let written = changes.iter().filter_map(|(path, now)| Some((path, &now.as_ref()?.1)));
        let mut frozen = Frozen::default();
        frozen.files.extend(written.map(|(path, content)| (path.clone(), content.clone())));
        let files = frozen.files.keys().cloned().collect::<Vec<_>>();
        let candidate = Candidate {
            trees: self.trees.clone(),
            base: context.base.clone(),
            before: start.clone(),
            tree: start.clone(),
            frozen: Arc::new(frozen),
        };
        let mut outlines = Vec::new();
        for toolchain in Toolchain::found(files.iter().map(String::as_str)) {
            let is_test = |path: &&String| toolchain.language().is_test_file(path);
            let tests: Vec<String> = files.iter().filter(is_test).cloned().collect();
            // What cannot be read stays as it is.
            let found = self.gates.outlines(&candidate, toolchain, &tests, &context.cancel).await?;
            outlines.extend(found.0);
        }
        split_tests::resolve(traces, &outlines);
        let mut listed = BTreeSet::new();
        for outline in &outlines {
            // Where tests are listed one by one, another file is none.
            let Some((folder, _)) = outline.path.rsplit_once("tests/") else { continue };
            let manifest = format!("{folder}Cargo.toml");
            let content = self.trees.read(&context.base, &start, &manifest).await?;
            if content.is_some_and(|it| String::from_utf8_lossy(&it).contains("autotests")) {
                listed.insert(outline.path.clone());
            }
        }
        outlines.retain(|it| !listed.contains(&it.path));
        let is_taken = |path: &str| start.leaf(&context.base, path).is_some();
        Ok(split_tests::split(changes, traces, &outlines, is_taken, context.seed()))
    }

    pub(super) async fn contract(&self, context: &EffectContext) -> PerformResult<Contract> {
        let digest = context.data.bundle.as_ref().map_or(Digest::ZERO, Bundle::contract);
        let text = self.store.blobs().find(&digest).await?;
        Ok(serde_json::from_slice(&text).map_err(std::io::Error::other)?)
    }
}

impl EffectContext {
    /// Whether the frozen contract says that nothing observable changes.
    pub(super) fn keeps_behaviour(&self) -> bool {
        self.data.bundle.as_ref().is_some_and(|bundle| bundle.keeps_behaviour)
    }

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

    /// What people will see of the work, each feature with its label; empty if people see nothing.
    pub(super) fn features_text(&self) -> String {
        let features = self.data.frame.iter().flat_map(|frame| &frame.features);
        let lines: String =
            features.map(|it| format!("- {}: {}\n", it.label.name(), it.name)).collect();
        if lines.is_empty() {
            lines
        } else {
            format!("\nVisible features, as labelled:\n\n{lines}")
        }
    }

    /// The places of all slices of the plan.
    pub(super) fn places(&self) -> impl Iterator<Item = &String> {
        self.data.plan.iter().flat_map(|(_, planned)| planned.places())
    }

    /// A seed that depends on the request only: what was held out in one attempt is held out in the next, and the same
    /// work comes to the same tree.
    pub(super) fn seed(&self) -> Digest {
        Digest::of(self.data.charter.text.to_string().as_bytes())
    }

    pub(super) fn lane(&self) -> Lane {
        self.data.charter.header.lane(self.data.charter.lane)
    }
}

fn planned(slice: PlannedAnswer, fingerprint: Digest) -> Planned {
    let look_in = if slice.look_in.is_empty() { slice.places.clone() } else { slice.look_in };
    let sentence = match slice.leave_out.as_slice() {
        [] => format!("look in {}", look_in.join(", ")),
        left_out => format!("look in {} without {}", look_in.join(", "), left_out.join(", ")),
    };
    Planned {
        sentence: slice.sentence,
        cap: ScopeCap { sentence, allowed: look_in, excluded: slice.leave_out },
        places: slice.places,
        unknowns: slice.unknowns,
        criteria: slice.criteria,
        constraints: slice.constraints,
        gate_iteration: "iteration".to_owned(),
        gate_exit: "exit".to_owned(),
        fingerprint,
    }
}
