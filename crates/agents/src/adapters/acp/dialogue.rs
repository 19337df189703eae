//! Our side of the protocol: a machine that takes a line and says at most one.
//!
//! ```text
//! Greeting ──initialized──▶ Opening ──session──▶ Working ──turn ended──▶ Over
//!     └────────error───────────┴──────error─────────┴──────error──────────▲
//! ```

use agent_client_protocol_schema::ProtocolVersion;
use agent_client_protocol_schema::v1::{
    ClientCapabilities, ContentBlock, Implementation, InitializeRequest, InitializeResponse,
    McpServer, McpServerHttp, NewSessionRequest, NewSessionResponse, PermissionOptionKind,
    PromptRequest, PromptResponse, RequestId, RequestPermissionOutcome, RequestPermissionRequest,
    RequestPermissionResponse, SelectedPermissionOutcome, SessionNotification, StopReason,
    TextContent,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Profile;
use super::updates::Updates;
use super::wire::{self, Heard};
use crate::adapters::DESK;
use crate::adapters::words::meant;
use crate::program::{Course, Dialogue, Ways};
use crate::{Event, Failure, Limit, Said};

pub(super) struct Client {
    profile: &'static Profile,
    brief: String,
    folder: String,
    tools: String,
    step: Step,
    updates: Updates,
    said: Said,
    noise: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Greeting,
    Opening,
    Working,
    Over,
}

impl Client {
    pub(super) fn new(profile: &'static Profile, brief: &str, ways: &Ways) -> Self {
        Self {
            profile,
            brief: brief.to_owned(),
            folder: ways.folder.clone(),
            tools: ways.tools.clone(),
            step: Step::Greeting,
            updates: Updates::new(profile.tool),
            said: Said::Nothing,
            noise: 0,
        }
    }

    fn answered(&mut self, id: i64, result: Result<Value, String>, hear: Hear<'_>) -> Course {
        match (self.step, id) {
            (Step::Greeting, GREETING) => self.greeted(result),
            (Step::Opening, OPENING) => self.opened(result),
            (Step::Working, WORK) => self.worked(result, hear),
            // It answers what it was not asked, or twice.
            (Step::Greeting | Step::Opening | Step::Working | Step::Over, _) => Course::Listen,
        }
    }

    fn greeted(&mut self, result: Result<Value, String>) -> Course {
        let agent: InitializeResponse = match understood(result) {
            Ok(agent) => agent,
            Err(said) => return self.over(said),
        };
        if agent.protocol_version != ProtocolVersion::V1 {
            let why = format!(
                "it speaks version {} of the Agent Client Protocol, and we speak 1",
                agent.protocol_version
            );
            return self.over(Said::Failed { failure: Failure::NotStarted, why });
        }
        if !agent.agent_capabilities.mcp_capabilities.http {
            let why = "it cannot ask for tools over HTTP, so it could not hand in an answer";
            let why = why.to_owned();
            return self.over(Said::Failed { failure: Failure::NotStarted, why });
        }
        self.step = Step::Opening;
        let tool_server = McpServer::Http(McpServerHttp::new(DESK, self.tools.as_str()));
        let request = NewSessionRequest::new(self.folder.as_str()).mcp_servers(vec![tool_server]);
        Course::Say(wire::question(OPENING, "session/new", &request))
    }

    fn opened(&mut self, result: Result<Value, String>) -> Course {
        let session: NewSessionResponse = match understood(result) {
            Ok(session) => session,
            Err(said) => return self.over(said),
        };
        self.step = Step::Working;
        let brief = ContentBlock::Text(TextContent::new(std::mem::take(&mut self.brief)));
        let request = PromptRequest::new(session.session_id, vec![brief]);
        Course::Say(wire::question(WORK, "session/prompt", &request))
    }

    fn worked(&mut self, result: Result<Value, String>, hear: Hear<'_>) -> Course {
        self.updates.finish(hear);
        let end: PromptResponse = match understood(result) {
            Ok(end) => end,
            Err(said) => return self.over(said),
        };
        if let Some(usage) = (self.profile.usage)(&end) {
            hear(Event::Usage { usage });
        }
        let failed = |failure, why: &str| Said::Failed { failure, why: why.to_owned() };
        let said = match end.stop_reason {
            StopReason::EndTurn => Said::Finished { text: self.updates.last_words() },
            StopReason::MaxTokens => {
                failed(Failure::Truncated, "the model ran out of tokens in the middle")
            }
            StopReason::MaxTurnRequests => Said::OutOfBudget { limit: Limit::Turns },
            StopReason::Refusal => failed(Failure::Refused, &self.updates.last_words()),
            StopReason::Cancelled => {
                failed(Failure::Died, "it says that it was called off, and nobody did")
            }
            _ => failed(Failure::BadStream, "it stopped for a reason that we do not know"),
        };
        self.over(said)
    }

    fn asked(&mut self, id: &RequestId, method: &str, params: Value) -> Course {
        Course::Say(match method {
            "session/request_permission" => wire::answer(id, &leave(params)),
            method => wire::refusal(id, method),
        })
    }

    fn told(&mut self, method: &str, params: Value, hear: Hear<'_>) {
        match (self.step, method) {
            (Step::Working, "session/update") => {
                // Kinds of updates that we do not know yet are none of our business.
                if let Ok(told) = serde_json::from_value::<SessionNotification>(params) {
                    self.updates.take(told.update, hear);
                }
            }
            (Step::Greeting | Step::Opening | Step::Working | Step::Over, _) => {}
        }
    }

    fn noise(&mut self) -> Course {
        self.noise = self.noise.saturating_add(1);
        if self.step == Step::Greeting && self.noise > NOISE_MAX {
            let why = "it does not speak the Agent Client Protocol".to_owned();
            return self.over(Said::Failed { failure: Failure::BadStream, why });
        }
        Course::Listen
    }

    fn over(&mut self, said: Said) -> Course {
        (self.step, self.said) = (Step::Over, said);
        Course::Over
    }
}

impl Dialogue for Client {
    fn opening(&mut self) -> String {
        // Neither files nor terminals: what it does, it does itself, inside.
        let request = InitializeRequest::new(ProtocolVersion::V1)
            .client_capabilities(ClientCapabilities::new())
            .client_info(Implementation::new("sealwright", env!("CARGO_PKG_VERSION")));
        wire::question(GREETING, "initialize", &request)
    }

    fn line(&mut self, line: &str, hear: Hear<'_>) -> Course {
        match wire::heard(line) {
            Heard::Question { id, method, params } => self.asked(&id, &method, params),
            Heard::Notice { method, params } => {
                self.told(&method, params, hear);
                Course::Listen
            }
            Heard::Answer { id, result } => self.answered(id, result, hear),
            Heard::Noise => self.noise(),
        }
    }

    fn said(&mut self, complaints: &str, hear: Hear<'_>) -> Said {
        self.updates.finish(hear);
        let complaints = complaints.trim();
        match (self.step, complaints) {
            (Step::Over, _) => std::mem::take(&mut self.said),
            (Step::Greeting, "") if self.noise > 0 => Said::Failed {
                failure: Failure::BadStream,
                why: "it does not speak the Agent Client Protocol".to_owned(),
            },
            (Step::Greeting | Step::Opening, "") => Said::Failed {
                failure: Failure::NotStarted,
                why: "it ended before it could be given anything to do".to_owned(),
            },
            (Step::Greeting | Step::Opening, why) => {
                Said::Failed { failure: Failure::NotStarted, why: why.to_owned() }
            }
            (Step::Working, _) => Said::Nothing,
        }
    }
}

type Hear<'h> = &'h mut dyn FnMut(Event);

/// The walls are the boundary, so whatever it asks leave for is granted, for good where that is offered.
fn leave(params: Value) -> RequestPermissionResponse {
    let options = serde_json::from_value::<RequestPermissionRequest>(params)
        .map(|asked| asked.options)
        .unwrap_or_default();
    let granting = [PermissionOptionKind::AllowAlways, PermissionOptionKind::AllowOnce]
        .into_iter()
        .find_map(|kind| options.iter().find(|option| option.kind == kind));
    RequestPermissionResponse::new(match granting {
        Some(option) => RequestPermissionOutcome::Selected(SelectedPermissionOutcome::new(
            option.option_id.clone(),
        )),
        None => RequestPermissionOutcome::Cancelled,
    })
}

/// An answer in the shape it should have, or what is to be said of it.
fn understood<T: DeserializeOwned>(result: Result<Value, String>) -> Result<T, Said> {
    let value = result.map_err(|error| meant(&error))?;
    serde_json::from_value(value).map_err(|error| Said::Failed {
        failure: Failure::BadStream,
        why: format!("its answer makes no sense: {error}"),
    })
}

const GREETING: i64 = 0;
const OPENING: i64 = 1;
const WORK: i64 = 2;
/// Lines that may come before the agent introduces itself. Some begin with a banner.
const NOISE_MAX: u32 = 200;
