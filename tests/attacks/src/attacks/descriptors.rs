//! Descriptors the launcher forgot to close.

use std::fs::{self, File};
use std::io::Read;

use crate::attack::Attack;
use crate::barrier::Barrier;
use crate::ended::{Step, Tried, holds, stopped};
use crate::fixture::Fixture;
use crate::sys::{self, Word, call, call_numbers};

pub(super) const ALL: &[Attack] = &[
    Attack::new("descriptor-file", "3.1/07", Barrier::ClosedDescriptors, descriptor_file)
        .about("Reads a key file that was left open."),
    Attack::new("descriptor-folder", "3.1/07", Barrier::ClosedDescriptors, descriptor_folder)
        .about("Opens the sealed source relative to a folder that was left open."),
    Attack::new("descriptor-any", "3.1/07", Barrier::ClosedDescriptors, descriptor_any)
        .about("Finds any descriptor but the usual three."),
];

fn descriptor_file(fixture: &Fixture) -> Tried {
    let mut bytes = [0; 4096];
    let length = Word::Number(bytes.len() as i64);
    let file = Word::Number(fixture.leaks.file.into());
    let words = [file, Word::Buffer(&mut bytes), length, Word::Number(0)];
    call(libc::SYS_pread64, words).step("pread")?;
    holds(&bytes, &fixture.markers.key)
}

fn descriptor_folder(fixture: &Fixture) -> Tried {
    let path = c"../store/modules/a/implementation/lib.rs";
    let folder = Word::Number(fixture.leaks.folder.into());
    let words = [folder, Word::Text(path), Word::Number(libc::O_RDONLY.into()), Word::Number(0)];
    let opened = sys::own(call(libc::SYS_openat, words).step("openat")?);
    let mut bytes = Vec::new();
    File::from(opened).read_to_end(&mut bytes).step("read")?;
    holds(&bytes, &fixture.markers.sealed)
}

fn descriptor_any(_: &Fixture) -> Tried {
    let is_open =
        |number: &i64| call_numbers(libc::SYS_fcntl, [*number, libc::F_GETFD.into()]).is_ok();
    let Some(number) = (3..DESCRIPTORS_MAX).find(is_open) else {
        return stopped("only three are open");
    };
    let what = fs::read_link(format!("/proc/self/fd/{number}")).unwrap_or_default();
    Ok(format!("{number} is {}", what.display()))
}

const DESCRIPTORS_MAX: i64 = 4096;
