//! `sealwright doctor` on machines with and without agents.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;

use serde_json::Value;

#[test]
fn agents_are_found_asked_and_told_what_they_need() {
    let machine = Machine::new();
    // A version is all it says, and a key would be said if it were there.
    machine.agent("codex", "echo codex-cli 0.166.0; echo $OPENAI_API_KEY $SECRET >&2");
    machine.agent("opencode", "echo 1.17.9");
    machine.agent("goose", "exit 3");
    machine.file("home/.local/share/opencode/auth.json", "{\"key\": \"sk-in-a-file\"}");
    machine.file("home/.config/goose/secrets.yaml", "sk-in-a-file");
    let told = machine.told(&[("OPENAI_API_KEY", "sk-in-a-variable")]);
    insta::assert_snapshot!(told);
    let printed = machine.printed(&[("GATEWAY", "sk-in-a-variable")]);
    assert!(!printed.contains("sk-in"), "{printed}");
    let value: Value = serde_json::from_str(&printed).unwrap();
    let states: Vec<(&str, &str)> = value["agents"]
        .as_array()
        .unwrap()
        .iter()
        .map(|agent| (agent["kind"].as_str().unwrap(), agent["state"].as_str().unwrap()))
        .collect();
    assert_eq!(
        states,
        [
            ("claude-code", "missing"),
            ("codex", "ready"),
            ("gemini", "missing"),
            ("opencode", "too_old"),
            ("goose", "unclear"),
            ("copilot", "missing"),
        ]
    );
    let access = serde_json::json!({"by": "variable", "name": "GATEWAY"});
    assert_eq!(value["agents"][1]["access"], access, "the configuration names it");
}

#[test]
fn whoever_plays_a_role_is_named_with_the_reason() {
    let machine = Machine::new();
    machine.agent("codex", "echo codex-cli 0.166.0");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let configuration = format!(
        "[agents.main]\nkind = \"codex\"\n[agents.away]\nkind = \"gemini\"\n[agents.ada]\nkind = \"human\"\n\
         [agents.judge]\nkind = \"api\"\nprotocol = \"ollama\"\nmodel = \"qwen3\"\nbase_url = \"http://{}\"\n\
         [roles]\ndefault = [\"away\", \"main\"]\narbiter = \"judge\"\nreviewer = \"away\"\nscout = \"ada\"\n\
         [sandbox]\nquick = \"advisory\"\nfactory = \"advisory\"\nstrict = \"advisory\"\n",
        listener.local_addr().unwrap()
    );
    machine.file("repository/sealwright.toml", &configuration);
    let told = machine.told(&[("OPENAI_API_KEY", "sk-in-a-variable")]);
    let (_, told) = told.split_once("\n\n").unwrap();
    let port = listener.local_addr().unwrap().port().to_string();
    insta::assert_snapshot!(told.replace(&port, "PORT"));
    // Only who asks for it has the network tried; here it is this machine's own, with a door that was closed.
    let closed = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let at = |kind: &str| format!("{kind}\nbase_url = \"http://{closed}\"\nmodel = \"m\"");
    let (codex, gemini) = ("kind = \"codex\"", "kind = \"gemini\"");
    let here = configuration.replace(codex, &at(codex)).replace(gemini, &at(gemini));
    machine.file("repository/sealwright.toml", &here);
    let printed = machine.run(&["--online", "--format", "json"], &[]);
    let value: Value = serde_json::from_str(&printed).unwrap();
    let reach = |name: &str| {
        let models = value["models"].as_array().unwrap();
        models.iter().find(|model| model["agent"] == name).unwrap()["reach"].clone()
    };
    assert_eq!((reach("judge"), reach("away")), ("reached".into(), "unreached".into()));
}

#[test]
fn a_machine_where_nothing_can_be_built_is_told_so_by_the_exit_code() {
    let machine = Machine::new();
    let sandbox =
        "[sandbox]\nquick = \"advisory\"\nfactory = \"advisory\"\nstrict = \"advisory\"\n";
    machine.file("repository/sealwright.toml", sandbox);
    let (exit, told, error) = machine.ended(&[], &[]);
    assert_eq!(exit, Some(20), "{told}");
    assert!(told.ends_with("role test-author: not ready (no agent is configured)\n"), "{told}");
    assert!(error.contains("the builder is not ready"), "{error}");
    // An agent without a key cannot be used either.
    machine.agent("codex", "echo codex-cli 0.166.0");
    let (exit, told, _) = machine.ended(&[], &[]);
    assert_eq!(exit, Some(20), "{told}");
    let (exit, told, _) = machine.ended(&[], &[("OPENAI_API_KEY", "sk-in-a-variable")]);
    assert_eq!(exit, Some(0), "{told}");
    assert!(told.contains("role builder: ready, codex ("), "{told}");
    assert!(told.ends_with("`sealwright init` or `do` adds these\n"), "{told}");
    // A person is no program that could be called.
    machine
        .file("repository/sealwright.toml", &format!("[agents.ada]\nkind = \"human\"\n{sandbox}"));
    let (exit, told, _) = machine.ended(&[], &[]);
    assert_eq!(exit, Some(20), "{told}");
    assert!(told.contains("`ada` is a person"), "{told}");
}

/// A home, a folder of agents, and a repository that names a variable of its own.
struct Machine {
    folder: tempfile::TempDir,
}

impl Machine {
    fn new() -> Self {
        let open = fs::Permissions::from_mode(0o755);
        let folder = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let machine = Self { folder };
        machine.file(
            "repository/sealwright.toml",
            "[agents.main]\nkind = \"codex\"\nkey_env = \"GATEWAY\"\n\
             [sandbox]\nquick = \"advisory\"\nfactory = \"advisory\"\nstrict = \"advisory\"\n",
        );
        machine
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn agent(&self, name: &str, script: &str) {
        let path = format!("agents/bin/{name}");
        self.file(&path, &format!("#!/bin/sh\n{script}\n"));
        let open = fs::Permissions::from_mode(0o755);
        fs::set_permissions(self.folder.path().join(path), open).unwrap();
    }

    /// What people read of the agents.
    fn told(&self, environment: &[(&str, &str)]) -> String {
        let told = self.run(&[], environment);
        let place = self.folder.path().display().to_string();
        let agents = told.find("\nagent ").unwrap_or_else(|| panic!("no agents: {told}")) + 1;
        told[agents..].replace(&place, "")
    }

    fn printed(&self, environment: &[(&str, &str)]) -> String {
        self.run(&["--format", "json"], environment)
    }

    fn run(&self, args: &[&str], environment: &[(&str, &str)]) -> String {
        let (_, told, _) = self.ended(args, environment);
        told
    }

    /// The exit code, and what was printed.
    fn ended(&self, args: &[&str], environment: &[(&str, &str)]) -> (Option<i32>, String, String) {
        let at = |path: &str| self.folder.path().join(path);
        let output = Command::new(env!("CARGO_BIN_EXE_sealwright"))
            .arg("doctor")
            .args(args)
            .current_dir(at("repository"))
            .env_clear()
            // Neither agents nor node of this machine are found.
            .env("PATH", "/nowhere")
            .env("NO_COLOR", "1")
            .env("HOME", at("home"))
            .env("SECRET", "sk-in-a-variable")
            .env("SEALWRIGHT_AGENTS", at("agents"))
            .env("SEALWRIGHT_STATE", std::env::temp_dir().join("sealwright-tests"))
            .env("SEALWRIGHT_ALLOW", "/")
            .envs(environment.iter().copied())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }
}
