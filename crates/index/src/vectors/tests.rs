use fastrand::Rng;

use super::*;

/// A vector of length one, near one of a few directions.
fn vector(random: &mut Rng, dims: usize, spread: f32) -> Vec<f32> {
    let mut near = Rng::with_seed(random.u64(0..4));
    let values: Vec<f32> =
        (0..dims).map(|_| near.f32() - 0.5 + spread * (random.f32() - 0.5)).collect();
    let length = dot(&values, &values).sqrt() as f32;
    values.iter().map(|value| value / length).collect()
}

fn record(row: usize) -> Digest {
    Digest::of(&row.to_le_bytes())
}

fn info(dims: usize) -> EmbedderInfo {
    EmbedderInfo { name: "test".into(), revision: "1".into(), dims, tokens_max: 512 }
}

/// The search over codes finds exactly what comparing all exact numbers finds, however alike the vectors are.
#[test]
fn the_nearest_rows_are_those_of_an_exact_comparison() {
    for (seed, spread) in [(1, 2.0), (2, 0.1), (3, 0.001), (4, 0.0)] {
        let mut random = Rng::with_seed(seed);
        let home = tempfile::tempdir().unwrap();
        let dims = 256 + 128 * (seed as usize % 3);
        let mut vectors =
            Vectors::create(&Folder::open(home.path()).unwrap(), &info(dims)).unwrap();
        let rows: Vec<(Digest, Vec<f32>)> =
            (0..2000).map(|row| (record(row), vector(&mut random, dims, spread))).collect();
        vectors.append(&rows).unwrap();
        for _ in 0..20 {
            let query = vector(&mut random, dims, spread);
            let is_out = |row: u32| row.is_multiple_of(7);
            let listed: Vec<u32> = (0..2000).filter(|row| row % 3 == 0).collect();
            for given in [Rows::First(1500), Rows::Listed(&listed)] {
                let all: Vec<u32> = match given {
                    Rows::First(count) => (0..count as u32).collect(),
                    Rows::Listed(rows) => rows.to_vec(),
                };
                let exact = |row: u32| dot(&query, &rows[row as usize].1);
                let mut all: Vec<u32> = all.into_iter().filter(|row| !is_out(*row)).collect();
                all.sort_by(|left, right| exact(*right).total_cmp(&exact(*left)));
                let bar = exact(all[9]);
                let found = vectors.nearest(&query, given, &is_out, 10);
                for row in all.into_iter().filter(|row| exact(*row) >= bar) {
                    assert!(found.contains(&row), "seed {seed}: row {row} is missing");
                }
                assert!(found.iter().all(|row| !is_out(*row)));
                if spread == 2.0 {
                    assert!(found.len() < 60, "{} rows for 10", found.len());
                }
            }
        }
    }
}

#[test]
fn more_threads_give_the_same_rows() {
    let mut random = Rng::with_seed(9);
    let home = tempfile::tempdir().unwrap();
    let mut vectors = Vectors::create(&Folder::open(home.path()).unwrap(), &info(256)).unwrap();
    let count = ROWS_PER_THREAD_MIN + 1000;
    let rows: Vec<(Digest, Vec<f32>)> =
        (0..count).map(|row| (record(row), vector(&mut random, 256, 2.0))).collect();
    vectors.append(&rows).unwrap();
    let listed: Vec<u32> = (0..count as u32).collect();
    let query = vector(&mut random, 256, 2.0);
    let one = vectors.nearest(&query, Rows::Listed(&listed), &|_| false, 10);
    assert_eq!(vectors.nearest(&query, Rows::First(count), &|_| false, 10), one);
}

#[test]
fn the_largest_sums_fit() {
    let edge = vec![1.0 / (1536.0_f32).sqrt(); 1536];
    let home = tempfile::tempdir().unwrap();
    let mut vectors = Vectors::create(&Folder::open(home.path()).unwrap(), &info(1536)).unwrap();
    let against: Vec<f32> = edge.iter().map(|value| -value).collect();
    vectors.append(&[(record(0), against), (record(1), edge.clone())]).unwrap();
    assert_eq!(vectors.nearest(&edge, Rows::First(2), &|_| false, 1), [1]);
}

#[test]
fn rows_are_believed_up_to_the_first_damage() {
    let mut random = Rng::with_seed(5);
    let home = tempfile::tempdir().unwrap();
    let folder = Folder::open(home.path()).unwrap();
    let mut vectors = Vectors::create(&folder, &info(256)).unwrap();
    let rows: Vec<(Digest, Vec<f32>)> =
        (0..10).map(|row| (record(row), vector(&mut random, 256, 2.0))).collect();
    vectors.append(&rows).unwrap();
    let known = |records: &mut dyn Iterator<Item = Digest>| {
        let records: Vec<Digest> = records.collect();
        let opened = Vectors::open(&folder, 256, records.into_iter(), Access::Read);
        opened.unwrap().unwrap().rows()
    };
    assert_eq!(known(&mut (0..10).map(record)), 10);
    // Fewer or other records: a crash before the log, or vectors of another index.
    assert_eq!(known(&mut (0..7).map(record)), 7);
    assert_eq!(known(&mut (5..15).map(record)), 0);
    let path = home.path().join(CODES);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[4 * (CODE_HEAD + 256) + 100] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(known(&mut (0..10).map(record)), 4);
    assert_eq!(vectors.exact(3, &record(3)).unwrap().unwrap(), rows[3].1);
    let path = home.path().join(FLOATS);
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[3 * float_stride(256) + 7] ^= 1;
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(vectors.exact(3, &record(3)).unwrap(), None);
}
