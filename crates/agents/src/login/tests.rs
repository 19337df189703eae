use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sealwright_sandbox::egress::fresh::CredentialSource as _;
use serde_json::{Value, json};

use super::*;
use crate::{Failure, Said};

/// A home with the file of a login.
struct Home {
    folder: tempfile::TempDir,
    login: Login,
}

impl Home {
    fn with(kind: LoginKind, text: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = folder.path().canonicalize().unwrap();
        let file = kind.file(Some(&home), &|_| None).unwrap();
        fs::create_dir(file.parent().unwrap()).unwrap();
        let user = home.metadata().unwrap().uid();
        let base = kind.base().to_owned();
        let (way, account_base) = (LoginWay::Host, kind.account_base().map(str::to_owned));
        let login = Login { kind, way, file, base, account_base, user };
        let home = Self { folder, login };
        home.write(text);
        home
    }

    fn write(&self, text: &str) {
        fs::write(&self.login.file, text).unwrap();
        self.mode(0o600);
    }

    fn mode(&self, mode: u32) {
        fs::set_permissions(&self.login.file, fs::Permissions::from_mode(mode)).unwrap();
    }

    /// What a person reads, without the place of this home.
    fn told(&self) -> String {
        let error = self.login.check().unwrap_err();
        let told = format!("{error}; {}", error.hint());
        told.replace(&self.folder.path().canonicalize().unwrap().display().to_string(), "")
    }
}

fn claude(token: &str, expires_ms: u64) -> String {
    json!({"claudeAiOauth": {
        "accessToken": token, "refreshToken": "sk-refresh", "expiresAt": expires_ms, "scopes": [],
    }})
    .to_string()
}

fn codex(token: &str, expires_s: u64) -> String {
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let jwt = |claims| format!("{}.{}.{token}", part(json!({"alg": "RS256"})), part(claims));
    let id = jwt(json!({"https://api.openai.com/auth": {"chatgpt_account_id": "acct-of-ann"}}));
    let access = jwt(json!({"exp": expires_s}));
    json!({
        "OPENAI_API_KEY": null, "last_refresh": "2026-11-18T00:00:00Z",
        "tokens": {"id_token": id, "access_token": access, "refresh_token": "sk-refresh"},
    })
    .to_string()
}

const FAR_S: u64 = 4_000_000_000;

#[test]
fn the_file_is_where_the_environment_of_the_person_says() {
    let home = Some(Path::new("/home/ann"));
    let at = |kind: LoginKind, named: Option<&str>| {
        kind.file(home, &|_| named.map(str::to_owned)).map(|path| path.display().to_string())
    };
    assert_eq!(at(LoginKind::Codex, None).unwrap(), "/home/ann/.codex/auth.json");
    assert_eq!(at(LoginKind::Codex, Some("/keys")).unwrap(), "/keys/auth.json");
    assert_eq!(at(LoginKind::ClaudeCode, None).unwrap(), "/home/ann/.claude/.credentials.json");
    assert_eq!(at(LoginKind::ClaudeCode, Some("here")), None);
}

#[test]
fn a_login_signs_with_what_its_file_holds_at_that_moment() {
    for (kind, text) in
        [(LoginKind::ClaudeCode, claude as fn(&str, u64) -> String), (LoginKind::Codex, codex)]
    {
        let home = Home::with(kind, &text("one", FAR_S * 1000));
        let signer = LoginSigner::new(home.login.clone());
        let sent = || -> Vec<String> {
            let headers = signer.sign().unwrap();
            // A secret shows itself only to the proxy; its length is enough to tell two apart.
            assert_eq!(format!("{headers:?}").matches("redacted").count(), headers.len());
            headers.into_iter().map(|(name, _)| name.to_owned()).collect()
        };
        assert_eq!(sent(), kind.headers());
        let before = signer.explained(unauthorised());
        home.write(&text("two", FAR_S * 1000));
        let after = signer.explained(unauthorised());
        assert!(
            matches!(&before, Said::Failed { failure: Failure::Unauthorised, why } if why.contains(kind.sign_in())),
            "{before:?}"
        );
        assert!(matches!(&after, Said::Failed { failure: Failure::Unreachable, .. }), "{after:?}");
        fs::remove_file(&home.login.file).unwrap();
        assert!(signer.sign().is_err());
        let gone = signer.explained(unauthorised());
        assert!(
            matches!(&gone, Said::Failed { failure: Failure::Unauthorised, why } if why.contains(kind.sign_in())),
            "{gone:?}"
        );
    }
}

