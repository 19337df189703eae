//! Real commands behind real walls, of every mechanism this machine can have.
//!
//! Run as root, the last test runs all others again as an ordinary user.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail loudly")]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use sealwright_kernel::Level;
use sealwright_sandbox::plan::{Access, Mount, Need, Plan, Scratch};
use sealwright_sandbox::{
    Cancel, Ended, Mechanism, RunOutcome, SandboxError, SandboxSlot, SandboxSlots, Terms, system,
};

/// A folder for slots that every user may pass through, and the slots in it.
struct Fixture {
    folder: tempfile::TempDir,
    slots: SandboxSlots,
}

impl Fixture {
    fn open() -> Self {
        let folder = tempfile::Builder::new()
            .permissions(fs::Permissions::from_mode(0o711))
            .tempdir()
            .unwrap();
        let slots = SandboxSlots::with_launcher(&folder.path().join("seats"), &launcher()).unwrap();
        Self { folder, slots }
    }

    /// A folder that whoever runs in `slot` may write to.
    fn folder(&self, slot: &SandboxSlot, name: &str) -> PathBuf {
        let folder = self.folder.path().join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        if let Some(user) = slot.run_as() {
            std::os::unix::fs::chown(&folder, Some(user), Some(user)).unwrap();
        }
        folder
    }
}

fn launcher() -> PathBuf {
    std::env::var_os("LAUNCHER")
        .map_or_else(|| env!("CARGO_BIN_EXE_launcher").into(), PathBuf::from)
}

/// Bubblewrap is tried where `SEALWRIGHT_BWRAP` names one, and the launcher is not hidden in root's home.
fn mechanisms() -> Vec<Mechanism> {
    let mut mechanisms = vec![Mechanism::Namespaces, Mechanism::Landlock];
    if let Some(program) =
        std::env::var_os("SEALWRIGHT_BWRAP").filter(|_| std::env::var_os("LAUNCHER").is_some())
    {
        mechanisms.push(Mechanism::Bubblewrap { program: program.into() });
    }
    mechanisms
}

fn script(slot: &SandboxSlot, script: &str) -> Plan {
    let mut plan = system::plan(slot, &["/bin/sh", "-c", script]).unwrap();
    plan.limits.wall_ms = 20_000;
    plan
}

fn run(slot: &SandboxSlot, mechanism: &Mechanism, plan: &Plan) -> RunOutcome {
    slot.run(plan, Terms::new(mechanism.clone(), Level::KernelRestricted)).unwrap()
}

fn sh(mechanism: &Mechanism, text: &str) -> RunOutcome {
    let fixture = Fixture::open();
    let slot = fixture.slots.take().unwrap();
    run(&slot, mechanism, &script(&slot, text))
}

fn said(outcome: &RunOutcome) -> String {
    let text = String::from_utf8_lossy(&outcome.stdout.kept).into_owned();
    text + &String::from_utf8_lossy(&outcome.stderr.kept)
}

fn mount(source: &Path, at: &str, access: Access) -> Mount {
    Mount { source: source.to_owned(), at: at.to_owned(), access, need: Need::Required }
}

/// Processes of this machine that have `mark` among their words.
fn alive(mark: &str) -> usize {
    let entries = fs::read_dir("/proc").unwrap().flatten();
    entries
        .filter(|entry| {
            let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let is_test = words.starts_with(b"cargo") || entry.file_name().to_str() == Some("self");
            !is_test && words.split(|byte| *byte == 0).any(|word| word == mark.as_bytes())
        })
        .count()
}

#[test]
fn a_command_runs_and_its_end_is_told() {
    for mechanism in mechanisms() {
        let outcome = sh(&mechanism, "echo out; echo err >&2; exit 7");
        assert_eq!(outcome.ended, Ended::Exited(7), "{mechanism:?}");
        assert_eq!(said(&outcome), "out\nerr\n");
        let outcome = sh(&mechanism, "kill -SEGV $$");
        assert_eq!(outcome.ended, Ended::Signalled(11), "{mechanism:?}");
    }
}

