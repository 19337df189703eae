//! The actors of a case as scripts behind walls. Who is not named in it plays as the project's template has it.

use std::sync::atomic::{AtomicU32, Ordering};

use anyhow::Result;
use sealwright_agents::adapters::script::Script;
use sealwright_agents::{
    Agent as _, AgentSandbox, Assignment, Budget, Endpoint, Key as Signed, Protocol,
};
use sealwright_factory::task_performer::{AgentCaller, CallRequest, CallResult, Key};
use serde::Serialize;
use serde_json::{Value, json};

use crate::act::{Act, Claim, Deed, Step as Written};
use crate::case::Case;
use crate::project::{Layer, Project};

/// The actors of one case.
pub(super) struct Scripts {
    case: Case,
    project: Project,
    /// How often the change was asked for.
    edits: AtomicU32,
}

impl Scripts {
    pub(super) fn new(case: &Case, project: Project) -> Result<Self> {
        Ok(Self { case: case.clone(), project, edits: AtomicU32::new(0) })
    }

    fn act(&self, key: Key) -> (Act, &'static [Layer]) {
        let parts = &self.case.told.parts;
        let (act, honest): (&Option<Act>, &'static [Layer]) = match key {
            Key::Frame => (&parts.frame, &[]),
            Key::Shape => (&parts.shape, &[]),
            Key::Tests => (&parts.tests, &[Layer::Skeleton, Layer::Acceptance, Layer::Holdout]),
            Key::Scout => (&parts.scout, &[]),
            Key::Consolidate | Key::Plan => (&parts.plan, &[]),
            // Whoever is asked again mends what failed, if the case says how.
            Key::Edit
                if self.edits.fetch_add(1, Ordering::Relaxed) > 0 && parts.repair.is_some() =>
            {
                (&parts.repair, &[])
            }
            Key::Edit => (&parts.edit, &[Layer::Solution]),
            Key::Repair => (&parts.repair, &[]),
            Key::Challenge => (&parts.challenge, &[]),
            Key::Adjudicate => (&parts.adjudicate, &[]),
            Key::Audit | Key::Read => (&None, &[]),
        };
        (act.clone().unwrap_or_default(), honest)
    }

