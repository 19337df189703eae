//! The launching terminal, with typed text.

use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::Stdio;

use anyhow::Result;
use rustix::fs::{Mode, OFlags};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};

#[derive(Debug)]
pub(super) struct Pty {
    // The terminal exists as long as this end is open.
    _master: OwnedFd,
    slave: OwnedFd,
}

impl Pty {
    /// Opens a terminal and types a line.
    pub(super) fn open(typed: &str) -> Result<Self> {
        let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
        grantpt(&master)?;
        unlockpt(&master)?;
        let name = ptsname(&master, Vec::new())?;
        let flags = OFlags::RDWR | OFlags::NOCTTY | OFlags::CLOEXEC;
        let slave = rustix::fs::open(name, flags, Mode::empty())?;
        writeln!(File::from(master.try_clone()?), "{typed}")?;
        Ok(Self { _master: master, slave })
    }

    /// The launcher's end.
    pub(super) fn slave(&self) -> Result<Stdio> {
        Ok(Stdio::from(self.slave.try_clone()?))
    }

    /// The text that waits to be read.
    pub(super) fn pending(&self) -> String {
        let mut read = Vec::new();
        if rustix::fs::fcntl_setfl(&self.slave, OFlags::NONBLOCK).is_ok()
            && let Ok(slave) = self.slave.try_clone()
        {
            // Reading fails once nothing waits.
            let _ = File::from(slave).take(PENDING_BYTES_MAX).read_to_end(&mut read);
        }
        String::from_utf8_lossy(&read).into_owned()
    }
}

const PENDING_BYTES_MAX: u64 = 1 << 16;