#[test]
fn walls_are_as_strong_as_they_are_said_to_be() {
    let is_root = rustix::process::geteuid().is_root();
    for mechanism in mechanisms() {
        let outcome = sh(&mechanism, "true");
        let expected = match (&mechanism, is_root) {
            (Mechanism::Namespaces | Mechanism::Bubblewrap { .. }, _) => Level::KernelIsolated,
            (Mechanism::Landlock, true) => Level::KernelRestrictedUid,
            (Mechanism::Landlock, false) => Level::KernelRestricted,
            (Mechanism::Nothing, _) => unreachable!("not among them"),
        };
        assert_eq!(outcome.confinement.level, expected, "{:#?}", outcome.confinement);
    }
}

#[test]
fn nothing_is_started_behind_walls_that_are_too_weak() {
    let fixture = Fixture::open();
    let slot = fixture.slots.take().unwrap();
    let own = fixture.folder(&slot, "own");
    let mut plan = script(&slot, "touch /own/started");
    plan.mounts.push(mount(&own, "/own", Access::ReadWrite));
    for mechanism in [Mechanism::Landlock, Mechanism::Nothing] {
        let refused = slot.run(&plan, Terms::new(mechanism, Level::KernelIsolated)).unwrap_err();
        assert!(matches!(refused, SandboxError::TooWeak { least: Level::KernelIsolated, .. }));
        assert!(!own.join("started").exists());
    }
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let fixture = Fixture::open();
    let slot = fixture.slots.take().unwrap();
    for mechanism in mechanisms() {
        let plan = system::plan(&slot, &["/no/such/program"]).unwrap();
        let error = slot.run(&plan, Terms::new(mechanism, Level::KernelRestricted)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot start the command: No such file or directory (os error 2)"
        );
        assert!(error.hint().unwrap().contains("sandbox explain"));
    }
}

#[test]
fn time_is_up_for_everything_that_was_started() {
    for mechanism in mechanisms() {
        let mark = format!("3{}7", std::process::id());
        let text = format!(
            "trap '' TERM; (setsid sh -c 'trap \"\" TERM HUP; sleep {mark}; sleep {mark}' &) ; echo started; sleep {mark}; sleep {mark}"
        );
        let fixture = Fixture::open();
        let slot = fixture.slots.take().unwrap();
        // On a busy machine a short time is up before the command has begun, which says nothing about what it
        // started: then it gets twice as long.
        let mut tries = (0..6).map(|nth| 400_u64 << nth);
        let outcome = tries.find_map(|wall_ms| {
            let mut plan = script(&slot, &text);
            plan.limits.wall_ms = wall_ms;
            let terms = Terms::new(mechanism.clone(), Level::KernelRestricted);
            match slot.run(&plan, terms) {
                Ok(outcome) if said(&outcome).contains("started") => Some((outcome, wall_ms)),
                Ok(RunOutcome { ended: Ended::TimedOut, .. }) => None,
                // It was cut before the launcher had told how strong the isolation is.
                Err(SandboxError::TooWeak { found: Level::Advisory, .. }) => None,
                other => panic!("{mechanism:?} {other:?}"),
            }
        });
        let (outcome, wall_ms) = outcome.expect("a command begins within thirteen seconds");
        assert_eq!(outcome.ended, Ended::TimedOut, "{mechanism:?}");
        assert!(outcome.wall < Duration::from_millis(wall_ms + 3_600), "{:?}", outcome.wall);
        // A killed process is gone a moment after its namespace.
        let mut looks = 0..2_000;
        while alive(&mark) > 0 && looks.next().is_some() {
            std::thread::yield_now();
        }
        let is_gone = alive(&mark) == 0;
        assert!(is_gone, "{mechanism:?}: {} are alive", alive(&mark));
    }
}

