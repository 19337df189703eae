//! What cargo needs in every sandbox: toolchain, vendored packages, configuration.

use std::path::{Path, PathBuf};

use crate::plan::{Access, Mount, Plan};
use crate::readable::make_folder;
use crate::room::error::RoomError;
use crate::room::material::put;
use crate::system::{WORK, add_tool};

#[derive(Clone, Debug)]
pub(super) struct Kit {
    pub(super) toolchain: PathBuf,
    pub(super) vendor: PathBuf,
}

impl Kit {
    /// The folder of the toolchain's shared library.
    pub(super) fn shared_library(&self) -> Option<PathBuf> {
        let hosts = self.toolchain.join("lib/rustlib").read_dir().ok()?.flatten();
        let mut folders = hosts.map(|host| host.path().join("lib"));
        folders.find(|folder| {
            let names = folder.read_dir().ok().into_iter().flatten().flatten();
            let mut names = names.map(|it| it.file_name().to_string_lossy().into_owned());
            names.any(|name| name.starts_with("libstd-") && name.ends_with(".so"))
        })
    }

    /// Mounts it for a cargo command in `work`.
    pub(super) fn add(&self, plan: &mut Plan, work: &Path, place: &Path) -> Result<(), RoomError> {
        plan.mounts.push(Mount::required(work, WORK, Access::ReadOnly));
        plan.folder = WORK.to_owned();
        self.add_tools(plan, place)
    }

    pub(super) fn add_tools(&self, plan: &mut Plan, place: &Path) -> Result<(), RoomError> {
        let home = place.join("cargo");
        make_folder(&home)?;
        put(&home, "config.toml", CONFIGURATION.as_bytes())?;
        add_tool(plan, &self.toolchain, "/opt/rust")?;
        plan.mounts.push(Mount::required(&self.vendor, "/vendor", Access::ReadOnly));
        plan.mounts.push(Mount::required(&home, "/cargo", Access::ReadOnly));
        for (name, value) in ENVIRONMENT {
            plan.environment.insert((*name).to_owned(), (*value).to_owned());
        }
        Ok(())
    }
}

pub(super) const TARGET: &str = "/target";

const CONFIGURATION: &str = r#"[source.crates-io]
replace-with = "vendored"

[source.vendored]
directory = "/vendor"

[net]
offline = true
"#;

const ENVIRONMENT: &[(&str, &str)] = &[
    ("CARGO_HOME", "/cargo"),
    ("CARGO_INCREMENTAL", "0"),
    ("CARGO_NET_OFFLINE", "true"),
    ("CARGO_TARGET_DIR", TARGET),
    ("CARGO_TERM_COLOR", "never"),
];
