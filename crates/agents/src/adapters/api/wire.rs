//! The client that comes along: genai, which knows how each provider spells a conversation.
//!
//! It speaks plain HTTP to the way out and nothing else: no key, no TLS, no proxy of the environment, no redirects,
//! no compression, no retries. Answers are streamed, because some providers give long ones in no other way.

use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use futures_core::Stream as _;
use genai::adapter::AdapterKind;
use genai::chat::{
    ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ChatStream, ChatStreamEvent,
    JsonSpec, ReasoningEffort, StopReason, StreamEnd,
};
use genai::resolver::{AuthData, Endpoint};
use genai::{ModelIden, ServiceTarget};
use serde_json::Value;
use tokio::task::JoinSet;

use super::client::{Asking, Finish, Line, Message, ModelClient, Question, Reply, Unanswered};
use crate::adapters::NO_KEY;
use crate::adapters::words::text;
use crate::outcome::shortened;
use crate::{Protocol, Usage};

pub struct Wire;

impl ModelClient for Wire {
    fn ask(&self, question: Question) -> Asking<'_> {
        Box::pin(async move {
            // The library adds up the provider's numbers without looking at them, and may panic. A task of its own
            // keeps that from going further, and is ended when the reply is no longer wanted.
            let mut asked = JoinSet::new();
            asked.spawn(exchange(question));
            match asked.join_next().await {
                Some(Ok(reply)) => reply,
                Some(Err(_)) | None => Err(broke("the reply made no sense to the client")),
            }
        })
    }
}

async fn exchange(question: Question) -> Result<Reply, Unanswered> {
    let refusal = Refusal::default();
    let client = genai::Client::builder().with_reqwest(plain()?).build().map_err(unanswered)?;
    let options = options(&question, &refusal);
    let response = client
        .exec_chat_stream(target(&question), request(&question), Some(&options))
        .await
        .map_err(unanswered)?;
    let (mut stream, mut text) = (response.stream, String::new());
    while let Some(event) = next(&mut stream).await {
        match event {
            Ok(ChatStreamEvent::Chunk(piece)) => {
                if text.len() + piece.content.len() > ANSWER_BYTES_MAX {
                    return Err(Unanswered::TooLong);
                }
                text.push_str(&piece.content);
            }
            Ok(ChatStreamEvent::End(end)) => return reply(text, end, &refusal, stream),
            Ok(
                ChatStreamEvent::Start
                | ChatStreamEvent::ReasoningChunk(_)
                | ChatStreamEvent::ThoughtSignatureChunk(_)
                | ChatStreamEvent::ToolCallChunk(_)
                | ChatStreamEvent::Heartbeat,
            ) => {}
            Err(error) => {
                let Some(why) = refusal.take() else { return Err(unanswered(error)) };
                return Ok(refused(text, Usage::default(), why, stream));
            }
        }
    }
    Err(broke("the stream ended before the answer did"))
}

fn reply(
    text: String,
    end: StreamEnd,
    refusal: &Refusal,
    stream: ChatStream,
) -> Result<Reply, Unanswered> {
    let usage = end.captured_usage.as_ref().map(usage).unwrap_or_default();
    if let Some(why) = refusal.take() {
        return Ok(refused(text, usage, why, stream));
    }
    let finish = match end.captured_stop_reason {
        Some(StopReason::Completed(_) | StopReason::StopSequence(_)) => Finish::Complete,
        Some(StopReason::MaxTokens(_)) => Finish::CutOff,
        Some(StopReason::ContentFilter(why)) => return Ok(refused(text, usage, why, stream)),
        Some(StopReason::ToolCall(why) | StopReason::Other(why)) => {
            return Err(broke(&format!("the model stopped for `{why}`")));
        }
        None => return Err(broke("the stream ended without saying why")),
    };
    Ok(Reply { text, usage, finish, line: Line::of(stream) })
}

fn refused(text: String, usage: Usage, why: String, stream: ChatStream) -> Reply {
    Reply { text, usage, finish: Finish::Refused { why }, line: Line::of(stream) }
}

async fn next(stream: &mut ChatStream) -> Option<genai::Result<ChatStreamEvent>> {
    std::future::poll_fn(|context| Pin::new(&mut *stream).poll_next(context)).await
}

fn plain() -> Result<reqwest::Client, Unanswered> {
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .retry(reqwest::retry::never())
        .no_gzip()
        .http1_only()
        .pool_max_idle_per_host(0)
        .build()
        .map_err(|error| broke(&error.to_string()))
}

fn target(question: &Question) -> ServiceTarget {
    let (kind, version) = match question.protocol {
        // The library's own adapter for Ollama drops the schema.
        Protocol::OpenaiChat | Protocol::Ollama => (AdapterKind::OpenAI, "v1"),
        Protocol::OpenaiResponses => (AdapterKind::OpenAIResp, "v1"),
        Protocol::Anthropic => (AdapterKind::Anthropic, "v1"),
        Protocol::Gemini => (AdapterKind::Gemini, "v1beta"),
    };
    ServiceTarget {
        endpoint: Endpoint::from_owned(format!("{}/{version}/", question.at)),
        auth: AuthData::from_single(NO_KEY),
        model: ModelIden::new(kind, question.model.as_str()),
    }
}

