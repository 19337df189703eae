use sealwright_agents::find::Version;

use super::*;

#[test]
fn an_unconfigured_kind_asks_its_provider() {
    assert_eq!(
        configured("", "codex", &[("OPENAI_API_KEY", "sk-1")]),
        "codex asks gpt-5 at https://api.openai.com, signed"
    );
    assert_eq!(
        configured("", "claude-code", &[("ANTHROPIC_API_KEY", "sk-1")]),
        "claude-code asks claude-sonnet-4-5 at https://api.anthropic.com, signed"
    );
}

#[test]
fn a_providers_key_is_not_sent_to_another_address() {
    let gateway =
        "[agents.main]\nkind = \"codex\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9\"\n";
    assert_eq!(
        configured(gateway, "main", &[("OPENAI_API_KEY", "sk-1")]),
        "main asks m at http://127.0.0.1:9, unsigned"
    );
    let named = format!("{gateway}key_env = \"GATEWAY\"\n");
    assert_eq!(
        configured(&named, "main", &[("OPENAI_API_KEY", "sk-1")]),
        "no API key for `main`; set GATEWAY, or name another variable with `key_env`; the program's own login is \
         not used"
    );
    assert_eq!(
        configured(&named, "main", &[("GATEWAY", "sk-2")]),
        "main asks m at http://127.0.0.1:9, signed"
    );
}

#[test]
fn the_environment_may_override_a_providers_address() {
    let key = ("OPENAI_API_KEY", "sk-1");
    for (said, base) in [
        ("https://gateway.example", "https://gateway.example"),
        ("https://gateway.example/openai/v1/", "https://gateway.example/openai"),
        (" http://127.0.0.1:9/v1 ", "http://127.0.0.1:9"),
    ] {
        assert_eq!(
            configured("", "codex", &[key, ("OPENAI_BASE_URL", said)]),
            format!("codex asks gpt-5 at {base}, signed")
        );
    }
    let other = ("OPENAI_BASE_URL", "https://gateway.example");
    assert_eq!(
        configured("", "claude-code", &[("ANTHROPIC_API_KEY", "sk-1"), other]),
        "claude-code asks claude-sonnet-4-5 at https://api.anthropic.com, signed"
    );
    let own = "[agents.main]\nkind = \"codex\"\nmodel = \"m\"\nbase_url = \"http://x:1\"\n";
    assert_eq!(configured(own, "main", &[key, other]), "main asks m at http://x:1, unsigned");
    for wrong in
        ["gateway.example", "https://me:sk-1@gateway.example", "https://x/?key=sk-1", "file:///x"]
    {
        let message = configured("", "codex", &[key, ("OPENAI_BASE_URL", wrong)]);
        assert!(message.starts_with("`OPENAI_BASE_URL` is not a plain"), "{message}");
        assert!(!message.contains("sk-1"), "{message}");
    }
}

#[test]
fn an_agent_that_cannot_be_set_up_has_a_reason_and_a_hint() {
    for (text, name, expected) in [
        ("", "nobody", "no agent named `nobody`"),
        ("", "human", "`human` is a person"),
        ("", "gemini", "gemini is not installed; `npm install`"),
        ("", "goose", "goose shares its folder with other programs; apart"),
        ("", "api", "kind `api` needs a `protocol` and a `model`"),
        ("", "script", "kind `script` needs a `command` that names a script file"),
        (
            "[agents.a]\nkind = \"codex\"\nprotocol = \"anthropic\"\n",
            "a",
            "codex does not support the protocol `anthropic`; leave `protocol` out, or set it to openai-responses",
        ),
        (
            "[agents.a]\nkind = \"codex\"\nbase_url = \"http://x\"\n",
            "a",
            "no model configured for `a`",
        ),
        (
            "[agents.a]\nkind = \"script\"\ncommand = [\"no/steps.toml\"]\n",
            "a",
            "cannot read the script `no/steps.toml`",
        ),
    ] {
        let message = configured(text, name, &[]);
        assert!(message.starts_with(expected), "{message}");
        assert!(message.len() > expected.len() || message.contains("; "), "{message} has no hint");
    }
}

#[test]
fn every_agent_with_a_model_has_an_address() {
    let text = "[agents.a]\nkind = \"gemini\"\n[agents.b]\nkind = \"human\"\n\
                [agents.c]\nkind = \"api\"\nmodel = \"m\"\nprotocol = \"ollama\"\n\
                [agents.d]\nkind = \"goose\"\nbase_url = \"http://x:1\"\n";
    let config = Config::parse(text).unwrap();
    let addresses: Vec<Option<String>> =
        config.agents().map(|agent| address(agent, &|_| None, &Logins::default())).collect();
    let expected = [
        Some("https://generativelanguage.googleapis.com"),
        None,
        Some("http://127.0.0.1:11434"),
        Some("http://x:1"),
    ];
    assert_eq!(addresses, expected.map(|it| it.map(str::to_owned)));
}

/// The agent on a machine with codex and Claude Code, or why there is none.
fn configured(text: &str, name: &str, environment: &[(&str, &str)]) -> String {
    let config = Config::parse(text).unwrap();
    let found = [
        found("codex", State::NoAccess, Some("/agents"), "log in"),
        found("claude-code", State::Ready, Some("/agents"), ""),
        found("gemini", State::Missing, None, "`npm install`"),
        found("goose", State::Ready, None, "apart"),
    ];
    let variable = |name: &str| {
        let held = environment.iter().find(|(known, _)| *known == name);
        held.map(|(_, value)| (*value).to_owned())
    };
    let (root, logins) = (Path::new("/nowhere"), Logins::default());
    let around = Around { found: &found, root, variable: &variable, logins: &logins };
    match agent(name, &config, &around) {
        Ok(configured) => {
            let signed = match configured.endpoint.key {
                Key::None => "unsigned",
                Key::Secret(_) => "signed",
                Key::Login(_) => "signed by a login",
            };
            format!(
                "{} asks {} at {}, {signed}",
                configured.agent.key(),
                configured.model,
                configured.endpoint.base
            )
        }
        Err(error) => format!("{error}; {}", error.hint()),
    }
}

fn found(kind: &'static str, state: State, installed: Option<&str>, advice: &str) -> Found {
    Found {
        kind,
        state,
        program: None,
        installed: installed.map(PathBuf::from),
        version: Some(Version { major: 9, minor: 0, patch: 0 }),
        access: None,
        advice: vec![advice.to_owned()],
    }
}
