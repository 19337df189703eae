//! The login of a person: only they allow it, it stops with what to type, and it is for one person. The maker is a server
//! of the test; the program asks it one question and ends.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]
#![expect(
    clippy::disallowed_methods,
    reason = "these tests start the binary, and look at the clock"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

#[test]
fn a_repository_cannot_allow_a_login() {
    let lab = Lab::new(&[]);
    lab.sign_in(FAR_S);
    let refused = "no API key for `main`";
    let tried = lab.run(&["agents", "try", "main"]);
    assert_eq!(tried.status.code(), Some(20), "{}", said(&tried));
    assert!(said(&tried).contains(refused), "{}", said(&tried));
    assert!(said(&tried).contains("`sealwright login codex`"), "{}", said(&tried));
    // What a repository can hold: a file in the form of the record, keys of the configuration, and a role.
    let record = json!({"codex": {"way": "host", "file": lab.file()}}).to_string();
    for folder in ["logins", ".sealwright/logins", ".local/state/sealwright/logins"] {
        lab.write(&format!("repository/{folder}/allowed.json"), &record);
    }
    assert!(said(&lab.run(&["agents", "try", "main"])).contains(refused));
    for line in ["login = true", "login = \"host\"", "auth = \"login\""] {
        lab.configure(&format!("{AGENT}{line}\n"));
        let output = lab.run(&["agents", "try", "main"]);
        assert_eq!(output.status.code(), Some(12), "{line}: {}", said(&output));
    }
    lab.configure(AGENT);
    let mut by_role = lab.command(&["login", "codex"]);
    let output = by_role.env("SEALWRIGHT_ROLE", "builder").output().unwrap();
    assert_eq!(output.status.code(), Some(12), "{}", said(&output));
    assert!(said(&lab.run(&["agents", "try", "main"])).contains(refused));
    assert_eq!(lab.asked().len(), 0);

    lab.allow();
    lab.run(&["agents", "try", "main"]);
    assert_eq!(lab.asked().len(), 1, "a person allowed it");
}

#[test]
fn a_login_is_used_from_when_it_is_allowed_until_it_is_taken_back() {
    let lab = Lab::new(&[]);
    let missing = lab.run(&["login", "codex"]);
    assert_eq!(missing.status.code(), Some(20), "{}", said(&missing));
    assert!(said(&missing).contains("`codex login` signs in again"), "{}", said(&missing));
    lab.sign_in(FAR_S);
    let row = |lab: &Lab| lab.logins()[1].clone();
    assert_eq!(
        (row(&lab)["allowed"].clone(), row(&lab)["works"].clone()),
        (json!(false), json!(false))
    );
    assert!(said(&lab.run(&["doctor"])).contains("no key"), "{}", said(&lab.run(&["doctor"])));

    lab.allow();
    assert_eq!(
        (row(&lab)["allowed"].clone(), row(&lab)["works"].clone()),
        (json!(true), json!(true))
    );
    assert_eq!(row(&lab)["file"], json!(lab.file()));
    let doctor = said(&lab.run(&["doctor"]));
    assert!(doctor.contains("agent codex 0.166.0: installed, login in "), "{doctor}");
    assert!(doctor.contains("role builder: ready, main"), "{doctor}");
    assert!(doctor.contains(&format!("model of main at http://{}", lab.address)), "{doctor}");
    let record = fs::read_to_string(lab.at("state/logins/allowed.json")).unwrap();
    assert!(!record.contains(WORD) && !record.contains(RENEWS), "{record}");

    // A key comes first, and so does an address: a login is for its maker only.
    for (name, value) in [("OPENAI_API_KEY", "sk-1"), ("OPENAI_BASE_URL", "http://127.0.0.1:9")] {
        let output = lab.command(&["agents", "try", "main"]).env(name, value).output().unwrap();
        assert_eq!(output.status.code(), Some(20), "{}", said(&output));
    }
    assert_eq!(lab.asked().len(), 0);
    lab.run(&["agents", "try", "main"]);
    assert_eq!(lab.asked(), [format!("POST /responses Bearer {}", lab.token(FAR_S))]);

    assert_eq!(lab.run(&["logout", "codex"]).status.code(), Some(0));
    assert_eq!(row(&lab)["allowed"], json!(false));
    assert!(said(&lab.run(&["agents", "try", "main"])).contains("no API key for `main`"));
    assert_eq!(lab.asked().len(), 1);
    assert!(lab.file().exists(), "the program stays signed in");
}

