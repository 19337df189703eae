use proptest::prelude::*;
use proptest::sample::Index;
use sealwright_gates::kinds::Setting;
use sealwright_kernel::Role;

use super::*;

const FULL: &str = r#"
[project]
name = "shop"
lane = "factory"
autonomy = "conservative"

[checks.unit]
command = ["cargo", "test"]

[checks.lint]
kind = "lint"
sets = ["exit"]
command = ["cargo", "clippy", "--", "-D", "warnings"]
report = "lint.sarif"
timeout_s = 600

[agents.main]
kind = "codex"

[agents.reader]
kind = "script"
command = ["bin/reader", "--strict"]

[agents.judge]
kind = "api"
model = "claude-sonnet-4-5"
protocol = "anthropic"
base_url = "https://gateway.example/"
key_env = "ANTHROPIC_API_KEY"

[roles]
default = "main"
refute-reader = ["reader", "main"]

[prices."claude-sonnet"]
input = 3
cached = 0.3
output = 15.0

[sandbox]
quick = "kernel-restricted"
strict = "kernel-isolated"

[budget]
dollars = 2.50
minutes = 90
tokens = 2_000_000

[budget.invocation]
dollars = 0.50

[budget.project]
minutes = 600

[limits]
rate_limited = "park"
wait_minutes_max = 15
"#;

/// The message and the hint.
fn refusal(text: &str) -> String {
    let error = Config::parse(text).unwrap_err();
    format!("{error}\n{}", error.hint().unwrap())
}

#[test]
fn a_full_file_says_everything() {
    let config = Config::parse(FULL).unwrap();
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
    let check = |name: &str, kind: &str, command: &[&str], timeout_s| Check {
        name: name.to_owned(),
        kind: sealwright_gates::kinds::Kind::of(kind).unwrap(),
        sets: Set::ALL.into(),
        setting: Setting { command: words(command), timeout_s, ..Setting::default() },
    };
    let agent = |name: &str, kind, family: &str| Agent {
        name: name.to_owned(),
        kind,
        model: None,
        base_url: None,
        protocol: None,
        key_env: None,
        family: family.to_owned(),
        command: vec![],
    };
    let reader = Agent {
        command: words(&["bin/reader", "--strict"]),
        ..agent("reader", Kind::Script, "script")
    };
    let judge = Agent {
        model: Some("claude-sonnet-4-5".to_owned()),
        protocol: Some(sealwright_agents::Protocol::Anthropic),
        base_url: Some("https://gateway.example".to_owned()),
        key_env: Some("ANTHROPIC_API_KEY".to_owned()),
        ..agent("judge", Kind::Api, "anthropic")
    };
    let agents = [agent("main", Kind::Codex, "openai"), reader, judge];
    assert_eq!(
        config,
        Config {
            project: Project {
                name: Some("shop".to_owned()),
                lane: Lane::Factory,
                autonomy: Autonomy::Conservative,
                signed_decisions: false,
            },
            budget: Budget {
                micro_dollars: Some(2_500_000),
                minutes: Some(90),
                tokens: Some(2_000_000),
            },
            invocation_budget: Budget { micro_dollars: Some(500_000), ..Budget::default() },
            project_budget: Budget { minutes: Some(600), ..Budget::default() },
            patience: Patience { rate_limited: RateLimited::Park, wait_minutes_max: 15 },
            sandbox: Sandbox { quick: Level::KernelRestricted, ..Sandbox::default() },
            checks: vec![
                {
                    let words = ["cargo", "clippy", "--", "-D", "warnings"];
                    let mut lint = check("lint", "lint", &words, 600);
                    lint.sets = [Set::Exit].into();
                    lint.setting.report = Some("lint.sarif".to_owned());
                    lint
                },
                check("unit", "command", &["cargo", "test"], 1_800),
            ],
            agents: agents.into_iter().map(|agent| (agent.name.clone(), agent)).collect(),
            roles: BTreeMap::from([
                ("default", words(&["main"])),
                ("refute-reader", words(&["reader", "main"])),
            ]),
            prices: BTreeMap::from([(
                "claude-sonnet".to_owned(),
                Price {
                    input: 3_000_000,
                    cached: Some(300_000),
                    cache_written: None,
                    output: 15_000_000,
                },
            )]),
        }
    );
}

