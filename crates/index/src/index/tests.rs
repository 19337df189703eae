use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use super::*;
use crate::embedder::EmbedderError;
use crate::rules::Command;
use crate::search::ProductSearchRequest;
use crate::tests::{Letters, at, entry};

fn dense() -> Ranking {
    Ranking::Dense(Arc::new(Letters::new("1", 256)))
}

fn open(root: &Path) -> AppendOnlyCodeIndex {
    AppendOnlyCodeIndex::open(root, dense()).unwrap()
}

/// An entry whose vector points to `x,y`.
fn pointing(name: &str, x: f64, y: f64) -> CodeIndexEntry {
    entry(name, "1.0.0", &format!("at {x},{y}"))
}

fn names(answer: &SearchAnswer) -> Vec<&str> {
    answer.results.iter().map(|result| result.entry.name.as_str()).collect()
}

fn all_but(request: SearchRequest, top_k: usize) -> SearchRequest {
    SearchRequest { top_k, ..request }
}

fn module(text: &str) -> Ref {
    text.parse().unwrap()
}

/// Proves: F-INDEX-022
#[test]
fn the_ranking_is_by_cosine() {
    let home = tempfile::tempdir().unwrap();
    let mut index = open(home.path());
    // Lengths differ, so that only the angle can give this order.
    let entries = [
        pointing("east", 1.0, 0.1),
        pointing("far_east", 90.0, 30.0),
        pointing("north", 0.0, 5.0),
        pointing("west", -7.0, 0.1),
        pointing("north_east", 3.0, 3.0),
    ];
    index.append(&entries).unwrap();
    let answer = index.search(&SearchRequest::new("at 2,0")).unwrap();
    assert_eq!(names(&answer), ["east", "far_east", "north_east", "north", "west"]);
    let scores: Vec<f64> = answer.results.iter().map(|it| it.similarity_score).collect();
    let expected = [1.0 / 1.01_f64.sqrt(), 90.0 / 9000.0_f64.sqrt(), 0.5_f64.sqrt(), 0.0, 0.0];
    for (score, expected) in scores.iter().zip(expected) {
        assert!((score - expected).abs() < 1e-6, "{scores:?}");
    }
}

#[test]
fn a_result_is_the_whole_entry_and_a_score_from_0_to_1() {
    let home = tempfile::tempdir().unwrap();
    let mut index = open(home.path());
    let entries = [pointing("same", 1.0, 0.0), pointing("against", -1.0, 0.0)];
    index.append(&entries).unwrap();
    let answer = index.search(&SearchRequest::new("at 1,0")).unwrap();
    let printed = serde_json::to_value(&answer.results[0]).unwrap();
    let mut expected = serde_json::to_value(&entries[0]).unwrap();
    expected["similarity_score"] = json!(1.0);
    assert_eq!(printed, expected);
    assert_eq!(answer.results[1].similarity_score, 0.0);
    let read: SearchResult = serde_json::from_value(printed).unwrap();
    assert_eq!(read, answer.results[0]);
}

