//! One call of a role: builds its view, runs the agent in it, and reads what it changed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use sealwright_agents::{
    AgentSandbox, AnswerSchema, BriefInput, Budget, End, Failure, Quoted, Visible,
};
use sealwright_gates::tripwire::{is_by_product_beside, kept_folders};
use sealwright_kernel::pack::{CreatedFor, Draft, Inclusion, Occasion, PackId, PackReader};
use sealwright_kernel::{
    ContextPack, Cost, EffectId, InvocationId, Permission, Ref, Role, StreamId, TaskId, Timestamp,
};
use sealwright_sandbox::plan::{Mount, Network};
use sealwright_sandbox::view::{
    self, Allowance, Bounds, Brief, Cap, Hand, Harvest, Listing, Owner, Request, View, WorkTree,
    WriteLease, Writer,
};
use sealwright_sandbox::{Cancel, Ended, RunOutcome, SandboxError, SandboxSlot, Terms, system};
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::acceptance::Contract;
use super::agent_caller::{AgentCaller, CallRequest, CallResult};
use super::{EffectContext, PerformError, PerformResult, TaskPerformer, call_budget};
use crate::conversations::Conversations;
use crate::gate_runner::GateRunner;
use crate::role_calls::RoleCall;
use crate::task_store::TaskStore;
use sealwright_repo::git::objects::RECORDS;
use sealwright_repo::trees::{Changes, LeafKind};

/// A call of a role for one effect.
pub(super) struct CallSpec {
    call: RoleCall,
    pub(super) effect: EffectId,
    task: TaskId,
    pub(super) files: Vec<Brief>,
    pub(super) brief: BriefInput,
    /// How far the role sees into the tree.
    pub(super) cap: Cap,
    /// What the role goes on with: a conversation is of one attempt, one slice, and the time until a cheat.
    chapter: String,
    /// Folders of the repository that have a name of tools' leavings and are none.
    kept_folders: BTreeSet<String>,
    /// Why an answer that fits its schema cannot be used, if it cannot.
    pub(super) is_usable: Usable,
}

type Usable = Box<dyn Fn(&Value) -> Result<(), String> + Send + Sync>;

impl CallSpec {
    /// The call with what the role may know of the task, and without files.
    pub(super) fn new(context: &EffectContext, call: RoleCall) -> Self {
        let mut brief = call.brief_input();
        brief.rung = context.data.charter.header.autonomy;
        brief.done_gate = context.criteria().to_vec();
        if let Some(frame) = &context.data.frame {
            brief.objective.clone_from(&frame.objective);
            brief.exclusions.clone_from(&frame.not_doing);
        }
        if let Some(learned) = context.data.post_mortems.last() {
            // A person decided how to go on; what went wrong is data that may quote anything.
            brief.instructions.push(Quoted {
                title: "a person says how to go on after the last attempt".to_owned(),
                text: learned.try_next.clone(),
            });
            brief.quoted.push(Quoted {
                title: "what an earlier attempt taught".to_owned(),
                text: json!(learned).to_string(),
            });
        }
        let (effect, task) = (context.id.clone(), context.task.clone());
        let (files, cap) = (Vec::new(), Cap::WholeTree);
        let data = &context.data;
        let chapter = format!("{}-{}-{}", data.attempt, data.slices.len(), data.heals);
        let kept = context.base.leaves().keys().flat_map(|path| kept_folders(path));
        let kept_folders = kept.map(str::to_owned).collect();
        let is_usable = Box::new(|_: &Value| Ok(()));
        Self { call, effect, task, files, brief, cap, chapter, kept_folders, is_usable }
    }

    /// Adds one of the files that the call lists.
    pub(super) fn give(&mut self, name: &str, text: impl Into<Vec<u8>>) {
        self.files.push(self.call.file(name, text));
    }

    /// Adds the contract and the criteria, as far as the call lists them.
    pub(super) fn give_contract(&mut self, context: &EffectContext, contract: &Contract) {
        for file in self.call.files {
            match file.name {
                "contract.md" => self.give(file.name, contract.for_roles()),
                "criteria.md" => {
                    self.give(file.name, context.criteria_text() + &context.features_text());
                }
                _ => {}
            }
        }
    }

    /// Asks for something particular, after what the call asks for every time.
    pub(super) fn ask(&mut self, request: &str) {
        self.brief.request = format!("{}\n\n{request}", self.brief.request);
    }

    pub(super) fn instruct(&mut self, title: &str, text: String) {
        self.brief.instructions.push(Quoted { title: title.to_owned(), text });
    }

    pub(super) fn quote(&mut self, title: &str, text: String) {
        self.brief.quoted.push(Quoted { title: title.to_owned(), text });
    }

