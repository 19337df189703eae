//! Hostile callers against the seal: what every backend of the state store must withstand.
//!
//! One seed is one world: modules whose sealed files hold random marks, in their text and in their names, and callers
//! that know all paths. Every answer is searched for the marks, and after every sequence every shipped file is compared
//! with what was shipped.

#![expect(clippy::unwrap_used, reason = "these are tests, kept where every backend finds them")]

use std::collections::BTreeMap;
use std::fmt::{Debug, Write as _};
use std::sync::Arc;

use bytes::Bytes;
use fastrand::Rng;
use sealwright_kernel::{ContextPack, Ref};
use serde_json::json;

use super::{
    ArtifactType, Artifacts, BodyRules, Composite, Immutable, ModuleTree, ModuleVersion,
    ModuleVersions, Objects, PackGuard, Records, StateStore, StateTools,
};
use crate::LeafKind;

mod disguises;
mod planting;

use disguises::disguised;
pub use planting::Planted;

/// What came of many sequences.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Played {
    pub sequences: usize,
    pub calls: usize,
    /// Answers that held public content. None would mean that nothing was tried.
    pub public: usize,
    /// Answers with the message in place of sealed content.
    pub denied: usize,
    pub refused: usize,
    pub planted: usize,
    pub promoted: usize,
}

/// A store with shipped modules, and what must not come out of it.
#[derive(Debug)]
pub struct World {
    objects: Objects,
    versions: ModuleVersions,
    shipped: Vec<ModuleVersion>,
    /// Texts in sealed files.
    marks: Vec<String>,
    /// Parts of the names of sealed files.
    names: Vec<String>,
    rng: Rng,
    /// Guards that a test leaves out, to see that the world finds it.
    pub missing: Option<Missing>,
}

/// A guard that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Opaque,
}

/// A call of a tool.
#[derive(Debug)]
enum Call {
    Read(String),
    Edit(String),
    Write(String),
    Delete(String),
    Rename(String, String),
    Ls(Option<String>),
    Glob(String),
    Grep(String, Option<String>, Option<String>),
}

impl World {
    /// A world of four modules, one of them in two versions.
    pub async fn new(objects: Objects, seed: u64) -> Self {
        let versions = ModuleVersions::new(objects.clone());
        let (shipped, marks, names) = (vec![], vec![], vec![]);
        let rng = Rng::with_seed(seed);
        let mut world = Self { objects, versions, shipped, marks, names, rng, missing: None };
        for module in ["MM-a@1.0.0", "MM-Limiter@1.0.0", "MM-c_3@1.0.0", "MM-c_3@1.0.1"] {
            let (module, tree) = world.module(module);
            world.promote(module, tree).await;
        }
        world
    }

    /// Plays `count` sequences of calls. `planted` disturbs the store's folder while some of them run.
    ///
    /// # Panics
    /// Panics where the seal is broken, with the sequence that broke it.
    pub async fn play(&mut self, count: usize, planted: &mut impl Planted) -> Played {
        let mut played = Played::default();
        for nth in 0..count {
            let calls: Vec<Call> = (0..self.rng.usize(4..16)).map(|_| self.call()).collect();
            let plants = self.rng.u8(..8) == 0 && planted.plant(&self.shipped, &mut self.rng);
            played.planted += usize::from(plants);
            let promotes = !plants && nth % 25 == 24;
            let next = promotes.then(|| {
                let text = format!("MM-a@1.{nth}.0");
                self.module(&text)
            });
            let on_pack = self.rng.bool();
            let (_, (), promoted) = {
                let (versions, world) = (&self.versions, &*self);
                let played = &mut played;
                let shipping = async {
                    let (module, tree) = next?;
                    let digest = tree.digest();
                    Some(versions.promote(&module, tree, &digest).await.unwrap())
                };
                let playing = async {
                    if on_pack {
                        world.calls(world.guarded_by_pack(), &calls, played).await;
                    } else {
                        match world.missing {
                            None => {
                                world.calls(StateTools(world.composite()), &calls, played).await
                            }
                            Some(Missing::Opaque) => {
                                let bare = Immutable(world.versions.clone());
                                world.calls(StateTools(bare), &calls, played).await;
                            }
                        }
                    }
                };
                let (playing, shipping) = tokio::join!(playing, shipping);
                ((), playing, shipping)
            };
            played.promoted += usize::from(promoted.is_some());
            self.shipped.extend(promoted);
            if plants {
                planted.take_back();
            }
            played.sequences += 1;
            self.verify(&calls).await;
        }
        played
    }