/// A program that is given the token goes on with that one, and is given nothing that has expired.
#[test]
fn a_program_signs_with_what_it_was_given() {
    let home = Home::with(LoginKind::ClaudeCode, &claude("one", FAR_S * 1000));
    let login = Login { way: LoginWay::Program, ..home.login.clone() };
    let signer = LoginSigner::new(login.clone());
    let handed = signer.hand().unwrap().unwrap();
    assert_eq!((handed.word.as_str(), &handed.account), ("one", &None));
    home.write(&claude("two", FAR_S * 1000));
    signer.sign().unwrap();
    // Whether it is still the first one, only the next refusal tells.
    let renewed = signer.explained(unauthorised());
    assert!(matches!(&renewed, Said::Failed { failure: Failure::Unreachable, .. }), "{renewed:?}");
    home.write(&claude("two", 1_000));
    assert!(signer.sign().is_err());
    let expired = LoginSigner::new(login).hand();
    assert!(matches!(expired, Err(LoginError::Expired { .. })), "{expired:?}");
    assert_eq!(LoginSigner::new(home.login.clone()).hand(), Ok(None));
}

#[test]
fn a_token_of_copilot_is_a_fine_grained_one() {
    let home = Home::with(LoginKind::Copilot, "github_pat_word\n");
    home.login.check().unwrap();
    for text in ["", "ghp_word", "gho_word", "github_pat_a b", "github_pat_a\nb"] {
        home.write(text);
        assert!(matches!(home.login.check(), Err(LoginError::Malformed { .. })), "{text}");
    }
}

fn unauthorised() -> Said {
    Said::Failed { failure: Failure::Unauthorised, why: "no".to_owned() }
}

#[test]
fn a_file_that_cannot_be_used_is_refused_with_what_to_type() {
    let mut told = Vec::new();
    let good = codex("secret-word", FAR_S);
    let home = Home::with(LoginKind::Codex, &good);
    home.login.check().unwrap();
    home.mode(0o640);
    told.push(home.told());
    home.mode(0o620);
    told.push(home.told());
    home.mode(0o600);

    fs::hard_link(&home.login.file, home.folder.path().join("second")).unwrap();
    told.push(home.told());
    fs::remove_file(home.folder.path().join("second")).unwrap();

    fs::rename(&home.login.file, home.folder.path().join("elsewhere")).unwrap();
    told.push(home.told());
    symlink("../elsewhere", &home.login.file).unwrap();
    told.push(home.told());
    fs::remove_file(&home.login.file).unwrap();
    fs::create_dir(&home.login.file).unwrap();
    told.push(home.told());
    fs::remove_dir(&home.login.file).unwrap();

    for text in ["", "{}", "{\"tokens\":{\"access_token\":\"a\\nb\"}}", "[1]", "{\"tokens\":7}"] {
        home.write(text);
        assert!(matches!(home.login.check(), Err(LoginError::Malformed { .. })), "{text}");
    }
    home.write(&format!("{good}{}", " ".repeat(file::BYTES_MAX as usize)));
    told.push(home.told());
    home.write("{\"OPENAI_API_KEY\":\"sk-secret-word\"}");
    told.push(home.told());
    home.write(&codex("secret-word", 1_000));
    told.push(home.told());

    home.write(&good);
    let folder = home.login.file.parent().unwrap();
    fs::set_permissions(folder, fs::Permissions::from_mode(0o777)).unwrap();
    told.push(home.told());
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755)).unwrap();
    home.login.check().unwrap();

    let ended = Home::with(LoginKind::ClaudeCode, &claude("secret-word", 1_000));
    told.push(ended.told());
    let told = told.join("\n");
    assert!(!told.contains("secret-word"), "{told}");
    insta::assert_snapshot!(told, @"
    other users can read `/.codex/auth.json`; `chmod 600 /.codex/auth.json`
    `/.codex/auth.json` is no file of yours alone; if it is yours, `chmod go-w /.codex/auth.json`; a login is for one person only
    `/.codex/auth.json` is a link, or a folder above it is one; put the file itself there, or name its folder with CODEX_HOME before `sealwright login codex`
    no login of codex in `/.codex/auth.json`; `codex login` signs in again
    `/.codex/auth.json` is a link, or a folder above it is one; put the file itself there, or name its folder with CODEX_HOME before `sealwright login codex`
    `/.codex/auth.json` is not in the form of a login of codex; `codex login` signs in again
    `/.codex/auth.json` is not in the form of a login of codex; `codex login` signs in again
    `/.codex/auth.json` holds an API key and no login; set OPENAI_API_KEY to use the key; `codex login` signs in again
    the login of codex has expired; `codex login` signs in again
    `/.codex` is no file of yours alone; if it is yours, `chmod go-w /.codex`; a login is for one person only
    the login of claude-code has expired; `claude /login` signs in again
    ");
}

