//! The routing table: the first part of a path decides which backend answers, and under which guards.

use bytes::Bytes;

use super::{Immutable, Opaque};
use crate::state_store::error::StateStoreError;
use crate::state_store::module_versions::MODULES;
use crate::state_store::path::{StorePath, skeleton};
use crate::state_store::{
    Artifacts, EditResult, ModuleVersions, Name, Reading, Records, StateStore,
};

/// Every backend behind its guards.
#[derive(Clone, Debug)]
pub struct Composite {
    modules: Opaque<Immutable<ModuleVersions>>,
    artifacts: Immutable<Artifacts>,
    records: Immutable<Records>,
}

/// Where a path leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Route {
    Modules,
    Artifacts,
    Records,
    /// Another part of the system keeps it, and paths do not lead there.
    Elsewhere(&'static str),
}

impl Composite {
    pub fn new(modules: ModuleVersions, artifacts: Artifacts, records: Records) -> Self {
        let (modules, artifacts) = (Opaque(Immutable(modules)), Immutable(artifacts));
        Self { modules, artifacts, records: Immutable(records) }
    }
}

/// Sends one operation along the route of its path.
macro_rules! routed {
    ($self:ident, $path:expr, $store:ident => $call:expr) => {
        match route($path)? {
            Route::Modules => {
                let $store = &$self.modules;
                $call.await
            }
            Route::Artifacts => {
                let $store = &$self.artifacts;
                $call.await
            }
            Route::Records => {
                let $store = &$self.records;
                $call.await
            }
            Route::Elsewhere(by) => {
                Err(StateStoreError::ServiceOnly { path: $path.to_string(), by })
            }
        }
    };
}

impl StateStore for Composite {
    async fn read(&self, path: &StorePath) -> Result<Reading, StateStoreError> {
        routed!(self, path, store => store.read(path))
    }

    async fn names(&self, folder: Option<&StorePath>) -> Result<Vec<Name>, StateStoreError> {
        match folder {
            Some(folder) => routed!(self, folder, store => store.names(Some(folder))),
            None => {
                let routes =
                    ROUTES.iter().filter(|(_, route)| !matches!(route, Route::Elsewhere(_)));
                Ok(routes.map(|(prefix, _)| Name::folder(prefix)).collect())
            }
        }
    }

    async fn write(&self, path: &StorePath, content: Bytes) -> Result<(), StateStoreError> {
        routed!(self, path, store => store.write(path, content))
    }

    async fn edit(
        &self,
        path: &StorePath,
        old: &str,
        new: &str,
    ) -> Result<EditResult, StateStoreError> {
        routed!(self, path, store => store.edit(path, old, new))
    }

    async fn delete(&self, path: &StorePath) -> Result<(), StateStoreError> {
        routed!(self, path, store => store.delete(path))
    }

    async fn rename(&self, from: &StorePath, to: &StorePath) -> Result<(), StateStoreError> {
        // Both ends are asked, so that nothing is moved out of a guard's sight.
        if route(from)? != route(to)? {
            routed!(self, to, store => store.rename(to, to))?;
        }
        routed!(self, from, store => store.rename(from, to))
    }
}

fn route(path: &StorePath) -> Result<Route, StateStoreError> {
    let first = path.parts().first().map(|it| skeleton(it)).unwrap_or_default();
    let found = ROUTES.iter().find(|(prefix, _)| *prefix == first);
    match found {
        Some((_, route)) => Ok(*route),
        None => Err(StateStoreError::Unrouted { path: path.to_string() }),
    }
}

/// In the order in which they are listed.
const ROUTES: [(&str, Route); 13] = [
    ("artifacts", Route::Artifacts),
    ("code_index", Route::Elsewhere("the code index")),
    ("context_packs", Route::Records),
    ("contributions", Route::Records),
    ("debates", Route::Records),
    ("escalations", Route::Records),
    ("exceptions", Route::Records),
    ("journal", Route::Elsewhere("the journal")),
    (MODULES, Route::Modules),
    ("product", Route::Elsewhere("the project's stream")),
    ("project", Route::Elsewhere("the project's stream")),
    ("releases", Route::Records),
    ("workspaces", Route::Elsewhere("the holder of the work tree's lease")),
];