    /// Names that neither go into a view nor come out of it.
    fn left_out(&self) -> Vec<String> {
        let is_kept = |name: &&&str| self.kept_folders.iter().any(|it| it.ends_with(**name));
        LEFT_OUT.iter().filter(|name| !is_kept(name)).map(|name| (*name).to_owned()).collect()
    }

    pub(super) fn name(&self) -> &'static str {
        self.call.key.name()
    }

    pub(super) fn role(&self) -> Role {
        self.call.role
    }
}

#[derive(Debug)]
pub(super) struct RoleAnswer<A> {
    pub(super) answer: A,
    /// The answer as JSON, for the store.
    pub(super) text: Value,
    pub(super) changes: Changes,
    pub(super) invocation: InvocationId,
    pub(super) cost: Cost,
}

impl<C: AgentCaller, S: TaskStore> TaskPerformer<C, S> {
    /// Calls a role in a copy of `tree`. If an answer is unusable, it calls again, at most `AGAIN_MAX` times and within
    /// the budget. Every call's receipt is recorded before its answer is used.
    pub(super) async fn call_role<A: DeserializeOwned>(
        &self,
        context: &EffectContext,
        mut spec: CallSpec,
        tree: Option<tempfile::TempDir>,
    ) -> PerformResult<RoleAnswer<A>> {
        if matches!(spec.role(), Role::Planner | Role::TestAuthor | Role::Builder) {
            let lessons = self.store.lessons(&context.task).await.map_err(Box::new)?;
            if !lessons.is_empty() {
                let lines = lessons.iter().map(|(task, lesson)| format!("- {task}: {lesson}\n"));
                spec.quote("what earlier tasks taught", lines.collect());
            }
        }
        let (spec, tree) = (Arc::new(spec), Arc::new(tree));
        let mut why = String::new();
        for again in 0..=AGAIN_MAX {
            let budget = self.allowance(context).await?;
            // An answer that cannot be kept would be paid for again.
            for place in [&self.repository, &self.state] {
                has_space(place)?;
            }
            let call = Call { again, why: std::mem::take(&mut why), budget };
            let Called { answered, changes } = self.call(context, &spec, &tree, call).await?;
            let invocation = self.record(context, &spec, again, &answered).await?;
            let (answer, cost) = match spec.answer_of(answered)? {
                Ok(answered) => answered,
                Err(reason) => {
                    why = reason;
                    continue;
                }
            };
            if let Err(reason) = (spec.is_usable)(&answer) {
                why = reason;
                continue;
            }
            match (changes?, A::deserialize(&answer)) {
                (Ok(changes), Ok(read)) => {
                    return Ok(RoleAnswer {
                        answer: read,
                        text: answer,
                        changes,
                        invocation,
                        cost,
                    });
                }
                (Err(refused), _) => why = refused,
                (Ok(_), Err(error)) => why = error.to_string(),
            }
        }
        Err(PerformError::Unusable { part: spec.name(), why })
    }

    async fn call(
        &self,
        context: &EffectContext,
        spec: &Arc<CallSpec>,
        tree: &Arc<Option<tempfile::TempDir>>,
        call: Call,
    ) -> PerformResult<Called> {
        let (gates, caller, leases) =
            (self.gates.clone(), self.caller.clone(), self.state.join("leases"));
        let (spec, tree, cancel) = (spec.clone(), tree.clone(), context.cancel.clone());
        let conversations = Conversations::of(&self.state);
        let called = tokio::task::spawn_blocking(move || {
            std::fs::create_dir_all(&leases)?;
            let of = (&spec.task, spec.call.key, spec.chapter.as_str(), &spec.effect);
            let conversation = Some(conversations.file(of, call.again > 0)?);
            let tree = tree.as_ref().as_ref().map(|folder| folder.path().join(TREE));
            let run = CallRun { gates: &gates, spec: &spec, tree, leases: &leases, conversation };
            run.once(&*caller, call, &cancel)
        });
        called.await.map_err(|_| PerformError::Died)?
    }
}

struct Call {
    again: u32,
    /// Why the last answer was unusable; empty for the first call.
    why: String,
    budget: Budget,
}

struct Called {
    answered: CallResult,
    /// The changes, or why they are refused. An error here does not make the call free of charge.
    changes: PerformResult<Result<Changes, String>>,
}

struct CallRun<'s> {
    gates: &'s GateRunner,
    spec: &'s CallSpec,
    tree: Option<PathBuf>,
    leases: &'s Path,
    conversation: Option<PathBuf>,
}

