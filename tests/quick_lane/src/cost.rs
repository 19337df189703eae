//! The cost of a change: requests of `sealwright do` beside those of the bare agent, for the same model.
//!
//! The bare agent writes the same tests and the same change in one conversation, as a user would ask it to.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use sealwright_frauds::project::Layer;
use sealwright_scripted_model::{Model, Script, Seen, Settings, Step};
use serde_json::{Value, json};

use crate::agent_pair::{AgentPair, KEY};
use crate::behaviour::{Behaviour, written};
use crate::environment::Environment;
use crate::program::{Program, last_lines};
use crate::repository::Repository;
use crate::run::{Lane, begin};
use crate::test_project::{Kind, TestProject};

/// What was asked of a model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    pub calls: usize,
    pub requests: usize,
    /// The bodies of the requests, as plain JSON.
    pub bytes: usize,
    /// Of these, what the agent says in every request: its instructions and its own tools.
    pub agent: usize,
    /// Of these, what the user or the engine said: the brief, and the tool that takes the answer.
    pub asked: usize,
}

/// The same change, made both ways.
#[derive(Clone, Debug)]
pub struct Compared {
    pub agent: AgentPair,
    pub bare: Cost,
    /// By call.
    pub engine: BTreeMap<String, Cost>,
}

impl Compared {
    pub fn measure(environment: &Environment, agent: AgentPair) -> Result<Self> {
        Ok(Self { agent, bare: bare(environment, agent)?, engine: engine(environment, agent)? })
    }

    pub fn all(&self) -> Cost {
        self.engine.values().fold(Cost::default(), |all, one| all.and(*one))
    }

    pub fn told(&self) -> String {
        let (all, bare) = (self.all(), self.bare);
        let parts: Vec<String> =
            self.engine.iter().map(|(name, cost)| format!("{name} {}", cost.told())).collect();
        format!(
            "{}: alone {}; `do` {}, {:.1} × the bytes: {}. Of its bytes the agent's own instructions and tools are \
             {} %, briefs and answer forms {} %, the conversation {} %",
            self.agent.name(),
            bare.told(),
            all.told(),
            self.ratio(),
            parts.join("; "),
            all.share(all.agent),
            all.share(all.asked),
            all.share(all.bytes - all.agent - all.asked),
        )
    }

    pub fn ratio(&self) -> f64 {
        self.all().bytes as f64 / self.bare.bytes.max(1) as f64
    }

    pub fn figures(&self) -> Value {
        let (all, bare) = (self.all(), self.bare);
        let figures = |cost: Cost| json!({"calls": cost.calls, "requests": cost.requests, "bytes": cost.bytes});
        json!({"agent": self.agent.name(), "bare": figures(bare), "do": figures(all), "ratio": self.ratio()})
    }
}

impl Cost {
    fn of(seen: &Seen) -> Self {
        let (agent, asked) = shares(&seen.body);
        let is_first = seen.last_result.is_none() && !seen.tools.is_empty();
        Self { calls: usize::from(is_first), requests: 1, bytes: size(&seen.body), agent, asked }
    }

    fn and(self, other: Self) -> Self {
        Self {
            calls: self.calls + other.calls,
            requests: self.requests + other.requests,
            bytes: self.bytes + other.bytes,
            agent: self.agent + other.agent,
            asked: self.asked + other.asked,
        }
    }

    fn told(self) -> String {
        let calls =
            if self.calls == 1 { "1 call".to_owned() } else { format!("{} calls", self.calls) };
        format!("{calls}, {} requests, {} kB", self.requests, self.bytes / 1000)
    }

    fn share(self, part: usize) -> usize {
        part * 100 / self.bytes.max(1)
    }
}

/// What the agent adds to a request by itself, and what it was told to do.
fn shares(body: &Value) -> (usize, usize) {
    let (mut agent, mut asked) = (size(&body["instructions"]), 0);
    for tool in body["tools"].as_array().into_iter().flatten() {
        let is_ours = tool.to_string().contains("submit_result");
        *(if is_ours { &mut asked } else { &mut agent }) += size(tool);
    }
    let messages = ["input", "messages"].into_iter().filter_map(|name| body[name].as_array());
    for message in messages.flatten() {
        let text = message["content"].to_string();
        match message["role"].as_str() {
            Some("system" | "developer") => agent += size(message),
            Some("user") if text.contains("<environment_context>") => agent += size(message),
            Some("user") => asked += size(message),
            Some(_) | None => {}
        }
    }
    (agent, asked)
}

fn size(value: &Value) -> usize {
    if value.is_null() { 0 } else { value.to_string().len() }
}

/// The requests with tools, by the call they belong to.
fn costs(asked: &[Seen]) -> Result<BTreeMap<String, Cost>> {
    let mut costs: BTreeMap<String, Cost> = BTreeMap::new();
    for seen in asked.iter().filter(|seen| seen.method == "POST") {
        ensure!(!seen.body.is_null(), "the body of a request was not kept");
        let name = seen.piece.clone().unwrap_or_else(|| "aside".to_owned());
        let cost = costs.entry(name).or_default();
        *cost = cost.and(Cost::of(seen));
    }
    Ok(costs)
}