#[test]
fn a_login_goes_to_its_maker_and_to_no_address_elsewhere() {
    let lab = Lab::new(&[]);
    lab.sign_in(FAR_S);
    for address in ["https://gateway.example", "http://10.0.0.1:80", "http://localhost:1"] {
        let output = lab.run(&["login", "codex", "--base-url", address]);
        assert_eq!(output.status.code(), Some(12), "{address}: {}", said(&output));
    }
    let gemini = lab.run(&["login", "gemini"]);
    assert_eq!(gemini.status.code(), Some(2), "{}", said(&gemini));
    assert!(said(&gemini).contains("Google ended the consumer login"), "{}", said(&gemini));
    assert_eq!(lab.logins()[1]["allowed"], json!(false));
}

#[test]
fn an_expired_login_is_not_ready_and_asks_nobody() {
    let lab = Lab::new(&[]);
    lab.sign_in(FAR_S);
    lab.allow();
    lab.sign_in(1_000);
    let words = "the login of codex has expired; `codex login` signs in again";
    assert_eq!(lab.logins()[1]["why"], json!(words));
    let doctor = lab.run(&["doctor"]);
    assert_eq!(doctor.status.code(), Some(20), "{}", said(&doctor));
    assert!(said(&doctor).contains("role builder: not ready"), "{}", said(&doctor));
    assert!(said(&doctor).contains(words), "{}", said(&doctor));
    let started = lab.run(&["do", "anything"]);
    assert_eq!(started.status.code(), Some(20), "{}", said(&started));
    assert!(said(&started).contains("`codex login` signs in again"), "{}", said(&started));
    assert_eq!(lab.asked().len(), 0);
}

#[test]
fn a_task_whose_login_is_not_accepted_stops_with_what_to_type() {
    let lab = Lab::new(&[Reply::Unauthorised]);
    lab.sign_in(FAR_S);
    lab.allow();
    let stopped = lab.run(&["do", "anything"]);
    assert_eq!(stopped.status.code(), Some(20), "{}", said(&stopped));
    assert!(said(&stopped).contains("`codex login` signs in again"), "{}", said(&stopped));
    assert_eq!(lab.asked().len(), 1, "it is not tried again before a person did something");
    // Signed in again, the same task goes on.
    lab.sign_in(FAR_S + 1);
    let again = lab.run(&["do", "--continue"]);
    assert_eq!(lab.asked().len(), 2, "{}", said(&again));
    assert!(lab.asked()[1].ends_with(&lab.token(FAR_S + 1)), "{:?}", lab.asked());
    lab.holds_no_token();
}

#[test]
fn a_full_window_parks_a_task_and_what_is_left_of_it_is_told() {
    let lab = Lab::new(&[Reply::Full { resets_in_s: 5 * 3_600 }]);
    lab.sign_in(FAR_S);
    lab.allow();
    let parked = lab.run(&["do", "anything", "--format", "json"]);
    assert_eq!(parked.status.code(), Some(11), "{}", said(&parked));
    let told: Value = serde_json::from_slice(&parked.stdout).unwrap();
    assert_eq!(told["ended"], json!("parked"), "{told}");
    let until_s = told["until"].as_u64().unwrap() / 1000;
    let away_s = until_s - now_s();
    assert!((17_900..=18_000).contains(&away_s), "{away_s}");
    let row = lab.logins()[1].clone();
    assert_eq!(row["windows"][0]["length"], json!("5h"), "{row}");
    assert_eq!(row["windows"][0]["used_permille"], json!(1000), "{row}");
    assert!(said(&lab.run(&["login"])).contains("window 5h: 100 % used, begins anew "));
    let budget = said(&lab.run(&["budget"]));
    assert!(budget.contains("login of codex: window 5h: 100 % used"), "{budget}");
}

#[test]
fn a_task_goes_on_once_its_window_begins_anew() {
    let lab = Lab::new(&[Reply::Full { resets_in_s: 3 }]);
    lab.sign_in(FAR_S);
    lab.allow();
    let began = Instant::now();
    let stopped = lab.run(&["do", "anything"]);
    assert!(began.elapsed().as_secs() >= 2, "it waited");
    assert_eq!(lab.asked().len(), 2, "{}", said(&stopped));
}

