//! The actors of a case as scripts in the sandbox. Actors that it does not name follow the project's template.

use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Result;
use sealwright_agents::adapters::script::Script;
use sealwright_agents::{
    Agent as _, AgentSandbox, Assignment, Budget, Endpoint, Key as Signed, Protocol,
};
use sealwright_factory::task_performer::{AgentCaller, CallRequest, CallResult, Key};
use serde::Serialize;
use serde_json::{Value, json};

use crate::actor_script::{ActorScript, Claim, Deed, Step as Written};
use crate::answers;
use crate::case::Case;
use crate::project::{Layer, Project, QuestionSubject};

pub(super) struct Scripts {
    case: Case,
    project: Project,
    edits: AtomicU32,
}

impl Scripts {
    pub(super) fn new(case: &Case, project: Project) -> Result<Self> {
        Ok(Self { case: case.clone(), project, edits: AtomicU32::new(0) })
    }

    fn actor(&self, key: Key) -> (ActorScript, &'static [Layer]) {
        let parts = &self.case.data.parts;
        let (actor, honest): (&Option<ActorScript>, &'static [Layer]) = match key {
            Key::Frame => (&parts.frame, &[]),
            Key::Shape => (&parts.shape, &[]),
            Key::Tests => (&parts.tests, &[Layer::Skeleton, Layer::Acceptance, Layer::Holdout]),
            Key::Scout => (&parts.scout, &[]),
            // A repeated call repairs the failures, if the case says how.
            Key::Edit
                if self.edits.fetch_add(1, Ordering::Relaxed) > 0 && parts.repair.is_some() =>
            {
                (&parts.repair, &[])
            }
            Key::Edit => (&parts.edit, &[Layer::Solution]),
            Key::Repair => (&parts.repair, &[]),
            Key::Challenge => (&parts.challenge, &[]),
            Key::Adjudicate => (&parts.adjudicate, &[]),
            Key::Audit | Key::Refute | Key::Inspect => (&None, &[]),
        };
        (actor.clone().unwrap_or_default(), honest)
    }

    fn script(&self, request: &CallRequest) -> Result<Script> {
        let (actor, honest) = self.actor(request.key);
        let is_given = |actor: &Option<ActorScript>| actor.is_some();
        let mut deeds = actor.deeds(&self.project, honest)?;
        let parts = &self.case.data.parts;
        if request.key == Key::Tests && is_given(&parts.tests) && !actor.step.is_empty() {
            // A case describes visible tests only; hold-out tests always come from the template.
            let held = self.project.layer(Layer::Holdout)?;
            let is_there = |path: &String| {
                deeds.iter().any(|deed| matches!(deed, Deed::Write { path: it, .. } if it == path))
            };
            let more: Vec<Deed> = held
                .into_iter()
                .filter(|(path, _)| !is_there(path))
                .map(|(path, text)| Deed::Write { path, text })
                .collect();
            deeds.extend(more);
        }
        let mut steps: Vec<Step> = deeds.into_iter().map(Step::from).collect();
        steps.push(match (actor.claims, actor.exit) {
            (Claim::Done, 0) => Step::Submit { answer: self.answer(request.key, &actor)? },
            (Claim::Done | Claim::Failed, _) => {
                let why = if actor.says.is_empty() { "it could not be done" } else { &actor.says };
                Step::Fail { failure: "died".to_owned(), why: why.to_owned() }
            }
        });
        let text = toml::to_string(&Steps { step: steps })?;
        Ok(Script::parse(request.key.name(), &text)?)
    }

    fn answer(&self, key: Key, actor: &ActorScript) -> Result<Value> {
        Ok(match key {
            Key::Frame => self.frame(actor),
            Key::Shape => self.shape(actor),
            Key::Tests => json!({"traces": self.traces(actor)?}),
            Key::Edit | Key::Repair => answers::edit(&actor.says),
            Key::Challenge => self.challenge(actor),
            Key::Scout => json!({"findings": []}),
            Key::Audit => json!({
                "verdict": "fail", "mismatches": [], "diagnosis": [], "gaps": [], "risks": [],
                "validations": [],
            }),
            Key::Refute | Key::Inspect => json!({
                "verdict": "pass", "findings": [], "cheats": [], "residue": [], "question": "",
            }),
            Key::Adjudicate => {
                json!({"decision": "approve", "amendments": [], "rationale": "the record holds"})
            }
        })
    }

    fn frame(&self, actor: &ActorScript) -> Value {
        let criteria = &self.project.about.criteria;
        let deferred = actor.answer.defers.iter().filter_map(|name| criteria.get(name).cloned());
        let deferred: Vec<String> = deferred.collect();
        answers::frame(&self.project.about.request, &self.criteria(actor), &deferred)
    }

    fn shape(&self, actor: &ActorScript) -> Value {
        let QuestionSubject { title, request, criteria, .. } = &self.project.about;
        let criteria: Vec<String> = criteria.values().cloned().collect();
        let mut shape = answers::shape(request, &criteria, title, &self.places());
        let declared = actor.answer.declares.iter();
        shape["declared"] = declared.map(|(path, why)| json!({"path": path, "why": why})).collect();
        shape["skips"] = actor.answer.skips.keys().cloned().collect();
        shape["items"] = actor.answer.items.iter().cloned().collect();
        shape
    }

