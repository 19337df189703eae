//! Credentials that change while a run goes on: the host asks for them anew for each request.

use std::fmt;
use std::sync::Arc;

use serde::Serialize;

use super::secret::Secret;

/// A credential of some headers, whose values are asked for each time a request is signed.
#[derive(Clone, Serialize)]
pub struct Fresh {
    /// The headers that only the host sets. What the role sends under these names is taken out.
    pub headers: Vec<&'static str>,
    pub signed_by: SignedBy,
    #[serde(skip)]
    pub source: Arc<dyn CredentialSource>,
}

/// Who puts the credential into a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SignedBy {
    /// The host. What the role sends as a credential is taken out.
    Host,
    /// The role, which was given it. A request with any other credential is refused.
    Role,
}

/// Gives the credential of one request, outside of the sandbox. It may wait for a file.
pub trait CredentialSource: Send + Sync {
    /// The headers of a request that is sent now, each with its whole value. Names that [`Fresh::headers`] does not list
    /// are left out.
    fn sign(&self) -> Result<Vec<(&'static str, Secret)>, NoCredential>;

    /// Hears the status and the headers of each answer. Says for how many seconds the upstream wants to be left alone,
    /// if these headers say it.
    fn answered(&self, status: u16, header: &dyn Fn(&str) -> Option<String>) -> Option<u64>;
}

/// There is no credential to sign a request with. Why is for the source to remember: the role is not told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoCredential;

impl fmt::Debug for Fresh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Fresh").field("headers", &self.headers).finish_non_exhaustive()
    }
}
