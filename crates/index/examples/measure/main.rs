//! Measures the code index: stores beside ChromaDB and LanceDB on the same vectors, and meaning beside words.
//!
//! ```text
//! cargo run --release -p sealwright-index --example measure -- stores FOLDER ENTRIES [PYTHONPATH]
//! cargo run --release -p sealwright-index --example measure -- quality FOLDER MODEL PYTHONPATH < descriptions.tsv
//! ```
//!
//! Each store is built in one process and queried in a fresh one. PYTHONPATH is a folder with `chromadb`, `lancedb`,
//! `numpy` and `tokenizers` from PyPI; MODEL holds `model.safetensors` and `tokenizer.json` of all-MiniLM-L6-v2.
//! Descriptions are lines of a name, a tab and a text.

#![expect(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "it starts programs, reads the clock and prints, which is what it is for"
)]

mod quality;

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use sealwright_index::{
    AppendOnlyCodeIndex, CodeIndex, CodeIndexEntry, Embedder, EmbedderError, EmbedderInfo,
    IoSummary, Ranking, SearchRequest, Status,
};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

fn main() -> Result<(), Failure> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    match words.as_slice() {
        ["stores", folder, entries] => stores(Path::new(folder), entries.parse()?, None),
        ["stores", folder, entries, python] => {
            stores(Path::new(folder), entries.parse()?, Some(python))
        }
        ["quality", folder, model, python] => quality::measure(Path::new(folder), model, python),
        ["build", folder] => say(&build(Path::new(folder))?),
        ["query", folder] => say(&query(Path::new(folder))?),
        _ => Err("stores FOLDER ENTRIES [PYTHONPATH] | quality FOLDER MODEL PYTHONPATH".into()),
    }
}

fn say(value: &Value) -> Result<(), Failure> {
    println!("{value}");
    Ok(())
}

/// Builds and queries every store on the same vectors, and prints one table.
fn stores(folder: &Path, entries: usize, python: Option<&str>) -> Result<(), Failure> {
    std::fs::create_dir_all(folder)?;
    generate(folder, entries)?;
    println!("{entries} entries of {DIMS} dimensions, {QUERIES} queries, 10 results");
    println!(
        "| store | inserts/s | append ms | open ms | p50 | p99 | CPU | recall@10 | 1 %: p50 | p99 | CPU | recall@10 | memory MB |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    let ours = std::env::current_exe()?;
    let run = |action: &str| told(Command::new(&ours).arg(action).arg(folder));
    row("sealwright-index", &run("build")?, &run("query")?);
    for (name, store) in [("ChromaDB", "chroma"), ("LanceDB, no index", "lance")] {
        let Some(python) = python else { continue };
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/measure/others.py");
        let run = |action: &str| {
            let mut command = Command::new("python3");
            command.arg(&script).args([store, action]).arg(folder).env("PYTHONPATH", python);
            told(&mut command)
        };
        row(name, &run("build")?, &run("query")?);
    }
    Ok(())
}

/// The last line a program prints.
fn told(command: &mut Command) -> Result<Value, Failure> {
    let output = command.stderr(Stdio::inherit()).output()?;
    let text = String::from_utf8(output.stdout)?;
    Ok(serde_json::from_str(text.lines().last().ok_or("a program printed nothing")?)?)
}

fn row(name: &str, built: &Value, asked: &Value) {
    let number =
        |value: &Value, digits: usize| format!("{:.digits$}", value.as_f64().unwrap_or(f64::NAN));
    let mut cells = vec![
        name.to_owned(),
        number(&built["inserts_per_s"], 0),
        number(&built["append_ms"], 2),
        number(&asked["open_ms"], 0),
    ];
    for kind in ["plain", "filtered"] {
        let kind = &asked[kind];
        cells.extend([&kind["p50_ms"], &kind["p99_ms"], &kind["cpu_ms"]].map(|it| number(it, 2)));
        cells.push(number(&kind["recall"], 3));
    }
    cells.push(number(&asked["memory_mb"], 0));
    println!("| {} |", cells.join(" | "));
}

/// Vectors around a thousand centers, queries like them, and what an exact comparison finds.
fn generate(folder: &Path, entries: usize) -> Result<(), Failure> {
    let mut random = fastrand::Rng::with_seed(21);
    let mut near = |centers: Option<&[Vec<f32>]>| {
        let center = centers.map(|it| it[random.usize(..it.len())].clone());
        let mut vector: Vec<f32> = (0..DIMS)
            .map(|at| random.f32() - 0.5 + center.as_ref().map_or(0.0, |it| 8.0 * it[at]))
            .collect();
        let length = vector.iter().map(|it| it * it).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|it| *it /= length);
        vector
    };
    let centers: Vec<Vec<f32>> = (0..1000).map(|_| near(None)).collect();
    let vectors: Vec<Vec<f32>> = (0..entries).map(|_| near(Some(&centers))).collect();
    let queries: Vec<Vec<f32>> = (0..QUERIES).map(|_| near(Some(&centers))).collect();
    let best = |step: usize| -> Vec<Vec<usize>> {
        let of_query = |query: &Vec<f32>| {
            let exact = |row: usize| -> f64 {
                let pairs = vectors[row].iter().zip(query);
                pairs.map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
            };
            let mut all: Vec<(f64, usize)> =
                (0..entries).step_by(step).map(|row| (exact(row), row)).collect();
            all.sort_unstable_by(|left, right| right.0.total_cmp(&left.0));
            all.iter().take(10).map(|(_, row)| *row).collect()
        };
        queries.iter().map(of_query).collect()
    };
    let truth = json!({"plain": best(1), "filtered": best(100)});
    std::fs::write(folder.join("truth.json"), truth.to_string())?;
    for (name, vectors) in [("vectors", &vectors), ("queries", &queries)] {
        let bytes: Vec<u8> = vectors.iter().flatten().flat_map(|it| it.to_le_bytes()).collect();
        std::fs::write(folder.join(name), bytes)?;
    }
    Ok(())
}

