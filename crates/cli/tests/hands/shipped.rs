//! What ships is what was proven: a clone of the branch says so by itself, and says what is not so any more.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::rehearsal::Rehearsal;

/// A clone of the shipped branch verifies without the state, the journal and the other branches of the repository that
/// made it; every change of its code, its history or its proof is named.
#[test]
fn a_clone_of_a_shipped_branch_verifies_and_every_change_of_it_is_named() {
    let rehearsal = Rehearsal::with(&[]);
    // With these, git writes the empty tree from an index that another command left.
    for name in ["core.splitIndex", "index.skipHash"] {
        rehearsal.git(&["config", name, "true"]);
    }
    rehearsal.see(&["keys", "new"]);
    let task = rehearsal.play("quick");
    let told = rehearsal.see(&["verify"]);
    assert!(told.contains(&format!("sealwright/{task} (")), "{told}");
    assert!(told.contains("is exactly what was proven"), "{told}");
    let pinned = rehearsal.path().join(".git/pinned");
    fs::write(&pinned, rehearsal.see(&["keys", "export"])).unwrap();
    let clone = Clone::of(&rehearsal, &task);
    let exact = clone.verify(0, &[]);
    assert!(exact.contains(&format!("is exactly what {task} proved")), "{exact}");
    assert!(exact.contains("1 stream, "), "{exact}");
    let why = clone.verify(0, &["--explain", "parking/fees.py"]);
    let parts = ["parking/fees.py is as ", "criterion: ", "test: ", "evidence: EV-", "acceptance"];
    for part in parts {
        assert!(why.contains(part), "{part} is not in {why}");
    }
    let why = clone.verify(0, &["--explain", "pyproject.toml"]);
    assert!(why.contains("no task in this history changed pyproject.toml"), "{why}");
    let why = clone.verify_below("parking", 0, &["--explain", "fees.py"]);
    assert!(why.contains("parking/fees.py is as "), "{why}");
    let why = clone.verify(2, &["--explain", "parking/nothing.py"]);
    assert!(why.contains("no file `parking/nothing.py` in this commit"), "{why}");
    let trusted = clone.verify(0, &["--trust", pinned.to_str().unwrap()]);
    assert!(trusted.contains("1 key pinned with --trust"), "{trusted}");
    let strange = clone.verify(10, &["--trust", &"0".repeat(64)]);
    assert!(strange.contains("signed"), "{strange}");
    for Forgery { name, commands, exit, says } in FORGERIES {
        let clone = Clone::of(&rehearsal, &task);
        clone.run(commands);
        let told = clone.verify(*exit, &["HEAD"]);
        for part in *says {
            let part = part.replace("TASK", &task);
            assert!(told.contains(&part), "{name}: `{part}` is not in {told}");
        }
        let left = if *exit == 13 { 0 } else { *exit };
        clone.verify(left, &["HEAD", "--allow-changes"]);
    }
    only_what_was_proven_is_offered(&rehearsal, &task);
}

/// `pr` looks at the branch as `verify` does, and pushes the commit it looked at or nothing.
fn only_what_was_proven_is_offered(rehearsal: &Rehearsal, task: &str) {
    let (branch, remote) = (format!("refs/heads/sealwright/{task}"), tempfile::tempdir().unwrap());
    let place = remote.path().to_str().unwrap();
    rehearsal.git(&["init", "--quiet", "--bare", place]);
    let shipped = rehearsal.git(&["rev-parse", &branch]).trim().to_owned();
    let there = || rehearsal.git(&["ls-remote", place]);
    for (name, commands, exit, says) in [
        (
            "amended",
            "echo '# more' >> parking/fees.py; git commit -qa --amend --no-edit",
            10,
            "`parking/fees.py` is not what TASK proved",
        ),
        ("somewhere else", "git reset -q --hard HEAD~1", 10, "branch sealwright/TASK is at "),
        (
            "with a commit on top",
            "echo '# more' >> parking/fees.py; git commit -qam more",
            13,
            "1 file changed since TASK proved it",
        ),
    ] {
        let clone = Clone::of(rehearsal, task);
        clone.run(commands);
        clone.run("git push -q --force origin HEAD:sealwright/$TASK");
        for words in [&["pr", task][..], &["pr", task, "--push", "--remote", place]] {
            let told = rehearsal.says(exit, words);
            assert!(told.contains(&says.replace("TASK", task)), "{name}: {told}");
            assert!(!told.contains("## Request"), "{name}: {told}");
        }
        assert_eq!(there(), "", "{name}");
        rehearsal.git(&["update-ref", &branch, &shipped]);
    }
    rehearsal.git(&["update-ref", "-d", &branch]);
    let told = rehearsal.says(12, &["pr", task, "--push", "--remote", place]);
    assert!(told.contains("no branch `sealwright/"), "{told}");
    let told = rehearsal.says(0, &["pr", task]);
    assert!(told.contains("no code was compared"), "{told}");
    rehearsal.git(&["update-ref", &branch, &shipped]);
    let told = rehearsal.says(0, &["pr", task, "--push", "--remote", place]);
    assert!(told.contains("## Request") && !told.contains("no code was compared"), "{told}");
    assert_eq!(there(), format!("{shipped}\t{branch}\n"));
}

