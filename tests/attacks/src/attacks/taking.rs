//! Files placed where the host takes them from: out of a work tree, or into another role's view.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::attack::{Attack, Follow};
use crate::barrier::Barrier;
use crate::confinement::Ran;
use crate::ended::{Step, Tried, holds};
use crate::fixture::Fixture;
use crate::fixture_setup::FixtureSetup;

pub(super) const ALL: &[Attack] = &[
    taken("take-link", |fixture| {
        symlink(&fixture.host.key, fixture.inside.work.join("src/notes.rs")).step("symlink")?;
        Ok("a link is there".to_string())
    })
    .about("Puts a link to a key among its sources.")
    .judged(|set, _| leaks(set, "src/notes.rs", &set.fixture().markers.key)),
    taken("take-linked-folder", |fixture| {
        symlink(&fixture.host.other_work, fixture.inside.work.join("src/other")).step("symlink")?;
        Ok("a link is there".to_string())
    })
    .about("Puts a link to a folder of the host among its sources.")
    .judged(|set, _| leaks(set, "src/other/private.txt", &set.fixture().markers.other_work)),
    taken("take-pipe", |fixture| pipe(&fixture.inside.work.join("src/notes.rs")))
        .about("Puts a pipe among its sources, which has no writer.")
        .judged(|_, _| None),
    taken("take-setuid", |fixture| {
        let program = fixture.inside.work.join("src/program");
        fs::write(&program, "#!/bin/sh\n").step("write")?;
        fs::set_permissions(&program, Permissions::from_mode(0o4755)).step("chmod")?;
        Ok("a program is there".to_string())
    })
    .about("Puts a setuid program among its sources.")
    .judged(is_setuid),
    taken("take-huge", |fixture| {
        let file = File::create(fixture.inside.work.join("src/huge.rs")).step("open")?;
        // A file limit may allow less, but still more than is taken.
        let lengths = [fixture.bounds.taken_bytes << 10, fixture.bounds.taken_bytes * 2];
        crate::sys::ignore(libc::SIGXFSZ);
        let long = lengths.into_iter().find(|length| file.set_len(*length).is_ok());
        Ok(format!("a file of {} MiB is there", long.unwrap_or(0) >> 20))
    })
    .about("Puts a file of enormous length among its sources, all of it holes.")
    .judged(is_huge),
    shown("show-link", |fixture| {
        let module = fixture.inside.work.join("module");
        fs::remove_file(module.join("examples.md")).step("unlink")?;
        symlink("implementation/lib.rs", module.join("examples.md")).step("symlink")?;
        Ok("a link is there".to_string())
    })
    .about("Makes its examples a link to its implementation.")
    .judged(|set, _| leaks(set, "examples.md", &set.fixture().markers.own_source)),
    shown("show-second-name", |fixture| {
        let module = fixture.inside.work.join("module");
        fs::remove_file(module.join("contract.json")).step("unlink")?;
        fs::hard_link(module.join("implementation/lib.rs"), module.join("contract.json"))
            .step("link")?;
        Ok("a second name is there".to_string())
    })
    .about("Makes its contract a second name of its implementation.")
    .judged(|set, _| leaks(set, "contract.json", &set.fixture().markers.own_source)),
    shown("show-linked-folder", |fixture| {
        let module = fixture.inside.work.join("module");
        fs::remove_dir_all(module.join("docs")).step("rmdir")?;
        symlink("implementation", module.join("docs")).step("symlink")?;
        Ok("a link is there".to_string())
    })
    .about("Makes its guide's folder a link to its implementation.")
    .judged(|set, _| leaks(set, "docs/guide.md", &set.fixture().markers.own_source)),
    shown("show-pipe", |fixture| {
        let ship = fixture.inside.work.join("module/ship.json");
        fs::remove_file(&ship).step("unlink")?;
        pipe(&ship)
    })
    .about("Makes its evidence a pipe, which has no writer.")
    .judged(|_, _| None),
];

/// A file in a work tree that is taken out.
const fn taken(key: &'static str, attempt: fn(&Fixture) -> Tried) -> Attack {
    Attack::new(key, "3.3/harvest", Barrier::Harvest, attempt).then(Follow::Collect)
}

/// A file in a module that is shown to another role.
const fn shown(key: &'static str, attempt: fn(&Fixture) -> Tried) -> Attack {
    Attack::new(key, "3.3/view", Barrier::Materialiser, attempt).then(Follow::Materialise)
}

/// A reader of it blocks; a timeout detects that the host hangs.
fn pipe(path: &Path) -> Tried {
    mknodat(CWD, path, FileType::Fifo, Mode::from(0o600), 0).step("mkfifo")?;
    Ok("a pipe is there".to_string())
}

fn leaks(set: &FixtureSetup, name: &str, marker: &str) -> Option<String> {
    let content = fs::read(set.taken().join(name)).ok()?;
    holds(&content, marker).ok().map(|_| format!("{name} holds {marker}"))
}

fn is_setuid(set: &FixtureSetup, _: &Ran) -> Option<String> {
    let mode = set.taken().join("src/program").symlink_metadata().ok()?.permissions().mode();
    (mode & 0o6000 != 0).then(|| format!("a program with mode {:o} was taken", mode & 0o7777))
}

fn is_huge(set: &FixtureSetup, _: &Ran) -> Option<String> {
    let length = set.taken().join("src/huge.rs").symlink_metadata().ok()?.len();
    let bound = set.fixture().bounds.taken_bytes;
    (length > bound).then(|| format!("a file of {} MiB was taken", length >> 20))
}
