//! Descriptors the launcher forgot to close.

use std::fs::{self, File};
use std::io::Read;

use crate::attack::Attack;
use crate::ended::{Step, Tried, holds, stopped};
use crate::scene::Scene;
use crate::sys::{self, Word, call};
use crate::wall::Barrier;

pub(super) const ALL: &[Attack] = &[
    Attack::new(
        "descriptor-file",
        "3.1/07",
        Barrier::ClosedDescriptors,
        "Reads a key file that was left open.",
        descriptor_file,
    ),
    Attack::new(
        "descriptor-folder",
        "3.1/07",
        Barrier::ClosedDescriptors,
        "Opens the sealed source relative to a folder that was left open.",
        descriptor_folder,
    ),
    Attack::new(
        "descriptor-any",
        "3.1/07",
        Barrier::ClosedDescriptors,
        "Finds any descriptor but the usual three.",
        descriptor_any,
    ),
];

fn descriptor_file(scene: &Scene) -> Tried {
    let mut bytes = [0; 4096];
    let length = Word::Number(bytes.len() as i64);
    let words =
        [Word::Number(scene.leaks.file.into()), Word::Buffer(&mut bytes), length, Word::Number(0)];
    call(libc::SYS_pread64, words).step("pread")?;
    holds(&bytes, &scene.markers.key)
}

fn descriptor_folder(scene: &Scene) -> Tried {
    let path = c"../store/modules/a/implementation/lib.rs";
    let folder = Word::Number(scene.leaks.folder.into());
    let words = [folder, Word::Text(path), Word::Number(libc::O_RDONLY.into()), Word::Number(0)];
    let opened = sys::own(call(libc::SYS_openat, words).step("openat")?);
    let mut bytes = Vec::new();
    File::from(opened).read_to_end(&mut bytes).step("read")?;
    holds(&bytes, &scene.markers.sealed)
}

fn descriptor_any(_: &Scene) -> Tried {
    let is_open = |number: &i64| {
        call(libc::SYS_fcntl, [Word::Number(*number), Word::Number(libc::F_GETFD.into())]).is_ok()
    };
    let Some(number) = (3..DESCRIPTORS_MAX).find(is_open) else {
        return stopped("only three are open");
    };
    let what = fs::read_link(format!("/proc/self/fd/{number}")).unwrap_or_default();
    Ok(format!("{number} is {}", what.display()))
}

const DESCRIPTORS_MAX: i64 = 4096;
