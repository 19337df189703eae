//! Tool `submit_result`: the one way to an answer. What has not the shape that was asked for is sent back at once,
//! with the reasons, while the model still has everything in mind.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use super::{Effect, Reply, Tool};
use crate::AnswerSchema;

pub struct SubmitResult {
    schema: AnswerSchema,
    answer: Answer,
}

/// What was submitted, shared with the caller.
#[derive(Clone, Debug, Default)]
pub struct Answer(Arc<Mutex<Submitted>>);

#[derive(Debug, Default)]
struct Submitted {
    answer: Option<Value>,
    sent_back: u32,
}

impl SubmitResult {
    /// A tool that takes answers of this shape, and where they arrive.
    pub fn new(schema: AnswerSchema) -> (Self, Answer) {
        let answer = Answer::default();
        (Self { schema, answer: answer.clone() }, answer)
    }
}

impl Answer {
    /// What was submitted, if anything was.
    pub fn get(&self) -> Option<Value> {
        self.submitted().answer.clone()
    }

    pub fn is_there(&self) -> bool {
        self.submitted().answer.is_some()
    }

    /// Whether it was sent back so often that nothing better will come.
    pub fn is_hopeless(&self) -> bool {
        let submitted = self.submitted();
        submitted.answer.is_none() && submitted.sent_back >= SENT_BACK_MAX
    }

    fn submitted(&self) -> MutexGuard<'_, Submitted> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Tool for SubmitResult {
    fn name(&self) -> &'static str {
        "submit_result"
    }

    fn about(&self) -> &'static str {
        "Hands in the result of your assignment. Call it once, as the last thing you do. If it is refused, mend what \
         is named and call it again."
    }

    fn input(&self) -> Value {
        self.schema.value().clone()
    }

    fn effect(&self) -> Effect {
        Effect::Recorded
    }

    fn calls_max(&self) -> u32 {
        SENT_BACK_MAX + 2
    }

    fn call(&self, input: &Value) -> Reply {
        let mut submitted = self.answer.submitted();
        if submitted.answer.is_some() {
            return Reply::Refused("a result was handed in already; you are done".to_owned());
        }
        match self.schema.check(input) {
            Ok(()) => {
                submitted.answer = Some(input.clone());
                Reply::Done(json!({"accepted": true}))
            }
            Err(problems) => {
                submitted.sent_back += 1;
                Reply::Refused(format!(
                    "the result does not have the shape that was asked for:\n- {}",
                    problems.join("\n- ")
                ))
            }
        }
    }
}

/// How often a result is sent back before the agent is.
const SENT_BACK_MAX: u32 = 5;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_answer_of_the_right_shape_counts() {
        let schema = json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["done"],
            "properties": {"done": {"type": "boolean"}},
        });
        let (tool, answer) = SubmitResult::new(AnswerSchema::new(schema).unwrap());
        let Reply::Refused(why) = tool.call(&json!({"done": "yes"})) else {
            panic!("it has the wrong shape")
        };
        assert!(why.contains("/done: \"yes\" is not of type \"boolean\""), "{why}");
        assert!(!answer.is_there() && !answer.is_hopeless());
        assert_eq!(tool.call(&json!({"done": true})), Reply::Done(json!({"accepted": true})));
        assert!(matches!(tool.call(&json!({"done": false})), Reply::Refused(_)));
        assert_eq!(answer.get(), Some(json!({"done": true})));
    }

    #[test]
    fn who_never_finds_the_shape_is_given_up() {
        let schema = json!({"type": "object", "additionalProperties": false, "required": [], "properties": {}});
        let (tool, answer) = SubmitResult::new(AnswerSchema::new(schema).unwrap());
        for _ in 0..SENT_BACK_MAX {
            assert!(!answer.is_hopeless());
            tool.call(&json!({"what": "else"}));
        }
        assert!(answer.is_hopeless());
        tool.call(&json!({}));
        assert!(!answer.is_hopeless(), "what has the shape in the end counts");
    }
}
