//! How an attempt ends, and the words attempts are written with.

use std::io;

/// What came of an attempt: what it got, or what was in its way.
pub type Tried = Result<String, Hindrance>;

/// What was in the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Hindrance {
    /// A wall, in the words of the kernel.
    Stopped(String),
    /// The attack could not even be tried.
    Void(String),
}

/// How an attack ended. Three ends, never two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It worked.
    Succeeded {
        /// What it got.
        what: String,
    },
    /// Something stopped it.
    Stopped {
        /// What did, as far as it can be seen from inside.
        by: String,
    },
    /// It could not even be tried, so it proves nothing.
    Void {
        /// Why not.
        why: String,
    },
}

impl Ended {
    /// The one line an attack prints.
    pub fn line(&self) -> String {
        let (word, rest) = match self {
            Self::Succeeded { what } => ("succeeded", what),
            Self::Stopped { by } => ("stopped", by),
            Self::Void { why } => ("void", why),
        };
        let rest: String = rest.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        format!("{word}: {}", rest.trim())
    }

    /// Finds that line in an output, if it has one.
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

/// Names a step of an attempt, so that what stopped it says where.
pub(crate) trait Step<T> {
    /// The value, or a hindrance that begins with `what`.
    fn step(self, what: &str) -> Result<T, Hindrance>;
}

impl<T, E: Into<io::Error>> Step<T> for Result<T, E> {
    fn step(self, what: &str) -> Result<T, Hindrance> {
        self.map_err(|error| Hindrance::Stopped(format!("{what}: {}", errno_name(&error.into()))))
    }
}

/// A wall in the attack's own words.
pub(crate) fn stopped<T>(by: impl Into<String>) -> Result<T, Hindrance> {
    Err(Hindrance::Stopped(by.into()))
}

/// The attack could not be tried.
pub(crate) fn void<T>(why: impl Into<String>) -> Result<T, Hindrance> {
    Err(Hindrance::Void(why.into()))
}

/// What was read counts only if the marker is in it.
pub(crate) fn holds(bytes: &[u8], marker: &str) -> Tried {
    if bytes.windows(marker.len()).any(|window| window == marker.as_bytes()) {
        Ok(format!("read {marker}"))
    } else {
        stopped(format!("{} bytes came, without the marker", bytes.len()))
    }
}

/// The first way that works, or what stopped the last one.
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