/// Gives the vectors of a file for texts that name one.
struct Given {
    info: EmbedderInfo,
    vectors: Vec<Vec<f32>>,
}

impl Given {
    fn ranking(vectors: Vec<Vec<f32>>) -> Ranking {
        let (name, revision) = ("given".to_owned(), "1".to_owned());
        let info = EmbedderInfo { name, revision, dims: DIMS, tokens_max: 512 };
        Ranking::Dense(Arc::new(Self { info, vectors }))
    }
}

impl Embedder for Given {
    fn info(&self) -> &EmbedderInfo {
        &self.info
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let vector = |text: &&str| {
            let number = text.lines().next().and_then(|it| it.split(' ').next_back());
            let row: usize = number.and_then(|it| it.parse().ok()).unwrap_or_default();
            // The texts of single appends lie beyond the file.
            let (row, sign) = if row < self.vectors.len() {
                (row, 1.0)
            } else {
                (row - self.vectors.len(), -1.0)
            };
            self.vectors[row].iter().map(|it| it * sign).collect()
        };
        Ok(texts.iter().map(vector).collect())
    }
}

fn numbers(folder: &Path, name: &str) -> Result<Vec<Vec<f32>>, Failure> {
    let bytes = std::fs::read(folder.join(name))?;
    let numbers: Vec<f32> = bytes.as_chunks().0.iter().map(|it| f32::from_le_bytes(*it)).collect();
    Ok(numbers.chunks_exact(DIMS).map(<[f32]>::to_vec).collect())
}

fn build(folder: &Path) -> Result<Value, Failure> {
    let vectors = numbers(folder, "vectors")?;
    let count = vectors.len();
    let root = folder.join("index");
    if root.exists() {
        return Err(format!("`{}` is there from an earlier run", root.display()).into());
    }
    let mut index = AppendOnlyCodeIndex::open(&root, Given::ranking(vectors))?;
    let started = Instant::now();
    for from in (0..count).step_by(BATCH) {
        let batch: Vec<_> = (from..count.min(from + BATCH)).map(entry).collect();
        index.append(&batch)?;
    }
    let seconds = started.elapsed().as_secs_f64();
    let mut took = Vec::new();
    for row in count..count + SINGLE {
        let entry = CodeIndexEntry { tags: Vec::new(), ..entry(row) };
        let begun = Instant::now();
        index.append(&[entry])?;
        took.push(begun.elapsed());
    }
    Ok(json!({"inserts_per_s": count as f64 / seconds, "append_ms": percentile(&mut took, 50)}))
}

fn query(folder: &Path) -> Result<Value, Failure> {
    let queries = numbers(folder, "queries")?;
    let truth: Value = serde_json::from_slice(&std::fs::read(folder.join("truth.json"))?)?;
    let root = folder.join("index");
    let begun = Instant::now();
    let index = CodeIndex::open(&root, Given::ranking(queries))?;
    index.search(&SearchRequest::new("query 0"))?;
    let mut told = json!({"open_ms": millis(begun.elapsed())});
    for (kind, tags) in [("plain", vec![]), ("filtered", vec!["rare".to_owned()])] {
        let (mut took, mut hits, mut wanted) = (Vec::new(), 0, 0);
        let cpu = cpu_ms();
        for nth in 0..QUERIES {
            let request =
                SearchRequest { tags: tags.clone(), ..SearchRequest::new(format!("query {nth}")) };
            let begun = Instant::now();
            let answer = index.search(&request)?;
            took.push(begun.elapsed());
            let best = truth[kind][nth].as_array().ok_or("the truth is not a list")?;
            let found: Vec<Value> = answer
                .results
                .iter()
                .filter_map(|it| it.entry.name.parse::<u64>().ok())
                .map(Value::from)
                .collect();
            hits += best.iter().filter(|it| found.contains(it)).count();
            wanted += best.len();
        }
        let cpu = (cpu_ms() - cpu) / QUERIES as f64;
        told[kind] = json!({
            "p50_ms": percentile(&mut took, 50), "p99_ms": percentile(&mut took, 99), "cpu_ms": cpu,
            "recall": hits as f64 / wanted as f64,
        });
    }
    told["memory_mb"] = json!(memory_mb());
    Ok(told)
}

fn entry(row: usize) -> CodeIndexEntry {
    CodeIndexEntry {
        module_id: format!("MM-m{row}"),
        version: "1.0.0".into(),
        name: row.to_string(),
        purpose: format!("vector {row}"),
        tags: vec![if row.is_multiple_of(100) { "rare" } else { "usual" }.into()],
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

fn percentile(took: &mut [Duration], percent: usize) -> f64 {
    took.sort_unstable();
    took.get((took.len() * percent / 100).min(took.len().saturating_sub(1)))
        .map_or(f64::NAN, |it| millis(*it))
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

/// Processor time of this process so far, in steps of a clock tick.
fn cpu_ms() -> f64 {
    let text = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = text.rsplit(") ").next().unwrap_or_default().split(' ');
    fields.skip(11).take(2).filter_map(|it| it.parse::<f64>().ok()).sum::<f64>() * 10.0
}

fn memory_mb() -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|it| it.split_whitespace().next()).and_then(|it| it.parse().ok());
    kilobytes.unwrap_or(f64::NAN) / 1024.0
}

const DIMS: usize = 384;
const QUERIES: usize = 200;
const BATCH: usize = 5000;
const SINGLE: usize = 30;
