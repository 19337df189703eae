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
