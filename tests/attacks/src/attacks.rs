//! All attacks, by theme. A new one is one entry in the file of its theme.

use crate::attack::Attack;

mod calls;
mod descriptors;
mod devices;
mod environment;
mod families;
mod files;
mod git;
mod integrity;
mod ipc;
mod later;
mod launcher;
mod lifetime;
mod links;
mod mounts;
mod namespaces;
mod processes;
mod proxy;
mod remains;
mod resources;
mod signals;
mod sockets;
mod taking;
mod terminal;
mod tracing;
mod waiting;

/// Every theme with its attacks.
pub const ALL: &[(&str, &[Attack])] = &[
    ("files", files::ALL),
    ("links", links::ALL),
    ("processes", processes::ALL),
    ("launcher", launcher::ALL),
    ("descriptors", descriptors::ALL),
    ("environment", environment::ALL),
    ("git", git::ALL),
    ("mounts", mounts::ALL),
    ("namespaces", namespaces::ALL),
    ("devices", devices::ALL),
    ("calls", calls::ALL),
    ("tracing", tracing::ALL),
    ("terminal", terminal::ALL),
    ("signals", signals::ALL),
    ("ipc", ipc::ALL),
    ("sockets", sockets::ALL),
    ("families", families::ALL),
    ("proxy", proxy::ALL),
    ("resources", resources::ALL),
    ("lifetime", lifetime::ALL),
    ("integrity", integrity::ALL),
    ("later", later::ALL),
    ("taking", taking::ALL),
    ("remains", remains::ALL),
];

pub fn all() -> impl Iterator<Item = &'static Attack> {
    ALL.iter().flat_map(|(_, attacks)| attacks.iter())
}

pub fn find(key: &str) -> Option<&'static Attack> {
    all().find(|attack| attack.key == key)
}