    /// All paths of the project and of the case, so that the plan does not stop a case.
    fn places(&self) -> Vec<String> {
        let layers = [Layer::Base, Layer::Skeleton, Layer::Acceptance, Layer::Solution];
        let files = layers.iter().filter_map(|layer| self.project.layer(*layer).ok());
        let mut paths: Vec<String> = files.flat_map(|files| files.into_keys()).collect();
        let parts = &self.case.data.parts;
        let shape = parts.shape.clone().unwrap_or_default();
        paths.extend(shape.answer.declares.into_keys());
        paths.extend(["docs", "samples"].map(str::to_owned));
        let edit = parts.edit.clone().unwrap_or_default();
        for step in &edit.step {
            match step {
                Written::Write { path, .. }
                | Written::Append { path, .. }
                | Written::Replace { path, .. }
                | Written::Delete { path } => {
                    paths.push(path.clone());
                }
                Written::Run { .. } | Written::Take { .. } | Written::Honest => {}
            }
        }
        let tops = paths.iter().map(|path| path.split('/').next().unwrap_or(path).to_owned());
        tops.collect::<std::collections::BTreeSet<_>>().into_iter().collect()
    }

    fn traces(&self, actor: &ActorScript) -> Result<Vec<Value>> {
        let about = &self.project.about;
        let names: Vec<&String> = about.criteria.keys().collect();
        let mut texts = self.project.layer(Layer::Acceptance)?;
        texts.extend(self.project.layer(Layer::Holdout)?);
        for step in actor.deeds(&self.project, &[])? {
            if let Deed::Write { path, text } = step {
                texts.insert(path, text);
            }
        }
        let mut traced = about.trace.clone();
        traced.extend(actor.answer.trace.clone());
        let mut traces = Vec::new();
        for (test, criterion) in &traced {
            let file = texts.iter().find(|(_, text)| text.contains(&format!("{test}(")));
            let number = names.iter().position(|name| *name == criterion);
            if let (Some((file, _)), Some(number)) = (file, number) {
                traces.push(json!({"test": format!("{file}::{test}"), "criterion": number + 1}));
            }
        }
        Ok(traces)
    }

    /// What an honest challenger looked at, or what the case says.
    fn challenge(&self, actor: &ActorScript) -> Value {
        let criteria = self.project.about.criteria.len();
        let looked = if self.case.data.parts.challenge.is_some() {
            let given = actor.answer.evidence.iter().flat_map(|said| {
                let (place, tried) = said.split_once(": ").unwrap_or((said, &actor.says));
                answers::looked_at(criteria, place, tried)
            });
            given.collect()
        } else {
            // Which of the tests are held out depends on the name of the task.
            let base = self.project.layer(Layer::Base).unwrap_or_default();
            let place = base.into_keys().next().unwrap_or_default();
            answers::looked_at(criteria, &format!("{place}:1"), answers::TRIED)
        };
        answers::challenge(looked, &actor.answer.failures)
    }

    fn criteria(&self, actor: &ActorScript) -> Vec<String> {
        let is_left = |name: &&String| {
            !actor.answer.defers.contains(name) && !actor.answer.drops.contains(name)
        };
        let criteria = &self.project.about.criteria;
        let text = |name: &String| actor.answer.rewords.get(name).or_else(|| criteria.get(name));
        criteria.keys().filter(is_left).filter_map(|name| text(name).cloned()).collect()
    }
}

impl AgentCaller for Scripts {
    fn call(&self, request: &CallRequest, sandbox: &AgentSandbox<'_>) -> CallResult {
        let script = match self.script(request) {
            Ok(script) => script,
            Err(error) => panic!("{}: {:?}: {error:#}", self.case.id, request.key),
        };
        let assignment = Assignment {
            task: String::new(),
            call: request.key.name().to_owned(),
            nth: 1,
            role: request.role,
            brief: String::new(),
            access: request.access,
            schema: request.schema.clone(),
            budget: Budget {
                wall_ms_max: request.budget.wall_ms_max.min(120_000),
                ..request.budget
            },
            model: String::new(),
            endpoint: Endpoint {
                base: String::new(),
                protocol: Protocol::OpenaiChat,
                key: Signed::None,
            },
        };
        CallResult {
            agent: "script".to_owned(),
            model: "none".to_owned(),
            outcome: script.carry_out(&assignment, sandbox, &mut |_| {}),
        }
    }
}

pub(super) fn task_file(project: &Project) -> String {
    let about = &project.about;
    let criteria: String = about.criteria.values().map(|text| format!("- {text}\n")).collect();
    format!(
        "---\nlane: quick\n---\n\n# {}\n\n{}\n\n## Criteria\n\n{criteria}",
        about.title, about.request
    )
}

#[derive(Serialize)]
struct Steps {
    step: Vec<Step>,
}

#[derive(Serialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Step {
    Write { path: String, text: String },
    Run { command: String },
    Submit { answer: Value },
    Fail { failure: String, why: String },
}

impl From<Deed> for Step {
    fn from(deed: Deed) -> Self {
        match deed {
            Deed::Write { path, text } => Self::Write { path, text },
            Deed::Run { command } => Self::Run { command },
        }
    }
}