struct Forgery {
    name: &'static str,
    /// For a shell in the clone; `$TASK` is the task.
    commands: &'static str,
    exit: i32,
    says: &'static [&'static str],
}

const FORGERIES: &[Forgery] = &[
    Forgery {
        name: "a commit on top",
        commands: "echo '# more' >> parking/fees.py; git commit -qam more",
        exit: 13,
        says: &["1 file changed since TASK proved it", "  parking/fees.py in "],
    },
    Forgery {
        name: "an amended file of the change",
        commands: "echo '# more' >> parking/fees.py; git commit -qa --amend --no-edit",
        exit: 10,
        says: &["says it is TASK, but `parking/fees.py` is not what TASK proved"],
    },
    Forgery {
        name: "an amended file beside the change",
        commands: "echo '# more' >> pyproject.toml; git commit -qa --amend --no-edit",
        exit: 10,
        says: &["`pyproject.toml` is not what TASK proved"],
    },
    Forgery {
        name: "a file added by amending",
        commands: "echo x = 1 > parking/extra.py; git add -A; git commit -q --amend --no-edit",
        exit: 10,
        says: &["`parking/extra.py` is not what TASK proved"],
    },
    Forgery {
        name: "a file removed by amending",
        commands: "git rm -q pyproject.toml; git commit -q --amend --no-edit",
        exit: 10,
        says: &["`pyproject.toml` is not what TASK proved"],
    },
    Forgery {
        name: "a file that became executable",
        commands: "chmod +x parking/fees.py; git commit -qa --amend --no-edit",
        exit: 10,
        says: &["`parking/fees.py` is not what TASK proved"],
    },
    Forgery {
        name: "a file that became a link",
        commands: "mv parking/fees.py x; ln -s ../x parking/fees.py; git add -A; git commit -q --amend --no-edit",
        exit: 10,
        says: &["`parking/fees.py` and `x` are not what TASK proved"],
    },
    Forgery {
        name: "code in a folder that is named like the records",
        commands: "mkdir -p parking/.sealwright/journal; echo x = 1 > parking/.sealwright/journal/a.py; \
                   git add -A; git commit -q --amend --no-edit",
        exit: 10,
        says: &["`parking/.sealwright/journal/a.py` is not what TASK proved"],
    },
    Forgery {
        name: "a template of what roles are told, with the change",
        commands: "mkdir -p .sealwright/briefs; echo x > .sealwright/briefs/edit.md; git add -A; \
                   git commit -q --amend --no-edit",
        exit: 10,
        says: &["`.sealwright/briefs/edit.md` is not what TASK proved"],
    },
    Forgery {
        name: "a submodule",
        commands: "git update-index --add --cacheinfo 160000,$(git rev-parse HEAD),sub; \
                   git commit -q --amend --no-edit",
        exit: 10,
        says: &["`sub` is not what TASK proved"],
    },
    Forgery {
        name: "the trailers on another commit",
        commands: "text=$(git log -1 --format=%B); git checkout -q -b other HEAD~1; \
                   echo x = 1 > parking/other.py; git add -A; git commit -qm \"$text\"",
        exit: 10,
        says: &["says it is TASK, ", "no records of TASK"],
    },
    Forgery {
        name: "the trailers on a commit without a change",
        commands: "git commit -q --allow-empty -m \"$(git log -1 --format=%B)\"",
        exit: 10,
        says: &["says it is TASK, and changes nothing"],
    },
    Forgery {
        name: "trailers in small letters on another commit",
        commands: "text=$(git log -1 --format=%B | sed 's/^Sealwright-Task:/sealwright-task :/'); \
                   echo x = 1 > parking/other.py; git add -A; git commit -qm \"$text\"",
        exit: 10,
        says: &["says it is TASK, but `parking/other.py` is not what TASK proved"],
    },
    Forgery {
        name: "a folded trailer on another commit",
        commands: "text=$(git log -1 --format=%B | sed 's/^Sealwright-Task: /Sealwright-Task:\\n  /'); \
                   echo x = 1 > parking/other.py; git add -A; git commit -qm \"$text\"",
        exit: 10,
        says: &["says it is TASK, but `parking/other.py` is not what TASK proved"],
    },
    Forgery {
        name: "another message for what was proven",
        commands: "git commit -q --amend -m plain",
        exit: 0,
        says: &["is exactly what TASK proved"],
    },
    Forgery {
        name: "code named like a view of a task that has no records",
        commands: "mkdir -p .sealwright/tasks/pkg; echo x = 1 > .sealwright/tasks/pkg/STATE.md; \
                   git add -f .sealwright/tasks/pkg; git commit -q --amend --no-edit",
        exit: 10,
        says: &["`.sealwright/tasks/pkg/STATE.md` is not what TASK proved"],
    },
    Forgery {
        name: "a program named like a view of the task",
        commands: "mkdir -p .sealwright/tasks/$TASK; echo x = 1 > .sealwright/tasks/$TASK/STATE.md; \
                   chmod +x .sealwright/tasks/$TASK/STATE.md; git add -f .sealwright/tasks; \
                   git commit -qm more",
        exit: 13,
        says: &["  .sealwright/tasks/TASK/STATE.md in "],
    },
    Forgery {
        name: "a link named like a view of the task",
        commands: "mkdir -p .sealwright/tasks/$TASK; ln -s ../../../parking/fees.py .sealwright/tasks/$TASK/log.md; \
                   git add -f .sealwright/tasks; git commit -qm more",
        exit: 13,
        says: &["  .sealwright/tasks/TASK/log.md in "],
    },
    Forgery {
        name: "a pipe in the place of references",
        commands: "mkfifo .git/packed-refs.pipe; mv .git/packed-refs.pipe .git/packed-refs",
        exit: 20,
        says: &["packed-refs` of the git repository: it is no plain file"],
    },
    Forgery {
        name: "a pipe in the place of what is borrowed",
        commands: "mkfifo .git/objects/info/alternates",
        exit: 20,
        says: &["info/alternates` of the git repository: it is no plain file"],
    },
    Forgery {
        name: "another tree in the trailer",
        commands: "git commit -q --amend -m \"$(git log -1 --format=%B | \
                   sed \"s/^Sealwright-Tree: ..../Sealwright-Tree: 0000/\")\"",
        exit: 10,
        says: &["names a tree that TASK did not prove"],
    },
    Forgery {
        name: "no trailer for the tree",
        commands: "echo '# more' >> parking/fees.py; git add -A; git commit -q --amend \
                   -m \"$(git log -1 --format=%B | grep -v ^Sealwright-Tree)\"",
        exit: 10,
        says: &["`parking/fees.py` is not what TASK proved"],
    },
    Forgery {
        name: "no trailer at all",
        commands: "echo '# more' >> parking/fees.py; git commit -qa --amend -m plain",
        exit: 10,
        says: &["branch sealwright/TASK is at ", "nothing in its history was proven"],
    },
    Forgery {
        name: "the proof removed: the commit of the task still has it",
        commands: "git rm -q .sealwright/proofs/$TASK.jsonl; git commit -qm cleanup",
        exit: 0,
        says: &["is exactly what TASK proved"],
    },
    Forgery {
        name: "the proof removed from the commit of the task",
        commands: "git rm -q .sealwright/proofs/$TASK.jsonl; git commit -q --amend --no-edit",
        exit: 10,
        says: &["says it is TASK, and there are no records of TASK"],
    },
    Forgery {
        name: "all records removed: the commit of the task still has them",
        commands: "git rm -qr .sealwright; git commit -qm cleanup; rm -rf .sealwright",
        exit: 0,
        says: &["is exactly what TASK proved"],
    },
    Forgery {
        name: "a record changed in the proof",
        commands: "sed -i 's/\"verdict\":\"pass\"/\"verdict\":\"fail\"/' .sealwright/proofs/$TASK.jsonl; \
                   git commit -qam change",
        exit: 10,
        says: &["the content does not match its hash"],
    },
    Forgery {
        name: "the proof cut",
        commands: "sed -i '$d' .sealwright/proofs/$TASK.jsonl; sed -i '2,9d' .sealwright/proofs/$TASK.jsonl; \
                   git commit -qam change",
        exit: 10,
        says: &[".sealwright/proofs/TASK.jsonl`: line 2: the line is not the expected record"],
    },
    Forgery {
        name: "a blob of the proof left out",
        commands: "sed -i '0,/^{\"blob\"/{/^{\"blob\"/d}' .sealwright/proofs/$TASK.jsonl; git commit -qam change",
        exit: 10,
        says: &["blob "],
    },
    Forgery {
        name: "a statement left out",
        commands: "sed -i '/attestations.*gate-/d' .sealwright/proofs/$TASK.jsonl; git commit -qam change",
        exit: 10,
        says: &["statement gate-"],
    },
    Forgery {
        name: "the proof under the name of another task",
        commands: "git mv .sealwright/proofs/$TASK.jsonl .sealwright/proofs/T-other-001.jsonl; \
                   git commit -qm move",
        exit: 10,
        says: &["it is the proof of TASK"],
    },
    Forgery {
        name: "another commit in the place of this one",
        commands: "git replace HEAD HEAD~1",
        exit: 0,
        says: &["is exactly what TASK proved"],
    },
    Forgery {
        name: "another commit behind this one",
        commands: "git rev-parse HEAD > .git/info/grafts",
        exit: 0,
        says: &["is exactly what TASK proved"],
    },
    Forgery {
        name: "the change on top of other work",
        commands: "git checkout -q -b other HEAD~1; echo x > NEW; git add NEW; git commit -qm new; \
                   git cherry-pick sealwright/$TASK > .git/picked",
        exit: 13,
        says: &["the change of TASK on top of other files", "nothing in its history was proven"],
    },
    Forgery {
        name: "merged with other work",
        commands: "git checkout -q -b other HEAD~1; echo x > NEW; git add NEW; git commit -qm new; \
                   git merge -q --no-edit sealwright/$TASK",
        exit: 13,
        says: &["1 file changed since TASK proved it", "  NEW in "],
    },
    Forgery {
        name: "merged, and lost on the way",
        commands: "git checkout -q -b other HEAD~1; echo x > NEW; git add NEW; git commit -qm new; \
                   git merge -q -s ours --no-edit sealwright/$TASK",
        exit: 13,
        says: &["files changed since TASK proved it", "  parking/fees.py in "],
    },
    Forgery {
        name: "squashed with its message",
        commands: "git checkout -q -b other HEAD~1; text=$(git log -1 --format=%B sealwright/$TASK); \
                   git merge -q --squash sealwright/$TASK > .git/said; git commit -qm \"Squashed\n\n$text\"",
        exit: 0,
        says: &["is exactly what TASK proved"],
    },
    Forgery {
        name: "undone and done again",
        commands: "git revert --no-edit HEAD > .git/said; git revert --no-edit HEAD > .git/said",
        exit: 0,
        says: &["is exactly what TASK proved"],
    },
    Forgery {
        name: "undone",
        commands: "git revert --no-edit HEAD > .git/said",
        exit: 13,
        says: &["files changed since TASK proved it", "  parking/fees.py in "],
    },
    Forgery {
        name: "the branch moved back",
        commands: "git checkout -q -b other; git branch -qf sealwright/$TASK HEAD~1",
        exit: 10,
        says: &["branch sealwright/TASK is at "],
    },
    Forgery {
        name: "code in the folders of records",
        commands: "mkdir -p .sealwright/proofs/pkg; echo x = 1 > .sealwright/proofs/pkg/a.py; \
                   git add -f .sealwright; git commit -qm more",
        exit: 13,
        says: &["  .sealwright/proofs/pkg/a.py in "],
    },
    Forgery {
        name: "records in the history of a commit that is not theirs",
        commands: "git checkout -q --orphan other; git commit -qm 'all new'",
        exit: 13,
        says: &["nothing in its history was proven"],
    },
];