fn request(question: &Question) -> ChatRequest {
    let said = question.said.iter().map(|message| match message {
        Message::Ours(text) => ChatMessage::user(text.as_str()),
        Message::Theirs(text) => ChatMessage::assistant(text.as_str()),
    });
    ChatRequest::new(said.collect()).with_system(question.rules.as_str())
}

fn options(question: &Question, refusal: &Refusal) -> ChatOptions {
    let heard = refusal.clone();
    let options = ChatOptions::default()
        .with_capture_usage(true)
        .with_response_format(ChatResponseFormat::JsonSpec(JsonSpec::new(
            "answer",
            question.schema.clone(),
        )))
        .with_raw_frame_fn(move |_, frame| heard.hear(frame.data));
    match question.protocol {
        // Without a word on effort, the library takes one from the end of the model's name, and `mistral-medium`
        // becomes `mistral`. A budget is a word that is not passed on here. Elsewhere it would be, and no model there
        // is called like that.
        Protocol::OpenaiChat | Protocol::OpenaiResponses | Protocol::Ollama => {
            options.with_reasoning_effort(ReasoningEffort::Budget(0))
        }
        Protocol::Anthropic | Protocol::Gemini => options,
    }
}

/// Refusals that the library does not tell of, overheard from the frames.
#[derive(Clone, Default)]
struct Refusal(Arc<Mutex<Option<String>>>);

impl Refusal {
    fn hear(&self, frame: &str) {
        let Some(words) = refusal_in(frame) else { return };
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let heard = heard.get_or_insert_default();
        if heard.len() < REFUSAL_BYTES_KEPT {
            heard.push_str(&shortened(&words));
        }
    }

    fn take(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

fn refusal_in(frame: &str) -> Option<String> {
    // Most frames say nothing of the kind, and are not parsed for it.
    if !["refusal", "blockReason", "content_filter"].iter().any(|word| frame.contains(word)) {
        return None;
    }
    let frame: Value = serde_json::from_str(frame).ok()?;
    let words = match text(&frame, "/type") {
        "response.refusal.delta" => text(&frame, "/delta"),
        "response.incomplete" => match text(&frame, "/response/incomplete_details/reason") {
            "content_filter" => "content_filter",
            _ => "",
        },
        _ => match text(&frame, "/choices/0/delta/refusal") {
            "" => text(&frame, "/promptFeedback/blockReason"),
            words => words,
        },
    };
    (!words.is_empty()).then(|| words.to_owned())
}

/// Every provider's counts come with the cache inside the input, and thoughts inside the output.
fn usage(usage: &genai::chat::Usage) -> Usage {
    let count =
        |tokens: Option<i32>| tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(0);
    let details = usage.prompt_tokens_details.as_ref();
    Usage::cache_inside(
        count(usage.prompt_tokens),
        count(details.and_then(|details| details.cached_tokens)),
        count(details.and_then(|details| details.cache_creation_tokens)),
        count(usage.completion_tokens),
    )
}

fn unanswered(error: genai::Error) -> Unanswered {
    match error {
        genai::Error::WebStream { error, cause, .. } => match error.downcast::<genai::Error>() {
            Ok(inner) => unanswered(*inner),
            Err(_) => broke(&cause),
        },
        genai::Error::HttpError { body, .. } => Unanswered::TurnedAway { words: shortened(&body) },
        genai::Error::ChatResponse { body, .. } => broke(&body.to_string()),
        error => broke(&error.to_string()),
    }
}

fn broke(words: &str) -> Unanswered {
    Unanswered::Broke { words: shortened(words) }
}

const ANSWER_BYTES_MAX: usize = 1 << 20;
const REFUSAL_BYTES_KEPT: usize = 4000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_overheard_in_every_dialect_and_nowhere_else() {
        for (frame, expected) in [
            (r#"{"choices":[{"delta":{"refusal":"I will not"}}]}"#, Some("I will not")),
            (r#"{"choices":[{"delta":{"refusal":null,"content":"refusal"}}]}"#, None),
            (r#"{"type":"response.refusal.delta","delta":"no"}"#, Some("no")),
            (r#"{"type":"response.output_text.delta","delta":"refusal"}"#, None),
            (
                r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}"#,
                Some("content_filter"),
            ),
            (
                r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"},"x":"refusal"}}"#,
                None,
            ),
            (r#"{"promptFeedback":{"blockReason":"SAFETY"}}"#, Some("SAFETY")),
            ("refusal", None),
        ] {
            assert_eq!(refusal_in(frame).as_deref(), expected, "{frame}");
        }
    }

    #[test]
    fn numbers_below_nothing_count_as_nothing() {
        let counts = genai::chat::Usage {
            prompt_tokens: Some(i32::MIN),
            completion_tokens: Some(-1),
            ..Default::default()
        };
        assert_eq!(usage(&counts), Usage::default());
    }
}