#[test]
fn what_is_left_behind_is_counted_and_dies() {
    for mechanism in mechanisms() {
        let mark = format!("4{}7", std::process::id());
        let text = format!("(setsid sleep {mark} >/dev/null 2>&1 &); sleep 0.1; echo done");
        let outcome = sh(&mechanism, &text);
        assert_eq!(outcome.ended, Ended::Exited(0), "{mechanism:?}");
        assert_eq!(outcome.leftovers, 1, "{mechanism:?}");
        assert_eq!(alive(&mark), 0, "{mechanism:?}");
    }
}

#[test]
fn a_run_can_be_called_off() {
    for mechanism in mechanisms() {
        let fixture = Fixture::open();
        let slot = fixture.slots.take().unwrap();
        let plan = script(&slot, "sleep 600");
        let cancel = Cancel::new().unwrap();
        cancel.cancel();
        let mut terms = Terms::new(mechanism.clone(), Level::Advisory);
        terms.cancel = Some(&cancel);
        // Called off before it began is called off all the same.
        let outcome = slot.run(&plan, terms);
        assert!(
            matches!(&outcome, Ok(RunOutcome { ended: Ended::Cancelled, .. })),
            "{mechanism:?} {outcome:?}"
        );
    }
}

#[test]
fn a_command_reads_what_it_is_handed_and_is_heard_as_it_speaks() {
    for mechanism in mechanisms() {
        let fixture = Fixture::open();
        let slot = fixture.slots.take().unwrap();
        // It answers line by line, and each answer is what brings the next line.
        let plan = script(
            &slot,
            "while read word; do echo \"heard $word\"; done; ls /proc/self/fd | wc -l",
        );
        let (reader, writer) = std::io::pipe().unwrap();
        let mut writer = Some(writer);
        let mut heard = Vec::new();
        std::io::Write::write_all(writer.as_mut().unwrap(), b"one\n").unwrap();
        let mut terms = Terms::new(mechanism.clone(), Level::KernelRestricted);
        terms.input = Some(reader.into());
        terms.listener = Some(Box::new(|piece: &[u8]| {
            heard.extend_from_slice(piece);
            match heard.as_slice() {
                b"heard one\n" => {
                    std::io::Write::write_all(writer.as_mut().unwrap(), b"two\n").unwrap();
                }
                b"heard one\nheard two\n" => drop(writer.take()),
                _ => {}
            }
        }));
        let outcome = slot.run(&plan, terms).unwrap();
        assert_eq!(outcome.ended, Ended::Exited(0), "{mechanism:?}: {}", said(&outcome));
        // Three, and the one that `ls` opens itself.
        assert_eq!(said(&outcome), "heard one\nheard two\n4\n", "{mechanism:?}");
        assert_eq!(heard, outcome.stdout.kept, "{mechanism:?}");
    }
}

#[test]
fn output_is_kept_up_to_a_bound() {
    for mechanism in mechanisms() {
        let fixture = Fixture::open();
        let slot = fixture.slots.take().unwrap();
        let mut plan = script(&slot, "head -c 50000000 /dev/zero; echo end >&2");
        plan.limits.output_bytes = 1 << 20;
        let outcome = run(&slot, &mechanism, &plan);
        assert_eq!(outcome.ended, Ended::Exited(0), "{mechanism:?} {:?}", outcome.stderr.kept);
        assert_eq!(outcome.stdout.kept.len(), 1 << 20);
        assert_eq!(outcome.stdout.dropped, 50_000_000 - (1 << 20));
        assert_eq!(outcome.stderr.kept, b"end\n");
    }
}

