//! Agents that print one JSON event per line and are told everything at once.

use serde_json::Value;

use crate::program::{Reader, Talk};
use crate::{Assignment, Event, Failure, Said};

/// What the events of one kind of agent mean.
pub(super) trait Events: Send + 'static {
    /// Takes one event. What it says of the agent's end goes into `said`.
    fn event(&mut self, event: &Value, said: &mut Said, hear: &mut dyn FnMut(Event));

    /// The name that the agent has for its conversation.
    fn session(&self) -> Option<&str>;
}

pub(super) fn talk(assignment: &Assignment, events: impl Events) -> Talk {
    let reader = Stream { events, said: Said::Nothing, is_readable: false };
    Talk::Told { input: assignment.brief.clone(), reader: Box::new(reader) }
}

struct Stream<E> {
    events: E,
    said: Said,
    is_readable: bool,
}

impl<E: Events> Reader for Stream<E> {
    fn line(&mut self, line: &str, hear: &mut dyn FnMut(Event)) {
        let Ok(event) = serde_json::from_str::<Value>(line) else { return };
        self.is_readable = true;
        self.events.event(&event, &mut self.said, hear);
    }

    fn said(&mut self, complaints: &str) -> Said {
        match std::mem::take(&mut self.said) {
            Said::Nothing if !self.is_readable && !complaints.trim().is_empty() => {
                Said::Failed { failure: Failure::NotStarted, why: complaints.to_owned() }
            }
            said => said,
        }
    }

    fn session(&self) -> Option<&str> {
        self.events.session()
    }
}
