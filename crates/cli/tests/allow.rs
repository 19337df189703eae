//! What a repository names takes effect once a person allowed it, and not before.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(clippy::disallowed_methods, reason = "these tests start the binary")]

use std::fs;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn nothing_that_needs_a_person_takes_effect_before_it_was_allowed() {
    let lab = Lab::new();
    for named in named(&lab.address()) {
        lab.write(&named);
        for words in &named.commands {
            let output = lab.run(words);
            let told = said(&output);
            assert_eq!(output.status.code(), Some(12), "{} {words:?}: {told}", named.item);
            assert!(told.contains(named.item), "{words:?}: {told}");
            assert!(told.contains("`sealwright allow`"), "{words:?}: {told}");
        }
        // What is only looked at works.
        let shown = said(&lab.run(&["allow", "--show"]));
        assert!(shown.contains(&format!("✗ {}: ", named.item)), "{shown}");
        let doctor = said(&lab.run(&["doctor"]));
        let is_told =
            ["is not allowed yet", "nobody allowed it"].iter().any(|it| doctor.contains(it));
        assert!(is_told || named.is_file, "{doctor}");

        assert_eq!(lab.run(&["allow"]).status.code(), Some(0));
        for words in &named.commands {
            let told = said(&lab.run(words));
            assert!(!told.contains("nobody allowed"), "{words:?}: {told}");
        }
        assert_eq!(lab.run(&["allow", "--revoke"]).status.code(), Some(0));
    }
}

#[test]
fn no_model_is_asked_before_its_address_was_allowed() {
    let lab = Lab::new();
    let first = named(&lab.address());
    lab.write(&first[0]);
    for words in [&["agents", "try", "other"][..], &["doctor", "--online"]] {
        lab.run(words);
    }
    assert!(!lab.was_asked(), "somebody connected");
    lab.run(&["allow"]);
    lab.run(&["agents", "try", "other"]);
    assert!(lab.was_asked(), "the address is used once it was allowed");
}

#[test]
fn a_consent_is_for_one_folder_and_one_content() {
    let lab = Lab::new();
    let all = named(&lab.address());
    let script = all.iter().find(|it| it.item == "agents.played").unwrap();
    lab.write(script);
    lab.run(&["allow"]);
    let words = ["do", "anything"];
    let is_refused = |lab: &Lab| said(&lab.run(&words)).contains("nobody allowed");
    assert!(!is_refused(&lab));

    // The same words, another script.
    fs::write(lab.root().join("steps.toml"), "[[step]]\ndo = \"fail\"\nwhy = \"no\"\n").unwrap();
    assert!(
        said(&lab.run(&words)).contains("nobody allowed what this repository names: steps.toml")
    );
    lab.run(&["allow"]);
    assert!(!is_refused(&lab));
    // Less is no new question.
    fs::write(lab.root().join("sealwright.toml"), "").unwrap();
    assert!(!is_refused(&lab));
    // A script that is a link, or beside one, could be another tomorrow.
    lab.write(script);
    let (real, steps) = (lab.root().join("real.toml"), lab.root().join("steps.toml"));
    fs::rename(&steps, &real).unwrap();
    std::os::unix::fs::symlink("real.toml", &steps).unwrap();
    for words in [&words[..], &["allow"]] {
        let told = said(&lab.run(words));
        assert!(told.contains("`steps.toml` is a link"), "{told}");
    }
    fs::remove_file(&steps).unwrap();
    // A copy is another repository.
    let copy = lab.folder.path().join("copy");
    lab.write(script);
    copy_tree(&lab.root(), &copy);
    let output = lab.in_folder(&copy, &words);
    assert!(said(&output).contains("nobody allowed"), "{}", said(&output));
    // And so is what a link leads to from elsewhere: the same one.
    let link = lab.folder.path().join("link");
    std::os::unix::fs::symlink(lab.root(), &link).unwrap();
    lab.run(&["allow"]);
    assert!(!said(&lab.in_folder(&link, &words)).contains("nobody allowed"));
}

#[test]
fn a_role_allows_nothing_and_neither_does_what_others_can_write() {
    use std::os::unix::fs::PermissionsExt as _;
    let lab = Lab::new();
    lab.write(&named(&lab.address())[0]);
    let mut by_role = lab.command(&lab.root(), &["allow"]);
    let output = by_role.env("SEALWRIGHT_ROLE", "builder").output().unwrap();
    assert_eq!(output.status.code(), Some(12), "{}", said(&output));
    assert!(said(&lab.run(&["agents", "try", "other"])).contains("nobody allowed"));

    lab.run(&["allow"]);
    let folder = lab.state().join("allowed");
    let record = fs::read_dir(&folder).unwrap().next().unwrap().unwrap().path();
    fs::set_permissions(&record, fs::Permissions::from_mode(0o666)).unwrap();
    let output = lab.run(&["agents", "try", "other"]);
    assert_eq!(output.status.code(), Some(20), "{}", said(&output));
    assert!(said(&output).contains("is no file of yours alone"), "{}", said(&output));
    // What is no record allows nothing.
    fs::set_permissions(&record, fs::Permissions::from_mode(0o600)).unwrap();
    fs::write(&record, "{\"folder\": \"/\", \"items\": \"all\"}").unwrap();
    assert!(said(&lab.run(&["agents", "try", "other"])).contains("nobody allowed"));
}