#[test]
fn processes_memory_and_files_are_bounded() {
    for mechanism in mechanisms() {
        let fixture = Fixture::open();
        let slot = fixture.slots.take().unwrap();
        let mut plan =
            script(&slot, "i=0; while [ $i -lt 60 ]; do sleep 5 & i=$((i+1)); done; echo all");
        // Without a user namespace the bound counts every process of the user.
        let is_counted_alone = mechanism != Mechanism::Landlock || slot.run_as().is_some();
        plan.limits.processes_max = 20;
        if is_counted_alone {
            let outcome = run(&slot, &mechanism, &plan);
            assert_ne!(outcome.ended, Ended::Exited(0), "{}", said(&outcome));
        }
        let mut plan = script(&slot, "head -c 3000000 /dev/zero > $TMPDIR/large && echo all");
        plan.limits.file_bytes = 1 << 20;
        let outcome = run(&slot, &mechanism, &plan);
        assert!(!said(&outcome).contains("all"), "{mechanism:?}");
        let mut plan = script(&slot, "head -c 400000000 /dev/zero | tail -c 399999999 | wc -c");
        plan.limits.memory_bytes = 64 << 20;
        let outcome = run(&slot, &mechanism, &plan);
        let facts = &outcome.confinement.facts;
        let is_bounded = facts.iter().any(|fact| fact.name == "memory" && fact.value == "bounded");
        assert_eq!(said(&outcome).contains("399999999"), !is_bounded, "{mechanism:?}");
    }
}

#[test]
fn a_tree_that_grows_too_much_ends_the_run() {
    for mechanism in mechanisms() {
        let fixture = Fixture::open();
        let slot = fixture.slots.take().unwrap();
        let work = fixture.folder(&slot, "work");
        let many = "i=0; while true; do echo x > f$i; i=$((i+1)); done";
        let much = "i=0; while true; do head -c 500000 /dev/zero > f$i; i=$((i+1)); done";
        for text in [many, much] {
            let mut plan = script(&slot, text);
            plan.mounts.push(mount(&work, "/work", Access::ReadWrite));
            plan.folder = "/work".to_owned();
            plan.limits.tree_files_max = 300;
            plan.limits.tree_bytes = 30 << 20;
            let outcome = run(&slot, &mechanism, &plan);
            assert_eq!(outcome.ended, Ended::OutOfRoom, "{mechanism:?}");
        }
    }
}

#[test]
fn scratch_is_empty_each_time_and_has_an_end() {
    let fixture = Fixture::open();
    let slot = fixture.slots.take().unwrap();
    let mut plan = script(&slot, "ls -A /tmp; head -c 9000000 /dev/zero > /tmp/f || echo full");
    plan.scratch = vec![Scratch { at: "/tmp".to_owned(), bytes_max: 4 << 20 }];
    for _ in 0..2 {
        let outcome = run(&slot, &Mechanism::Namespaces, &plan);
        assert_eq!(String::from_utf8_lossy(&outcome.stdout.kept), "full\n");
    }
}

/// Proves in part: B-003, B-006, L-075
#[test]
fn what_is_read_only_cannot_be_written() {
    for mechanism in mechanisms() {
        let fixture = Fixture::open();
        let slot = fixture.slots.take().unwrap();
        let given = fixture.folder(&slot, "given");
        fs::write(given.join("file"), "as it was").unwrap();
        let mut plan = script(&slot, "echo x > file; echo x > new; rm -f file; mv file other");
        plan.mounts.push(mount(&given, "/given", Access::ReadOnly));
        plan.folder = "/given".to_owned();
        run(&slot, &mechanism, &plan);
        let names: Vec<_> =
            fs::read_dir(&given).unwrap().flatten().map(|e| e.file_name()).collect();
        assert_eq!(names, ["file"], "{mechanism:?}");
        assert_eq!(fs::read(given.join("file")).unwrap(), b"as it was");
    }
}

#[test]
fn changes_to_a_copy_on_write_mount_are_thrown_away() {
    let fixture = Fixture::open();
    let slot = fixture.slots.take().unwrap();
    let given = fixture.folder(&slot, "given, with: odd\\name");
    fs::write(given.join("file"), "as it was").unwrap();
    let mut plan =
        script(&slot, "echo new > file && echo more > other && rm -r folder; cat file other");
    fs::create_dir(given.join("folder")).unwrap();
    if let Some(user) = slot.run_as() {
        std::os::unix::fs::chown(given.join("file"), Some(user), Some(user)).unwrap();
    }
    plan.mounts.push(mount(&given, "/work", Access::CopyOnWrite));
    plan.folder = "/work".to_owned();
    let outcome = run(&slot, &Mechanism::Namespaces, &plan);
    assert_eq!(said(&outcome), "new\nmore\n");
    assert_eq!(fs::read(given.join("file")).unwrap(), b"as it was");
    assert!(given.join("folder").exists() && !given.join("other").exists());
}

