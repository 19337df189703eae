//! A stage for one part: a view of its own, somebody who plays in it, and what they leave.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use sealwright_agents::{AnswerSchema, BriefInput, Budget, End, Place, Quoted, Visible};
use sealwright_gates::trip::is_by_product;
use sealwright_kernel::invocation::Access;
use sealwright_kernel::pack::{Audience, CreatedFor, Draft, Inclusion, Occasion, PackId};
use sealwright_kernel::{
    ContextPack, Cost, EffectId, InvocationId, Permission, Phase, Ref, Role, StreamId, TaskId,
    Timestamp,
};
use sealwright_sandbox::plan::{Mount, Network};
use sealwright_sandbox::view::{
    self, Allowance, Bounds, Brief, Cap, Hand, Harvest, Listing, Owner, Request, View, WorkTree,
    WriteLease, Writer,
};
use sealwright_sandbox::{Cancel, Ended, Outcome, SandboxError, Seat, Terms, system};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::cast::{Cast, Key, Part, Performance};
use super::{Case, Trouble, Workshop, purse};
use crate::gatehouse::Gatehouse;
use crate::git::objects::RECORDS;
use crate::trees::{Changes, LeafKind};

/// One part to be played, and what whoever plays it is given.
pub(super) struct Scene {
    pub(super) key: Key,
    pub(super) role: Role,
    pub(super) phase: Phase,
    pub(super) effect: EffectId,
    pub(super) task: TaskId,
    pub(super) hand: Option<Hand>,
    pub(super) files: Vec<Brief>,
    pub(super) brief: BriefInput,
    pub(super) schema: Value,
}

impl Scene {
    /// A part for whoever the brief is written for, with these files to read and, if there is a hand, a tree.
    pub(super) fn new(
        case: &Case,
        key: Key,
        hand: Option<Hand>,
        files: Vec<Brief>,
        brief: BriefInput,
    ) -> Self {
        let (role, phase, schema) = (brief.role, brief.phase, brief.answer.clone());
        let (effect, task) = (case.id.clone(), case.task.clone());
        Self { key, role, phase, effect, task, hand, files, brief, schema }
    }
}

/// What came of a part.
#[derive(Debug)]
pub(super) struct Played<A> {
    /// The answer, of the shape that was asked for.
    pub(super) answer: A,
    /// The answer as it was given, for the store.
    pub(super) text: Value,
    /// What was changed in the tree.
    pub(super) changes: Changes,
    /// Who played, under this name.
    pub(super) invocation: InvocationId,
    /// What it cost.
    pub(super) cost: Cost,
}

impl<C: Cast> Workshop<C> {
    /// Has a part played in a copy of what lies in `tree`, as often as answers cannot be used, and no more often than
    /// is bounded and can be paid for. Every call leaves a receipt before anything is made of its answer.
    pub(super) async fn play<A: DeserializeOwned>(
        &self,
        case: &Case,
        scene: Scene,
        tree: Option<tempfile::TempDir>,
    ) -> Result<Played<A>, Trouble> {
        let (scene, tree) = (Arc::new(scene), Arc::new(tree));
        let mut why = String::new();
        for again in 0..=AGAIN_MAX {
            let budget = self.allowance(case).await?;
            let call = Call { again, why: std::mem::take(&mut why), budget };
            let Called { played, changes } = self.call(case, &scene, &tree, call).await?;
            let invocation = self.record(case, &scene, again, &played).await?;
            let (answer, cost) = match scene.answer_of(played)? {
                Ok(answered) => answered,
                Err(reason) => {
                    why = reason;
                    continue;
                }
            };
            match (changes?, A::deserialize(&answer)) {
                (Ok(changes), Ok(read)) => {
                    return Ok(Played { answer: read, text: answer, changes, invocation, cost });
                }
                (Err(refused), _) => why = refused,
                (Ok(_), Err(error)) => why = error.to_string(),
            }
        }
        Err(Trouble::Unusable { part: scene.key.name(), why })
    }

    /// Has a part played once.
    async fn call(
        &self,
        case: &Case,
        scene: &Arc<Scene>,
        tree: &Arc<Option<tempfile::TempDir>>,
        call: Call,
    ) -> Result<Called, Trouble> {
        let (house, cast, leases) =
            (self.house.clone(), self.cast.clone(), self.state.join("leases"));
        let (scene, tree, cancel) = (scene.clone(), tree.clone(), case.cancel.clone());
        let called = tokio::task::spawn_blocking(move || {
            std::fs::create_dir_all(&leases)?;
            let tree = tree.as_ref().as_ref().map(|folder| folder.path().join(TREE));
            let stage = Stage { house: &house, scene: &scene, tree, leases: &leases };
            stage.once(&*cast, call, &cancel)
        });
        called.await.map_err(|_| Trouble::Died)?
    }
}

