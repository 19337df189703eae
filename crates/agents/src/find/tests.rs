use std::fs;

use super::*;

/// A machine with these files; those in a `bin` are programs. Each `(variable)` is set, each program says what is given.
struct World {
    folder: tempfile::TempDir,
    set: Vec<&'static str>,
    says: Vec<(&'static str, Result<&'static str, &'static str>)>,
    login: Option<OwnLogin>,
}

impl World {
    fn with(files: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("home")).unwrap();
        for file in files {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, "top secret").unwrap();
            if path.parent().unwrap().ends_with("bin") {
                fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
            }
        }
        Self { folder, set: vec![], says: vec![], login: None }
    }

    fn set(mut self, variable: &'static str) -> Self {
        self.set.push(variable);
        self
    }

    fn says(mut self, program: &'static str, said: Result<&'static str, &'static str>) -> Self {
        self.says.push((program, said));
        self
    }

    fn login(mut self, login: OwnLogin) -> Self {
        self.login = Some(login);
        self
    }

    fn find(&self, kind: &str, own: &[&str]) -> Found {
        let at = |path: &str| self.folder.path().canonicalize().unwrap().join(path);
        let own: Vec<String> = own.iter().map(ToString::to_string).collect();
        let machine = Machine {
            path: ["agents/bin", "home/.local/bin", "home/bin", "usr/bin"].map(at).to_vec(),
            home: Some(at("home")),
            is_set: &|name| self.set.contains(&name),
            login: &|_| self.login.clone(),
            ask: &|program| {
                let name = program.path.file_name().unwrap().to_str().unwrap();
                let said = self.says.iter().find(|(known, _)| *known == name);
                match said.expect("it is asked only what is there").1 {
                    Ok(said) => Ok(said.to_owned()),
                    Err(why) => Err(why.to_owned()),
                }
            },
        };
        find(Known::of(kind).unwrap(), &own, &machine)
    }

    /// All that is said of an agent, with no place of this machine in it.
    fn told(&self, kind: &str) -> String {
        let Found { kind, state, program, installed, version, access, advice } =
            self.find(kind, &[]);
        let folder = self.folder.path().canonicalize().unwrap().display().to_string();
        let version = version.map(|version| version.to_string());
        let told = format!(
            "{kind}: {state:?} at {program:?} in {installed:?}, {version:?}, {access:?}\n  {}",
            advice.join("\n  ")
        );
        told.replace(&folder, "").trim_end().to_owned()
    }
}

#[test]
fn what_is_missing_is_said_with_what_to_do() {
    let bare = World::with(&[]);
    let old = World::with(&["agents/bin/codex", "usr/bin/node"])
        .says("codex", Ok("codex-cli 0.159.9"))
        .says("node", Ok("v20.20.2"))
        .set("OPENAI_API_KEY");
    let no_login = World::with(&["agents/bin/claude", "usr/bin/node"])
        .says("claude", Ok("2.1.325 (Claude Code)"))
        .says("node", Ok("v20.20.2"));
    let ended = World::with(&["agents/bin/gemini", "home/.gemini/oauth_creds.json"])
        .says("gemini", Ok("0.61.0"));
    let codex = || {
        World::with(&["agents/bin/codex", "home/.codex/auth.json", "usr/bin/node"])
            .says("codex", Ok("codex-cli 0.166.0"))
            .says("node", Ok("v20.20.2"))
    };
    let not_allowed = codex().login(OwnLogin::NotAllowed);
    let unusable = codex().login(OwnLogin::Unusable("it has expired; `codex login`".to_owned()));
    let logged_in = codex().login(OwnLogin::Works(PathBuf::from("/home/.codex/auth.json")));
    let silent = World::with(&["usr/bin/goose"])
        .says("goose", Err("it says nothing for 10 s"))
        .set("OPENAI_API_KEY");
    let other = World::with(&["usr/bin/goose"]).says("goose", Ok("goose: a tool for databases"));
    let told = [
        bare.told("opencode"),
        old.told("codex"),
        no_login.told("claude-code"),
        ended.told("gemini"),
        not_allowed.told("codex"),
        unusable.told("codex"),
        logged_in.told("codex"),
        silent.told("goose"),
        other.told("goose"),
    ];
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn a_folder_with_a_persons_own_things_is_not_shown_to_an_agent() {
    for place in ["home/.local/bin/codex", "home/bin/codex"] {
        let world =
            World::with(&[place]).says("codex", Ok("codex-cli 0.166.0")).set("CODEX_API_KEY");
        let found = world.find("codex", &[]);
        assert_eq!((found.state, found.installed), (State::Ready, None), "{place}");
        assert!(found.advice[0].contains("SEALWRIGHT_AGENTS"), "{:?}", found.advice);
    }
    // A link that leads out of its folder is dead inside.
    let world = World::with(&["agents/bin/other", "home/secret/codex"])
        .says("codex", Ok("codex-cli 0.166.0"));
    let codex = world.folder.path().join("home/secret/codex");
    fs::set_permissions(&codex, fs::Permissions::from_mode(0o755)).unwrap();
    std::os::unix::fs::symlink(&codex, world.folder.path().join("agents/bin/codex")).unwrap();
    assert_eq!(world.find("codex", &[]).installed, None);
    let world = World::with(&["agents/bin/codex"]).says("codex", Ok("codex-cli 0.166.0"));
    let installed = world.find("codex", &[]).installed.unwrap();
    assert_eq!(installed, world.folder.path().canonicalize().unwrap().join("agents"));
}

#[test]
fn a_variable_of_the_configuration_counts_first_and_no_credential_is_read() {
    let world = World::with(&["agents/bin/codex", "home/.codex/auth.json"])
        .says("codex", Ok("codex-cli 0.166.0"))
        .set("GATEWAY_KEY")
        .set("OPENAI_API_KEY");
    let access = |own: &[&str]| world.find("codex", own).access.unwrap();
    let variable = |name: &str| Access::Variable { name: name.to_owned() };
    assert_eq!(access(&["GATEWAY_KEY"]), variable("GATEWAY_KEY"));
    assert_eq!(access(&["UNSET"]), variable("OPENAI_API_KEY"));
    let found = World::with(&["agents/bin/codex", "home/.codex/auth.json"])
        .says("codex", Ok("codex-cli 0.166.0"))
        .find("codex", &[]);
    assert_eq!((found.state, &found.access), (State::NoAccess, &None));
    assert!(!serde_json::to_string(&found).unwrap().contains("top secret"));
}

#[test]
fn what_is_not_a_program_is_not_found() {
    let world = World::with(&["agents/bin/codex"]);
    let path = world.folder.path().join("agents/bin/codex");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(world.find("codex", &[]).state, State::Missing);
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert_eq!(world.find("codex", &[]).state, State::Missing);
}
