use super::*;

fn store(folder: &Path) -> LocalTaskStore {
    let journal = FileJournal::create(folder.join(".sealwright")).unwrap();
    LocalTaskStore::open(journal, folder).unwrap()
}

fn dollars(micro_dollars: u64) -> Cost {
    Cost { micro_dollars, ..Cost::default() }
}

fn task(name: &str) -> TaskId {
    TaskId::new(name).unwrap()
}

#[test]
fn two_processes_see_what_each_other_spends_and_count_nothing_twice() {
    let folder = tempfile::tempdir().unwrap();
    let (mine, other) = (store(folder.path()), store(folder.path()));
    assert_eq!(mine.project_spent().unwrap(), Cost::default());
    assert_eq!(other.project_spent().unwrap(), Cost::default());
    mine.spent(&task("T-a"), dollars(5));
    other.spent(&task("T-b"), dollars(7));
    mine.spent(&task("T-a"), dollars(9));
    assert_eq!(mine.project_spent().unwrap(), dollars(16));
    assert_eq!(other.project_spent().unwrap(), dollars(16));
    assert_eq!(mine.project_spent().unwrap(), dollars(16));
}

#[test]
fn the_index_is_summed_once_and_again_only_when_the_ledger_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.project_spent().unwrap();
    // These totals are in no journal; they survive only while nothing is summed again.
    store.spent(&task("T-a"), dollars(5));
    assert_eq!(store.project_spent().unwrap(), dollars(5));
    std::fs::remove_file(folder.path().join("spending.jsonl")).unwrap();
    assert_eq!(store.project_spent().unwrap(), Cost::default());
}

#[test]
fn a_torn_or_hostile_ledger_lowers_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let store = store(folder.path());
    store.project_spent().unwrap();
    store.spent(&task("T-a"), dollars(5));
    let path = folder.path().join("spending.jsonl");
    let mut text = std::fs::read_to_string(&path).unwrap();
    text.push_str("not json\n{\"task\":\"T-a\",\"total\":{\"millis\":0,\"tokens\":0,\"micro_dollars\":1}}\n{\"task\"");
    std::fs::write(&path, text).unwrap();
    assert_eq!(store.project_spent().unwrap(), dollars(5));
}