#[test]
fn the_documented_file_can_be_read() {
    let page = include_str!("../../../docs/configuration.md");
    let example = page.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
    let config = Config::parse(example).unwrap();
    assert_eq!((config.checks().len(), config.agents.len(), config.prices.len()), (1, 3, 1));
    for role in Role::ALL {
        assert!(page.contains(&format!("`{}`", role.name())), "{}", role.name());
    }
    for kind in sealwright_gates::kinds::ALL {
        assert!(page.contains(&format!("`\"{}\"`", kind.key)), "{}", kind.key);
    }
    for kind in Kind::ALL {
        assert!(page.contains(&format!("`\"{}\"`", kind.name())), "{}", kind.name());
        let more = match kind {
            Kind::Script => "command = [\"a\"]",
            Kind::Api => "model = \"a\"\nprotocol = \"ollama\"",
            _ => "",
        };
        let text = format!("[agents.a]\nkind = \"{}\"\n{more}\n", kind.name());
        let config = Config::parse(&text).unwrap();
        assert_eq!(config.agents().map(|agent| agent.kind).collect::<Vec<_>>(), [kind]);
    }
}

#[test]
fn a_family_follows_from_the_model_then_the_protocol_then_the_agent() {
    let family = |lines: &str| {
        let config = Config::parse(&format!("[agents.a]\n{lines}\n")).unwrap();
        config.agents["a"].family.clone()
    };
    assert_eq!(family("kind = \"claude-code\""), "anthropic");
    assert_eq!(
        family("kind = \"goose\"\nmodel = \"openrouter/anthropic/claude-opus-4\""),
        "anthropic"
    );
    assert_eq!(family("kind = \"goose\"\nprotocol = \"gemini\""), "google");
    assert_eq!(family("kind = \"goose\""), "openai");
    assert_eq!(family("kind = \"codex\"\nfamily = \"Own\""), "own");
}

#[test]
fn a_key_in_the_file_is_refused_and_not_repeated() {
    for key in ["sk-ant-api03-0123456789", "AIzaSyA-0123", "ghp_0123456789abcdef", "", "A-B", "1A"]
    {
        let refused = refusal(&format!("[agents.a]\nkind = \"codex\"\nkey_env = \"{key}\"\n"));
        assert!(refused.contains("not the name of an environment variable"), "{refused}");
        assert!(refused.contains("3:11") && refused.contains("OPENAI_API_KEY"), "{refused}");
        assert!(key.len() < 4 || !refused.contains(key), "{refused}");
    }
    for field in ["key", "api_key", "token"] {
        let refused = refusal(&format!("[agents.a]\nkind = \"codex\"\n{field} = \"sk-secret\"\n"));
        assert!(refused.contains(&format!("unknown field `{field}`")), "{refused}");
        assert!(!refused.contains("sk-secret"), "{refused}");
    }
    for base in ["ftp://a", "https://", "https://me:sk-secret@a", "https://a/?key=sk-secret", "a"] {
        let refused = refusal(&format!("[agents.a]\nkind = \"codex\"\nbase_url = \"{base}\"\n"));
        assert!(refused.contains("not a plain http or https address"), "{refused}");
        assert!(!refused.contains("sk-secret"), "{refused}");
    }
}

