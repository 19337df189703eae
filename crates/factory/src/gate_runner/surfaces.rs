//! Surfaces: the public items of a tree and of the commit it began at, without running any of either.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use sealwright_gates::toolchain::surface::Surface;
use sealwright_gates::toolchain::{self, Folder, SurfaceBy, SurfaceReader, Unread};
use sealwright_gates::{Command, Ended, Seen, Toolchain};
use sealwright_repo::trees::{Base, LeafKind, Tree, Trees};
use sealwright_sandbox::Cancel;

use super::{Candidate, Frozen, GateRunner, GateRunnerError};

/// The public items on both sides of a change. Files that are the same on both sides may be missing from both.
#[derive(Clone, Debug, Default)]
pub struct Surfaces {
    pub before: Surface,
    pub after: Surface,
    /// Languages whose public items no reader knows.
    pub not_read: Vec<String>,
}

impl GateRunner {
    /// Reads the public items of the base commit and of a tree, for each language in either.
    pub async fn surfaces(
        self: &Arc<Self>,
        trees: &Trees,
        base: &Arc<Base>,
        tree: &Tree,
        cancel: &Arc<Cancel>,
    ) -> Result<Surfaces, GateRunnerError> {
        let start = trees.start(base);
        let paths = tree.paths(base, &start);
        let mut found = Surfaces { not_read: without_toolchain(&paths), ..Surfaces::default() };
        for toolchain in Toolchain::found(paths.iter().copied()) {
            let Some(reader) = toolchain.language().surface_reader() else {
                found.not_read.push(toolchain.language().name().to_owned());
                continue;
            };
            let is_changed = |path: &&str| tree.leaf(base, path) != start.leaf(base, path);
            let changed: BTreeSet<&str> = paths
                .iter()
                .copied()
                .filter(is_changed)
                .filter(|it| (reader.is_read)(it))
                .collect();
            if changed.is_empty() {
                continue;
            }
            for (tree, surface) in [(&start, &mut found.before), (tree, &mut found.after)] {
                let one = OneTree { trees, base, tree };
                surface.merge(self.surface(&one, reader, &changed, cancel).await?);
            }
        }
        Ok(found)
    }

    async fn surface(
        self: &Arc<Self>,
        one: &OneTree<'_>,
        reader: SurfaceReader,
        changed: &BTreeSet<&str>,
        cancel: &Arc<Cancel>,
    ) -> Result<Surface, GateRunnerError> {
        let files = one.files(reader);
        match reader.by {
            SurfaceBy::Text(read) => {
                let mut texts = BTreeMap::new();
                for path in files {
                    let content = one.trees.read(one.base, one.tree, &path).await?;
                    let content = content.unwrap_or_default();
                    texts.insert(path, String::from_utf8_lossy(&content).into_owned());
                }
                Ok(read(&texts))
            }
            SurfaceBy::Command { argv, read } => {
                let files: Vec<String> =
                    files.into_iter().filter(|path| changed.contains(path.as_str())).collect();
                let mut surface = Surface::default();
                for files in files.chunks(FILES_MAX) {
                    match self.read_by_command(one, argv(), read, files, cancel).await? {
                        Ok(found) => surface.merge(found),
                        Err(unread) => surface.unread.push(unread),
                    }
                }
                Ok(surface)
            }
        }
    }

    async fn read_by_command(
        self: &Arc<Self>,
        one: &OneTree<'_>,
        mut argv: Vec<String>,
        read: fn(&[u8]) -> Result<Surface, Unread>,
        files: &[String],
        cancel: &Arc<Cancel>,
    ) -> Result<Result<Surface, Unread>, GateRunnerError> {
        argv.extend(files.iter().cloned());
        let command =
            Command { argv, environment: Vec::new(), reports: Vec::new(), timeout_s: TIMEOUT_S };
        let unread = |why: String| Unread { path: files[0].clone(), why };
        Ok(match self.run(command, &one.only(files), cancel).await?.0 {
            Seen::Ran(ran) if ran.ended == Ended::Exited(0) && ran.stdout.is_whole() => {
                read(&ran.stdout.bytes)
            }
            Seen::Ran(ran) => {
                Err(unread(format!("the reader failed: {}", ran.stderr.text().trim())))
            }
            Seen::Visited(_) | Seen::Listing(_) | Seen::Files(_) | Seen::Nothing { .. } => {
                Err(unread("the reader could not be started".to_owned()))
            }
        })
    }
}

struct OneTree<'t> {
    trees: &'t Trees,
    base: &'t Arc<Base>,
    tree: &'t Tree,
}

impl OneTree<'_> {
    /// Files that are read. A link is no file of its own.
    fn files(&self, reader: SurfaceReader) -> Vec<String> {
        let leaves = self.tree.leaves(self.base);
        let files =
            leaves.filter(|(path, leaf)| leaf.kind != LeafKind::Link && (reader.is_read)(path));
        files.map(|(path, _)| path.to_owned()).collect()
    }

    /// The tree with nothing but these files in it.
    fn only(&self, files: &[String]) -> Candidate {
        let is_left_out = |path: &&str| files.iter().all(|file| file != path);
        let paths = self.tree.leaves(self.base).map(|(path, _)| path);
        let absent = paths.filter(is_left_out).map(str::to_owned).collect();
        Candidate {
            trees: self.trees.clone(),
            base: self.base.clone(),
            tree: self.tree.clone(),
            before: self.trees.start(self.base),
            frozen: Arc::new(Frozen { absent, ..Frozen::default() }),
        }
    }
}

/// Languages that are known by their files only.
fn without_toolchain(paths: &BTreeSet<&str>) -> Vec<String> {
    let found = toolchain::detect(&Paths(paths)).into_iter();
    let others = found.filter(|(toolchain, _)| toolchain.is_none());
    others.map(|(_, found)| found.language.to_owned()).collect()
}

/// The paths of a tree as a folder. Texts decide how tests are run, which is not asked here.
struct Paths<'p>(&'p BTreeSet<&'p str>);

impl Folder for Paths<'_> {
    fn is_file(&self, path: &str) -> bool {
        self.0.contains(path)
    }

    fn is_folder(&self, path: &str) -> bool {
        let below = format!("{path}/");
        self.0.iter().any(|it| it.starts_with(&below))
    }

    fn text(&self, _path: &str) -> String {
        String::new()
    }

    fn names(&self, path: &str) -> Vec<String> {
        let below = if path.is_empty() { String::new() } else { format!("{path}/") };
        let names = self.0.iter().filter_map(|it| it.strip_prefix(&below)?.split('/').next());
        names.map(str::to_owned).collect::<BTreeSet<_>>().into_iter().collect()
    }

    fn is_program(&self, _name: &str) -> bool {
        false
    }
}

const TIMEOUT_S: u32 = 120;
/// How many files one command is told of.
const FILES_MAX: usize = 1_000;