    /// Every shipped version is there, once, with every file as it was shipped.
    async fn verify(&self, calls: &[Call]) {
        let mut found = Vec::new();
        // As another process would see them.
        let versions = ModuleVersions::new(self.objects.clone());
        for id in ["MM-a", "MM-Limiter", "MM-c_3"] {
            found.extend(versions.versions(id).await.unwrap().iter().cloned());
        }
        let by_ref = |all: &[ModuleVersion]| -> BTreeMap<Ref, ModuleVersion> {
            all.iter().map(|it| (it.module.clone(), it.clone())).collect()
        };
        assert_eq!(by_ref(&found), by_ref(&self.shipped), "after {calls:?}");
        // All files of one version; over the sequences, of every one.
        let nth = calls.len() % self.shipped.len();
        for path in self.shipped[nth].files.keys() {
            let content = self.versions.file(&self.shipped[nth], path).await;
            assert!(content.is_ok(), "{path} after {calls:?}: {content:?}");
        }
    }

    fn module(&mut self, module: &str) -> (Ref, ModuleTree) {
        let mut mark = |marks: &mut Vec<String>, prefix: &str| {
            let mark = format!("{prefix}{:032x}", self.rng.u128(..));
            marks.push(mark.clone());
            mark
        };
        let (id, version) = module.split_once('@').unwrap();
        let contract = json!({"module_id": id, "module_version": version, "name": "n", "purpose": "p", "tags": ["t"]});
        let mut files = BTreeMap::from([
            ("contract.json".to_owned(), contract.to_string()),
            ("examples.md".to_owned(), format!("# Examples of {module}\n\npublic\n")),
            (
                "ship.json".to_owned(),
                json!({"module_id": id, "ship_id": "SHIP-00000001"}).to_string(),
            ),
        ]);
        for folder in ["implementation", "implementation/src", "implementation/\u{fc}", "tests"] {
            let name = mark(&mut self.names, "sealed_name_");
            let text = format!("fn public() {{ {} }}\n", mark(&mut self.marks, "SEALED_"));
            files.insert(format!("{folder}/{name}.rs"), text);
        }
        let files =
            files.into_iter().map(|(path, text)| (path, (Bytes::from(text), LeafKind::Plain)));
        (module.parse().unwrap(), ModuleTree::new(files.collect()).unwrap())
    }

    async fn promote(&mut self, module: Ref, tree: ModuleTree) {
        let digest = tree.digest();
        let version = self.versions.promote(&module, tree, &digest).await.unwrap();
        self.shipped.push(version);
    }

    fn composite(&self) -> Composite {
        let artifacts = Artifacts::new(self.objects.clone(), Arc::new(AnyBody));
        Composite::new(self.versions.clone(), artifacts, Records::new(self.objects.clone()))
    }

    fn guarded_by_pack(&self) -> StateTools<PackGuard<Composite>> {
        let pack: ContextPack = serde_json::from_value(json!({
            "context_pack_id": "CP-00000001",
            "created_for": {"role": "builder", "run_id": "INV-000001", "task_ref": "T-x"},
            "included_refs": [
                {"ref": "MM-a@1.0.0", "permission": "FULL", "reason": "the widest there is"},
                {"ref": "MM-c_3@1.0.0", "permission": "SUMMARY_ONLY", "reason": "less"},
            ],
            "excluded_refs": [{"ref": "MM-c_3@1.0.1", "reason": "not for this one"}],
            "default_permission": "CONTRACT_ONLY", "created_at": "2026-11-15T08:15:47.000Z",
        }))
        .unwrap();
        StateTools(PackGuard::new(pack, self.composite()))
    }

