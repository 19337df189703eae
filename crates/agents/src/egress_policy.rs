//! What a way out leads to: the model, and the tool server, both signed by the host.

use sealwright_sandbox::egress::Secret;
use sealwright_sandbox::egress::policy::{
    Address, Call, Chunked, Credential, Quota, Upstream, UpstreamPath,
};

use crate::login::LoginSigner;
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
    let questions = questions(endpoint.protocol).iter().map(|path| Call::like("POST", path));
    let (credential, calls) = match &endpoint.key {
        Key::None => (Credential::None, questions.collect()),
        Key::Secret(key) => (signed(key, endpoint.protocol), questions.collect()),
        Key::Login(login) => {
            let calls = login.kind.calls().iter().map(|(method, path)| Call::like(method, path));
            (LoginSigner::new(login.clone()).credential(), calls.collect())
        }
    };
    let base = endpoint.base.trim_end_matches('/').to_owned();
    upstream(name, base, credential, calls)
}

/// What the program of a login asks about the account, where that is another address than its model's.
pub(crate) fn to_account(endpoint: &Endpoint, credential: &Credential) -> Option<Upstream> {
    let login = endpoint.key.login()?;
    let base = login.account_base.clone()?;
    let calls = login.kind.account_calls().iter();
    let calls = calls.map(|(method, path)| Call::like(method, path)).collect();
    let credential = credential.clone();
    Some(Upstream { at: UpstreamPath::Root, ..upstream("", base, credential, calls) })
}

pub(crate) fn to_desk(name: &str, tool_server: &ToolServer) -> Upstream {
    let ticket = Credential::Header {
        name: "authorization".to_owned(),
        value: tool_server.ticket().clone(),
    };
    let calls = ["GET", "POST", "DELETE"].map(|method| Call::below(method, "/mcp"));
    upstream(name, format!("http://{}", tool_server.address()), ticket, calls.to_vec())
}

/// What may be asked of a model's owner. The same key opens much more there (files, batches, tuning, answers that were
/// stored for others), and none of it is a role's.
fn questions(protocol: Protocol) -> &'static [&'static str] {
    match protocol {
        Protocol::OpenaiResponses => &["/v1/responses"],
        Protocol::OpenaiChat | Protocol::Ollama => &["/v1/chat/completions"],
        Protocol::Anthropic => &["/v1/messages", "/v1/messages/count_tokens"],
        Protocol::Gemini => &[
            "/v1beta/models/*:generateContent",
            "/v1beta/models/*:streamGenerateContent",
            "/v1beta/models/*:countTokens",
        ],
    }
}

fn upstream(name: &str, base: String, credential: Credential, calls: Vec<Call>) -> Upstream {
    Upstream {
        at: UpstreamPath::Named(name.to_owned()),
        base,
        credential,
        calls,
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

#[cfg(test)]
mod tests {
    use std::net::TcpListener;

    use sealwright_sandbox::egress::{Egress, Policy};

    use super::*;
    use crate::login::{Login, LoginKind};

    const ALL: [(Protocol, &str); 5] = [
        (Protocol::OpenaiResponses, "/v1/responses"),
        (Protocol::OpenaiChat, "/v1/chat/completions"),
        (Protocol::Ollama, "/v1/chat/completions"),
        (Protocol::Anthropic, "/v1/messages"),
        (Protocol::Gemini, "/v1beta/models/pro:streamGenerateContent"),
    ];

    /// What a real way out answers to one request. Nobody is behind it, so what it lets through ends with a 502.
    fn status(protocol: Protocol, method: &str, path: &str) -> u16 {
        use std::io::{Read as _, Write as _};
        let nobody = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
        let endpoint = Endpoint {
            base: format!("http://{nobody}"),
            protocol,
            key: Key::Secret(Secret::new("sk-secret")),
        };
        let policy = Policy { upstreams: vec![to_model("model", &endpoint)], ..Policy::default() };
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut stream = std::net::TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let _egress = Egress::start(listener, &policy).unwrap();
        write!(
            stream,
            "{method} /model{path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.split(' ').nth(1).unwrap().parse().unwrap()
    }

    #[test]
    fn a_login_signs_the_calls_of_its_program_and_no_other() {
        let calls = |kind: LoginKind| {
            let file = "/nowhere/file".into();
            let (way, account_base) = (kind.default_way(), None);
            let login = Login { kind, way, file, base: String::new(), account_base, user: 1000 };
            let endpoint = Endpoint {
                base: kind.base().to_owned(),
                protocol: kind.protocol(),
                key: Key::Login(login),
            };
            let model = to_model("model", &endpoint);
            assert!(matches!(model.credential, Credential::Fresh(_)), "{model:?}");
            let call = |call: &Call| format!("{} {:?}", call.method, call.path);
            (model.base, model.calls.iter().map(call).collect::<Vec<_>>().join(", "))
        };
        assert_eq!(
            calls(LoginKind::Codex),
            (
                "https://chatgpt.com/backend-api/codex".to_owned(),
                r#"GET Like("/models"), POST Like("/responses")"#.to_owned()
            )
        );
        assert_eq!(
            calls(LoginKind::Copilot),
            (
                "https://api.githubcopilot.com".to_owned(),
                r#"GET Like("/models"), POST Like("/chat/completions"), POST Like("/responses"), POST Like("/v1/messages")"#
                    .to_owned()
            )
        );
        assert_eq!(
            calls(LoginKind::ClaudeCode),
            (
                "https://api.anthropic.com".to_owned(),
                r#"POST Like("/v1/messages"), POST Like("/v1/messages/count_tokens")"#.to_owned()
            )
        );
    }

    #[test]
    fn a_role_asks_questions_and_nothing_else() {
        for (protocol, question) in ALL {
            assert_eq!(status(protocol, "POST", question), 502, "{protocol:?}");
            for method in ["GET", "HEAD", "DELETE", "PUT", "PATCH"] {
                assert_eq!(status(protocol, method, question), 405, "{protocol:?} {method}");
            }
            for (_, other) in ALL.iter().filter(|(_, other)| *other != question) {
                assert_eq!(status(protocol, "POST", other), 403, "{protocol:?} {other}");
            }
            for path in [
                "/v1/files",
                "/v1/batches",
                "/v1/fine_tuning/jobs",
                "/v1/messages/batches",
                "/v1/responses/resp_1/cancel",
                "/v1/threads/t/messages",
                "/v1beta/cachedContents",
                "/v1beta/models/pro:batchGenerateContent",
                "/v1beta/tunedModels/a:generateContent",
                "/",
                &format!("{question}/"),
                &format!("/v2{question}"),
            ] {
                assert_eq!(status(protocol, "POST", path), 403, "{protocol:?} {path}");
            }
        }
    }
}
