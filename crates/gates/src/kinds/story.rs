//! How tests of kinds tell what they see and hear.

use std::collections::{BTreeMap, BTreeSet};

use sealwright_kernel::task::ResidueKind;
use sealwright_kernel::{Digest, Verdict};

use crate::kinds::{Declared, Expected, Kind, Named, Setting};
use crate::{
    Canary, Ended, Fact, File, Finding, Judgement, Listed, Ran, Said, Seen, Step, TestId, Visited,
    Wanted,
};

/// What a real tool printed, from `captured`.
pub(crate) fn captured(name: &str) -> Vec<u8> {
    let path = format!("{}/captured/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// What a gate says in the end. Every step before the last has to ask for something.
pub(crate) fn judged(key: &str, setting: &Setting, seen: &[Seen]) -> Judgement {
    let gate = Kind::of(key).unwrap().gate(setting.clone());
    for nth in 0..seen.len() {
        let step = gate.next(&seen[..nth]);
        let fits = matches!(
            (&step, &seen[nth]),
            (Step::Run(_), Seen::Ran(_))
                | (Step::Visit(_), Seen::Visited(_))
                | (Step::Read(Wanted::Listing), Seen::Listing(_))
                | (Step::Read(Wanted::Files(_)), Seen::Files(_))
                | (_, Seen::Nothing { .. })
        );
        assert!(fits, "{key}: {step:?} was answered with {:?}", seen[nth]);
    }
    match gate.next(seen) {
        Step::Say(judgement) => judgement,
        step => panic!("{key} wants more: {step:?}"),
    }
}

/// The same on one line.
pub(crate) fn told(key: &str, setting: &Setting, seen: &[Seen]) -> String {
    line(&judged(key, setting, seen))
}

pub(crate) fn line(judgement: &Judgement) -> String {
    let Judgement { verdict, because, cheats, findings, .. } = judgement;
    assert_eq!(*verdict == Verdict::Pass, because.is_empty(), "{judgement:?}");
    let mut line = verdict.name().to_owned();
    if !because.is_empty() {
        line.push_str(": ");
        line.push_str(&because.join(" | "));
    }
    for (cheat, what) in cheats {
        line.push_str(&format!(" [cheat {cheat:?}: {what}]"));
    }
    for finding in findings {
        let Finding { kind, rule, place, what } = finding;
        let is_told = *kind == ResidueKind::Architecture && because.is_empty();
        let what = if is_told { format!(": {what}") } else { String::new() };
        line.push_str(&format!(" [{kind:?} {rule} at {place}{what}]"));
    }
    line
}

/// A command that said this on standard output.
pub(crate) fn ran(code: i32, stdout: impl Into<Vec<u8>>) -> Ran {
    Ran {
        ended: Ended::Exited(code),
        stdout: Said::whole(stdout),
        stderr: Said::default(),
        reports: BTreeMap::new(),
        millis: 7,
    }
}

/// A command that left this report.
pub(crate) fn left(code: i32, report: &str, content: impl Into<Vec<u8>>) -> Ran {
    Ran { reports: BTreeMap::from([(report.to_owned(), Said::whole(content))]), ..ran(code, "") }
}

/// A room in which everything went as it should, with these runs.
pub(crate) fn visited(runs: Vec<(&str, Ran)>) -> Visited {
    Visited {
        tampering: Vec::new(),
        build: None,
        runs: runs.into_iter().map(|(name, ran)| (name.to_owned(), ran)).collect(),
        known_failing: Vec::new(),
        left_out: vec![],
        not_run: vec![],
        without_harness: vec![],
        canary: Canary::Failed,
    }
}

/// Files of a candidate, each with what it was and what it is.
pub(crate) fn tree(files: &[(&str, Option<&str>, Option<&str>)]) -> (Seen, Vec<File>) {
    let fact = |text: &str| Fact { digest: Digest::of(text.as_bytes()), bytes: text.len() as u64 };
    let listed = |(path, before, now): &(&str, Option<&str>, Option<&str>)| Listed {
        path: (*path).to_owned(),
        now: now.map(fact),
        before: before.map(fact),
    };
    let file = |(path, before, now): &(&str, Option<&str>, Option<&str>)| File {
        path: (*path).to_owned(),
        now: now.map(|text| text.as_bytes().to_vec()),
        before: before.map(|text| text.as_bytes().to_vec()),
    };
    (Seen::Listing(files.iter().map(listed).collect()), files.iter().map(file).collect())
}

/// What a gate that only reads says of a tree. It is shown what it asks for and nothing else.
pub(crate) fn read(
    key: &str,
    setting: &Setting,
    files: &[(&str, Option<&str>, Option<&str>)],
) -> String {
    let (listing, contents) = tree(files);
    let gate = Kind::of(key).unwrap().gate(setting.clone());
    assert_eq!(gate.next(&[]), Step::Read(Wanted::Listing));
    let wanted = match gate.next(std::slice::from_ref(&listing)) {
        Step::Read(Wanted::Files(wanted)) => wanted,
        Step::Say(judgement) => return line(&judgement),
        step => panic!("{key} asks for {step:?}"),
    };
    let shown = contents.into_iter().filter(|file| wanted.contains(&file.path)).collect();
    told(key, setting, &[listing, Seen::Files(shown)])
}

pub(crate) fn id(suite: &str, name: &str) -> TestId {
    TestId { suite: suite.to_owned(), name: name.to_owned() }
}

/// A setting with everything any kind needs.
pub(crate) fn setting() -> Setting {
    Setting {
        command: vec!["tool".to_owned()],
        timeout_s: 60,
        tests: vec!["tests/acceptance.rs".to_owned()],
        ..Setting::default()
    }
}

pub(crate) fn skipping(names: &[&str]) -> Setting {
    let skips = names.iter().map(|name| Named::Anywhere((*name).to_owned())).collect();
    Setting { expected: Expected { skips, ..Expected::default() }, ..setting() }
}

pub(crate) fn declaring(changes: &[&str], dependencies: &[&str]) -> Setting {
    let set = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>();
    let declared =
        Declared { changes: set(changes), dependencies: set(dependencies), ..Declared::default() };
    Setting { declared, ..setting() }
}