#[test]
fn a_copy_on_write_mount_can_be_changed_although_only_the_host_may_change_the_original() {
    use std::os::unix::fs::MetadataExt as _;
    let fixture = Fixture::open();
    let slot = fixture.slots.take().unwrap();
    let given = fixture.folder.path().join("given");
    fs::create_dir_all(given.join("closed/deep")).unwrap();
    fs::write(given.join("open"), "as it was").unwrap();
    fs::write(given.join("closed/deep/file"), "as it was").unwrap();
    let outside = fixture.folder.path().join("outside");
    fs::write(&outside, "as it was").unwrap();
    std::os::unix::fs::symlink(&outside, given.join("link")).unwrap();
    let set = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    };
    set(&given.join("closed/deep/file"), 0o600);
    set(&given.join("closed/deep"), 0o700);
    set(&given.join("closed"), 0o700);
    set(&given.join("open"), 0o644);
    set(&outside, 0o600);
    let meta = |path: &Path| {
        let found = fs::symlink_metadata(path).unwrap();
        (found.uid(), found.mode(), found.len())
    };
    let all = ["", "open", "closed", "closed/deep", "closed/deep/file", "link", "../outside"];
    let all = all.map(|path| given.join(path));
    let before = all.each_ref().map(|path| meta(path));
    let mut plan = script(
        &slot,
        "cat closed/deep/file && echo >> closed/deep/file && echo new > open && mkdir closed/more \
         && rm closed/deep/file && mv closed/deep closed/moved && ls closed open",
    );
    plan.mounts.push(mount(&given, "/work", Access::CopyOnWrite));
    plan.folder = "/work".to_owned();
    let outcome = run(&slot, &Mechanism::Namespaces, &plan);
    assert_eq!(said(&outcome), "as it wasopen\n\nclosed:\nmore\nmoved\n", "{outcome:?}");
    assert_eq!(all.each_ref().map(|path| meta(path)), before);
    assert_eq!(fs::read(given.join("closed/deep/file")).unwrap(), b"as it was");
}

#[test]
fn what_only_the_host_may_read_is_read_where_a_plan_names_it_and_not_written() {
    let fixture = Fixture::open();
    let slot = fixture.slots.take().unwrap();
    let [packages, file] = ["packages", "file"].map(|name| fixture.folder.path().join(name));
    fs::create_dir_all(packages.join("closed/deep")).unwrap();
    fs::write(packages.join("closed/deep/file"), "text").unwrap();
    fs::write(&file, "text").unwrap();
    for (path, mode) in [
        (packages.join("closed/deep/file"), 0o600),
        (packages.join("closed/deep"), 0o700),
        (packages.join("closed"), 0o700),
        (packages.clone(), 0o755),
        (file.clone(), 0o600),
    ] {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }
    let mut plan = script(
        &slot,
        "cat closed/deep/file /file; for each in closed/deep/file closed/new new /file; do \
         { echo x >> $each; } 2>/dev/null; chmod 777 $each 2>/dev/null; done; \
         rm -r closed 2>/dev/null; cat closed/deep/file; ls closed",
    );
    plan.mounts.push(mount(&packages, "/packages", Access::ReadOnly));
    plan.mounts.push(mount(&file, "/file", Access::ReadOnly));
    plan.folder = "/packages".to_owned();
    let outcome = run(&slot, &Mechanism::Namespaces, &plan);
    assert_eq!(said(&outcome), "texttexttextdeep\n", "{outcome:?}");
    assert_eq!(fs::read(packages.join("closed/deep/file")).unwrap(), b"text");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_link_planted_where_something_will_be_mounted_leads_nowhere() {
    let fixture = Fixture::open();
    let slot = fixture.slots.take().unwrap();
    let (work, frozen) = (fixture.folder(&slot, "work"), fixture.folder(&slot, "frozen"));
    let outside = fixture.folder(&slot, "outside");
    fs::write(frozen.join("test"), "frozen").unwrap();
    for planted in
        [outside.as_path(), Path::new("../outside"), Path::new("/usr"), Path::new("folder")]
    {
        std::os::unix::fs::symlink(planted, work.join("tests")).unwrap();
        let mut plan = script(&slot, "cat tests/test");
        plan.mounts.push(mount(&work, "/work", Access::ReadWrite));
        plan.mounts.push(mount(&frozen, "/work/tests", Access::ReadOnly));
        plan.folder = "/work".to_owned();
        let error =
            slot.run(&plan, Terms::new(Mechanism::Namespaces, Level::KernelIsolated)).unwrap_err();
        assert!(error.to_string().starts_with("cannot mount /work/tests"), "{error}");
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 0);
        fs::remove_file(work.join("tests")).unwrap();
    }
    // And a source that is a link, or lies behind one, is not mounted at all.
    std::os::unix::fs::symlink(&frozen, work.join("linked")).unwrap();
    let mut plan = script(&slot, "true");
    plan.mounts.push(mount(&work.join("linked"), "/frozen", Access::ReadOnly));
    assert!(slot.run(&plan, Terms::new(Mechanism::Namespaces, Level::KernelIsolated)).is_err());
}