/// Something that a repository names, and the commands that it would act on.
struct Named {
    item: &'static str,
    configuration: String,
    file: Option<(&'static str, &'static str)>,
    is_file: bool,
    commands: Vec<Vec<&'static str>>,
}

fn named(address: &str) -> Vec<Named> {
    let work = || vec![vec!["do", "anything"]];
    let setting = |item, configuration: String, commands| Named {
        item,
        configuration,
        file: None,
        is_file: false,
        commands,
    };
    let address = format!(
        "[agents.other]\nkind = \"api\"\nprotocol = \"openai-chat\"\nmodel = \"m\"\nbase_url = \"{address}\"\n"
    );
    let on_line = || vec![vec!["agents", "try", "other"], vec!["doctor", "--online"]];
    let key = "[agents.other]\nkind = \"api\"\nprotocol = \"openai-chat\"\nmodel = \"m\"\nkey_env = \"HOME\"\n";
    let script = "[agents.played]\nkind = \"script\"\ncommand = [\"steps.toml\"]\n";
    let price = "[prices.gpt]\ninput = 0\noutput = 0\n";
    let walls = "[sandbox]\nquick = \"advisory\"\n[checks.it]\ncommand = [\"true\"]\n";
    vec![
        setting("agents.other", address, [work(), on_line()].concat()),
        setting("agents.other", key.to_owned(), [work(), on_line()].concat()),
        Named {
            file: Some(("steps.toml", "[[step]]\ndo = \"fail\"\nwhy = \"it\"\n")),
            ..setting("agents.played", script.to_owned(), work())
        },
        setting("prices.\"gpt\"", price.to_owned(), work()),
        setting(
            "sandbox.quick",
            walls.to_owned(),
            [work(), vec![vec!["gates", "try", "it"], vec!["evaluate", "--last", "1"]]].concat(),
        ),
        Named {
            file: Some((".sealwright/briefs/edit.md.jinja", "Obey.\n")),
            is_file: true,
            ..setting(".sealwright/briefs/edit.md.jinja", String::new(), work())
        },
    ]
}

/// A repository of somebody else, a person's own folder, and a server that only listens.
struct Lab {
    folder: tempfile::TempDir,
    server: SocketAddr,
    asked: Arc<AtomicBool>,
}

impl Lab {
    fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (server, asked) = (listener.local_addr().unwrap(), Arc::new(AtomicBool::new(false)));
        let hears = asked.clone();
        // Ends with the process; whoever asks is hung up on.
        std::thread::spawn(move || {
            listener.incoming().for_each(|stream| {
                hears.store(true, Ordering::SeqCst);
                drop(stream);
            });
        });
        let lab = Self { folder: tempfile::tempdir().unwrap(), server, asked };
        fs::create_dir_all(lab.root().join(".sealwright")).unwrap();
        fs::write(lab.root().join("clock.py"), "").unwrap();
        for words in [
            &["init", "--quiet"][..],
            &["config", "user.name", "a"],
            &["config", "user.email", "a@b"],
            &["add", "clock.py"],
            &["commit", "--quiet", "--message", "it"],
        ] {
            let made = Command::new("git").args(words).current_dir(lab.root()).status().unwrap();
            assert!(made.success());
        }
        lab
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("repository")
    }

    fn state(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    fn address(&self) -> String {
        format!("http://{}", self.server)
    }

    fn was_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    fn write(&self, named: &Named) {
        let _ = fs::remove_dir_all(self.root().join(".sealwright/briefs"));
        fs::write(self.root().join("sealwright.toml"), &named.configuration).unwrap();
        if let Some((path, text)) = named.file {
            let path = self.root().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    fn command(&self, folder: &Path, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
        command.args(words).current_dir(folder).env("NO_COLOR", "1");
        command.env("SEALWRIGHT_STATE", self.state()).env_remove("SEALWRIGHT_ALLOW");
        command.stdin(std::process::Stdio::null());
        command
    }

    fn in_folder(&self, folder: &Path, words: &[&str]) -> Output {
        self.command(folder, words).output().unwrap()
    }

    fn run(&self, words: &[&str]) -> Output {
        self.in_folder(&self.root(), words)
    }
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        match entry.file_type().unwrap().is_dir() {
            true => copy_tree(&entry.path(), &target),
            false => drop(fs::copy(entry.path(), target).unwrap()),
        }
    }
}
