//! Signs the requests of one call with a login, and remembers why it could not.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use sealwright_sandbox::egress::Secret;
use sealwright_sandbox::egress::fresh::{CredentialSource, Fresh, NoCredential, SignedBy};
use sealwright_sandbox::egress::policy::Credential;

use super::{Handed, Login, LoginError, LoginWay, Token, UsageWindow, now_ms, windows};
use crate::{Failure, Said};

pub(crate) struct LoginSigner {
    login: Login,
    now_ms: fn() -> u64,
    memory: Mutex<Memory>,
}

#[derive(Default)]
struct Memory {
    trouble: Option<LoginError>,
    /// What the last request was signed with.
    sent: Option<Token>,
    windows: Vec<UsageWindow>,
}

impl LoginSigner {
    pub(crate) fn new(login: Login) -> Arc<Self> {
        Arc::new(Self { login, now_ms, memory: Mutex::default() })
    }

    pub(crate) fn credential(self: &Arc<Self>) -> Credential {
        let headers = self.login.kind.headers().to_vec();
        let signed_by = match self.login.way {
            LoginWay::Host => SignedBy::Host,
            LoginWay::Program => SignedBy::Role,
        };
        let source: Arc<dyn CredentialSource> = Arc::<Self>::clone(self);
        Credential::Fresh(Fresh { headers, signed_by, source })
    }

    /// What the program is given, if it signs its requests itself.
    pub(crate) fn hand(&self) -> Result<Option<Handed>, LoginError> {
        match self.login.way {
            LoginWay::Host => Ok(None),
            LoginWay::Program => {
                let token = self.login.token((self.now_ms)())?;
                let handed = Handed::of(self.login.kind, &token);
                self.memory().sent = Some(token);
                Ok(Some(handed))
            }
        }
    }

    /// What was said of the end of a call, with what to type where the login is the cause.
    pub(crate) fn explained(&self, said: Said) -> Said {
        let Said::Failed { failure: Failure::Unauthorised, .. } = &said else { return said };
        let memory = self.memory();
        if let Some(trouble) = &memory.trouble {
            let why = format!("{trouble}; {}", trouble.hint());
            return Said::Failed { failure: Failure::Unauthorised, why };
        }
        let now = self.login.token((self.now_ms)()).ok();
        let is_renewed = match (&memory.sent, &now) {
            (Some(sent), Some(now)) => !sent.is_same(now),
            (None, _) | (_, None) => false,
        };
        let kind = self.login.kind;
        if is_renewed {
            let why = format!("the login of {} was renewed in the middle of a call", kind.name());
            return Said::Failed { failure: Failure::Unreachable, why };
        }
        let why = format!(
            "{} does not accept the login of {}; {}",
            kind.maker(),
            kind.name(),
            kind.sign_in()
        );
        Said::Failed { failure: Failure::Unauthorised, why }
    }

    /// The windows that the last answer told of.
    pub(crate) fn windows(&self) -> Vec<UsageWindow> {
        self.memory().windows.clone()
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl CredentialSource for LoginSigner {
    #[expect(
        clippy::disallowed_methods,
        reason = "another program writes the file and tells nobody of it"
    )]
    fn sign(&self) -> Result<Vec<(&'static str, Secret)>, NoCredential> {
        let mut token = self.login.token((self.now_ms)());
        if let Err(LoginError::Malformed { .. } | LoginError::Missing { .. }) = token {
            // Its program may be writing it.
            std::thread::sleep(WRITTEN_WITHIN);
            token = self.login.token((self.now_ms)());
        }
        let mut memory = self.memory();
        // The program goes on with what it was given, as long as there is a login.
        if let (LoginWay::Program, Ok(_), Some(sent)) = (self.login.way, &token, &memory.sent) {
            let headers = sent.headers();
            memory.trouble = None;
            return Ok(headers);
        }
        match token {
            Ok(token) => {
                let headers = token.headers();
                (memory.trouble, memory.sent) = (None, Some(token));
                Ok(headers)
            }
            Err(trouble) => {
                memory.trouble = Some(trouble);
                Err(NoCredential)
            }
        }
    }

    fn answered(&self, status: u16, header: &dyn Fn(&str) -> Option<String>) -> Option<u64> {
        let kind = self.login.kind;
        let windows = windows::told(kind, header);
        let now_s = (self.now_ms)() / 1000;
        let wait =
            (status == 429).then(|| windows::wait_s(kind, &windows, header, now_s)).flatten();
        if !windows.is_empty() {
            self.memory().windows = windows;
        }
        wait
    }
}

/// How long a program may take to write its login.
const WRITTEN_WITHIN: Duration = Duration::from_millis(200);