#[test]
fn nothing_of_the_caller_comes_along() {
    for mechanism in mechanisms() {
        let outcome = sh(&mechanism, "env; ls /proc/self/fd");
        let said = said(&outcome);
        assert!(!said.contains("CARGO") && !said.contains("STAGE="), "{mechanism:?}\n{said}");
        // Standard input, output, error, and the folder that is being listed.
        assert!(said.ends_with("0\n1\n2\n3\n"), "{mechanism:?}\n{said}");
    }
}

#[test]
fn a_seat_is_taken_once_and_swept_after_a_crash() {
    let fixture = Fixture::open();
    let (first, second) = (fixture.slots.take().unwrap(), fixture.slots.take().unwrap());
    assert_ne!(first.folder(), second.folder());
    assert!(first.run_as().is_none() || first.run_as() != second.run_as());
    assert_eq!(fixture.slots.sweep().unwrap(), 0);
    let folder = first.folder().to_owned();
    drop((first, second));
    assert!(!folder.exists());
    // What a killed host leaves behind: a folder and a lock that nobody holds.
    fs::create_dir_all(folder.join("deep/er")).unwrap();
    fs::set_permissions(folder.join("deep"), fs::Permissions::from_mode(0o000)).unwrap();
    fs::write(folder.with_extension("lock"), "").unwrap();
    assert_eq!(fixture.slots.sweep().unwrap(), 1);
    assert_eq!(fs::read_dir(fixture.folder.path().join("seats")).unwrap().count(), 0);
}

/// All of the above, for somebody who is not root.
#[test]
fn the_same_holds_for_an_ordinary_user() {
    use std::os::unix::process::CommandExt as _;
    if !rustix::process::geteuid().is_root() {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o777)).unwrap();
    let (tests, launcher_copy) = (folder.path().join("tests"), folder.path().join("stage"));
    fs::copy(std::env::current_exe().unwrap(), &tests).unwrap();
    fs::copy(launcher(), &launcher_copy).unwrap();
    #[expect(clippy::disallowed_methods, reason = "the test itself, as somebody else")]
    let output = Command::new(&tests)
        .args(["--test-threads=2"])
        .env_clear()
        .envs([("LAUNCHER", launcher_copy.as_os_str()), ("TMPDIR", folder.path().as_os_str())])
        .envs(std::env::var_os("SEALWRIGHT_BWRAP").map(|program| ("SEALWRIGHT_BWRAP", program)))
        .uid(60_001)
        .gid(60_001)
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{said}{}", String::from_utf8_lossy(&output.stderr));
    assert!(said.contains(" 0 failed"), "{said}");
}