#[test]
fn an_empty_file_is_the_default() {
    assert_eq!(Config::parse("").unwrap(), Config::default());
    let Config { project, budget, sandbox, checks, agents, roles, prices, .. } = Config::default();
    let Config { invocation_budget, project_budget, patience, .. } = Config::default();
    assert_eq!([invocation_budget, project_budget], [Budget::default(); 2]);
    assert_eq!(patience, Patience { rate_limited: RateLimited::Wait, wait_minutes_max: 60 });
    assert_eq!(sandbox.least(Lane::Quick), Level::KernelRestrictedUid);
    assert_eq!(sandbox.least(Lane::Strict), Level::KernelIsolated);
    assert_eq!((project.lane, project.autonomy), (Lane::Quick, Autonomy::Auto));
    assert_eq!((budget, checks.len(), agents.len()), (Budget::default(), 0, 0));
    assert!(roles.is_empty() && prices.is_empty());
}

#[test]
fn a_level_that_does_not_exist_is_named() {
    let refused = refusal("[sandbox]\nquick = \"kernel\"\n");
    assert!(
        refused.contains("sealwright.toml:2:9") && refused.contains("unknown variant `kernel`"),
        "{refused}"
    );
    for level in Level::ALL {
        let config =
            Config::parse(&format!("[sandbox]\nfactory = \"{}\"\n", level.name())).unwrap();
        assert_eq!(config.sandbox.least(Lane::Factory), level);
    }
}

#[test]
fn phases_and_graphs_cannot_be_configured() {
    for name in ["phases", "pipeline", "graph", "workflow", "states", "gates", "lanes"] {
        for text in [format!("[{name}]\n"), format!("[[{name}]]\n"), format!("{name} = 1\n")] {
            let refused = refusal(&text);
            assert!(refused.contains(&format!("unknown table `{name}`")), "{refused}");
        }
    }
    let tables = ["project", "checks.unit", "agents.main", "prices.m", "sandbox", "limits"];
    let budgets = ["budget", "budget.invocation", "budget.project"];
    for table in tables.into_iter().chain(budgets) {
        for key in ["phases", "after", "next", "depends_on"] {
            let refused = refusal(&format!("[{table}]\n{key} = []\n"));
            assert!(refused.contains(&format!("unknown field `{key}`")), "{refused}");
        }
    }
}

