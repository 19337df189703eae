//! `prove journal`: streams are durable, tamper-evident and fast, on this disk, in one run.

mod damage;
mod killing;
mod many;
mod opening;
mod speed;

use anyhow::Result;

use crate::prove::Size;
use crate::prove::figures::Figures;
use crate::workspace::{say, scratch};

pub(crate) fn run(size: Size) -> Result<()> {
    let mut figures = Figures::new("journal", size);
    let scratch = scratch("journal");
    std::fs::create_dir_all(&scratch)?;
    let parts: [(&str, Part); 5] = [
        ("appending", speed::run),
        ("opening", opening::run),
        ("damage", damage::run),
        ("killing and sharing", killing::run),
        ("many streams", many::run),
    ];
    for (what, part) in parts {
        say(what);
        // On the disk of the build directory, not in a memory file system.
        let folder = tempfile::tempdir_in(&scratch)?;
        part(size, folder.path(), &mut figures)?;
    }
    figures.close()
}

type Part = fn(Size, &std::path::Path, &mut Figures) -> Result<()>;