impl CallRun<'_> {
    fn once(&self, caller: &dyn AgentCaller, call: Call, cancel: &Cancel) -> PerformResult<Called> {
        let spec = self.spec;
        let Call { again, why, budget } = call;
        let slot = self.gates.slots().take()?;
        let (view, lease, visible) = self.view(&slot)?;
        let mut brief = spec.brief.clone();
        brief.visible = visible;
        if !why.is_empty() {
            brief
                .quoted
                .push(Quoted { title: "why the last answer was unusable".to_owned(), text: why });
        }
        let request = CallRequest {
            key: spec.call.key,
            again,
            task: spec.task.clone(),
            effect: spec.effect.clone(),
            role: spec.call.role,
            phase: spec.call.phase,
            access: spec.call.access(),
            schema: AnswerSchema::new(brief.answer.clone()).map_err(std::io::Error::other)?,
            brief,
            budget,
        };
        let packages = self.gates.packages();
        // Packages inside of the work tree need one.
        let is_there =
            |mount: &&Mount| spec.call.tree.is_some() || !mount.at.starts_with(view::WORK);
        let packaged: Vec<Mount> = packages.mounts.iter().filter(is_there).cloned().collect();
        let mounts = [view.mounts(), &packaged].concat();
        let sandbox = AgentSandbox {
            slot: &slot,
            mechanism: self.gates.mechanism().clone(),
            least: self.gates.least(),
            mounts: &mounts,
            environment: &packages.environment,
            folder: if spec.call.tree.is_some() { view::WORK } else { view::HOME },
            tools: &[],
            conversation: self.conversation.as_deref(),
            cancel,
        };
        if spec.call.tree == Some(Hand::Builds) {
            self.repository(&slot, &view)?;
        }
        let answered = caller.call(&request, &sandbox);
        drop(lease);
        let changes = match &answered.outcome.end {
            End::Answered { .. } => changes(&view, &spec.kept_folders),
            End::GaveUp { .. }
            | End::OutOfBudget { .. }
            | End::RateLimited { .. }
            | End::Cancelled
            | End::Failed { .. } => Ok(Ok(Changes::new())),
        };
        let discarded = view.discard();
        Ok(Called { answered, changes: changes.and_then(|it| Ok(discarded.map(|()| it)?)) })
    }

    /// Creates a git repository of the role's view. Without git there is none, and the role's git commands say so.
    fn repository(&self, slot: &SandboxSlot, view: &View) -> PerformResult<()> {
        for words in view::fresh_repository(view::WORK) {
            let words: Vec<&str> = words.iter().map(String::as_str).collect();
            let mut plan = system::plan(slot, &words)?;
            plan.mounts.extend_from_slice(view.mounts());
            plan.folder = view::WORK.to_owned();
            let terms = Terms::new(self.gates.mechanism().clone(), self.gates.least());
            match slot.run(&plan, terms) {
                Ok(RunOutcome { ended: Ended::Exited(0), .. }) => {}
                Ok(_) | Err(SandboxError::Isolation { .. }) => break,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    fn view(&self, slot: &SandboxSlot) -> PerformResult<(View, Option<WriteLease>, Vec<Visible>)> {
        let spec = self.spec;
        let run = StreamId::new(format!("{}-{}", spec.task, spec.name()))
            .unwrap_or_else(|_| spec.task.stream().clone());
        let module = Ref::new(MODULE).map_err(std::io::Error::other)?;
        let open = spec.call.tree.map(|_| Inclusion {
            reference: module.clone(),
            permission: Permission::Full,
            reason: format!("the work tree of the call `{}`", spec.name()),
        });
        let pack = ContextPack::new(Draft {
            context_pack_id: PackId::of(&spec.task, &run),
            created_for: CreatedFor {
                role: PackReader::Role(spec.call.role),
                run_id: run,
                task_ref: spec.task.clone(),
            },
            included_refs: open.into_iter().collect(),
            excluded_refs: Vec::new(),
            default_permission: Permission::ContractOnly,
            created_at: Timestamp::from_millis(0),
        })
        .map_err(std::io::Error::other)?;
        let work = spec.call.tree.zip(self.tree.as_ref()).map(|(hand, root)| WorkTree {
            module,
            root: root.clone(),
            hand,
            cap: spec.cap.clone(),
            leave_out: spec.left_out(),
        });
        let layout = view::lay_out(&Request {
            pack: &pack,
            occasion: Occasion::Begin,
            listing: &Listing::default(),
            brief: &spec.files,
            work: work.as_ref(),
            network: Network::Egress,
        })?;
        let store = slot.folder().join("empty-store");
        if !store.exists() {
            std::fs::create_dir(&store)?;
        }
        let lease = match (spec.call.tree, &self.tree) {
            (Some(Hand::Builds), Some(tree)) => {
                Some(WriteLease::take(tree, self.leases, spec.effect.as_str())?)
            }
            (Some(Hand::Builds | Hand::Tries | Hand::Reads) | None, _) => None,
        };
        let into = slot.folder().join("view");
        if into.exists() {
            view::discard(&into)?;
        }
        let view = view::materialise(
            &layout,
            &view::ViewTarget {
                store: &store,
                into: &into,
                owner: slot
                    .run_as()
                    .map_or(Owner::Harness, |user| Owner::Role { uid: user, gid: user }),
                writer: lease.as_ref().map_or(Writer::Nobody, Writer::Holds),
                bounds: BOUNDS,
            },
        )?;
        Ok((view, lease, Visible::of(&layout, &pack)))
    }
}

impl CallSpec {
    /// The answer and the cost of a call; why the answer is unusable; or the error that ends the calls.
    fn answer_of(&self, answered: CallResult) -> PerformResult<Result<(Value, Cost), String>> {
        let (part, cost) = (self.name(), call_budget::cost_of(&answered.outcome));
        match answered.outcome.end {
            End::Answered { answer } => Ok(Ok((answer, cost))),
            end @ (End::GaveUp { .. } | End::Failed { failure: Failure::WrongShape, .. }) => {
                Ok(Err(end.to_string()))
            }
            End::RateLimited { retry_after_s } => Err(PerformError::RateLimited {
                part,
                wait: call_budget::retry_wait(retry_after_s),
            }),
            End::OutOfBudget { limit } => {
                Err(PerformError::CallBudget { part, limit: limit.name() })
            }
            End::Failed { failure: Failure::Unauthorised, why } => {
                Err(PerformError::Unauthorised { part, why })
            }
            end @ End::Failed { .. } => Err(PerformError::Unplayed { part, end }),
            End::Cancelled => Err(PerformError::Cancelled),
        }
    }
}

/// The role's changes, or all reasons why they are refused.
fn changes(view: &View, kept_folders: &BTreeSet<String>) -> PerformResult<Result<Changes, String>> {
    let (patch, kept) = match view.harvest(&Allowance::Anywhere)? {
        Harvest::Taken { patch, kept } => (patch, kept),
        Harvest::Refused(reasons) => {
            let reasons: Vec<String> =
                reasons.iter().take(REASONS_MAX).map(ToString::to_string).collect();
            return Ok(Err(reasons.join("; ")));
        }
    };
    let mut changes = BTreeMap::new();
    for change in patch.changes {
        if is_by_product_beside(change.path.as_str(), kept_folders) {
            continue;
        }
        if change.path.as_str().split('/').any(|part| part == RECORDS) {
            return Ok(Err(format!("`{}` may only be written by Sealwright", change.path)));
        }
        let now = match change.after {
            Some(held) => Some((leaf_kind(held.kind), kept.content(held.content)?)),
            None => None,
        };
        changes.insert(change.path.to_string(), now);
    }
    let bytes: usize = changes.keys().map(String::len).sum();
    if changes.len() > CHANGED_MAX || bytes > CHANGED_NAMES_BYTES_MAX {
        let found = changes.len();
        return Ok(Err(format!(
            "{found} files are changed; one call may change {CHANGED_MAX}, so do it in parts"
        )));
    }
    Ok(Ok(changes))
}

/// The name of the repository in packs of the quick lane: one module, open to the role.
const MODULE: &str = "MM-repository@0.0.0";
/// The name of the tree in the folder made for it.
pub(super) const TREE: &str = "tree";
/// As many as a record of a slice names.
const CHANGED_MAX: usize = 5_000;
const CHANGED_NAMES_BYTES_MAX: usize = 300_000;
const AGAIN_MAX: u32 = 2;
const REASONS_MAX: usize = 20;
/// Build output, by name.
const LEFT_OUT: &[&str] = &["target", "node_modules", "__pycache__", ".pytest_cache", ".venv"];
/// Whether there is room for an answer and its changes.
fn has_space(place: &Path) -> std::io::Result<()> {
    let found = rustix::fs::statvfs(place)?;
    let free = found.f_bavail.saturating_mul(found.f_frsize);
    if free >= FREE_BYTES_MIN {
        return Ok(());
    }
    let why = format!(
        "{} MiB are free on the disk of `{}`, and {} are needed before an agent is asked",
        free >> 20,
        place.display(),
        FREE_BYTES_MIN >> 20
    );
    Err(std::io::Error::new(std::io::ErrorKind::StorageFull, why))
}

const FREE_BYTES_MIN: u64 = 16 << 20;
/// Folders count as files.
const BOUNDS: Bounds = Bounds { files_max: 500_000, file_bytes_max: 64 << 20, bytes_max: 2 << 30 };

fn leaf_kind(kind: view::Kind) -> LeafKind {
    match kind {
        view::Kind::Plain => LeafKind::Plain,
        view::Kind::Executable => LeafKind::Executable,
        view::Kind::Link => LeafKind::Link,
    }
}