#[test]
fn a_refusal_says_where_what_and_what_to_do() {
    let texts = [
        "[project\n",
        "[project]\nname = \"é\" lane = 1\n",
        "[phases.mine]\n",
        "[project]\nlane = \"fast\"\n",
        "[project]\nname = \" \"\n",
        "[checks]\nunit = [\"cargo\"]\n",
        "project = [\"shop\"]\n",
        "[[checks]]\n",
        "[checks.unit]\n",
        "[checks.unit]\ncommand = \"cargo test\"\n",
        "[checks.unit]\ncommand = []\n",
        "[checks.unit]\ncommand = [\"cargo\", \" \"]\n",
        "[checks.\"unit tests\"]\ncommand = [\"cargo\"]\n",
        "[checks.unit]\ncommand = [\"cargo\"]\ntimeout_s = 0\n",
        "[agents.\"the boss\"]\nkind = \"codex\"\n",
        "[agents.main]\nmodel = \"large\"\n",
        "[agents.main]\nkind = \"cursor\"\n",
        "[agents.main]\nkind = \"codex\"\ncommand = [\"codex\"]\n",
        "[agents.main]\nkind = \"script\"\n",
        "[agents.main]\nkind = \"api\"\nmodel = \"large\"\n",
        "[agents.main]\nkind = \"codex\"\n[roles]\nboss = \"main\"\n",
        "[agents.main]\nkind = \"codex\"\n[roles]\nbuilder = \"mian\"\n",
        "[roles]\nbuilder = \"main\"\n",
        "[roles]\nbuilder = []\n",
        "[roles]\nbuilder = 1\n",
        "[prices.m]\ninput = -1\noutput = 1\n",
        "[prices.m]\ninput = 1\n",
        "[budget]\ndollars = 0.001\n",
        "[budget]\ntokens = -1\n",
        "[budget]\ninvocation = [1.0]\n",
        "[budget.project]\nminutes = 0\n",
        "[limits]\nrate_limited = \"hope\"\n",
        "[limits]\nwait_minutes_max = 10081\n",
    ];
    let refusals: Vec<String> = texts.iter().map(|text| refusal(text)).collect();
    insta::assert_snapshot!(refusals.join("\n"), @r#"
    sealwright.toml:1:9: unclosed table, expected `]`
    see https://toml.io for the syntax of TOML
    sealwright.toml:2:12: unexpected key or value, expected newline, `#`
    see https://toml.io for the syntax of TOML
    sealwright.toml:1:2: unknown table `phases`
    the tables are [project], [checks.NAME], [agents.NAME], [roles], [prices."MODEL"], [sandbox], [budget] and [limits]; phases cannot be configured
    sealwright.toml:2:8: unknown variant `fast`, expected one of `quick`, `factory`, `strict`
    see docs/configuration.md for every key
    sealwright.toml:2:8: `name` is blank, longer than 200 bytes or contains a control character
    write a few words on one line
    sealwright.toml:2:8: `unit` is not a table
    start a table with its name in brackets, like [checks.tests]
    sealwright.toml:1:11: `project` is not a table
    start a table with its name in brackets, like [checks.tests]
    sealwright.toml:1:1: `checks` is not a table
    start a table with its name in brackets, like [checks.tests]
    sealwright.toml:1:9: a check of kind `command` needs `command`
    write the program and its arguments, like ["cargo", "test"]
    sealwright.toml:2:11: invalid type: string "cargo test", expected a sequence
    see docs/configuration.md for every key
    sealwright.toml:2:11: the command is empty
    write the program and its arguments, like ["cargo", "test"]
    sealwright.toml:2:21: an argument of the command is blank or contains a zero byte
    write the program and its arguments, like ["cargo", "test"]
    sealwright.toml:1:9: `unit tests` is not a valid name for a check
    use letters, digits, - and _, at most 64 of them
    sealwright.toml:3:13: `timeout_s` is not a whole number from 1 to 86400
    write a number in that range
    sealwright.toml:1:9: `the boss` is not a valid name for an agent
    use letters, digits, - and _, at most 64 of them
    sealwright.toml:1:1: missing field `kind`
    see docs/configuration.md for every key
    sealwright.toml:2:8: unknown variant `cursor`, expected one of `claude-code`, `codex`, `gemini`, `opencode`, `goose`, `copilot`, `api`, `human`, `script`
    see docs/configuration.md for every key
    sealwright.toml:3:11: `command` is only for agents of kind `script`
    remove it, or change the kind to `script`
    sealwright.toml:1:9: an agent of kind `script` needs `command`
    write the program and its arguments, like ["bin/agent"]
    sealwright.toml:1:9: an agent of kind `api` needs `model` and `protocol`
    write both, like `model = "gpt-5"` and `protocol = "openai-responses"`
    sealwright.toml:4:1: unknown role `boss`
    the roles are builder, scout, planner, challenger, arbiter, refute-reader, auditor, reviewer, verifier, reconciler, test-author, and `default` for all others
    sealwright.toml:4:11: unknown agent `mian`
    the agents are main
    sealwright.toml:2:11: unknown agent `main`
    add a table [agents.NAME]
    sealwright.toml:2:11: a role needs one to 8 agents
    write one name, or several in order of preference
    sealwright.toml:2:11: expected the name of an agent, or a list of names
    see docs/configuration.md for every key
    sealwright.toml:2:9: a price is not an amount of dollars from 0 to 100000
    write dollars for a million tokens, like `input = 1.25`
    sealwright.toml:1:1: missing field `output`
    see docs/configuration.md for every key
    sealwright.toml:2:11: `dollars` is not an amount from 0.01 to 1000000 in whole cents
    write it like 5 or 2.50
    sealwright.toml:2:10: `tokens` is not a whole number from 1 to 1000000000000
    write a number in that range
    sealwright.toml:2:14: `invocation` is not a table
    start a table with its name in brackets, like [checks.tests]
    sealwright.toml:2:11: `minutes` is not a whole number from 1 to 525600
    write a number in that range
    sealwright.toml:2:16: unknown variant `hope`, expected `wait` or `park`
    see docs/configuration.md for every key
    sealwright.toml:2:20: `wait_minutes_max` is not a whole number from 1 to 10080
    write a number in that range
    "#);
}

#[test]
fn bounds_hold_at_their_edges() {
    let parses = |text: String| Config::parse(&text).is_ok();
    let timeout = |timeout_s: &str| format!("[checks.a]\ncommand=[\"a\"]\ntimeout_s={timeout_s}");
    assert!(parses(timeout("1")) && parses(timeout("86400")));
    assert!(!parses(timeout("0")) && !parses(timeout("86401")) && !parses(timeout("1.5")));
    assert!(!parses(timeout("99999999999999999999")));
    let named = |bytes: usize| format!("[checks.{}]\ncommand=[\"a\"]", "a".repeat(bytes));
    assert!(parses(named(64)) && !parses(named(65)));
    let checks = |count: usize| {
        (0..count).map(|nth| format!("[checks.c{nth}]\ncommand=[\"a\"]\n")).collect::<String>()
    };
    assert!(parses(checks(32)) && !parses(checks(33)));
    let comment = |bytes: usize| format!("#{}", "x".repeat(bytes - 1));
    assert!(parses(comment(FILE_BYTES_MAX)) && !parses(comment(FILE_BYTES_MAX + 1)));
    let budget = |line: &str| format!("[budget]\n{line}");
    assert!(parses(budget("minutes = 525600")) && !parses(budget("minutes = 525601")));
    assert!(parses(budget("tokens = 1000000000000")) && !parses(budget("tokens = 1000000000001")));
    assert!(!parses(format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000))));
}

