//! `sealwright agents try`, with a scripted model and everything else real.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::Command;

use jsonschema::Validator;
use sealwright_scripted_model::{Fault, Model, Script, Step};
use serde_json::{Value, json};

#[test]
fn a_script_that_does_everything_holds_without_a_model() {
    let fixture = Fixture::new("[agents.a]\nkind = \"script\"\ncommand = [\"steps.toml\"]\n");
    let written = "[[step]]\ndo = \"write\"\npath = \"hello.txt\"\ntext = \"marigold-71\\n\"\n\
                   [[step]]\ndo = \"run\"\ncommand = \"cat hello.txt\"\n";
    let submit = "[[step]]\ndo = \"submit\"\nanswer = { word = \"marigold-71\" }\n";
    fixture.file("steps.toml", &format!("{written}{submit}"));
    let tried = fixture.tries("a", &[]);
    assert_eq!((tried.code, tried.holds()), (0, vec![true, true, true]), "{tried:?}");
    assert_eq!(tried.value["commands_told"], 1);
    assert!(tried.told.contains("changes: hello.txt\nruns: sh cat hello.txt\n"), "{}", tried.told);

    // A file that holds something else is not the file, whatever was handed in.
    fixture.file("steps.toml", &format!("{}{submit}", written.replace("marigold", "daisy")));
    let tried = fixture.tries("a", &[]);
    assert_eq!((tried.code, tried.holds()), (10, vec![true, false, true]), "{tried:?}");

    // So is a link to one.
    let link = "[[step]]\ndo = \"run\"\ncommand = \"echo marigold-71 > x; ln -s x hello.txt\"\n";
    fixture.file("steps.toml", &format!("{link}{submit}"));
    let tried = fixture.tries("a", &[]);
    assert_eq!((tried.code, tried.holds()), (10, vec![true, false, true]), "{tried:?}");
}

#[test]
fn hostile_talk_does_not_steer_the_terminal() {
    let fixture = Fixture::new("[agents.a]\nkind = \"script\"\ncommand = [\"steps.toml\"]\n");
    fixture.file(
        "steps.toml",
        "[[step]]\ndo = \"run\"\ncommand = \"printf '\\\\033[2Jgone\\\\n'\"\n\
         [[step]]\ndo = \"fail\"\nfailure = \"refused\"\nwhy = \"\\u001b[2Jno\"\n",
    );
    let tried = fixture.tries("a", &[]);
    assert_eq!(tried.code, 10, "{tried:?}");
    assert!(tried.told.contains("gone"), "{}", tried.told);
    assert!(!tried.told.contains('\u{1b}') && !tried.printed.contains('\u{1b}'), "{tried:?}");
    assert!(tried.told.contains("hint: the model refused"), "{}", tried.told);
}

#[test]
fn a_model_asked_directly_only_answers() {
    let (fixture, _model) = asked_directly(Step::answer(json!({"word": "heron"})));
    let tried = fixture.tries("judge", &["--word", "heron"]);
    assert_eq!((tried.code, tried.holds()), (0, vec![true, true]), "{tried:?}");
    assert_eq!(tried.value["confinement"], Value::Null);
    assert!(tried.value["tokens"]["output"].as_u64().unwrap() > 0, "{tried:?}");
    assert!(tried.value["micro_dollars"].as_u64().unwrap() > 0, "its price is configured");

    let tried = fixture.tries("judge", &["--word", "stork"]);
    assert_eq!((tried.code, tried.holds()), (10, vec![true, false]), "{tried:?}");
}

#[test]
fn a_wrong_key_is_named_as_one() {
    let step = Step::answer(json!({"word": "heron"})).always(Fault::Unauthorised);
    let (fixture, _model) = asked_directly(step);
    let tried = fixture.tries("judge", &[]);
    assert_eq!((tried.code, &tried.value["result"]), (20, &json!("environment")), "{tried:?}");
    assert!(tried.told.contains("hint: the key was rejected"), "{}", tried.told);
    assert!(!tried.told.contains(KEY) && !tried.printed.contains(KEY), "{tried:?}");
}

