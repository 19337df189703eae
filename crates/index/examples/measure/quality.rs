//! Meaning beside words: real descriptions, and queries that describe a capability in other words.

use std::collections::BTreeMap;
use std::io::BufRead as _;
use std::path::Path;
use std::sync::Arc;

use sealwright_index::{
    AppendOnlyCodeIndex, CodeIndexEntry, HelperConfig, HelperProgram, Ranking, SearchRequest,
};

use crate::{Failure, entry};

pub(crate) fn measure(folder: &Path, model: &str, python: &str) -> Result<(), Failure> {
    let mut names = BTreeMap::new();
    let mut entries: Vec<CodeIndexEntry> = Vec::new();
    for line in std::io::stdin().lock().lines() {
        let line = line?;
        let Some((name, text)) = line.split_once('\t') else { continue };
        names.insert(name.to_owned(), entries.len());
        let purpose = format!("{}: {text}", name.replace('-', " "));
        entries.push(CodeIndexEntry { purpose, tags: Vec::new(), ..entry(entries.len()) });
    }
    // What each query is after: any one of these rows.
    let asked: Vec<(Vec<usize>, &str)> = include_str!("queries.tsv")
        .lines()
        .filter_map(|line| line.split_once('\t'))
        .map(|(wanted, query)| {
            (wanted.split('|').filter_map(|name| names.get(name)).copied().collect(), query)
        })
        .filter(|(wanted, _): &(Vec<usize>, _)| !wanted.is_empty())
        .collect();
    println!("{} descriptions, {} queries", entries.len(), asked.len());
    println!("| ranking | R@1 | R@10 | MRR@10 |\n|---|---|---|---|");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/measure/minilm.py");
    let encoder = HelperProgram::start(&HelperConfig {
        program: "python3".into(),
        args: vec![script.display().to_string(), model.to_owned()],
        env: ["PATH", "HOME"]
            .iter()
            .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)))
            .chain([
                ("PYTHONPATH".into(), python.into()),
                ("OPENBLAS_NUM_THREADS".into(), "1".into()),
            ])
            .collect(),
        limit_ms: 120_000,
    })?;
    for (name, ranking) in [("bm25", Ranking::Bm25), ("dense", Ranking::Dense(Arc::new(encoder)))] {
        let mut index = AppendOnlyCodeIndex::open(&folder.join(name), ranking)?;
        index.append(&entries)?;
        let (mut first, mut ten, mut reciprocal) = (0.0, 0.0, 0.0);
        for (wanted, query) in &asked {
            let answer = index.search(&SearchRequest::new(*query))?;
            let is_wanted = |name: &str| name.parse().is_ok_and(|row: usize| wanted.contains(&row));
            if let Some(at) = answer.results.iter().position(|it| is_wanted(&it.entry.name)) {
                first += if at == 0 { 1.0 } else { 0.0 };
                ten += 1.0;
                reciprocal += 1.0 / (at + 1) as f64;
            }
        }
        let count = asked.len() as f64;
        let ranked_by = &index.stats().ranked_by;
        println!(
            "| {ranked_by} | {:.3} | {:.3} | {:.3} |",
            first / count,
            ten / count,
            reciprocal / count
        );
    }
    Ok(())
}
