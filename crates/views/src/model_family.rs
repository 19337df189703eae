//! Model families, and the roles that check the builder with a model of the builder's own family.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::Role;
use sealwright_kernel::task::{CallEnd, Receipt};

/// The model family that a model's name tells; nothing if the name tells none.
pub fn model_family(model: &str) -> Option<&'static str> {
    let model = model.to_lowercase();
    MAKERS.iter().find(|(part, _)| model.contains(part)).map(|(_, maker)| *maker)
}

/// The agents and model families that answered for each role.
#[derive(Clone, Debug, Default)]
pub(super) struct Callers {
    agents: BTreeMap<Role, BTreeSet<String>>,
    families: BTreeMap<Role, BTreeSet<String>>,
}

impl Callers {
    pub(super) fn add(&mut self, receipt: &Receipt) {
        if receipt.end != CallEnd::Answered {
            return;
        }
        self.agents.entry(receipt.role).or_default().insert(receipt.agent.clone());
        let family = model_family(&receipt.model).unwrap_or(&receipt.model).trim();
        if !family.is_empty() {
            self.families.entry(receipt.role).or_default().insert(family.to_owned());
        }
    }

    /// Which roles checked the builder and are of its model family; nothing if all are of another.
    pub(super) fn not_independent(&self) -> Option<String> {
        let (by_agent, agent) = shared(&self.agents);
        let (by_family, family) = shared(&self.families);
        let is_agent = by_agent.len() >= by_family.len();
        let roles = if is_agent { by_agent } else { by_family };
        let who = match roles.as_slice() {
            [] => return None,
            [one] => format!("Builder and {one}"),
            [first, second, ..] => format!("Builder, {first} and {second}"),
        };
        let what = match (is_agent, agent, family) {
            (true, Some(agent), _) => format!("one agent ({agent})"),
            (_, _, Some(family)) => format!("of one model family ({family})"),
            (_, _, None) => return None,
        };
        Some(format!("{who} are {what}: they may share a mistake"))
    }
}

/// The checking roles that share a name with the builder, and the first name.
fn shared(names: &BTreeMap<Role, BTreeSet<String>>) -> (Vec<&'static str>, Option<&String>) {
    let Some(builder) = names.get(&Role::Builder) else { return (vec![], None) };
    let common = |role: Role| names.get(&role)?.intersection(builder).next();
    let found = CHECKERS.iter().filter_map(|(role, word)| Some((*word, common(*role)?)));
    let found: Vec<(&str, &String)> = found.collect();
    (found.iter().map(|(word, _)| *word).collect(), found.first().map(|(_, name)| *name))
}

const CHECKERS: [(Role, &str); 2] =
    [(Role::TestAuthor, "test author"), (Role::Challenger, "challenger")];
/// Parts of model names, and the family they belong to.
const MAKERS: [(&str, &str); 11] = [
    ("claude", "anthropic"),
    ("gpt", "openai"),
    ("codex", "openai"),
    ("gemini", "google"),
    ("gemma", "google"),
    ("llama", "meta"),
    ("mistral", "mistral"),
    ("qwen", "alibaba"),
    ("deepseek", "deepseek"),
    ("grok", "xai"),
    ("kimi", "moonshot"),
];

#[cfg(test)]
mod tests {
    use sealwright_kernel::{Cost, EffectId, InvocationId};

    use super::*;

    #[test]
    fn roles_that_share_an_agent_or_a_family_with_the_builder_are_named() {
        let opus = ("claude", "claude-opus-4");
        let sonnet = ("other", "openrouter/anthropic/claude-sonnet-4");
        let gpt = ("codex", "gpt-5");
        let unknown = ("local", "");
        for (builder, author, challenger, expected) in [
            (opus, opus, opus, Some("Builder, test author and challenger are one agent (claude)")),
            (
                opus,
                sonnet,
                opus,
                Some("Builder, test author and challenger are of one model family (anthropic)"),
            ),
            (opus, gpt, opus, Some("Builder and challenger are one agent (claude)")),
            (
                opus,
                sonnet,
                gpt,
                Some("Builder and test author are of one model family (anthropic)"),
            ),
            (unknown, unknown, gpt, Some("Builder and test author are one agent (local)")),
            (opus, gpt, gpt, None),
        ] {
            let mut callers = Callers::default();
            callers.add(&receipt(Role::Builder, builder));
            callers.add(&receipt(Role::TestAuthor, author));
            callers.add(&receipt(Role::Challenger, challenger));
            let told = callers.not_independent();
            let expected = expected.map(|it| format!("{it}: they may share a mistake"));
            assert_eq!(told, expected);
        }
        let mut alone = Callers::default();
        alone.add(&receipt(Role::Builder, opus));
        assert_eq!(alone.not_independent(), None);
    }

    fn receipt(role: Role, (agent, model): (&str, &str)) -> Receipt {
        Receipt {
            invocation: InvocationId::new(1),
            effect: EffectId::of("T-x", "edit", 1),
            part: "edit".to_owned(),
            role,
            agent: agent.to_owned(),
            model: model.to_owned(),
            cost: Cost::default(),
            turns: 1,
            end: CallEnd::Answered,
            way_out: None,
        }
    }
}