/// What is said to whoever plays, once.
struct Call {
    /// How often it was asked before.
    again: u32,
    /// Why the last answer could not be used, if there was one.
    why: String,
    budget: Budget,
}

/// What was found after a call, whatever came of it.
struct Called {
    played: Performance,
    /// What was changed, or why it is not taken. Trouble with it does not make the call free.
    changes: Result<Result<Changes, String>, Trouble>,
}

struct Stage<'s> {
    house: &'s Gatehouse,
    scene: &'s Scene,
    tree: Option<std::path::PathBuf>,
    leases: &'s Path,
}

impl Stage<'_> {
    fn once(&self, cast: &dyn Cast, call: Call, cancel: &Cancel) -> Result<Called, Trouble> {
        let scene = self.scene;
        let Call { again, why, budget } = call;
        let seat = self.house.seats().take()?;
        let (view, lease, visible) = self.view(&seat)?;
        let mut brief = scene.brief.clone();
        brief.visible = visible;
        if !why.is_empty() {
            brief.quoted.push(Quoted {
                title: "why the last answer could not be used".to_owned(),
                text: why,
            });
        }
        let part = Part {
            key: scene.key,
            again,
            effect: scene.effect.clone(),
            role: scene.role,
            phase: scene.phase,
            access: match scene.hand {
                Some(Hand::Builds) => Access::Write,
                Some(Hand::Tries | Hand::Reads) | None => Access::ReadOnly,
            },
            brief,
            schema: AnswerSchema::new(scene.schema.clone()).map_err(std::io::Error::other)?,
            budget,
        };
        let (packages, environment): (Vec<Mount>, Vec<(String, String)>) =
            self.house.packages().into_iter().unzip();
        let mounts = [view.mounts(), &packages].concat();
        let place = Place {
            seat: &seat,
            mechanism: self.house.mechanism().clone(),
            least: self.house.least(),
            mounts: &mounts,
            environment: &environment,
            folder: if scene.hand.is_some() { view::WORK } else { view::HOME },
            tools: &[],
            cancel,
        };
        if scene.hand == Some(Hand::Builds) {
            self.repository(&seat, &view)?;
        }
        let played = cast.play(&part, &place);
        drop(lease);
        let changes = match &played.outcome.end {
            End::Answered { .. } => changes(&view),
            End::GaveUp { .. }
            | End::OutOfBudget { .. }
            | End::RateLimited { .. }
            | End::Cancelled
            | End::Failed { .. } => Ok(Ok(Changes::new())),
        };
        let discarded = view.discard();
        Ok(Called { played, changes: changes.and_then(|it| Ok(discarded.map(|()| it)?)) })
    }

    /// A repository of what the role may see. Without git there is none, and whoever asks for one is told so by git.
    fn repository(&self, seat: &Seat, view: &View) -> Result<(), Trouble> {
        for words in view::fresh_repository(view::WORK) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut plan = system::plan(seat, &words)?;
            plan.mounts.extend_from_slice(view.mounts());
            plan.folder = view::WORK.to_owned();
            let terms = Terms::new(self.house.mechanism().clone(), self.house.least());
            match seat.run(&plan, terms) {
                Ok(Outcome { ended: Ended::Exited(0), .. }) => {}
                Ok(_) | Err(SandboxError::Walls { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn view(&self, seat: &Seat) -> Result<(View, Option<WriteLease>, Vec<Visible>), Trouble> {
        let scene = self.scene;
        let run = StreamId::new(format!("{}-{}", scene.task, scene.key.name()))
            .unwrap_or_else(|_| scene.task.stream().clone());
        let module = Ref::new(MODULE).map_err(std::io::Error::other)?;
        let open = scene.hand.map(|_| Inclusion {
            reference: module.clone(),
            permission: Permission::Full,
            reason: format!("the tree in which the part `{}` is played", scene.key.name()),
        });
        let pack = ContextPack::new(Draft {
            context_pack_id: PackId::of(&scene.task, &run),
            created_for: CreatedFor {
                role: Audience::Role(scene.role),
                run_id: run,
                task_ref: scene.task.clone(),
            },
            included_refs: open.into_iter().collect(),
            excluded_refs: Vec::new(),
            default_permission: Permission::ContractOnly,
            created_at: Timestamp::from_millis(0),
        })
        .map_err(std::io::Error::other)?;
        let work = scene.hand.zip(self.tree.as_ref()).map(|(hand, root)| WorkTree {
            module,
            root: root.clone(),
            hand,
            cap: Cap::WholeTree,
            leave_out: LEFT_OUT.iter().map(|name| (*name).to_owned()).collect(),
        });
        let layout = view::lay_out(&Request {
            pack: &pack,
            occasion: Occasion::Begin,
            listing: &Listing::default(),
            brief: &scene.files,
            work: work.as_ref(),
            network: Network::Egress,
        })?;
        let store = seat.folder().join("empty-store");
        if !store.exists() {
            std::fs::create_dir(&store)?;
        }
        let lease = match (scene.hand, &self.tree) {
            (Some(Hand::Builds), Some(tree)) => {
                Some(WriteLease::take(tree, self.leases, scene.effect.as_str())?)
            }
            (Some(Hand::Builds | Hand::Tries | Hand::Reads) | None, _) => None,
        };
        let into = seat.folder().join("view");
        if into.exists() {
            view::discard(&into)?;
        }
        let view = view::materialise(
            &layout,
            &view::Place {
                store: &store,
                into: &into,
                owner: seat
                    .run_as()
                    .map_or(Owner::Harness, |user| Owner::Role { uid: user, gid: user }),
                writer: lease.as_ref().map_or(Writer::Nobody, Writer::Holds),
                bounds: BOUNDS,
            },
        )?;
        Ok((view, lease, Visible::of(&layout, &pack)))
    }
}

impl Scene {
    /// The answer of a call and what it cost, why there is none that could be used, or what keeps the part from being
    /// played at all.
    fn answer_of(&self, played: Performance) -> Result<Result<(Value, Cost), String>, Trouble> {
        let (part, cost) = (self.key.name(), purse::cost_of(&played.outcome));
        match played.outcome.end {
            End::Answered { answer } => Ok(Ok((answer, cost))),
            end @ End::GaveUp { .. } => Ok(Err(end.to_string())),
            End::RateLimited { retry_after_s } => {
                Err(Trouble::RateLimited { part, wait: purse::patience(retry_after_s) })
            }
            End::OutOfBudget { limit } => Err(Trouble::CallBudget { part, limit: limit.name() }),
            end @ End::Failed { .. } => Err(Trouble::Unplayed { part, end }),
            End::Cancelled => Err(Trouble::Cancelled),
        }
    }
}

/// What a role changed, or every reason why it is not taken.
fn changes(view: &View) -> Result<Result<Changes, String>, Trouble> {
    let (patch, kept) = match view.harvest(&Allowance::Anywhere)? {
        Harvest::Taken { patch, kept } => (patch, kept),
        Harvest::Refused(reasons) => {
            let told: Vec<String> =
                reasons.iter().take(REASONS_MAX).map(ToString::to_string).collect();
            return Ok(Err(told.join("; ")));
        }
    };
    let mut changes = BTreeMap::new();
    for change in patch.changes {
        if is_by_product(change.path.as_str()) {
            continue;
        }
        if change.path.as_str().split('/').any(|part| part == RECORDS) {
            return Ok(Err(format!("`{}` is for the machine alone to write", change.path)));
        }
        let now = match change.after {
            Some(held) => Some((LeafKind::from(held.kind), kept.content(held.content)?)),
            None => None,
        };
        changes.insert(change.path.to_string(), now);
    }
    Ok(Ok(changes))
}

/// What the repository is called in packs of the quick lane: it is one module, and it is open.
const MODULE: &str = "MM-repository@0.0.0";
/// Where a tree stands in a folder that was made for it.
pub(super) const TREE: &str = "tree";
/// How often an answer that cannot be used is asked for again.
const AGAIN_MAX: u32 = 2;
const REASONS_MAX: usize = 20;
/// What builds leave behind, by name.
const LEFT_OUT: &[&str] = &["target", "node_modules", "__pycache__", ".pytest_cache", ".venv"];
const BOUNDS: Bounds = Bounds { files_max: 200_000, file_bytes_max: 64 << 20, bytes_max: 1 << 30 };