    fn script(&self, request: &CallRequest) -> Result<Script> {
        let (act, honest) = self.act(request.key);
        let is_given = |act: &Option<Act>| act.is_some();
        let mut deeds = act.deeds(&self.project, honest)?;
        let parts = &self.case.told.parts;
        if request.key == Key::Tests && is_given(&parts.tests) && !act.step.is_empty() {
            // A case tells of the tests everybody sees; the others come from the template all the same.
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
        steps.push(match (act.claims, act.exit) {
            (Claim::Done, 0) => Step::Submit { answer: self.answer(request.key, &act)? },
            (Claim::Done | Claim::Failed, _) => {
                let why = if act.says.is_empty() { "it could not be done" } else { &act.says };
                Step::Fail { failure: "died".to_owned(), why: why.to_owned() }
            }
        });
        let text = toml::to_string(&Steps { step: steps })?;
        Ok(Script::parse(request.key.name(), &text)?)
    }

    fn answer(&self, key: Key, act: &Act) -> Result<Value> {
        Ok(match key {
            Key::Frame => self.frame(act),
            Key::Shape => self.shape(act),
            Key::Tests => json!({"traces": self.traces(act)?}),
            Key::Edit | Key::Repair => json!({"ready": true, "summary": act.says}),
            Key::Challenge => self.challenge(act),
            Key::Scout => json!({"findings": []}),
            Key::Audit => json!({
                "verdict": "fail", "mismatches": [], "diagnosis": [], "gaps": [], "risks": [],
                "validations": [],
            }),
            Key::Read => json!({
                "verdict": "pass", "findings": [], "cheats": [], "residue": [], "question": "",
            }),
            Key::Adjudicate => json!({"decision": "approve", "rationale": "the record holds"}),
            Key::Consolidate | Key::Plan => json!({}),
        })
    }

    fn frame(&self, act: &Act) -> Value {
        let kept = self.criteria(act);
        let deferred = act.answer.defers.iter();
        let deferred = deferred.filter_map(|name| self.project.about.criteria.get(name).cloned());
        let not_doing: Vec<String> =
            deferred.chain(["anything that was not asked for".to_owned()]).collect();
        json!({
            "objective": self.project.about.request,
            "done_gate": kept,
            "not_doing": not_doing,
            "reality": ["what works today keeps working"],
            "audience": "code", "features": [],
            "stop": {"kind": "none", "why": "", "question": ""},
        })
    }

    fn shape(&self, act: &Act) -> Value {
        let about = &self.project.about;
        let contract = about.criteria.values().cloned().collect::<Vec<_>>().join("\n");
        let drafted = |text: &str| json!({"text": text, "confidence": 90, "flags": []});
        let declared: Vec<Value> = act
            .answer
            .declares
            .iter()
            .map(|(path, why)| json!({"path": path, "why": why}))
            .collect();
        let places = self.places();
        json!({
            "spec": drafted(&about.request),
            "scenarios": drafted(&contract),
            "contract": drafted(&contract),
            "validation": ["the acceptance tests"],
            "slices": [{
                "sentence": about.title, "places": places,
                "criteria": about.criteria.values().cloned().collect::<Vec<_>>(),
                "constraints": [], "unknowns": [],
            }],
            "declared": declared, "items": [], "impossible": "",
            "skips": act.answer.skips.keys().cloned().collect::<Vec<_>>(),
        })
    }

    /// Everything the project has and the case writes, so that it is not the plan that stops a case.
    fn places(&self) -> Vec<String> {
        let layers = [Layer::Base, Layer::Skeleton, Layer::Acceptance, Layer::Solution];
        let files = layers.iter().filter_map(|layer| self.project.layer(*layer).ok());
        let mut paths: Vec<String> = files.flat_map(|files| files.into_keys()).collect();
        let parts = &self.case.told.parts;
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

    fn traces(&self, act: &Act) -> Result<Vec<Value>> {
        let about = &self.project.about;
        let names: Vec<&String> = about.criteria.keys().collect();
        let mut texts = self.project.layer(Layer::Acceptance)?;
        texts.extend(self.project.layer(Layer::Holdout)?);
        for step in act.deeds(&self.project, &[])? {
            if let Deed::Write { path, text } = step {
                texts.insert(path, text);
            }
        }
        let mut traced = about.trace.clone();
        traced.extend(act.answer.trace.clone());
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

    /// What an honest challenger looked at; one that a case describes looked at what the case says.
    fn challenge(&self, act: &Act) -> Value {
        let is_told = self.case.told.parts.challenge.is_some();
        let criteria = 1..=self.project.about.criteria.len();
        let looked: Vec<Value> = match is_told {
            true => act
                .answer
                .evidence
                .iter()
                .flat_map(|said| {
                    let (sandbox, tried) = said.split_once(": ").unwrap_or((said, &act.says));
                    criteria.clone().map(move |criterion| {
                        json!({"criterion": criterion, "place": sandbox, "tried": tried})
                    })
                })
                .collect(),
            false => (1..=self.project.about.criteria.len())
                .map(|criterion| {
                    json!({
                        "criterion": criterion,
                        "place": format!("{}:1", self.project.about.tests[0]),
                        "tried": "followed the case through the change by hand",
                    })
                })
                .collect(),
        };
        json!({
            "looked_at": looked, "failures": act.answer.failures, "unmet": [], "residue": [],
            "cheats": [], "tradeoff": "",
        })
    }

    fn criteria(&self, act: &Act) -> Vec<String> {
        let is_left =
            |name: &&String| !act.answer.defers.contains(name) && !act.answer.drops.contains(name);
        let criteria = &self.project.about.criteria;
        let text = |name: &String| act.answer.rewords.get(name).or_else(|| criteria.get(name));
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

/// The request as a person would file it.
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
