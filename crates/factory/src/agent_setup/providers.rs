//! Model providers: address, key variables and default model. Data only.

use sealwright_agents::Protocol;

/// The provider a protocol is best known for.
pub(super) struct Maker {
    protocols: &'static [Protocol],
    /// The base address, without the version.
    pub(super) base: &'static str,
    /// The environment variable that overrides the address, if there is a convention.
    pub(super) elsewhere: Option<&'static str>,
    /// The version that an overriding address may end with.
    pub(super) version: &'static str,
    /// Environment variables that may hold a key; none if no key is needed.
    pub(super) variables: &'static [&'static str],
    pub(super) model: Option<&'static str>,
}

pub(super) fn maker(protocol: Protocol) -> &'static Maker {
    let speaks = |maker: &&Maker| maker.protocols.contains(&protocol);
    MAKERS.iter().find(speaks).unwrap_or(&OLLAMA)
}

const OLLAMA: Maker = Maker {
    protocols: &[Protocol::Ollama],
    base: "http://127.0.0.1:11434",
    elsewhere: None,
    version: "",
    variables: &[],
    model: None,
};
const MAKERS: &[Maker] = &[
    Maker {
        protocols: &[Protocol::OpenaiResponses, Protocol::OpenaiChat],
        base: "https://api.openai.com",
        elsewhere: Some("OPENAI_BASE_URL"),
        version: "/v1",
        variables: &["OPENAI_API_KEY", "CODEX_API_KEY"],
        model: Some("gpt-5"),
    },
    Maker {
        protocols: &[Protocol::Anthropic],
        base: "https://api.anthropic.com",
        elsewhere: Some("ANTHROPIC_BASE_URL"),
        version: "/v1",
        variables: &["ANTHROPIC_API_KEY"],
        model: Some("claude-sonnet-4-5"),
    },
    Maker {
        protocols: &[Protocol::Gemini],
        base: "https://generativelanguage.googleapis.com",
        elsewhere: Some("GOOGLE_GEMINI_BASE_URL"),
        version: "/v1beta",
        variables: &["GEMINI_API_KEY", "GOOGLE_API_KEY"],
        model: Some("gemini-2.5-pro"),
    },
    OLLAMA,
];