#[test]
fn money_is_whole_cents() {
    let micro_dollars = |amount: &str| {
        let config = Config::parse(&format!("[budget]\ndollars = {amount}")).ok()?;
        config.budget.micro_dollars
    };
    assert_eq!(micro_dollars("5"), Some(5_000_000));
    assert_eq!(micro_dollars("0.01"), Some(10_000));
    assert_eq!(micro_dollars("0.29"), Some(290_000));
    assert_eq!(micro_dollars("999999.99"), Some(999_999_990_000));
    assert_eq!(micro_dollars("1_000_000"), Some(1_000_000_000_000));
    for bad in ["0", "-1", "0.005", "12.340000001", "1000000.01", "inf", "nan", "\"5\""] {
        assert_eq!(micro_dollars(bad), None, "{bad}");
    }
}

#[test]
fn a_file_is_read_from_disk_and_named_in_its_refusals() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    let refusal = |path: &Path| {
        let error = Config::load(path).unwrap_err();
        let text = format!("{error}\n{}", error.hint().unwrap());
        text.replace(&folder.path().display().to_string(), "FOLDER")
    };
    let missing = refusal(&path);
    std::fs::write(&path, FULL).unwrap();
    assert_eq!(Config::load(&path).unwrap(), Config::parse(FULL).unwrap());
    std::fs::write(&path, b"[project]\nname = \"\xff\"").unwrap();
    let not_text = refusal(&path);
    std::fs::write(&path, " ".repeat(FILE_BYTES_MAX + 1)).unwrap();
    let too_long = refusal(&path);
    let link = folder.path().join("link.toml");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let through = refusal(&link);
    let place = refusal(folder.path());
    insta::assert_snapshot!([missing, not_text, too_long, through, place].join("\n"), @"
    FOLDER/sealwright.toml does not exist
    create it with `sealwright init`
    FOLDER/sealwright.toml:2:9: not UTF-8
    save the file as UTF-8
    FOLDER/sealwright.toml is longer than 262144 bytes
    move everything that is not configuration elsewhere
    FOLDER/link.toml is not a regular file; links are not followed
    replace it by the file itself
    FOLDER is not a regular file; links are not followed
    replace it by the file itself
    ");
}