struct Clone {
    task: String,
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Clone {
    /// Only the branch of the task, as another machine gets it.
    fn of(rehearsal: &Rehearsal, task: &str) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("clone");
        let (branch, place) = (format!("sealwright/{task}"), path.to_str().unwrap());
        let whole = ["clone", "--quiet", "--no-local", "--single-branch", "--branch", &branch];
        rehearsal.git(&[&whole[..], &[".", place]].concat());
        Self { task: task.to_owned(), _folder: folder, path }
    }

    fn run(&self, commands: &str) {
        let mut shell = Command::new("sh");
        let person = [("NAME", "Eve"), ("EMAIL", "eve@example.org")];
        for (key, value) in person {
            shell
                .env(format!("GIT_AUTHOR_{key}"), value)
                .env(format!("GIT_COMMITTER_{key}"), value);
        }
        shell.args(["-ec", commands]).env("TASK", &self.task).current_dir(&self.path);
        let output = shell.output().unwrap();
        let talked = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{commands}: {talked}");
    }

    /// What `verify` says on a machine that knows nothing of the repository.
    fn verify(&self, code: i32, words: &[&str]) -> String {
        self.verify_below("", code, words)
    }

    fn verify_below(&self, folder: &str, code: i32, words: &[&str]) -> String {
        let state = tempfile::tempdir().unwrap();
        let mut command = Command::new(env!("CARGO_BIN_EXE_sealwright"));
        command.arg("verify").args(words).current_dir(self.path.join(folder));
        command.env("NO_COLOR", "1").env("SEALWRIGHT_STATE", state.path());
        // No program is needed: not even git.
        command.env("PATH", "/nonexistent");
        let output = command.output().unwrap();
        let told = [output.stdout, output.stderr].map(|it| String::from_utf8(it).unwrap()).concat();
        assert_eq!(output.status.code(), Some(code), "{words:?}: {told}");
        told
    }
}
