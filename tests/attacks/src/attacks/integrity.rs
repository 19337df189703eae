//! Changing read-only inputs: contracts, frozen tests, the tree of a verifier, the journal.

use std::fs::{self, File, FileTimes, OpenOptions, Permissions};
use std::io::Write;
use std::os::fd::AsRawFd;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::UNIX_EPOCH;

use rustix::fs::{CWD, RenameFlags, XattrFlags, renameat_with, setxattr};

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, any_of, stopped};
use crate::fixture::Fixture;
use crate::fixture_setup::Part;
use crate::setting::{Setting, WorkTree};

pub(super) const ALL: &[Attack] = &[
    Attack::new("write-contract", "3.1/28", Barrier::ReadOnlyMounts, |fixture| {
        overwrite(&contract(fixture))
    })
    .about("Writes into another module's contract.")
    .judged(|set, _| set.changed(Part::Modules)),
    Attack::new("reopen-contract", "3.1/28", Barrier::ReadOnlyMounts, |fixture| {
        reopen(&contract(fixture))
    })
    .about("Opens a contract to read, and again through that descriptor to write.")
    .judged(|set, _| set.changed(Part::Modules)),
    Attack::new("restamp-contract", "3.1/28", Barrier::ReadOnlyMounts, |fixture| {
        restamp(&contract(fixture))
    })
    .about("Changes mode, times and attributes of a contract.")
    .judged(|set, _| set.changed(Part::Modules)),
    Attack::new("write-as-verifier", "3.1/29", Barrier::ReadOnlyMounts, write_as_verifier)
        .about("Changes the tree it was only to judge, in every way there is.")
        .setting(Setting { work: WorkTree::ReadOnly, ..Setting::PLAIN })
        .judged(|set, _| set.changed(Part::Work)),
    Attack::new("write-as-gate", "3.1/32", Barrier::ReadOnlyMounts, |fixture| {
        overwrite(&fixture.inside.work.join("src/lib.rs"))
    })
    .about("Changes the implementation while a gate looks at it.")
    .setting(Setting { work: WorkTree::CopyOnWrite, ..Setting::PLAIN })
    .judged(|set, _| set.changed(Part::Work)),
    Attack::new("append-journal", "3.1/30", Barrier::MountNamespace, append_journal)
        .about("Appends a record of its own to the journal.")
        .judged(|set, _| set.changed(Part::Journal)),
    Attack::new("write-tests", "3.1/31", Barrier::ReadOnlyMounts, |fixture| {
        overwrite(&test(fixture))
    })
    .about("Writes into a frozen test.")
    .judged(|set, _| set.changed(Part::Frozen)),
    Attack::new("reopen-tests", "3.1/31", Barrier::ReadOnlyMounts, |fixture| {
        reopen(&test(fixture))
    })
    .about("Opens a frozen test to read, and again through that descriptor to write.")
    .judged(|set, _| set.changed(Part::Frozen)),
    Attack::new("remove-tests", "3.1/31", Barrier::ReadOnlyMounts, |fixture| {
        fs::remove_file(test(fixture)).step("unlink").map(|()| "it is gone".to_string())
    })
    .about("Removes a frozen test.")
    .judged(|set, _| set.changed(Part::Frozen)),
    Attack::new("rename-tests", "3.1/31", Barrier::ReadOnlyMounts, rename_tests)
        .about("Moves the folder of frozen tests away and puts its own there.")
        .judged(|set, _| set.changed(Part::Frozen)),
    Attack::new("restamp-tests", "3.1/31", Barrier::ReadOnlyMounts, |fixture| {
        restamp(&test(fixture))
    })
    .about("Changes mode, times and attributes of a frozen test.")
    .judged(|set, _| set.changed(Part::Frozen)),
    Attack::new("swap-tests", "3.1/31", Barrier::ReadOnlyMounts, swap_tests)
        .about("Swaps a frozen test for its own, back and forth, so that a reader may see either.")
        .judged(|set, _| set.changed(Part::Frozen)),
    Attack::new("add-test", "more", Barrier::ReadOnlyMounts, |fixture| {
        overwrite(&fixture.inside.frozen.join("conftest.py"))
    })
    .about("Adds a file to the frozen tests that changes how the others run.")
    .judged(|set, _| set.changed(Part::Frozen)),
];

fn contract(fixture: &Fixture) -> std::path::PathBuf {
    fixture.inside.modules.join("a/contract.json")
}

fn test(fixture: &Fixture) -> std::path::PathBuf {
    fixture.inside.frozen.join("acceptance.rs")
}

fn overwrite(path: &Path) -> Tried {
    fs::write(path, CHANGED).step("open")?;
    Ok("it was written".to_string())
}

fn reopen(path: &Path) -> Tried {
    let readable = File::open(path).step("open")?;
    let again = format!("/proc/self/fd/{}", readable.as_raw_fd());
    let mut writable = OpenOptions::new().write(true).open(again).step("open again")?;
    writable.write_all(CHANGED).step("write")?;
    Ok("it was written".to_string())
}

fn restamp(path: &Path) -> Tried {
    let old = FileTimes::new().set_modified(UNIX_EPOCH).set_accessed(UNIX_EPOCH);
    let ways = [
        fs::set_permissions(path, Permissions::from_mode(0o777)).step("chmod"),
        File::open(path).and_then(|file| file.set_times(old)).step("utimensat"),
        setxattr(path, c"user.changed", b"1", XattrFlags::empty()).step("setxattr"),
    ];
    let count = ways.iter().filter(|way| way.is_ok()).count();
    if count > 0 {
        return Ok(format!("{count} of three ways worked"));
    }
    any_of(ways.map(|way| way.map(|()| String::new())))
}

fn write_as_verifier(fixture: &Fixture) -> Tried {
    let file = fixture.inside.work.join("src/lib.rs");
    any_of([
        restamp(&file),
        overwrite(&file),
        reopen(&file),
        overwrite(&fixture.inside.work.join("new.txt")),
        fs::remove_file(&file).step("unlink").map(|()| "it is gone".to_string()),
        fs::rename(fixture.inside.work.join("src"), fixture.inside.work.join("moved"))
            .step("rename")
            .map(|()| "it was moved".to_string()),
    ])
}

fn append_journal(fixture: &Fixture) -> Tried {
    let mut journal = OpenOptions::new().append(true).open(&fixture.host.journal).step("open")?;
    journal.write_all(b"{\"forged\":true}\n").step("write")?;
    Ok("a record was appended".to_string())
}

fn rename_tests(fixture: &Fixture) -> Tried {
    let (frozen, away) = (&fixture.inside.frozen, fixture.inside.frozen.with_extension("away"));
    fs::rename(frozen, away).step("rename")?;
    fs::create_dir(frozen).step("mkdir")?;
    overwrite(&test(fixture))
}

fn swap_tests(fixture: &Fixture) -> Tried {
    let own = fixture.inside.work.join("own-test.rs");
    fs::write(&own, CHANGED).step("write")?;
    let mut seen = 0;
    for _ in 0..SWAPS {
        renameat_with(CWD, &own, CWD, test(fixture), RenameFlags::EXCHANGE).step("rename")?;
        seen += usize::from(fs::read(test(fixture)).is_ok_and(|content| content == CHANGED));
    }
    if seen > 0 {
        Ok(format!("its own test was there {seen} times"))
    } else {
        stopped("it never was there")
    }
}

const CHANGED: &[u8] = b"// Nothing is asserted.\n";
/// An odd number, so that the test for odd numbers passes.
const SWAPS: usize = 501;
