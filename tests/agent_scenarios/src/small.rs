//! Scenarios with a small real model. Its answers vary, so only the handling of them is checked.

use anyhow::{Context, Result};
use sealwright_agents::{
    AnswerSchema, Assignment, Budget, End, Endpoint, Event, Failure, Key, Protocol,
};
use sealwright_kernel::Role;
use sealwright_sandbox::plan::Access;
use serde_json::{Value, json};

use crate::route::{Kind, Route};
use crate::runner::{Around, RunResult, carry_out};
use crate::scenarios::{Verdict, summary};
use crate::table::Line;

/// Runs the three scenarios with the model at `base`, which stops after a few hundred tokens.
pub fn run(routes: &[Route], base: &str) -> Result<Vec<Line>> {
    let route = |kind, key: &str| {
        let is_it = |route: &&Route| route.kind == kind && route.key == key;
        routes.iter().find(is_it).with_context(|| format!("unknown route `{key}`"))
    };
    let (api, agent) = (route(Kind::Model, "api")?, route(Kind::Agent, "goose")?);
    Ok(vec![
        line(
            api,
            "small-answer",
            &short(api, base)?,
            |seen| matches!(&seen.outcome.end, End::Answered { answer } if answer["yes"].is_boolean()),
        ),
        line(api, "small-truncated", &long(api, base)?, |seen| {
            matches!(&seen.outcome.end, End::Failed { failure: Failure::Truncated, .. })
        }),
        // The model cannot call tools, so it completes a turn without an answer.
        line(agent, "small-turn", &short(agent, base)?, |seen| {
            let spoke = seen.events.iter().any(|event| matches!(event, Event::Text { .. }));
            let is_over = matches!(
                seen.outcome.end,
                End::GaveUp { .. } | End::Failed { failure: Failure::Truncated, .. }
            );
            spoke && is_over && seen.outcome.spent.turns >= 1
        }),
    ])
}

fn line(
    route: &Route,
    scenario: &str,
    seen: &RunResult,
    holds: impl Fn(&RunResult) -> bool,
) -> Line {
    let verdict = Verdict { held: holds(seen), seen: summary(&seen.outcome) };
    Line::new(route.key, scenario, verdict, seen.took)
}

fn short(route: &Route, base: &str) -> Result<RunResult> {
    let shape = object(json!({"yes": {"type": "boolean"}}));
    ask(route, base, "Is two and two four? Answer with yes set to true or to false.", shape)
}

/// Asks for more text than the model can produce in one answer.
fn long(route: &Route, base: &str) -> Result<RunResult> {
    let chapter =
        |number: u32| (format!("chapter_{number}"), json!({"type": "string", "minLength": 400}));
    let chapters = (1..=12).map(chapter).collect::<serde_json::Map<_, _>>();
    ask(route, base, "Write a long story about a lighthouse.", object(Value::Object(chapters)))
}

fn ask(route: &Route, base: &str, brief: &str, shape: Value) -> Result<RunResult> {
    let assignment = Assignment {
        task: String::new(),
        call: "try".to_owned(),
        nth: 1,
        role: Role::Builder,
        brief: brief.to_owned(),
        access: sealwright_kernel::Access::ReadOnly,
        schema: AnswerSchema::new(shape)?,
        budget: Budget { wall_ms_max: 5 * 60_000, turns_max: Some(6), ..Budget::default() },
        model: "smollm2".to_owned(),
        endpoint: Endpoint {
            base: base.to_owned(),
            protocol: Protocol::OpenaiChat,
            key: Key::None,
        },
    };
    let around = Around {
        access: Access::ReadOnly,
        files: &[],
        cancel_at: None,
        conversation: None,
        meanwhile: &|_| {},
    };
    carry_out(route, &assignment, &around)
}

fn object(properties: Value) -> Value {
    let required: Vec<&String> =
        properties.as_object().into_iter().flatten().map(|(name, _)| name).collect();
    json!({"type": "object", "additionalProperties": false, "required": required, "properties": properties})
}