/// Proves: F-INDEX-020
#[test]
fn filters_come_before_the_ranking_and_each_list_needs_one_match() {
    let home = tempfile::tempdir().unwrap();
    let mut index = open(home.path());
    let tagged = |name: &str, x: f64, tags: &[&str], input: &str, output: &str| {
        let mut entry = pointing(name, x, 1.0);
        entry.tags = tags.iter().map(|it| (*it).into()).collect();
        entry.io_summary.inputs = vec![format!("{input}: what it is")];
        entry.io_summary.outputs = vec![output.into()];
        entry
    };
    // The best by meaning comes first and is the one that is filtered out.
    let mut entries: Vec<CodeIndexEntry> =
        (0..20).map(|nth| tagged(&format!("best{nth}"), 9.0, &["other"], "Key", "Bool")).collect();
    entries.push(tagged("a", 3.0, &["net", "x"], "Key", "Bool"));
    entries.push(tagged("b", 2.0, &["db"], "Key", "Verdict"));
    entries.push(tagged("c", 1.0, &["net"], "key", "Bool"));
    index.append(&entries).unwrap();
    let ask = |tags: &[&str], inputs: &[&str], outputs: &[&str]| {
        let owned = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect();
        let request = SearchRequest {
            tags: owned(tags),
            input_types: owned(inputs),
            output_types: owned(outputs),
            top_k: 3,
            ..SearchRequest::new("at 1,0")
        };
        let answer = index.search(&request).unwrap();
        names(&answer).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(ask(&["net"], &[], &[]), ["a", "c"]);
    assert_eq!(ask(&["net", "db"], &[], &[]), ["a", "b", "c"]);
    assert_eq!(ask(&["net", "db"], &["Key"], &[]), ["a", "b"]);
    assert_eq!(ask(&["net", "db"], &["Key"], &["Verdict"]), ["b"]);
    // The token before `: `, case for case, and not a part of it.
    assert_eq!(ask(&[], &["key"], &[]), ["c"]);
    for nothing in ["Ke", "Key: what it is", "what"] {
        assert_eq!(ask(&[], &[nothing], &[]), [""; 0], "{nothing}");
    }
    assert_eq!(ask(&["unknown"], &[], &[]), [""; 0]);
}

/// Proves: F-INDEX-021
#[test]
fn inactive_entries_are_left_out_unless_they_are_asked_for() {
    let home = tempfile::tempdir().unwrap();
    let mut index = open(home.path());
    let entries = [pointing("a", 3.0, 1.0), pointing("b", 2.0, 1.0), pointing("c", 1.0, 1.0)];
    index.append(&entries).unwrap();
    index.apply(&deprecate("MM-a@1.0.0")).unwrap();
    let by = module("MM-c@1.0.0");
    let reason = "faster".to_owned();
    index
        .apply(&Command::Supersede { module: module("MM-b@1.0.0"), by, reason, at: at() })
        .unwrap();
    let active = SearchRequest { top_k: 1, ..SearchRequest::new("at 1,0") };
    assert_eq!(names(&index.search(&active).unwrap()), ["c"]);
    let all = SearchRequest { include_inactive: true, top_k: 3, ..active.clone() };
    let answer = index.search(&all).unwrap();
    assert_eq!(names(&answer), ["a", "b", "c"]);
    assert_eq!(answer.results[1].entry.superseded_by, Some(module("MM-c@1.0.0")));
    let only = Filters { statuses: vec![Status::Deprecated], ..Filters::default() };
    let answer = index.search_at(&active, &only, index.snapshot()).unwrap();
    assert_eq!(names(&answer), ["a"]);
}

fn deprecate(text: &str) -> Command {
    let reason = "unsafe".to_owned();
    Command::Deprecate { module: module(text), replacement: None, reason, at: at() }
}

/// Proves: F-INDEX-023
#[test]
fn ten_results_come_back_by_default_however_low_they_score() {
    let home = tempfile::tempdir().unwrap();
    let mut index = open(home.path());
    let entries: Vec<CodeIndexEntry> =
        (1..=15).map(|nth| pointing(&format!("e{nth}"), -1.0, 1.0 / f64::from(nth))).collect();
    index.append(&entries).unwrap();
    let request: SearchRequest = serde_json::from_value(json!({"query": "at 1,0"})).unwrap();
    assert_eq!((request.top_k, request.include_inactive), (10, false));
    let answer = index.search(&request).unwrap();
    let expected: Vec<String> = (1..=10).map(|nth| format!("e{nth}")).collect();
    assert_eq!(names(&answer), expected);
    assert!(answer.results.iter().all(|it| it.similarity_score == 0.0));
    for top_k in [1, 14, 15, 16, 1000] {
        let answer = index.search(&all_but(request.clone(), top_k)).unwrap();
        assert_eq!(answer.results.len(), top_k.min(15));
    }
    for (bad, top_k) in [("x", 0), ("x", 1001), (" ", 1)] {
        let request = all_but(SearchRequest::new(bad), top_k);
        assert!(matches!(index.search(&request), Err(IndexError::Search(_))));
    }
    let of_product: ProductSearchRequest = serde_json::from_value(json!({"query": "q"})).unwrap();
    assert_eq!(SearchRequest::from(of_product), SearchRequest::new("q"));
    for bad in [json!({"query": "q", "tags": []}), json!({})] {
        assert!(serde_json::from_value::<ProductSearchRequest>(bad).is_err());
    }
    assert!(serde_json::from_value::<SearchRequest>(json!({"query": "q", "kind": 1})).is_err());
}

#[test]
fn equal_scores_are_ordered_by_module_and_newest_version() {
    for ranking in [dense(), Ranking::Bm25] {
        let home = tempfile::tempdir().unwrap();
        let mut index = AppendOnlyCodeIndex::open(home.path(), ranking).unwrap();
        for (name, version) in
            [("b", "1.0.0"), ("a", "1.0.0"), ("a", "10.0.0"), ("c", "1.0.0"), ("a", "9.0.0")]
        {
            index.append(&[entry(name, version, "at 1,0")]).unwrap();
        }
        let order = |top_k| {
            let answer = index.search(&all_but(SearchRequest::new("at 1,0"), top_k)).unwrap();
            let name = |it: &SearchResult| it.module().unwrap().to_string();
            answer.results.iter().map(name).collect::<Vec<_>>()
        };
        let expected = ["MM-a@10.0.0", "MM-a@9.0.0", "MM-a@1.0.0", "MM-b@1.0.0", "MM-c@1.0.0"];
        for top_k in 1..=5 {
            assert_eq!(order(top_k), expected[..top_k]);
        }
    }
}

#[test]
fn a_pinned_search_gives_the_same_bytes_for_ever() {
    for ranking in [dense(), Ranking::Bm25] {
        let home = tempfile::tempdir().unwrap();
        let mut index = AppendOnlyCodeIndex::open(home.path(), ranking.clone()).unwrap();
        let mut pins = Vec::new();
        let requests = [
            SearchRequest::new("limits the rate of requests"),
            SearchRequest { include_inactive: true, ..SearchRequest::new("rate") },
            SearchRequest { tags: vec!["net".into()], ..SearchRequest::new("cache of requests") },
        ];
        let told = |index: &CodeIndex, pin| {
            let answer = |request| index.search_at(request, &Filters::default(), pin).unwrap();
            let answers: Vec<SearchAnswer> = requests.iter().map(answer).collect();
            let mut dump = serde_json::to_vec(&answers).unwrap();
            index.export(pin, &mut dump).unwrap();
            dump.extend(
                serde_json::to_vec(&index.show_at(&module("MM-m1@1.0.0"), pin).unwrap()).unwrap(),
            );
            dump
        };
        for nth in 1..=12 {
            let purpose =
                format!("limits the {} of requests in cache {nth}", ["rate", "size"][nth % 2]);
            index.append(&[entry(&format!("m{nth}"), "1.0.0", &purpose)]).unwrap();
            if nth == 4 {
                index.apply(&deprecate("MM-m1@1.0.0")).unwrap();
            }
            let pin = index.snapshot();
            pins.push((pin, told(&index, pin)));
        }
        assert_eq!(pins.iter().map(|(_, told)| told).collect::<BTreeSet<_>>().len(), 12);
        drop(index);
        let reader = CodeIndex::open(home.path(), ranking).unwrap();
        for (pin, before) in pins {
            assert!(told(&reader, pin) == before, "another answer at {}", pin.seq);
            let forged = Snapshot { hash: Digest::of(b"x"), ..pin };
            let request = SearchRequest::new("x");
            let refused = reader.search_at(&request, &Filters::default(), forged);
            assert!(matches!(refused, Err(IndexError::UnknownSnapshot { .. })));
        }
    }
}

#[test]
fn programs_filter_by_status_module_and_range_of_versions() {
    let home = tempfile::tempdir().unwrap();
    let mut index = open(home.path());
    for (name, version) in [("a", "1.0.0"), ("a", "1.2.0"), ("a", "2.0.0"), ("b", "1.2.0")] {
        index.append(&[entry(name, version, "at 1,0")]).unwrap();
    }
    index.apply(&deprecate("MM-a@1.2.0")).unwrap();
    let ask = |filters: Filters| {
        let request = SearchRequest::new("at 1,0");
        let answer = index.search_at(&request, &filters, index.snapshot()).unwrap();
        let name = |it: &SearchResult| it.module().unwrap().to_string();
        answer.results.iter().map(name).collect::<Vec<_>>()
    };
    let of = |module_id: &str| Filters { module_id: Some(module_id.into()), ..Filters::default() };
    assert_eq!(ask(of("MM-a")), ["MM-a@2.0.0", "MM-a@1.0.0"]);
    let range =
        |range: &str| Filters { versions: Some(range.parse().unwrap()), ..Filters::default() };
    assert_eq!(ask(range("MM-a@^1")), ["MM-a@1.0.0"]);
    let both = Filters { statuses: vec![Status::Shipped, Status::Deprecated], ..range("MM-a@^1") };
    assert_eq!(ask(both), ["MM-a@1.2.0", "MM-a@1.0.0"]);
    assert_eq!(ask(Filters { module_id: Some("MM-b".into()), ..range("MM-a@^1") }), [""; 0]);
}

/// Proves: F-DEPR-003
#[test]
fn consumers_are_found_by_their_dependencies() {
    let home = tempfile::tempdir().unwrap();
    let mut index = open(home.path());
    let using = |name: &str, ranges: &[&str]| {
        let dependencies = ranges.iter().map(|it| it.parse().unwrap()).collect();
        CodeIndexEntry { dependencies, ..pointing(name, 1.0, 0.0) }
    };
    index
        .append(&[
            using("base", &[]),
            using("old", &["MM-base@^1"]),
            using("new", &["MM-base@^2", "MM-other@*"]),
            using("any", &["MM-other@^1", "MM-base@*"]),
            using("unrelated", &["MM-based@*"]),
        ])
        .unwrap();
    let found = |text: &str| {
        let found = index.consumers(&module(text)).unwrap();
        found.iter().map(Ref::to_string).collect::<Vec<_>>()
    };
    assert_eq!(found("MM-base@1.4.0"), ["MM-any@1.0.0", "MM-old@1.0.0"]);
    assert_eq!(found("MM-base@2.0.0"), ["MM-any@1.0.0", "MM-new@1.0.0"]);
    assert_eq!(found("MM-nothing@1.0.0"), [""; 0]);
}

/// Proves: F-INDEX-008
#[test]
fn an_entry_has_its_vector_as_soon_as_it_is_there() {
    let home = tempfile::tempdir().unwrap();
    let mut index = open(home.path());
    for nth in 0..5_u32 {
        index.append(&[pointing(&format!("e{nth}"), f64::from(nth), 1.0)]).unwrap();
        assert_eq!((index.stats().entries, index.stats().vectors_missing), (nth as usize + 1, 0));
        let Ranker::Dense(_, Some(vectors)) = &index.ranker else { panic!("dense") };
        let record = index.table.hash_of(nth).unwrap();
        let vector = vectors.exact(nth, &record).unwrap().unwrap();
        assert_eq!(vector.len(), 256);
        assert!((vector[0] / vector[1] - nth as f32).abs() < 1e-6);
    }
}

#[test]
fn another_embedder_needs_a_reindex_and_then_all_vectors_are_its_own() {
    let home = tempfile::tempdir().unwrap();
    let entries: Vec<CodeIndexEntry> =
        (0..600).map(|nth| pointing(&format!("e{nth}"), 1.0, f64::from(nth))).collect();
    open(home.path()).append(&entries).unwrap();
    let dumped = |index: &CodeIndex| {
        let mut dump = Vec::new();
        index.export(index.snapshot(), &mut dump).unwrap();
        dump
    };
    let before = dumped(&CodeIndex::open(home.path(), dense()).unwrap());
    for other in [Letters::new("2", 256), Letters::new("1", 384)] {
        let dims = other.info().dims;
        let other = Ranking::Dense(Arc::new(other));
        let mut index = AppendOnlyCodeIndex::open(home.path(), other.clone()).unwrap();
        assert_eq!(index.stats().vectors_missing, 600);
        let request = SearchRequest::new("at 1,0");
        let refused = index.search(&request);
        assert!(matches!(refused, Err(IndexError::VectorsMissing { missing: 600, .. })));
        let refused = index.append(&[pointing("more", 1.0, 1.0)]);
        assert!(matches!(refused, Err(IndexError::VectorsMissing { missing: 600, .. })));
        assert_eq!(index.reindex().unwrap(), 600);
        assert_eq!(names(&index.search(&request).unwrap())[0], "e0");
        drop(index);
        let reader = CodeIndex::open(home.path(), other).unwrap();
        assert_eq!(dumped(&reader), before);
        let Ranker::Dense(_, Some(vectors)) = &reader.ranker else { panic!("dense") };
        for row in 0..600 {
            let record = reader.table.hash_of(row).unwrap();
            assert_eq!(vectors.exact(row, &record).unwrap().unwrap().len(), dims);
        }
    }
    // The first embedder still has its own.
    assert_eq!(CodeIndex::open(home.path(), dense()).unwrap().stats().vectors_missing, 0);
}

#[test]
fn an_unfit_embedder_opens_nothing() {
    let home = tempfile::tempdir().unwrap();
    for small in [Letters::new("1", 128), Letters::new("1", 2000)] {
        let refused = AppendOnlyCodeIndex::open(home.path(), Ranking::Dense(Arc::new(small)));
        assert!(matches!(refused, Err(IndexError::Embedder(EmbedderError::Unfit { .. }))));
    }
}

#[test]
fn entries_survive_a_restart_and_a_second_writer_is_refused() {
    let home = tempfile::tempdir().unwrap();
    let root = home.path().join("a/b");
    let missing = CodeIndex::open(&root, dense());
    assert!(matches!(missing, Err(IndexError::Missing { .. })));
    let mut index = open(&root);
    index.append(&[pointing("a", 1.0, 0.0)]).unwrap();
    let second = AppendOnlyCodeIndex::open(&root, dense());
    assert!(matches!(second, Err(IndexError::Held { .. })));
    // A reader needs no lock, and sees what was there when it opened.
    let reader = CodeIndex::open(&root, dense()).unwrap();
    index.append(&[pointing("b", 2.0, 1.0)]).unwrap();
    assert_eq!((reader.stats().entries, index.stats().entries), (1, 2));
    assert_eq!(names(&reader.search(&SearchRequest::new("at 1,0")).unwrap()), ["a"]);
    let head = index.snapshot();
    drop(index);
    let again = open(&root);
    assert_eq!(again.snapshot(), head);
    assert_eq!(again.show(&module("MM-b@1.0.0")).unwrap(), Some(pointing("b", 2.0, 1.0)));
    assert_eq!(again.show(&module("MM-c@1.0.0")).unwrap(), None);
}

#[test]
fn a_refused_batch_leaves_nothing() {
    let home = tempfile::tempdir().unwrap();
    let mut index = open(home.path());
    let (a, b) = (pointing("a", 1.0, 0.0), pointing("b", 1.0, 0.0));
    let other = pointing("a", 2.0, 0.0);
    let refused = index.append(&[b.clone(), a.clone(), other.clone()]);
    assert!(matches!(refused, Err(IndexError::Refused(_))));
    assert_eq!(index.stats().entries, 0);
    index.append(&[a.clone(), a.clone(), b]).unwrap();
    assert_eq!(index.stats().entries, 2);
    let head = index.snapshot();
    assert!(index.append(&[other]).is_err());
    assert_eq!(index.append(&[a]).unwrap(), head);
    assert_eq!(open_after(index, home.path()).snapshot(), head);
}

fn open_after(index: AppendOnlyCodeIndex, root: &Path) -> AppendOnlyCodeIndex {
    drop(index);
    open(root)
}

#[test]
fn words_find_entries_and_vectors_come_later() {
    let home = tempfile::tempdir().unwrap();
    let mut index = AppendOnlyCodeIndex::open(home.path(), Ranking::Bm25).unwrap();
    index
        .append(&[entry("a", "1.0.0", "parses dates"), entry("b", "1.0.0", "limits rates")])
        .unwrap();
    assert_eq!(index.reindex().unwrap(), 0);
    let request = SearchRequest::new("date parser");
    let before = index.search(&request).unwrap();
    assert_eq!((names(&before)[0], before.ranked_by.as_str()), ("a", "bm25"));
    drop(index);
    assert_eq!(
        CodeIndex::open(home.path(), Ranking::Bm25).unwrap().search(&request).unwrap(),
        before
    );
    let mut index = open(home.path());
    assert_eq!(index.stats().vectors_missing, 2);
    index.reindex().unwrap();
    assert_eq!(index.search(&request).unwrap().ranked_by, "letters@1");
    drop(index);
    // A few more by words alone: the next dense writer embeds them when it opens.
    let mut index = AppendOnlyCodeIndex::open(home.path(), Ranking::Bm25).unwrap();
    index.append(&[entry("c", "1.0.0", "stores pages")]).unwrap();
    drop(index);
    let reader = CodeIndex::open(home.path(), dense()).unwrap();
    assert!(matches!(reader.search(&request), Err(IndexError::VectorsMissing { missing: 1, .. })));
    assert_eq!(open(home.path()).search(&request).unwrap().results.len(), 3);
}

#[test]
fn every_hint_is_for_a_person() {
    let missing = IndexError::VectorsMissing { missing: 3, name: "e".into() };
    assert_eq!(missing.to_string(), "3 entries have no vector of the embedder `e`");
    assert!(missing.hint().unwrap().contains("sealwright index reindex"));
}

mod hostile;
