//! What a configuration cannot decide alone: where keys and questions go, what they cost, which script speaks for an
//! agent, and walls that are weaker than the standard. A person allows it, or writes it themselves.

use sealwright_kernel::Lane;

use crate::{Agent, Config, Kind, Price, Sandbox};

/// A setting that takes effect once a person allowed exactly this value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Personal {
    /// As the file names it, such as `agents.judge`.
    pub name: String,
    /// In one line. Two values that act in different ways differ here.
    pub value: String,
    pub acts_on: ActsOn,
    /// The file or folder of a script, whose content is part of what is allowed.
    pub script: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActsOn {
    /// Commands that call agents.
    Agents,
    /// Every command that runs code of the repository.
    Sandboxes,
}

impl Config {
    /// The personal settings of this configuration, in the order of its tables.
    pub fn personal(&self) -> Vec<Personal> {
        let agents = self.agents().filter_map(of_agent);
        let prices = self.prices().iter().map(|(model, price)| Personal {
            name: format!("prices.{model:?}"),
            value: of_price(price),
            acts_on: ActsOn::Agents,
            script: None,
        });
        agents.chain(prices).chain(of_sandbox(&self.sandbox)).collect()
    }
}

/// An agent of a provider, with the provider's address and key, is nobody's secret: the person has set it up.
fn of_agent(agent: &Agent) -> Option<Personal> {
    let is_script = agent.kind == Kind::Script;
    if agent.base_url.is_none() && agent.key_env.is_none() && !is_script {
        return None;
    }
    // Which program or protocol a key goes to is part of what is allowed: it says to whom.
    let protocol = agent.protocol.map(|protocol| protocol.name().to_owned());
    let parts = [
        ("kind", Some(agent.kind.name().to_owned())),
        ("protocol", protocol),
        ("model", agent.model.clone()),
        ("base_url", agent.base_url.clone()),
        ("key_env", agent.key_env.clone()),
        ("command", is_script.then(|| agent.command.join(" "))),
    ];
    let parts = parts.into_iter().filter_map(|(key, value)| Some((key, value?)));
    let parts: Vec<String> = parts.map(|(key, value)| format!("{key} = {value:?}")).collect();
    Some(Personal {
        name: format!("agents.{}", agent.name),
        value: parts.join(", "),
        acts_on: ActsOn::Agents,
        script: agent.command.first().cloned().filter(|_| is_script),
    })
}

fn of_price(price: &Price) -> String {
    let parts = [
        ("input", Some(price.input)),
        ("cached", price.cached),
        ("cache_written", price.cache_written),
        ("output", Some(price.output)),
    ];
    let parts = parts.into_iter().filter_map(|(key, micro)| Some((key, micro?)));
    let parts: Vec<String> =
        parts.map(|(key, micro)| format!("{key} = {}", micro as f64 / MICRO)).collect();
    parts.join(", ")
}

fn of_sandbox(sandbox: &Sandbox) -> impl Iterator<Item = Personal> {
    let standard = Sandbox::default();
    let lanes = [("quick", Lane::Quick), ("factory", Lane::Factory), ("strict", Lane::Strict)];
    lanes.into_iter().filter_map(move |(name, lane)| {
        let least = sandbox.least(lane);
        (least < standard.least(lane)).then(|| Personal {
            name: format!("sandbox.{name}"),
            value: format!("{:?}", least.name()),
            acts_on: ActsOn::Sandboxes,
            script: None,
        })
    })
}

const MICRO: f64 = 1_000_000.0;

#[cfg(test)]
mod tests {
    use super::*;

    fn told(text: &str) -> Vec<(String, String)> {
        let config = Config::parse(text).unwrap();
        config.personal().into_iter().map(|it| (it.name, it.value)).collect()
    }

    #[test]
    fn what_only_a_person_can_allow_is_listed_in_one_line_each() {
        let text = r#"
            [agents.own]
            kind = "codex"
            model = "gpt-5"
            [agents.near]
            kind = "api"
            protocol = "openai-chat"
            model = "qwen3"
            base_url = "https://gateway.example"
            key_env = "GATEWAY_KEY"
            [agents.other-key]
            kind = "codex"
            key_env = "HOME_KEY"
            [agents.played]
            kind = "script"
            command = ["scripts"]
            [prices.qwen3]
            input = 0.3
            output = 0
            [sandbox]
            quick = "advisory"
            strict = "kernel-isolated"
        "#;
        let expected = [
            (
                "agents.near",
                r#"kind = "api", protocol = "openai-chat", model = "qwen3", base_url = "https://gateway.example", key_env = "GATEWAY_KEY""#,
            ),
            ("agents.other-key", r#"kind = "codex", key_env = "HOME_KEY""#),
            ("agents.played", r#"kind = "script", command = "scripts""#),
            (r#"prices."qwen3""#, "input = 0.3, output = 0"),
            ("sandbox.quick", r#""advisory""#),
        ];
        let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(told(text), expected);
    }

    #[test]
    fn a_stronger_wall_and_a_provider_need_nobody() {
        let text = "[agents.a]\nkind = \"claude-code\"\n[sandbox]\nquick = \"kernel-isolated\"\n\
                    [checks.tests]\nkind = \"pytest\"\n[budget]\ndollars = 1.0\n";
        assert_eq!(told(text), []);
    }

    #[test]
    fn the_same_key_for_another_program_is_another_setting() {
        let of = |kind: &str| {
            told(&format!("[agents.a]\nkind = {kind:?}\nmodel = \"m\"\nkey_env = \"K\"\n"))
        };
        assert_ne!(of("codex"), of("gemini"));
    }
}