    fn call(&mut self) -> Call {
        let (first, second) = (self.path(), self.path());
        let rng = &mut self.rng;
        match rng.u8(..14) {
            0..=3 => Call::Read(first),
            4 => Call::Edit(first),
            5 => Call::Write(first),
            6 => Call::Delete(first),
            7 => Call::Rename(first, second),
            8 => Call::Ls(rng.bool().then_some(first)),
            9 | 10 => {
                let patterns = [
                    "**",
                    "**/*.rs",
                    "modules/*/*/*",
                    "modules/**/implementation/**",
                    "*/*/*/tests/*",
                    "**/sealed*",
                ];
                let pattern = patterns[rng.usize(..patterns.len())].to_owned();
                Call::Glob(if rng.u8(..4) == 0 { first } else { pattern })
            }
            _ => {
                let texts = ["SEALED_", "fn public", "sealed_name_", "public", "(SEALED)+*", "\""];
                let text = texts[rng.usize(..texts.len())].to_owned();
                let pattern = (rng.u8(..3) == 0).then(|| "**/*.rs".to_owned());
                Call::Grep(text, (rng.u8(..3) == 0).then_some(first), pattern)
            }
        }
    }

    /// A path to something shipped, or near it, usually in disguise.
    fn path(&mut self) -> String {
        let rng = &mut self.rng;
        let version = &self.shipped[rng.usize(..self.shipped.len())];
        let folder = format!("modules/{}/{}", version.module.id(), version.version());
        let file = version.files.keys().nth(rng.usize(..version.files.len())).unwrap();
        let digest = version.files[file].content.to_string();
        let path = match rng.u8(..12) {
            0..=5 => format!("{folder}/{file}"),
            6 => format!("{folder}/implementation"),
            7 => format!("{folder}/tests/execution_log.json"),
            8 => format!("blobs/sha256/{}/{}", &digest[..2], &digest[2..]),
            9 => format!("modules/{}/000001.json", version.module.id()),
            10 => "modules/MM-a/9.9.9/contract.json".to_owned(),
            _ => folder,
        };
        if rng.u8(..3) == 0 { path } else { disguised(&path, rng) }
    }

    async fn calls<S: StateStore>(
        &self,
        tools: StateTools<S>,
        calls: &[Call],
        played: &mut Played,
    ) {
        for call in calls {
            let answer = match call {
                Call::Read(path) => match tools.read(path).await {
                    Ok(reading) => Ok(reading.into_text()),
                    Err(error) => Err(error),
                },
                Call::Edit(path) => told(tools.edit(path, "public", "changed").await),
                Call::Write(path) => told(tools.write(path, "changed".into()).await),
                Call::Delete(path) => told(tools.delete(path).await),
                Call::Rename(from, to) => told(tools.rename(from, to).await),
                Call::Ls(folder) => told(tools.ls(folder.as_deref()).await),
                Call::Glob(pattern) => told(tools.glob(pattern).await),
                Call::Grep(text, folder, pattern) => {
                    told(tools.grep(text, folder.as_deref(), pattern.as_deref()).await)
                }
            };
            played.calls += 1;
            let told = match answer {
                Ok(text) => {
                    played.denied += usize::from(text.contains("ACCESS DENIED"));
                    played.public +=
                        usize::from(text.contains("public") || text.contains("contract"));
                    text
                }
                Err(error) => {
                    played.refused += 1;
                    let mut told = format!("{error} {error:?}");
                    let mut source = std::error::Error::source(&error);
                    while let Some(cause) = source {
                        write!(told, " {cause} {cause:?}").unwrap();
                        source = cause.source();
                    }
                    told
                }
            };
            self.search(&told, call, calls);
        }
    }

    /// Nothing sealed is in what a caller was told, except what it said itself.
    fn search(&self, told: &str, call: &Call, calls: &[Call]) {
        for mark in &self.marks {
            assert!(!told.contains(mark.as_str()), "{call:?} of {calls:?} brought out {told}");
        }
        let said = format!("{call:?}");
        for name in self.names.iter().filter(|it| !said.contains(it.as_str())) {
            assert!(!told.contains(name.as_str()), "{call:?} of {calls:?} named {told}");
        }
    }
}

fn told<T: Debug>(
    answer: Result<T, super::StateStoreError>,
) -> Result<String, super::StateStoreError> {
    answer.map(|it| format!("{it:?}"))
}

#[derive(Debug)]
struct AnyBody;

impl BodyRules for AnyBody {
    fn check(&self, _: ArtifactType, _: &BTreeMap<String, Bytes>) -> Result<(), String> {
        Ok(())
    }
}
