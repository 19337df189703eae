//! The results of attempts, and helpers to write attempts.

use std::io;

/// What an attempt got, or what stopped it.
pub type Tried = Result<String, Hindrance>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// A barrier, in the words of the kernel.
    Stopped(String),
    /// The attempt could not be made.
    Void(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    Succeeded {
        what: String,
    },
    Stopped {
        /// By what, as seen from inside.
        by: String,
    },
    /// It could not be tried, so it proves nothing.
    Void {
        why: String,
    },
}

impl Ended {
    pub fn line(&self) -> String {
        let (word, rest) = match self {
            Self::Succeeded { what } => ("succeeded", what),
            Self::Stopped { by } => ("stopped", by),
            Self::Void { why } => ("void", why),
        };
        let rest: String = rest.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        format!("{word}: {}", rest.trim())
    }

    /// Finds that line in an output.
    pub fn find(output: &[u8]) -> Option<Self> {
        String::from_utf8_lossy(output).lines().rev().find_map(Self::parse)
    }

    fn parse(line: &str) -> Option<Self> {
        let (word, rest) = line.split_once(": ")?;
        let rest = rest.to_string();
        match word {
            "succeeded" => Some(Self::Succeeded { what: rest }),
            "stopped" => Some(Self::Stopped { by: rest }),
            "void" => Some(Self::Void { why: rest }),
            _ => None,
        }
    }
}

impl From<Tried> for Ended {
    fn from(tried: Tried) -> Self {
        match tried {
            Ok(what) => Self::Succeeded { what },
            Err(Hindrance::Stopped(by)) => Self::Stopped { by },
            Err(Hindrance::Void(why)) => Self::Void { why },
        }
    }
}

/// Names a step of an attempt, for error messages.
pub(crate) trait Step<T> {
    /// The value, or a hindrance that begins with `what`.
    fn step(self, what: &str) -> Result<T, Hindrance>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, what: &str) -> Result<T, Hindrance> {
        self.map_err(|error| Hindrance::Stopped(format!("{what}: {}", errno_name(&error.into()))))
    }
}

/// A barrier in the attack's own words.
pub(crate) fn stopped<T>(by: impl Into<String>) -> Result<T, Hindrance> {
    Err(Hindrance::Stopped(by.into()))
}

pub(crate) fn void<T>(why: impl Into<String>) -> Result<T, Hindrance> {
    Err(Hindrance::Void(why.into()))
}

/// Counts what was read only if it holds the marker.
pub(crate) fn holds(bytes: &[u8], marker: &str) -> Tried {
    if bytes.windows(marker.len()).any(|window| window == marker.as_bytes()) {
        Ok(format!("read {marker}"))
    } else {
        stopped(format!("{} bytes came, without the marker", bytes.len()))
    }
}

/// The first success, or the last hindrance.
pub(crate) fn any_of(ways: impl IntoIterator<Item = Tried>) -> Tried {
    let mut last = stopped("there was nothing to try");
    for way in ways {
        if way.is_ok() {
            return way;
        }
        last = way;
    }
    last
}

fn errno_name(error: &io::Error) -> String {
    let known =
        error.raw_os_error().and_then(|code| NAMES.iter().find(|(number, _)| *number == code));
    known.map_or_else(|| error.to_string(), |(_, name)| (*name).to_string())
}

const NAMES: &[(i32, &str)] = &[
    (libc::EPERM, "EPERM"),
    (libc::ENOENT, "ENOENT"),
    (libc::ESRCH, "ESRCH"),
    (libc::EIO, "EIO"),
    (libc::ENXIO, "ENXIO"),
    (libc::EBADF, "EBADF"),
    (libc::EAGAIN, "EAGAIN"),
    (libc::ENOMEM, "ENOMEM"),
    (libc::EACCES, "EACCES"),
    (libc::EFAULT, "EFAULT"),
    (libc::EBUSY, "EBUSY"),
    (libc::EEXIST, "EEXIST"),
    (libc::EXDEV, "EXDEV"),
    (libc::ENODEV, "ENODEV"),
    (libc::ENOTDIR, "ENOTDIR"),
    (libc::EINVAL, "EINVAL"),
    (libc::ENFILE, "ENFILE"),
    (libc::EMFILE, "EMFILE"),
    (libc::ENOTTY, "ENOTTY"),
    (libc::ETXTBSY, "ETXTBSY"),
    (libc::EFBIG, "EFBIG"),
    (libc::ENOSPC, "ENOSPC"),
    (libc::EROFS, "EROFS"),
    (libc::ENOSYS, "ENOSYS"),
    (libc::ELOOP, "ELOOP"),
    (libc::ENOKEY, "ENOKEY"),
    (libc::ENOTSUP, "ENOTSUP"),
    (libc::EAFNOSUPPORT, "EAFNOSUPPORT"),
    (libc::EPROTONOSUPPORT, "EPROTONOSUPPORT"),
    (libc::ENETUNREACH, "ENETUNREACH"),
    (libc::EHOSTUNREACH, "EHOSTUNREACH"),
    (libc::ECONNREFUSED, "ECONNREFUSED"),
    (libc::ECONNRESET, "ECONNRESET"),
    (libc::ETIMEDOUT, "ETIMEDOUT"),
];
