//! What a way out leads to: the model, and the tool server, both signed by the host.

use sealwright_sandbox::egress::Secret;
use sealwright_sandbox::egress::policy::{
    Address, Chunked, Credential, Quota, Upstream, UpstreamPath,
};

use crate::{Budget, Endpoint, Key, Protocol, ToolServer, egress_record};

/// The model, under this name, for no more answers than a budget has turns.
pub(crate) fn to_model_within(name: &str, endpoint: &Endpoint, budget: &Budget) -> Upstream {
    let quota = budget.turns_max.map(|turns| Quota {
        answers_max: usize::try_from(turns).unwrap_or(usize::MAX),
        endings: egress_record::QUESTIONS.iter().map(|ending| (*ending).to_owned()).collect(),
    });
    Upstream { quota, ..to_model(name, endpoint) }
}

pub(crate) fn to_model(name: &str, endpoint: &Endpoint) -> Upstream {
    let credential = match &endpoint.key {
        Key::None => Credential::None,
        Key::Secret(key) => signed(key, endpoint.protocol),
    };
    upstream(name, endpoint.base.trim_end_matches('/').to_owned(), credential)
}

pub(crate) fn to_desk(name: &str, tool_server: &ToolServer) -> Upstream {
    let ticket = Credential::Header {
        name: "authorization".to_owned(),
        value: tool_server.ticket().clone(),
    };
    upstream(name, format!("http://{}", tool_server.address()), ticket)
}

fn upstream(name: &str, base: String, credential: Credential) -> Upstream {
    Upstream {
        at: UpstreamPath::Named(name.to_owned()),
        base,
        credential,
        methods: ["GET", "HEAD", "POST", "DELETE"].map(str::to_owned).to_vec(),
        paths: vec!["/".to_owned()],
        chunked: Chunked::Reframed,
        address: Address::Any,
        quota: None,
    }
}

fn signed(key: &Secret, protocol: Protocol) -> Credential {
    let (name, value) = match protocol {
        Protocol::OpenaiResponses | Protocol::OpenaiChat | Protocol::Ollama => {
            ("authorization", key.after("Bearer "))
        }
        Protocol::Anthropic => ("x-api-key", key.clone()),
        Protocol::Gemini => ("x-goog-api-key", key.clone()),
    };
    Credential::Header { name: name.to_owned(), value }
}