#[test]
fn what_another_user_owns_gets_no_login() {
    let lab = Lab::new(&[Reply::Unauthorised]);
    lab.sign_in(FAR_S);
    lab.allow();
    lab.run(&["do", "anything"]);
    assert_eq!(lab.asked().len(), 1);
    let streams = lab.at("repository/.sealwright/journal");
    let names = fs::read_dir(&streams).unwrap().map(|entry| entry.unwrap().path());
    let task = names.filter(|path| path.file_name().unwrap().to_string_lossy().starts_with("T-"));
    let task = task.collect::<Vec<_>>().pop().unwrap();
    // Only root can give something away.
    if std::os::unix::fs::chown(&task, Some(4_321), None).is_err() {
        return;
    }
    let output = lab.run(&["do", "--continue"]);
    assert_eq!(output.status.code(), Some(12), "{}", said(&output));
    assert!(said(&output).contains("a login is for one person"), "{}", said(&output));

    let me = fs::metadata(lab.folder.path()).unwrap();
    std::os::unix::fs::chown(&task, Some(std::os::unix::fs::MetadataExt::uid(&me)), None).unwrap();
    std::os::unix::fs::chown(lab.at("repository/.sealwright"), Some(4_321), None).unwrap();
    let output = lab.run(&["agents", "try", "main"]);
    assert_eq!(output.status.code(), Some(12), "{}", said(&output));
    assert!(said(&output).contains("a login is for one person"), "{}", said(&output));

    std::os::unix::fs::chown(lab.file(), Some(4_321), None).unwrap();
    let output = lab.run(&["login", "codex"]);
    assert_eq!(output.status.code(), Some(20), "{}", said(&output));
    assert!(said(&output).contains("is no file of yours alone"), "{}", said(&output));
    assert_eq!(lab.asked().len(), 1);
}

/// What the maker answers to one question. Afterwards it accepts nobody.
#[derive(Clone, Copy)]
enum Reply {
    Unauthorised,
    /// Its first window is full.
    Full {
        resets_in_s: u64,
    },
}

