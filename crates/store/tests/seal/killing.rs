//! Promotion by real processes that are killed at every step, and by two at once.

#![expect(clippy::disallowed_methods, reason = "a process that is killed has to be started")]

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::Duration;

use super::*;

const STORE: &str = "SEALWRIGHT_PROMOTE_INTO";
const CONTENT: &str = "SEALWRIGHT_PROMOTE_CONTENT";
const STEPS: &str = "SEALWRIGHT_PROMOTE_STEPS";

/// Proves: F-STORE-012
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_killed_at_any_step_leaves_no_version_or_a_whole_one() {
    let steps = steps_of_a_promotion().await;
    for killed_after in 0..=steps {
        let place = Place::new().await;
        let mut child = place.child("a", killed_after);
        child.wait_for(&format!("waits after {killed_after}"));
        child.kill();
        let is_there = place.check_and_finish().await;
        assert_eq!(is_there, killed_after == steps, "killed after step {killed_after} of {steps}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_process_killed_at_any_moment_leaves_no_version_or_a_whole_one() {
    let seed = seed();
    let mut rng = Rng::with_seed(seed);
    let (mut there, mut not_there) = (0, 0);
    let (_keep, never) = std::sync::mpsc::channel::<()>();
    for _ in 0..sequences() / 10 {
        let place = Place::new().await;
        let mut child = place.child("a", 1_000);
        child.wait_for("opens");
        // Waits for nothing; a promotion takes some ten milliseconds.
        let _ = never.recv_timeout(Duration::from_micros(rng.u64(..80_000)));
        child.kill();
        if place.check_and_finish().await { there += 1 } else { not_there += 1 }
    }
    tell(&format!("killed at random, seed {seed}: {there} versions whole, {not_there} not there"));
}

/// Of two processes with other contents one wins; with the same content both have the same version.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_two_processes_that_promote_at_once_one_wins() {
    for round in 0..8 {
        let place = Place::new().await;
        let second = if round % 2 == 0 { "b" } else { "a" };
        let mut children = [place.child("a", 1_000), place.child(second, 1_000)];
        let ends = children.each_mut().map(|it| it.wait_for("ended "));
        let versions = place.versions();
        let shipped = versions.versions("MM-x").await.unwrap();
        assert_eq!(shipped.len(), 2, "{ends:?}");
        let digest = shipped[1].tree.to_string();
        let won = ends.iter().filter(|it| **it == format!("ended {digest}")).count();
        let lost = ends.iter().filter(|it| it.contains("shipped with other content")).count();
        assert_eq!((won, lost), if second == "a" { (2, 0) } else { (1, 1) }, "{ends:?}");
    }
}

#[tokio::test]
#[ignore = "a process that the other tests start and kill"]
async fn promoting_process() {
    let layout = Layout::new(std::env::var(STORE).unwrap());
    let versions = ModuleVersions::new(Objects::local(&layout).unwrap());
    let tree = tree(&std::env::var(CONTENT).unwrap());
    let digest = tree.digest();
    let steps: usize = std::env::var(STEPS).unwrap().parse().unwrap();
    let mut promotion = versions.begin(&"MM-x@1.1.0".parse().unwrap(), tree, &digest).unwrap();
    tell_parent("opens");
    for done in 0.. {
        if done == steps {
            tell_parent(&format!("waits after {done}"));
            std::io::stdin().lock().read_line(&mut String::new()).unwrap();
        }
        match promotion.step().await {
            Ok(Step::Committed) if done + 1 < steps => {
                return tell_parent(&format!("ended {digest}"));
            }
            Ok(Step::Named | Step::Staged | Step::Checked | Step::Committed) => {}
            Err(error) => return tell_parent(&format!("ended {error}")),
        }
    }
}

/// A store with one version, and a promotion of the next by another process.
struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    async fn new() -> Self {
        let place = Self { folder: tempfile::tempdir().unwrap() };
        let tree = tree("first");
        let digest = tree.digest();
        let first = "MM-x@1.0.0".parse().unwrap();
        place.versions().promote(&first, tree, &digest).await.unwrap();
        place
    }

    fn versions(&self) -> ModuleVersions {
        ModuleVersions::new(Objects::local(&Layout::new(self.folder.path())).unwrap())
    }

    fn child(&self, content: &str, steps: usize) -> Promoting {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "killing::promoting_process", "--ignored", "--nocapture"]);
        command.env(STORE, self.folder.path()).env(CONTENT, content).env(STEPS, steps.to_string());
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Promoting { child, output }
    }

    /// Whether the version is there. What is there is whole, and another attempt ends the promotion.
    async fn check_and_finish(&self) -> bool {
        let versions = self.versions();
        let shipped = versions.versions("MM-x").await.unwrap();
        for version in shipped.iter() {
            for path in version.files.keys() {
                versions.file(version, path).await.unwrap();
            }
        }
        assert_eq!(shipped[0].tree, tree("first").digest());
        let again = tree("a");
        let digest = again.digest();
        let second = "MM-x@1.1.0".parse().unwrap();
        let finished = versions.promote(&second, again, &digest).await.unwrap();
        assert_eq!(finished.tree, digest);
        let other = tree("b");
        let refused = versions.promote(&second, other.clone(), &other.digest()).await;
        assert!(matches!(refused, Err(PromotionError::OtherContent { .. })), "{refused:?}");
        assert_eq!(versions.versions("MM-x").await.unwrap().len(), 2);
        shipped.len() == 2
    }
}

struct Promoting {
    child: Child,
    output: BufReader<ChildStdout>,
}

impl Promoting {
    /// The line that has `text` in it.
    fn wait_for(&mut self, text: &str) -> String {
        let mut lines = self.output.by_ref().lines().map(Result::unwrap);
        lines.find(|it| it.contains(text)).unwrap_or_else(|| panic!("it ended without `{text}`"))
    }

    /// With SIGKILL.
    fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Promoting {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

async fn steps_of_a_promotion() -> usize {
    let versions = ModuleVersions::new(Objects::new(Arc::new(InMemory::new())));
    let tree = tree("a");
    let digest = tree.digest();
    let mut promotion = versions.begin(&"MM-x@1.1.0".parse().unwrap(), tree, &digest).unwrap();
    let mut steps = 1;
    while promotion.step().await.unwrap() != Step::Committed {
        steps += 1;
    }
    steps
}

pub(super) fn tree(content: &str) -> ModuleTree {
    let files = [
        "contract.json",
        "examples.md",
        "ship.json",
        "implementation/a.rs",
        "implementation/b/c.rs",
        "tests/t.rs",
    ];
    let file =
        |path: &str| (path.to_owned(), (Bytes::from(format!("{content} {path}")), LeafKind::Plain));
    ModuleTree::new(files.map(file).into_iter().collect::<BTreeMap<_, _>>()).unwrap()
}

fn tell_parent(text: &str) {
    let mut out = std::io::stdout().lock();
    out.write_all(format!("\n{text}\n").as_bytes()).unwrap();
    out.flush().unwrap();
}

#[expect(clippy::print_stderr, reason = "a run is repeated by its seed")]
fn tell(text: &str) {
    eprintln!("{text}");
}
