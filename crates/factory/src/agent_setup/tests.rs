use sealwright_agents::find::Version;

use super::*;

#[test]
fn a_kind_that_nobody_configured_asks_its_maker() {
    assert_eq!(
        hired("", "codex", &[("OPENAI_API_KEY", "sk-1")]),
        "codex asks gpt-5 at https://api.openai.com, signed"
    );
    assert_eq!(
        hired("", "claude-code", &[("ANTHROPIC_API_KEY", "sk-1")]),
        "claude-code asks claude-sonnet-4-5 at https://api.anthropic.com, signed"
    );
}

#[test]
fn a_makers_key_is_not_shown_to_somebody_else() {
    let gateway =
        "[agents.main]\nkind = \"codex\"\nmodel = \"m\"\nbase_url = \"http://127.0.0.1:9\"\n";
    assert_eq!(
        hired(gateway, "main", &[("OPENAI_API_KEY", "sk-1")]),
        "main asks m at http://127.0.0.1:9, unsigned"
    );
    let named = format!("{gateway}key_env = \"GATEWAY\"\n");
    assert_eq!(
        hired(&named, "main", &[("OPENAI_API_KEY", "sk-1")]),
        "there is no key for `main`; set GATEWAY, or name another variable with `key_env`; a login of the \
         program's own is not taken along"
    );
    assert_eq!(
        hired(&named, "main", &[("GATEWAY", "sk-2")]),
        "main asks m at http://127.0.0.1:9, signed"
    );
}

#[test]
fn the_environment_may_say_where_a_makers_models_are() {
    let key = ("OPENAI_API_KEY", "sk-1");
    for (said, base) in [
        ("https://gateway.example", "https://gateway.example"),
        ("https://gateway.example/openai/v1/", "https://gateway.example/openai"),
        (" http://127.0.0.1:9/v1 ", "http://127.0.0.1:9"),
    ] {
        assert_eq!(
            hired("", "codex", &[key, ("OPENAI_BASE_URL", said)]),
            format!("codex asks gpt-5 at {base}, signed")
        );
    }
    let other = ("OPENAI_BASE_URL", "https://gateway.example");
    assert_eq!(
        hired("", "claude-code", &[("ANTHROPIC_API_KEY", "sk-1"), other]),
        "claude-code asks claude-sonnet-4-5 at https://api.anthropic.com, signed"
    );
    let own = "[agents.main]\nkind = \"codex\"\nmodel = \"m\"\nbase_url = \"http://x:1\"\n";
    assert_eq!(hired(own, "main", &[key, other]), "main asks m at http://x:1, unsigned");
    for wrong in
        ["gateway.example", "https://me:sk-1@gateway.example", "https://x/?key=sk-1", "file:///x"]
    {
        let told = hired("", "codex", &[key, ("OPENAI_BASE_URL", wrong)]);
        assert!(told.starts_with("`OPENAI_BASE_URL` is not a plain"), "{told}");
        assert!(!told.contains("sk-1"), "{told}");
    }
}

#[test]
fn whoever_cannot_be_hired_is_told_what_is_missing() {
    for (text, name, expected) in [
        ("", "nobody", "no agent is called `nobody`"),
        ("", "human", "`human` is a person"),
        ("", "gemini", "gemini is not installed; `npm install`"),
        ("", "goose", "goose is installed among other things; apart"),
        (
            "",
            "api",
            "the kind `api` alone does not say which model is asked, and what is spoken to it",
        ),
        ("", "script", "the kind `script` alone does not say which file of steps is followed"),
        (
            "[agents.a]\nkind = \"codex\"\nprotocol = \"anthropic\"\n",
            "a",
            "codex does not speak `anthropic`; leave `protocol` out, or set it to openai-responses",
        ),
        (
            "[agents.a]\nkind = \"codex\"\nbase_url = \"http://x\"\n",
            "a",
            "nobody says which model `a` asks",
        ),
        (
            "[agents.a]\nkind = \"script\"\ncommand = [\"no/steps.toml\"]\n",
            "a",
            "the steps in `no/steps.toml` cannot be read",
        ),
    ] {
        let told = hired(text, name, &[]);
        assert!(told.starts_with(expected), "{told}");
        assert!(told.len() > expected.len() || told.contains("; "), "{told} has no hint");
    }
}

#[test]
fn an_address_is_known_of_everybody_who_asks_a_model() {
    let text = "[agents.a]\nkind = \"gemini\"\n[agents.b]\nkind = \"human\"\n\
                [agents.c]\nkind = \"api\"\nmodel = \"m\"\nprotocol = \"ollama\"\n\
                [agents.d]\nkind = \"goose\"\nbase_url = \"http://x:1\"\n";
    let config = Config::parse(text).unwrap();
    let addresses: Vec<Option<String>> =
        config.agents().map(|agent| address(agent, &|_| None)).collect();
    let expected = [
        Some("https://generativelanguage.googleapis.com"),
        None,
        Some("http://127.0.0.1:11434"),
        Some("http://x:1"),
    ];
    assert_eq!(addresses, expected.map(|it| it.map(str::to_owned)));
}

/// Who was hired on a machine with codex and Claude Code, or why nobody was.
fn hired(text: &str, name: &str, environment: &[(&str, &str)]) -> String {
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
    let around = Around { found: &found, root: Path::new("/nowhere"), variable: &variable };
    match agent(name, &config, &around) {
        Ok(hired) => {
            let signed = match hired.endpoint.key {
                Key::None => "unsigned",
                Key::Secret(_) => "signed",
            };
            format!(
                "{} asks {} at {}, {signed}",
                hired.agent.key(),
                hired.model,
                hired.endpoint.base
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
