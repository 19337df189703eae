//! The work of a phase by a script: the documents that it answers with are written as a person would write them.
//!
//! A script is `project/JOB.toml` in the folder of the script agent, such as `project/expand.toml`; `expand-2.toml` plays the
//! second time that the phase of a version waits for work, and where there is none, a person does it. Roles that think about
//! a document belong to the factory lane.

use std::path::{Path, PathBuf};

use sealwright_agents::adapters::script::Script;
use sealwright_agents::{
    Agent as _, AgentSandbox, AnswerSchema, Assignment, Budget, CallOutcome, End, Endpoint, Key,
    Protocol,
};
use sealwright_host::{Answer, NotPerformed, ReportHandle};
use sealwright_kernel::pipeline::{Action, Phase};
use sealwright_kernel::project::run::{self, Job};
use sealwright_kernel::project::{self, Project};
use sealwright_kernel::{Access, Actor, EffectId, Role};
use sealwright_sandbox::{Cancel, view};
use sealwright_store::{Head, JournalError};
use serde::Deserialize;
use serde_json::json;

use super::ProjectPerformer;
use crate::agent_setup::one_script;
use crate::project::{ProjectError, ProjectStream, write};

/// What a script answers with.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Documents {
    documents: Vec<Written>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    /// Below `.sealwright/pipeline`.
    name: String,
    text: String,
}

impl ProjectPerformer {
    /// Has a script do the work of a phase, if there is one for it; otherwise it is asked of a person.
    pub(super) async fn work_by_script(
        &self,
        job: Job,
        effect: EffectId,
        reports: &ReportHandle<Project>,
    ) -> Result<Answer<Project>, NotPerformed> {
        let failed = |error: ProjectError| NotPerformed::Failed { why: crate::whole(&error) };
        let Some((name, file)) = self.script_of(job).await.map_err(failed)? else {
            return Err(NotPerformed::Asked);
        };
        let said = |input: run::Input| Answer {
            input: project::Input::Run(input),
            actor: Actor::Machine,
            blobs: vec![],
        };
        let begun = said(run::Input::Begun { effect: effect.clone() });
        reports
            .report(begun)
            .await
            .map_err(|error| NotPerformed::Failed { why: error.to_string() })?;
        match self.played(&name, &file, job).await {
            Ok(()) => Ok(said(run::Input::Worked { effect })),
            Err(why) => Ok(said(run::Input::Aborted { effect, why })),
        }
    }

    /// The script for this time that the phase waits for work, with the name of its agent.
    async fn script_of(&self, job: Job) -> Result<Option<(String, PathBuf)>, ProjectError> {
        let is_script = |it: &&sealwright_config::Agent| it.kind == sealwright_config::Kind::Script;
        let Some(agent) = self.config.agents().find(is_script) else { return Ok(None) };
        let [folder] = agent.command.as_slice() else { return Ok(None) };
        let stream = ProjectStream::of(&self.journal);
        // Nothing is deployed before a person recorded how to undo it.
        let is_deploy = job == Job::Phase(Phase::Deploy);
        if is_deploy && stream.look().await?.run().rollback.is_none() {
            return Ok(None);
        }
        let file = match self.times(&stream, job)? {
            0 => format!("{}.toml", job.name()),
            times => format!("{}-{}.toml", job.name(), times + 1),
        };
        let path = self.root.join(folder).join("project").join(file);
        Ok(path.is_file().then(|| (agent.name.clone(), path)))
    }

    /// How often this version has had the work from a script.
    fn times(&self, stream: &ProjectStream, wanted: Job) -> Result<u32, ProjectError> {
        let mut times = 0;
        self.journal.read_blocking(stream.stream(), Head::START, &mut |entry| {
            for event in entry.events::<project::Event>()? {
                match event {
                    project::Event::Run(run::Event::HandedIn { job, by: Actor::Machine })
                        if job == wanted =>
                    {
                        times += 1;
                    }
                    project::Event::Run(run::Event::Requested { .. }) => times = 0,
                    project::Event::Run(run::Event::Stepped { step, .. })
                        if step.action == Action::ConfirmIteration =>
                    {
                        times = 0;
                    }
                    _ => {}
                }
            }
            Ok::<(), JournalError>(())
        })?;
        Ok(times)
    }