proptest! {
    /// Any text is parsed or refused with a location.
    #[test]
    fn any_text_is_read_or_refused_with_its_place(text in any::<String>()) {
        prop_assert_eq!(is_answered(&text), Ok(()));
    }

    /// Text in the words of the format gets deeper into the parser.
    #[test]
    fn words_of_the_format_are_read_or_refused_with_their_place(
        words in prop::collection::vec(prop::sample::select(WORDS), 0..40),
    ) {
        prop_assert_eq!(is_answered(&words.concat()), Ok(()));
    }

    /// A valid file with random edits is parsed or refused with a location.
    #[test]
    fn a_changed_file_is_read_or_refused_with_its_place(
        edits in prop::collection::vec((any::<Index>(), any::<Index>(), any::<char>()), 1..4),
    ) {
        let mut characters: Vec<char> = FULL.chars().collect();
        for (at, word, character) in edits {
            let at = at.index(characters.len());
            match word.index(WORDS.len() + 2) {
                0 => characters[at] = character,
                1 => { characters.remove(at); }
                nth => { characters.splice(at..at, WORDS[nth - 2].chars()); }
            }
        }
        prop_assert_eq!(is_answered(&characters.into_iter().collect::<String>()), Ok(()));
    }
}

const WORDS: &[&str] = &[
    "[project]\n",
    "[checks.a]\n",
    "[checks.a.sections]\n",
    "\"junit\"",
    "report = ",
    "sets = ",
    "tests = ",
    "lines_max = ",
    "[agents.a]\n",
    "[roles]\n",
    "[prices.a]\n",
    "kind = ",
    "builder = ",
    "input = ",
    "\"codex\"",
    "[budget]\n",
    "[budget.project]\n",
    "invocation = ",
    "[limits]\n",
    "wait_minutes_max = ",
    "[[checks]]\n",
    "lane = ",
    "command = ",
    "dollars = ",
    "timeout_s = ",
    "\"quick\"",
    "[\"a\", \"\"]",
    "-1",
    "1e999",
    "nan",
    "9223372036854775808",
    "\"\"\"",
    "{ a = 1 }",
    "\u{feff}",
    "\r\n",
    "\n",
    "\0",
    "é",
    ".",
    "=",
];

/// An error if a refusal has no location or no hint.
fn is_answered(text: &str) -> Result<(), String> {
    let Err(error) = Config::parse(text) else { return Ok(()) };
    let message = error.to_string();
    let ConfigError::Refused { place, .. } = &error else { return Err(message) };
    let lines = text.matches('\n').count() + 1;
    let begins = message.starts_with(&format!("sealwright.toml:{}:{}: ", place.line, place.column));
    if begins && (1..=lines).contains(&place.line) && error.hint().is_some() {
        Ok(())
    } else {
        Err(message)
    }
}

#[test]
fn patience_is_how_long_a_host_waits() {
    let wait_max = |text: &str| Config::parse(text).unwrap().patience.wait_max().as_secs();
    assert_eq!(wait_max(""), 3_600);
    assert_eq!(wait_max("[limits]\nwait_minutes_max = 300\n"), 18_000);
    assert_eq!(wait_max("[limits]\nrate_limited = \"park\"\nwait_minutes_max = 300\n"), 0);
}

#[test]
fn a_task_is_given_what_is_bound_and_nothing_else() {
    let of_task = |text: &str| Config::parse(text).unwrap().budget.of_task();
    assert_eq!(of_task("[budget.project]\ndollars = 5\n"), None);
    let bounds = sealwright_kernel::task::Budget {
        millis: Some(120_000),
        ..sealwright_kernel::task::Budget::default()
    };
    assert_eq!(of_task("[budget]\nminutes = 2\n"), Some(bounds));
}
