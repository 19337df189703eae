//! Remains of one run for the next: poison, and messages between roles.

use std::ffi::CString;
use std::fs;
use std::path::{Path, PathBuf};

use super::files::read;
use super::ipc::{find_key, read_key};
use crate::attack::{Attack, Follow};
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, holds};
use crate::fixture::{Fixture, Round};
use crate::fixture_setup::Part;
use crate::sys::{self, SHARED_BYTES, Word, call, call_numbers};
use crate::victim::{KEYCTL_INVALIDATE, KEYCTL_SET_TIMEOUT, USER_KEYRING};

pub(super) const ALL: &[Attack] = &[
    Attack::new("poison-cache", "3.4/P1", Barrier::ReadOnlyMounts, poison_cache)
        .about("Changes the source of a dependency in the shared cache.")
        .judged(|set, _| set.changed(Part::Cache)),
    Attack::new("message-in-scratch", "3.2/scratch", Barrier::MountNamespace, |fixture| {
        by_file(fixture, &fixture.inside.tmp)
    })
    .about("Leaves a message for a later role in the scratch folder.")
    .then(Follow::RunAgain),
    Attack::new("message-in-home", "3.2/scratch", Barrier::MountNamespace, |fixture| {
        by_file(fixture, &fixture.inside.home)
    })
    .about("Leaves a message for a later role in the home.")
    .then(Follow::RunAgain),
    Attack::new("message-in-shared-memory", "more", Barrier::MountNamespace, |fixture| {
        by_file(fixture, &fixture.inside.shm)
    })
    .about("Leaves a message for a later role in shared memory.")
    .then(Follow::RunAgain),
    Attack::new("message-in-segment", "more", Barrier::IpcNamespace, by_segment)
        .about("Leaves a message for a later role in a segment that outlives its maker.")
        .then(Follow::RunAgain),
    Attack::new("message-in-keyring", "more", Barrier::Seccomp, by_keyring)
        .about("Leaves a message for a later role in the kernel's keyring.")
        .then(Follow::RunAgain),
];

fn poison_cache(fixture: &Fixture) -> Tried {
    let source = fixture.inside.cache.join("registry/dependency/lib.rs");
    fs::write(source, "pub fn poisoned() {}\n").step("open")?;
    Ok("a dependency was changed".to_string())
}

fn by_file(fixture: &Fixture, folder: &Path) -> Tried {
    let path: PathBuf = folder.join(format!("{}.message", fixture.token));
    match fixture.round {
        Round::First => {
            fs::write(path, message(fixture)).step("write")?;
            Ok("a message was left".to_string())
        }
        Round::Second => {
            let found = read(&path, &message(fixture));
            let _ = fs::remove_file(path);
            found
        }
    }
}

fn by_segment(fixture: &Fixture) -> Tried {
    // One above the victim's own, which is odd.
    let key = i64::from(fixture.victim.sysv_key) + 1;
    match fixture.round {
        Round::First => {
            let words = [key, SHARED_BYTES as i64, (libc::IPC_CREAT | 0o600).into()];
            let id = call_numbers(libc::SYS_shmget, words).step("shmget")?;
            sys::write_shared_memory(id, message(fixture).as_bytes()).step("shmat")?;
            Ok("a message was left".to_string())
        }
        Round::Second => {
            let id = call_numbers(libc::SYS_shmget, [key, 0, 0]).step("shmget")?;
            let found = holds(&sys::shared_memory(id).step("shmat")?, &message(fixture));
            let _ = call_numbers(libc::SYS_shmctl, [id, libc::IPC_RMID.into(), 0]);
            found
        }
    }
}

fn by_keyring(fixture: &Fixture) -> Tried {
    let name = format!("{}.message", fixture.token);
    match fixture.round {
        Round::First => {
            let (description, message) =
                (CString::new(name).expect("a name is text"), message(fixture));
            let words = [
                Word::Text(c"user"),
                Word::Text(&description),
                Word::Bytes(message.as_bytes()),
                Word::Number(message.len() as i64),
                Word::Number(USER_KEYRING),
            ];
            let key = call(libc::SYS_add_key, words).step("add_key")?;
            call_numbers(libc::SYS_keyctl, [KEYCTL_SET_TIMEOUT, key, 60]).step("keyctl")?;
            Ok("a message was left".to_string())
        }
        Round::Second => {
            let found = read_key(&name, &message(fixture));
            if let Ok(key) = find_key(&name, USER_KEYRING) {
                let _ = call_numbers(libc::SYS_keyctl, [KEYCTL_INVALIDATE, key]);
            }
            found
        }
    }
}

fn message(fixture: &Fixture) -> String {
    format!("MESSAGE-{}", fixture.token)
}