    /// Plays a script and writes what it answers with; or why it came to nothing.
    async fn played(&self, agent: &str, file: &Path, job: Job) -> Result<(), String> {
        let shown = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let script = one_script(agent, file, &format!("project/{shown}"))
            .map_err(|error| crate::whole(&error))?;
        let gates = self.gates.clone();
        let outcome = tokio::task::spawn_blocking(move || play(&script, job, &gates));
        let outcome = outcome.await.map_err(|_| "the thread of the script ended".to_owned())??;
        let answer = match outcome.end {
            End::Answered { answer, .. } => answer,
            other => return Err(format!("{shown}: {other:?}")),
        };
        let Documents { documents } =
            serde_json::from_value(answer).map_err(|error| format!("{shown}: {error}"))?;
        let own = documents_of(job);
        if let Some(other) = documents.iter().find(|it| !own.contains(&it.name.as_str())) {
            return Err(format!("{shown}: `{}` is not what this phase writes", other.name));
        }
        let folder = self.journal.layout().root().join("pipeline");
        for Written { name, text } in documents {
            let (folder, name) = match name.split_once('/') {
                Some((below, name)) => (folder.join(below), name.to_owned()),
                None => (folder.clone(), name),
            };
            write(&folder, &name, text.as_bytes()).map_err(|error| format!("{name}: {error}"))?;
        }
        Ok(())
    }
}

/// In a sandbox with nothing of the repository in it.
fn play(
    script: &Script,
    job: Job,
    gates: &crate::gate_runner::GateRunner,
) -> Result<CallOutcome, String> {
    let text = json!({ "type": "string" });
    let document = json!({
        "type": "object", "additionalProperties": false, "required": ["name", "text"],
        "properties": { "name": text, "text": text },
    });
    let schema = json!({
        "type": "object", "additionalProperties": false, "required": ["documents"],
        "properties": { "documents": { "type": "array", "items": document } },
    });
    let assignment = Assignment {
        task: "project".to_owned(),
        call: job.name().to_owned(),
        nth: 1,
        role: Role::Planner,
        brief: String::new(),
        access: Access::ReadOnly,
        schema: AnswerSchema::new(schema).map_err(|error| error.to_string())?,
        budget: Budget::default(),
        model: String::new(),
        endpoint: Endpoint { base: String::new(), protocol: Protocol::OpenaiChat, key: Key::None },
    };
    let slot = gates.slots().take().map_err(|error| error.to_string())?;
    let cancel = Cancel::new().map_err(|error| error.to_string())?;
    let sandbox = AgentSandbox {
        slot: &slot,
        mechanism: gates.mechanism().clone(),
        least: gates.least(),
        mounts: &[],
        environment: &gates.packages().environment,
        folder: view::HOME,
        tools: &[],
        conversation: None,
        cancel: &cancel,
    };
    Ok(script.carry_out(&assignment, &sandbox, &mut |_| {}))
}

/// The documents of a phase, below `.sealwright/pipeline`.
fn documents_of(job: Job) -> &'static [&'static str] {
    match job {
        Job::Phase(Phase::Expand) => &["scope.md"],
        Job::Phase(Phase::Design) => &["design.md"],
        Job::Phase(Phase::Analyze) => &["readiness.md"],
        Job::Phase(Phase::Build) => &["facts/build.json"],
        Job::Phase(Phase::Review) | Job::Fix(Phase::Review) => &["facts/review.json"],
        Job::Phase(Phase::Reconcile) => &["design.md", "readiness.md", "facts/reconcile.json"],
        Job::Phase(Phase::Verify) => &["facts/verify.json"],
        Job::Fix(_) => &["design.md", "readiness.md", "facts/verify.json"],
        Job::Phase(Phase::Deploy) => &["facts/deploy.json"],
        Job::Audit => &["audit.md"],
        Job::Distill => &["distilled.md"],
        Job::Propose => &["proposal.md"],
        Job::Confirm => &[],
    }
}