fn engine(environment: &Environment, agent: AgentPair) -> Result<BTreeMap<String, Cost>> {
    let name = format!("cost-{}", agent.name());
    let model =
        Model::start_with(Behaviour::Honest.scripts(KIND, Lane::Quick)?, &Settings::default())?;
    let repository = Repository::make(environment, &name, KIND, agent, model.address())?;
    let ran = begin(&repository, KIND, Lane::Quick)?.start()?.wait(LIMIT)?;
    ensure!(ran.code == Some(0), "`do` ended with {:?}: {}", ran.code, last_lines(&ran.talked));
    costs(&model.requests())
}

fn bare(environment: &Environment, agent: AgentPair) -> Result<Cost> {
    let project = TestProject::open(KIND)?;
    let mut steps = written(&project, &[Layer::Acceptance, Layer::Holdout, Layer::Solution])?;
    steps.push(Step::text("The change is made, with its tests."));
    let model = Model::start(Script::new(steps))?;
    let name = format!("bare-{}", agent.name());
    let repository = Repository::make(environment, &name, KIND, agent, model.address())?;
    let request = format!("{} Write tests for it.", project.request());
    let program = started(&repository, environment, agent, &model, &request)?;
    let ran = program.start()?.wait(LIMIT)?;
    ensure!(ran.code == Some(0), "it ended with {:?}: {}", ran.code, last_lines(&ran.talked));
    let changed = repository.git(&["status", "--porcelain"])?;
    let is_there = |path: &String| repository.folder().join(path).is_file();
    let missing: Vec<String> =
        project.files(Layer::Acceptance)?.into_keys().filter(|path| !is_there(path)).collect();
    ensure!(missing.is_empty() && !changed.is_empty(), "it did not write {missing:?}");
    Ok(costs(&model.requests())?.into_values().fold(Cost::default(), Cost::and))
}

/// The agent as a user starts it, without the engine's tools.
fn started(
    repository: &Repository<'_>,
    environment: &Environment,
    agent: AgentPair,
    model: &Model,
    request: &str,
) -> Result<Program> {
    let address = model.address();
    let program = match agent {
        AgentPair::OpencodeAlone => {
            let config = environment.home().join("opencode.json");
            std::fs::write(&config, opencode(&format!("http://{address}/v1")))?;
            Program::other(environment, repository.folder(), "bare", "opencode", &["run", request])
                .with("OPENCODE_CONFIG", config)
                .with("OPENCODE_DISABLE_AUTOUPDATE", "1")
                .with("OPENCODE_DISABLE_MODELS_FETCH", "1")
                .with("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1")
                .with("OPENCODE_DISABLE_LSP_DOWNLOAD", "1")
        }
        AgentPair::Codex | AgentPair::Opencode | AgentPair::CodexAlone | AgentPair::AsFound => {
            let base = format!("model_providers.outside.base_url=\"http://{address}/v1\"");
            let key = format!("model_providers.outside.env_key=\"{KEY}\"");
            let mut words = vec!["exec", "--json", "--ignore-user-config", "--ephemeral"];
            for setting in [
                "model=\"gpt-5\"",
                "model_provider=\"outside\"",
                "model_providers.outside.name=\"outside\"",
                base.as_str(),
                key.as_str(),
                "model_providers.outside.wire_api=\"responses\"",
                "analytics.enabled=false",
                "check_for_update_on_startup=false",
                "web_search=\"disabled\"",
            ] {
                words.extend(["-c", setting]);
            }
            for feature in ["plugins", "apps", "plugin_discovery_prefetch", "multi_agent", "goals"]
            {
                words.extend(["--disable", feature]);
            }
            words.extend(["--dangerously-bypass-approvals-and-sandbox", request]);
            Program::other(environment, repository.folder(), "bare", "codex", &words)
                .with(KEY, "sk-quick-lane")
        }
    };
    let path = environment.path().context("no PATH")?;
    Ok(program.with("PATH", path))
}

fn opencode(base: &str) -> String {
    json!({
        "autoupdate": false, "share": "disabled",
        "model": "outside/gpt-5", "small_model": "outside/gpt-5",
        "permission": {"*": "allow"}, "enabled_providers": ["outside"],
        "agent": {"title": {"disable": true}},
        "provider": {"outside": {
            "npm": "@ai-sdk/openai-compatible", "name": "outside",
            "options": {"baseURL": base, "apiKey": "sk-quick-lane"},
            "models": {"gpt-5": {"name": "gpt-5"}},
        }},
    })
    .to_string()
}

const KIND: Kind = Kind::Python;
const LIMIT: Duration = Duration::from_secs(600);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_shared_out_among_those_who_wrote_it() {
        let body = json!({
            "instructions": "be good",
            "tools": [{"name": "shell"}, {"name": "sealwright__submit_result"}],
            "input": [
                {"role": "user", "content": "<environment_context>"},
                {"role": "user", "content": "change it"},
                {"type": "function_call_output", "output": "done"},
            ],
        });
        let (agent, asked) = shares(&body);
        assert_eq!(
            agent,
            size(&json!("be good")) + size(&body["tools"][0]) + size(&body["input"][0])
        );
        assert_eq!(asked, size(&body["tools"][1]) + size(&body["input"][1]));
        assert!(agent + asked < size(&body));
    }
}