/// A person with a login, a repository, a program that asks one question, and the maker it asks.
struct Lab {
    folder: tempfile::TempDir,
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Lab {
    fn new(replies: &[Reply]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let (address, asked) = (listener.local_addr().unwrap(), Arc::default());
        serve(listener, replies.to_vec(), Arc::clone(&asked));
        let open = fs::Permissions::from_mode(0o755);
        let folder = tempfile::Builder::new().permissions(open.clone()).tempdir().unwrap();
        let lab = Self { folder, address, asked };
        lab.configure(AGENT);
        lab.write("repository/src/lib.rs", "");
        let manifest = "[package]\nname = \"shop\"\nversion = \"1.0.0\"\nedition = \"2024\"\n";
        lab.write("repository/Cargo.toml", manifest);
        fs::create_dir(lab.at("repository/.sealwright")).unwrap();
        lab.write("agents/bin/codex", CODEX);
        fs::set_permissions(lab.at("agents/bin/codex"), open).unwrap();
        for words in [
            &["init", "--quiet"][..],
            &["config", "user.name", "Ann"],
            &["config", "user.email", "ann@example.org"],
            &["add", "src", "Cargo.toml", "sealwright.toml"],
            &["commit", "--quiet", "--message", "it"],
        ] {
            let mut git = Command::new("git");
            assert!(git.args(words).current_dir(lab.at("repository")).status().unwrap().success());
        }
        lab
    }

    fn at(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    fn file(&self) -> PathBuf {
        self.at("keys/auth.json")
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.at(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn configure(&self, agent: &str) {
        self.write(
            "repository/sealwright.toml",
            &format!("[checks.make]\ncommand = [\"make\"]\n{agent}"),
        );
    }

    /// Does what `codex login` does.
    fn sign_in(&self, expires_s: u64) {
        let token = self.token(expires_s);
        let tokens = json!({"access_token": token, "refresh_token": RENEWS, "account_id": "ann"});
        self.write(
            "keys/auth.json",
            &json!({"tokens": tokens, "OPENAI_API_KEY": null}).to_string(),
        );
        fs::set_permissions(self.file(), fs::Permissions::from_mode(0o600)).unwrap();
    }

    fn token(&self, expires_s: u64) -> String {
        use base64::Engine as _;
        let part = |value: Value| {
            base64::engine::general_purpose::URL_SAFE_NO_PAD.encode(value.to_string())
        };
        format!("{}.{}.{WORD}", part(json!({"alg": "RS256"})), part(json!({"exp": expires_s})))
    }

    fn allow(&self) {
        let address = format!("http://{}", self.address);
        let output = self.run(&["login", "codex", "--base-url", &address]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    }

    fn logins(&self) -> Vec<Value> {
        let output = self.run(&["login", "--format", "json"]);
        let told: Value = serde_json::from_slice(&output.stdout).unwrap();
        told["logins"].as_array().unwrap().clone()
    }

    /// What the maker was asked, with the credential.
    fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
        command.args(words).current_dir(self.at("repository")).env("NO_COLOR", "1");
        command.env("SEALWRIGHT_STATE", self.at("state")).env("SEALWRIGHT_ALLOW", "/");
        command.env("SEALWRIGHT_AGENTS", self.at("agents")).env("CODEX_HOME", self.at("keys"));
        for name in ["OPENAI_API_KEY", "CODEX_API_KEY", "OPENAI_BASE_URL"] {
            command.env_remove(name);
        }
        command.stdin(std::process::Stdio::null());
        command
    }

    fn run(&self, words: &[&str]) -> Output {
        self.command(words).output().unwrap()
    }

    /// Searches everything that was written for the person and in the repository.
    fn holds_no_token(&self) {
        let mut searched = 0;
        let mut left = vec![self.at("state"), self.at("repository")];
        while let Some(path) = left.pop() {
            let about = path.symlink_metadata().unwrap();
            if about.is_dir() {
                left.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
            } else if about.is_file() {
                searched += 1;
                let text = fs::read(&path).unwrap();
                for word in [WORD, RENEWS] {
                    let found = text.windows(word.len()).any(|part| part == word.as_bytes());
                    assert!(!found, "{} holds it", path.display());
                }
            }
        }
        assert!(searched > 20, "only {searched} files were searched");
    }
}

/// Answers one request for each connection, until the test ends.
fn serve(listener: TcpListener, replies: Vec<Reply>, asked: Arc<Mutex<Vec<String>>>) {
    std::thread::spawn(move || {
        let mut replies = replies.into_iter();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let (mut head, mut length) = (Vec::new(), 0);
            loop {
                let mut line = String::new();
                if reader.read_line(&mut line).unwrap_or(0) == 0 || line.trim().is_empty() {
                    break;
                }
                if let Some(value) = line.to_lowercase().strip_prefix("content-length:") {
                    length = value.trim().parse().unwrap();
                }
                head.push(line.trim().to_owned());
            }
            if head.is_empty() {
                continue;
            }
            let _ = reader.take(length).read_to_end(&mut Vec::new());
            let credential = head.iter().find_map(|line| line.strip_prefix("authorization: "));
            let first = head[0].trim_end_matches(" HTTP/1.1");
            asked.lock().unwrap().push(format!("{first} {}", credential.unwrap_or("nothing")));
            let answer = match replies.next() {
                Some(Reply::Full { resets_in_s }) => format!(
                    "429 Too Many Requests\r\nx-codex-primary-used-percent: 100\r\n\
                     x-codex-primary-window-minutes: 300\r\nx-codex-primary-reset-at: {}",
                    now_s() + resets_in_s
                ),
                Some(Reply::Unauthorised) | None => "401 Unauthorized".to_owned(),
            };
            let _ = write!(
                stream,
                "HTTP/1.1 {answer}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
            );
        }
    });
}

fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

fn said(output: &Output) -> String {
    [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat()
}

const AGENT: &str = "[agents.main]\nkind = \"codex\"\n";
/// It asks one question, as Codex does, and ends.
const CODEX: &str = "#!/bin/bash
if [ \"$1\" = --version ]; then echo 'codex-cli 0.166.0'; exit; fi
cat > /dev/null
exec 3<>/dev/tcp/127.0.0.1/3128
printf 'POST /model/responses HTTP/1.1\\r\\nHost: x\\r\\nAuthorization: Bearer own\\r\\nContent-Length: 2\\r\\nConnection: close\\r\\n\\r\\n{}' >&3
cat <&3 > /dev/null
exit 1
";
const WORD: &str = "outside-only-token-81f0";
const RENEWS: &str = "outside-only-renews-81f0";
const FAR_S: u64 = 4_000_000_000;
