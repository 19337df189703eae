//! Ranking by words: BM25 over stemmed English, for an index without an encoder.
//!
//! What a pinned search counts (entries, lengths, entries with a word) is what stood at its pin, so that its answer
//! stays what it was.

use std::collections::BTreeMap;

use rust_stemmers::{Algorithm, Stemmer};

/// Where every word stands.
#[derive(Default)]
pub(crate) struct Words {
    /// For each stem, the rows it is in and how often, by row.
    postings: BTreeMap<String, Vec<(u32, u32)>>,
    /// Words of each row.
    lengths: Vec<u32>,
    /// Words of all rows before each row, and of all.
    lengths_before: Vec<u64>,
}

impl Words {
    /// Adds the text of the next row.
    pub(crate) fn add(&mut self, text: &str) {
        let row = u32::try_from(self.lengths.len()).unwrap_or(u32::MAX);
        let mut counts: BTreeMap<String, u32> = BTreeMap::new();
        let mut length = 0_u32;
        for stem in stems(text) {
            *counts.entry(stem).or_default() += 1;
            length += 1;
        }
        for (stem, count) in counts {
            self.postings.entry(stem).or_default().push((row, count));
        }
        if self.lengths_before.is_empty() {
            self.lengths_before.push(0);
        }
        let all = self.lengths_before.last().map_or(0, |before| before + u64::from(length));
        self.lengths.push(length);
        self.lengths_before.push(all);
    }

    /// The score of each of the first `rows` rows: 0.0 without a word of the query, 1.0 is the most a text can get.
    pub(crate) fn scores(&self, query: &str, rows: usize) -> Vec<f64> {
        let rows = rows.min(self.lengths.len());
        let mut scores = vec![0.0; rows];
        if rows == 0 {
            return scores;
        }
        let usual = (self.lengths_before[rows] as f64 / rows as f64).max(1.0);
        let mut most = 0.0;
        let mut seen: Vec<String> = stems(query).collect();
        seen.sort_unstable();
        seen.dedup();
        for stem in seen {
            let found: &[(u32, u32)] = self.postings.get(&stem).map_or(&[], Vec::as_slice);
            let found = &found[..found.partition_point(|(row, _)| (*row as usize) < rows)];
            let with = found.len() as f64;
            let weight = ((rows as f64 - with + 0.5) / (with + 0.5)).ln_1p();
            most += weight * (SATURATION + 1.0);
            for (row, count) in found {
                let length = f64::from(self.lengths[*row as usize]) / usual;
                let count = f64::from(*count);
                let damped = count + SATURATION * (1.0 - LENGTH_WEIGHT + LENGTH_WEIGHT * length);
                scores[*row as usize] += weight * count * (SATURATION + 1.0) / damped;
            }
        }
        if most > 0.0 {
            scores.iter_mut().for_each(|score| *score = (*score / most).clamp(0.0, 1.0));
        }
        scores
    }
}

/// The stems of a text. `RateLimit` and `rate_limit` are two words each.
fn stems(text: &str) -> impl Iterator<Item = String> {
    let stemmer = Stemmer::create(Algorithm::English);
    text.split(|sign: char| !sign.is_alphanumeric())
        .flat_map(humps)
        .filter(|word| word.len() <= WORD_BYTES_MAX)
        .map(move |word| stemmer.stem(&word.to_lowercase()).into_owned())
}

/// Splits where a lower-case letter is followed by an upper-case one.
fn humps(word: &str) -> impl Iterator<Item = &str> {
    let mut rest = word;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let mut was_lower = false;
        let end = rest.char_indices().find(|(_, sign)| {
            let is_hump = was_lower && sign.is_uppercase();
            was_lower = sign.is_lowercase();
            is_hump
        });
        let (hump, after) = rest.split_at(end.map_or(rest.len(), |(at, _)| at));
        rest = after;
        Some(hump)
    })
}

const SATURATION: f64 = 1.2;
const LENGTH_WEIGHT: f64 = 0.75;
const WORD_BYTES_MAX: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(texts: &[&str], query: &str) -> Vec<usize> {
        let mut words = Words::default();
        texts.iter().for_each(|text| words.add(text));
        let scores = words.scores(query, texts.len());
        assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
        let mut rows: Vec<usize> = (0..texts.len()).filter(|row| scores[*row] > 0.0).collect();
        rows.sort_by(|left, right| scores[*right].total_cmp(&scores[*left]));
        rows
    }

    #[test]
    fn rare_words_and_short_texts_rank_first() {
        let texts = [
            "parses dates and more dates of several calendars, in a long text that says much",
            "parses dates",
            "limits the rate of requests",
            "parses tables",
        ];
        assert_eq!(ranked(&texts, "date parsing"), [1, 0, 3]);
        assert_eq!(ranked(&texts, "zebra"), Vec::<usize>::new());
    }

    #[test]
    fn words_meet_by_their_stem_and_inside_names() {
        let texts = ["RateLimiter::tryAcquire", "rate_limits", "unrelated"];
        assert_eq!(ranked(&texts, "limited rates"), [1, 0]);
        assert_eq!(stems("HTTPServer fooBar").collect::<Vec<_>>(), ["httpserver", "foo", "bar"]);
    }

    #[test]
    fn rows_after_the_pin_change_no_score() {
        let mut words = Words::default();
        ["a cache of pages", "pages of a book"].iter().for_each(|text| words.add(text));
        let before = words.scores("cache pages", 2);
        words.add("another cache, with many more words than the others");
        assert_eq!(words.scores("cache pages", 2), before);
        assert_ne!(words.scores("cache pages", 3)[..2], before);
    }
}