#[test]
fn the_login_of_another_user_is_refused() {
    let home = Home::with(LoginKind::Codex, &codex("word", FAR_S));
    let other = Login { user: home.login.user + 1, ..home.login.clone() };
    assert!(matches!(other.check(), Err(LoginError::Others { .. })), "{:?}", other.check());
}

#[test]
fn a_folder_that_is_a_link_is_refused() {
    let home = Home::with(LoginKind::Codex, &codex("word", FAR_S));
    let link = home.folder.path().canonicalize().unwrap().join("link");
    symlink(home.login.file.parent().unwrap(), &link).unwrap();
    let linked = Login { file: link.join("auth.json"), ..home.login.clone() };
    assert!(matches!(linked.check(), Err(LoginError::Link { .. })), "{:?}", linked.check());
}

#[test]
fn a_window_that_is_full_is_waited_for_until_it_begins_anew() {
    let now_s = 1_800_000_000;
    let of = |kind, headers: &[(&str, &str)]| {
        let header = |name: &str| {
            headers.iter().find(|(it, _)| *it == name).map(|(_, value)| (*value).to_owned())
        };
        let windows = windows::told(kind, &header);
        let shown: Vec<String> = windows
            .iter()
            .map(|it| format!("{} {} {:?}", it.length, it.used_permille, it.resets_s))
            .collect();
        (shown.join(", "), windows::wait_s(kind, &windows, &header, now_s))
    };
    let claude = |five: &'static str, seven: &'static str| {
        of(
            LoginKind::ClaudeCode,
            &[
                ("anthropic-ratelimit-unified-5h-utilization", five),
                ("anthropic-ratelimit-unified-5h-reset", "1800000600"),
                ("anthropic-ratelimit-unified-7d-utilization", seven),
                ("anthropic-ratelimit-unified-7d-reset", "1800090000"),
            ],
        )
    };
    let shown =
        |five: u32, seven: u32| format!("5h {five} Some(1800000600), 7d {seven} Some(1800090000)");
    assert_eq!(claude("0.42", "0.9"), (shown(420, 900), None));
    assert_eq!(claude("1.0", "0.9"), (shown(1000, 900), Some(600)));
    assert_eq!(claude("1.02", "1"), (shown(1020, 1000), Some(90_000)));
    assert_eq!(
        of(LoginKind::ClaudeCode, &[("anthropic-ratelimit-unified-reset", "1800000060")]),
        (String::new(), Some(60))
    );
    let codex = [
        ("x-codex-primary-used-percent", "100.0"),
        ("x-codex-primary-window-minutes", "300"),
        ("x-codex-primary-reset-at", "1800000030"),
        ("x-codex-secondary-used-percent", "12"),
        ("x-codex-secondary-window-minutes", "10080"),
    ];
    let expected = "5h 1000 Some(1800000030), 7d 120 None".to_owned();
    assert_eq!(of(LoginKind::Codex, &codex), (expected, Some(30)));
    for noise in ["NaN", "inf", "-3", "", "x", "9e300"] {
        let (_, wait) = claude(noise, "0");
        assert!(wait.is_none() || noise == "9e300", "{noise}");
    }
    assert_eq!(claude("NaN", "0").0, "7d 0 Some(1800090000)");
}