#[test]
fn what_is_missing_is_said_before_anything_runs() {
    let judge = "[agents.judge]\nkind = \"api\"\nmodel = \"m\"\nprotocol = \"anthropic\"\n";
    let fixture = Fixture::new(judge);
    for (name, code, expected) in [
        ("judge", 20, "hint: set ANTHROPIC_API_KEY, or"),
        ("codex", 20, "error: codex is not installed\nhint: `npm install"),
        ("nobody", 2, "error: no agent named `nobody`\nhint: the configured agents are judge"),
        ("human", 12, "error: `human` is a person"),
    ] {
        let (found, told) = fixture.refused(name);
        assert_eq!(found, code, "{told}");
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn a_model_that_nobody_serves_is_not_reached() {
    let gone = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let fixture = Fixture::new(&format!(
        "[agents.judge]\nkind = \"api\"\nmodel = \"m\"\nprotocol = \"ollama\"\nbase_url = \"http://{gone}\"\n"
    ));
    let tried = fixture.tries("judge", &[]);
    assert_eq!((tried.code, &tried.value["result"]), (20, &json!("environment")), "{tried:?}");
    assert!(tried.told.contains("hint: check `base_url`"), "{}", tried.told);
}

#[test]
fn codex_does_the_whole_trial() {
    let Some(agents) = agents() else { return };
    let script = Script::new([
        Step::write("hello.txt", "marigold-71\n"),
        Step::run("cat hello.txt"),
        Step::tool("submit_result", json!({"word": "marigold-71"})),
        Step::text("Done."),
    ]);
    let (fixture, model) = codex(agents, script);
    let tried = fixture.tries("main", &[]);
    assert_eq!((tried.code, tried.holds()), (0, vec![true, true, true]), "{tried:?}");
    assert_eq!(tried.value["calls"], json!(["submit_result"]));
    assert_eq!(tried.value["confinement"]["level"], "kernel-isolated");
    let signed = |value: &String| value.ends_with(KEY);
    assert!(model.requests().iter().any(|asked| asked.headers.values().any(signed)));
}

#[test]
fn codex_that_answers_and_writes_nothing_is_not_proven() {
    let Some(agents) = agents() else { return };
    let script = Script::new([
        Step::tool("submit_result", json!({"word": "marigold-71"})),
        Step::text("Done."),
    ]);
    let (fixture, _model) = codex(agents, script);
    let tried = fixture.tries("main", &[]);
    assert_eq!((tried.code, tried.holds()), (10, vec![true, false, true]), "{tried:?}");
    assert!(
        tried.told.contains("hint: the agent answers but does not do the work"),
        "{}",
        tried.told
    );
}

#[test]
fn codex_with_a_wrong_key_is_not_tried_for_long() {
    let Some(agents) = agents() else { return };
    let script = Script::new([Step::text("Never said.").always(Fault::Unauthorised)]);
    let (fixture, _model) = codex(agents, script);
    let tried = fixture.tries("main", &[]);
    assert_eq!(tried.code, 20, "{tried:?}");
    assert!(tried.told.contains("hint: the key was rejected"), "{}", tried.told);
}

/// A repository with a configuration, and nothing of this machine's agents.
struct Fixture {
    folder: tempfile::TempDir,
    agents: PathBuf,
}

/// What came of a trial.
#[derive(Debug)]
struct Tried {
    code: i32,
    told: String,
    printed: String,
    value: Value,
}

impl Tried {
    fn holds(&self) -> Vec<bool> {
        let claims = self.value["claims"].as_array().unwrap();
        claims.iter().map(|claim| claim["holds"].as_bool().unwrap()).collect()
    }
}

impl Fixture {
    fn new(configuration: &str) -> Self {
        let open = fs::Permissions::from_mode(0o755);
        let folder = tempfile::Builder::new().permissions(open).tempdir().unwrap();
        let fixture = Self { folder, agents: PathBuf::from("/nowhere") };
        fixture.file("sealwright.toml", configuration);
        fixture
    }

    fn file(&self, name: &str, text: &str) {
        fs::write(self.folder.path().join(name), text).unwrap();
    }

    /// Tries an agent; what is printed has to be what the published schema says.
    fn tries(&self, name: &str, more: &[&str]) -> Tried {
        let (code, printed, told) = self.run(name, &[&["--format", "json"], more].concat());
        let value: Value = serde_json::from_str(&printed)
            .unwrap_or_else(|error| panic!("{error}: {printed}, {told}"));
        assert!(schema().is_valid(&value), "{value}");
        let (again, people, _) = match code {
            // What costs a run is run once.
            _ if name == "main" => return Tried { code, told, printed, value },
            _ => self.run(name, more),
        };
        assert_eq!(again, code, "{people}");
        assert!(people.contains("claim") && people.contains("seconds: "), "{people}");
        Tried { code, told, printed, value }
    }

    /// Tries an agent that cannot be tried at all.
    fn refused(&self, name: &str) -> (i32, String) {
        let (code, printed, told) = self.run(name, &["--format", "json"]);
        assert_eq!(printed, "", "nothing was found out");
        (code, told)
    }

    fn run(&self, name: &str, more: &[&str]) -> (i32, String, String) {
        let output = Command::new(env!("CARGO_BIN_EXE_sealwright"))
            .args(["agents", "try", name])
            .args(more)
            .current_dir(self.folder.path())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("NO_COLOR", "1")
            .env("HOME", self.folder.path())
            .env("GATEWAY", KEY)
            .env("SEALWRIGHT_AGENTS", &self.agents)
            .env("SEALWRIGHT_STATE", std::env::temp_dir().join("sealwright-tests"))
            .env("SEALWRIGHT_ALLOW", "/")
            .output()
            .unwrap();
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
    }
}

/// A model without an agent around it, and its price.
fn asked_directly(step: Step) -> (Fixture, Model) {
    let model = Model::start(Script::new([step])).unwrap();
    let fixture = Fixture::new(&format!(
        "[agents.judge]\nkind = \"api\"\nmodel = \"scripted-1\"\nprotocol = \"openai-chat\"\n\
         base_url = \"http://{}\"\nkey_env = \"GATEWAY\"\n\
         [prices.\"scripted\"]\ninput = 100.0\noutput = 100.0\n",
        model.address()
    ));
    (fixture, model)
}

fn codex(agents: PathBuf, script: Script) -> (Fixture, Model) {
    let model = Model::start(script).unwrap();
    let fixture = Fixture::new(&format!(
        "[agents.main]\nkind = \"codex\"\nmodel = \"gpt-5\"\nbase_url = \"http://{}\"\nkey_env = \"GATEWAY\"\n",
        model.address()
    ));
    (Fixture { agents, ..fixture }, model)
}

/// Where agents are installed. Who has none tries none, but the machine that checks every change has them.
fn agents() -> Option<PathBuf> {
    let folder = std::env::var_os("SEALWRIGHT_AGENTS").map(PathBuf::from);
    let is_there = folder.as_ref().is_some_and(|folder| folder.join("bin/codex").exists());
    assert!(is_there || std::env::var_os("CI").is_none(), "SEALWRIGHT_AGENTS has no codex");
    folder.filter(|_| is_there)
}

fn schema() -> Validator {
    let text = include_str!("../../../docs/schemas/agents.json");
    jsonschema::draft202012::new(&serde_json::from_str(text).unwrap()).unwrap()
}

const KEY: &str = "sk-outside-only-77e1";
