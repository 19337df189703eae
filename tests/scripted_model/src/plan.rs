//! Selects the reply of a script to a conversation, without any memory between requests.

use serde::Serialize;
use serde_json::{Value, json};

use crate::instance::instance;
use crate::{Action, Answer, Call, Content, Conversation, Item, Offer, Reply, Script, deeds};

#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    pub served: Served,
    pub reply: Reply,
}

/// The origin of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Served {
    /// A step of the script, counted from zero.
    Step(usize),
    /// The script has ended.
    End,
    /// A side request of the agent, for a title or the like.
    Aside,
    Unknown,
}

/// The reply of a script to a conversation.
pub fn plan(script: &Script, conversation: &Conversation) -> Plan {
    // Steps need tools. A request without tools is a side request.
    if script.has_deeds() && conversation.tools.is_empty() {
        return aside(conversation);
    }
    let nth = place(script, &conversation.items);
    match script.steps().get(nth) {
        Some(step) => {
            Plan { served: Served::Step(nth), reply: perform(&step.action, &conversation.tools) }
        }
        None => Plan {
            served: Served::End,
            reply: any(&conversation.answer, "There is nothing left to do."),
        },
    }
}

/// The reply to a side request.
pub(crate) fn aside(conversation: &Conversation) -> Plan {
    Plan { served: Served::Aside, reply: any(&conversation.answer, "A short title") }
}

/// The next step. Each turn with a valid call is one step.
///
/// If the user speaks after the last words of a script, it starts again. If the user speaks earlier, the agent retries
/// after a truncated or refused reply and gets the same step again.
fn place(script: &Script, items: &[Item]) -> usize {
    let mut nth = 0;
    let mut last_words: Option<&str> = None;
    for item in items {
        match item {
            Item::Called(_) => nth += 1,
            Item::Said(text) => last_words = Some(text),
            Item::User(_) => {
                let is_over = last_words.is_some_and(|words| match script.steps().get(nth) {
                    Some(step) => are_words_of(&step.action, words),
                    None => true,
                });
                if is_over {
                    nth = 0;
                }
                last_words = None;
            }
            Item::Fumbled(_) | Item::Result(_) => {}
        }
    }
    nth
}

/// Whether a step says exactly this, ignoring line breaks.
fn are_words_of(action: &Action, words: &str) -> bool {
    let letters = |text: &str| text.split_whitespace().collect::<String>();
    match action {
        Action::Text(text) => letters(text) == letters(words),
        Action::Answer(answer) => letters(&answer.to_string()) == letters(words),
        Action::Write { .. } | Action::Read { .. } | Action::Run { .. } | Action::Tool { .. } => {
            false
        }
    }
}

fn perform(action: &Action, offers: &[Offer]) -> Reply {
    let made = |call: Option<Call>, what: &str| match call {
        Some(call) => Reply::Whole(Content::Call(call)),
        None => Reply::text(not_offered(what, offers)),
    };
    match action {
        Action::Write { path, text } => made(deeds::write(offers, path, text), "writes a file"),
        Action::Read { path } => made(deeds::read(offers, path), "reads a file"),
        Action::Run { command } => made(deeds::run(offers, command), "runs a command"),
        Action::Tool { name, input } => {
            made(deeds::call(offers, name, input), &format!("is called `{name}`"))
        }
        Action::Text(text) => Reply::text(text),
        Action::Answer(answer) => match deeds::hand_in(offers, answer) {
            Some(call) => Reply::Whole(Content::Call(call)),
            None => Reply::text(answer.to_string()),
        },
    }
}

/// Arbitrary words in the required form.
fn any(answer: &Answer, words: &str) -> Reply {
    match answer {
        Answer::Free => Reply::text(words),
        Answer::Json(schema) if schema.as_object().is_some_and(serde_json::Map::is_empty) => {
            Reply::text(json!({}).to_string())
        }
        Answer::Json(schema) => Reply::text(Value::to_string(&instance(schema))),
    }
}

