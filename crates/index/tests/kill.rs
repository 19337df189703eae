//! A writer that is killed with SIGKILL leaves an index that opens with a whole prefix, and its vectors with it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use sealwright_index::{
    AppendOnlyCodeIndex, CodeIndex, CodeIndexEntry, Embedder, EmbedderError, EmbedderInfo,
    IoSummary, Ranking, SearchRequest, Status,
};

/// Moments at which a writer is killed.
const KILLS: u64 = 200;
const FOLDER: &str = "SEALWRIGHT_INDEX_KILL_FOLDER";

/// The same vector for the same text, at once.
struct Digits(EmbedderInfo);

impl Embedder for Digits {
    fn info(&self) -> &EmbedderInfo {
        &self.0
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let vector = |text: &&str| {
            let seed =
                text.bytes().fold(7, |seed: u64, byte| seed * 31 % 1_000_003 + u64::from(byte));
            let mut random = fastrand::Rng::with_seed(seed);
            (0..384).map(|_| random.f32() - 0.5).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn ranking() -> Ranking {
    let (name, revision) = ("digits".to_owned(), "1".to_owned());
    Ranking::Dense(Arc::new(Digits(EmbedderInfo { name, revision, dims: 384, tokens_max: 512 })))
}

fn entry(nth: usize) -> CodeIndexEntry {
    CodeIndexEntry {
        module_id: format!("MM-m{nth}"),
        version: "1.0.0".into(),
        name: format!("m{nth}"),
        purpose: format!("does thing {nth} {}", "at length ".repeat(nth % 50)),
        tags: vec![format!("t{}", nth % 7)],
        contract_ref: "CTR-1a2b3c4d@1.0.0".parse().expect("it is a reference"),
        examples_ref: "EX-1a2b3c4d@1.0.0".parse().expect("it is a reference"),
        ship_ref: "SHIP-1a2b3c4d@1.0.0".parse().expect("it is a reference"),
        io_summary: IoSummary::default(),
        dependencies: Vec::new(),
        status: Status::Shipped,
        superseded_by: None,
        notes: String::new(),
    }
}

/// Appends until it is killed: by itself this test does nothing.
#[test]
fn writer() {
    let Some(folder) = std::env::var_os(FOLDER) else { return };
    let mut index = AppendOnlyCodeIndex::open(folder.as_ref(), ranking()).unwrap();
    loop {
        let from = index.stats().entries;
        // One by one and in batches; now and then all vectors again.
        let batch: Vec<CodeIndexEntry> = (from..from + 1 + from % 5).map(entry).collect();
        index.append(&batch).unwrap();
        if from % 40 < 5 && from < 200 {
            index.reindex().unwrap();
        }
        // Behind the word, on a line of its own whatever the test runner prints.
        let line = format!("\nacknowledged {}\n", index.stats().entries);
        std::io::Write::write_all(&mut std::io::stderr(), line.as_bytes()).unwrap();
    }
}

#[expect(clippy::disallowed_methods, reason = "this test kills itself, started a second time")]
fn start(folder: &std::path::Path) -> Child {
    Command::new(std::env::current_exe().expect("this test is a program"))
        .args(["--exact", "writer", "--nocapture"])
        .env(FOLDER, folder)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("this test starts")
}

/// Proves in part: F-INDEX-007
#[test]
fn a_killed_writer_leaves_a_whole_prefix() {
    let seed = fastrand::u64(..);
    let mut random = fastrand::Rng::with_seed(seed);
    let mut home = tempfile::tempdir().unwrap();
    let (mut torn, mut grew) = (0, 0);
    for kill in 0..KILLS {
        // A long history now and then, and often the first records of all.
        if random.u8(..) < 25 {
            home = tempfile::tempdir().unwrap();
        }
        let mut child = start(home.path());
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut acknowledged = 0;
        let mut note = |line: String| {
            if let Some(count) = line.strip_prefix("acknowledged ") {
                acknowledged = count.parse().unwrap();
            }
        };
        let awaited = random.usize(0..6);
        lines.by_ref().take(awaited).for_each(|line| note(line.unwrap()));
        // The moment within a step.
        let (_keep, wait) = std::sync::mpsc::channel::<()>();
        let _ = wait.recv_timeout(Duration::from_micros(random.u64(0..4000)));
        child.kill().unwrap();
        child.wait().unwrap();
        lines.for_each(|line| note(line.unwrap()));

        let story = format!("seed {seed}, kill {kill}");
        let reader = match CodeIndex::open(home.path(), Ranking::Bm25) {
            Ok(reader) => reader,
            Err(error) => {
                assert_eq!(acknowledged, 0, "{story}: {error}");
                continue;
            }
        };
        let stats = reader.stats();
        assert!(stats.entries >= acknowledged, "{story}: {} of {acknowledged}", stats.entries);
        torn += u64::from(stats.torn_bytes > 0);
        grew += u64::from(stats.entries > 0);
        let mut dump = Vec::new();
        reader.export(reader.snapshot(), &mut dump).unwrap();
        let expected = (0..stats.entries).map(|nth| serde_json::to_string(&entry(nth)).unwrap());
        let dump = String::from_utf8(dump).unwrap();
        assert!(dump.lines().skip(1).eq(expected), "{story}: not a prefix");

        let again = AppendOnlyCodeIndex::open(home.path(), ranking()).unwrap();
        let missing = again.stats().vectors_missing;
        assert_eq!((again.stats().entries, missing), (stats.entries, 0), "{story}");
        if stats.entries > 0 {
            let last = entry(stats.entries - 1);
            let found = again.search(&SearchRequest::new(last.embedding_input())).unwrap();
            assert_eq!(found.results[0].entry, last, "{story}");
        }
    }
    assert!(grew > KILLS / 2, "seed {seed}: only {grew} kills found records");
    #[expect(clippy::print_stderr, reason = "how much of the test was at stake")]
    {
        eprintln!("{KILLS} kills, {grew} with records, {torn} with a torn tail");
    }
}