fn not_offered(what: &str, offers: &[Offer]) -> String {
    let names: Vec<&str> = offers.iter().map(|offer| offer.name.as_str()).collect();
    format!("No tool here {what}. There are: {}.", names.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Calling, Step};

    fn conversation(items: &[Item], tools: &[&str]) -> Conversation {
        let tools = tools.iter().map(|name| Offer {
            name: (*name).to_owned(),
            schema: json!({}),
            calling: Calling::Function,
        });
        Conversation { items: items.to_vec(), tools: tools.collect(), ..Conversation::default() }
    }

    fn told(plan: Plan) -> String {
        let reply = match plan.reply {
            Reply::Whole(Content::Text(text)) => text,
            Reply::Whole(Content::Call(call)) => format!("{} {}", call.tool, call.input.to_text()),
            Reply::CutShort(text) | Reply::Refused(text) => format!("unplanned: {text}"),
        };
        format!("{:?}: {reply}", plan.served)
    }

    fn work() -> Script {
        Script::new([
            Step::run("ls"),
            Step::tool("submit", json!({"ok": true})),
            Step::text("Done."),
        ])
    }

    fn user() -> Item {
        Item::User("go".to_owned())
    }

    fn turn() -> Item {
        Item::Called(vec!["Bash".to_owned()])
    }

    #[test]
    fn steps_follow_the_turns_of_the_conversation() {
        let story: Vec<String> = (0..4)
            .map(|turns| {
                let mut items = vec![user()];
                items.extend((0..turns).flat_map(|_| [turn(), Item::Result("ok".to_owned())]));
                told(plan(&work(), &conversation(&items, &["Bash", "mcp__x__submit_result"])))
            })
            .collect();
        let expected = [
            r#"Step(0): Bash {"command":"ls"}"#,
            r#"Step(1): mcp__x__submit_result {"ok":true}"#,
            "Step(2): Done.",
            "End: There is nothing left to do.",
        ];
        assert_eq!(story, expected);
    }

    #[test]
    fn a_script_begins_anew_when_the_user_speaks_after_its_end() {
        let said = |text: &str| Item::Said(text.to_owned());
        for (before, expected) in [
            (vec![user(), turn(), turn(), said("Done.")], 0),
            (vec![user(), turn(), turn(), said("Do\nne.")], 0),
            (vec![user(), turn(), turn(), turn(), said("There is nothing left to do.")], 0),
            // An agent that retries.
            (vec![user(), turn(), turn(), said("Do")], 2),
            (vec![user(), turn(), said("Done.")], 1),
            (vec![user(), turn()], 1),
            (vec![user(), Item::Fumbled("Bash".to_owned()), Item::Result("no".to_owned())], 0),
            (vec![user(), turn(), turn(), said("Done."), user(), turn()], 1),
        ] {
            let items: Vec<Item> = before.into_iter().chain([user()]).collect();
            assert_eq!(place(&work(), &items), expected, "{items:?}");
        }
    }

    #[test]
    fn what_is_asked_on_the_side_moves_nothing() {
        let mut aside = conversation(&[user(), turn()], &[]);
        assert_eq!(told(plan(&work(), &aside)), "Aside: A short title");
        aside.answer = Answer::Json(json!({"required": ["title"], "properties": {"title": {}}}));
        assert_eq!(told(plan(&work(), &aside)), r#"Aside: {"title":"some title"}"#);
        aside.answer = Answer::Json(json!({}));
        assert_eq!(told(plan(&work(), &aside)), "Aside: {}");
    }

    #[test]
    fn a_script_that_only_answers_needs_no_tools() {
        let script = Script::new([Step::answer(json!({"verdict": "accept"}))]);
        let asked = conversation(&[user()], &[]);
        assert_eq!(told(plan(&script, &asked)), r#"Step(0): {"verdict":"accept"}"#);
        let asked = conversation(&[user()], &["recipe__final_output"]);
        let expected = r#"Step(0): recipe__final_output {"verdict":"accept"}"#;
        assert_eq!(told(plan(&script, &asked)), expected);
    }

    #[test]
    fn a_tool_that_is_not_on_offer_is_named_in_words() {
        let asked = conversation(&[user()], &["Read", "Glob"]);
        let expected = "Step(0): No tool here runs a command. There are: Read, Glob.";
        assert_eq!(told(plan(&work(), &asked)), expected);
    }
}
