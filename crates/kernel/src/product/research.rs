//! What was looked up for a spec: the queries and what they found, as the search answered.
//!
//! Text of the web is data. It is kept beside the spec, shown quoted with its source, and nothing is planned from it.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use serde::{Deserialize, Serialize};

use super::{BYTES_MAX, Deficiency, Severity};

/// One query, and what it found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Search {
    pub query: String,
    pub results: Vec<Found>,
}

/// A page that was found, and what was read of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Found {
    pub url: String,
    pub title: String,
    pub snippet: String,
}

/// Reads the searches for a spec: a JSON list. What is wrong with it is named with its place.
pub fn read(text: &[u8]) -> Result<Vec<Search>, Vec<Deficiency>> {
    let wrong =
        |path: &str, field: &str, why: String| Deficiency::new(Severity::Error, path, field, why);
    if text.len() > BYTES_MAX {
        let why = format!("the research has {} bytes, more than {BYTES_MAX}", text.len());
        return Err([wrong("research", "", why)].into());
    }
    let searches: Vec<Search> = serde_json::from_slice(text)
        .map_err(|error| [wrong("research", "", format!("this is no research: {error}"))])?;
    let mut errors = Vec::new();
    if searches.len() > SEARCHES_MAX {
        let why = format!("{} queries, more than {SEARCHES_MAX}", searches.len());
        errors.push(wrong("research", "", why));
    }
    for (nth, search) in searches.iter().enumerate() {
        let path = format!("research[{nth}]");
        if search.query.trim().is_empty() {
            errors.push(wrong(&path, "query", "it is empty".into()));
        }
        if search.results.len() > RESULTS_MAX {
            let why = format!("{} results, more than {RESULTS_MAX}", search.results.len());
            errors.push(wrong(&path, "results", why));
        }
        for (place, found) in search.results.iter().enumerate() {
            let is_source = ["https://", "http://"].iter().any(|it| found.url.starts_with(it));
            if !is_source || found.url.contains(char::is_whitespace) {
                let why = "what was found needs its source, an http or https URL".into();
                errors.push(wrong(&format!("{path}.results[{place}]"), "url", why));
            }
        }
    }
    if errors.is_empty() { Ok(searches) } else { Err(errors) }
}

/// The most queries that stand beside a spec.
pub const SEARCHES_MAX: usize = 1_000;
/// The most pages that one query finds.
pub const RESULTS_MAX: usize = 10;

#[cfg(test)]
mod tests {
    use alloc::string::ToString as _;
    use alloc::vec;

    use serde_json::json;

    use super::*;

    #[test]
    fn research_without_a_source_is_refused_with_its_place() {
        let found = |url: &str| json!({ "url": url, "title": "Fees", "snippet": "a snippet" });
        let search = |query: &str, results: Vec<serde_json::Value>| {
            json!([{ "query": query, "results": results }]).to_string()
        };
        let places = |text: &str| {
            let errors = read(text.as_bytes()).unwrap_err();
            let place = |it: Deficiency| format!("{}.{}", it.path, it.field);
            errors.into_iter().map(place).collect::<Vec<_>>()
        };
        let whole = search("fees", vec![found("https://example.org/fees"); RESULTS_MAX]);
        assert_eq!(read(whole.as_bytes()).unwrap()[0].results.len(), RESULTS_MAX);
        assert_eq!(read(b"[]"), Ok(vec![]));
        let many = search("fees", vec![found("https://example.org/fees"); RESULTS_MAX + 1]);
        assert_eq!(places(&many), ["research[0].results"]);
        for url in ["", "example.org", "file:///etc/passwd", "https://a b"] {
            let text = search("fees", vec![found("http://a.example"), found(url)]);
            assert_eq!(places(&text), ["research[0].results[1].url"], "{url}");
        }
        assert_eq!(places(&search(" ", vec![])), ["research[0].query"]);
        let one = json!({ "query": "fees", "results": [] });
        assert_eq!(places(&json!(vec![one; SEARCHES_MAX + 1]).to_string()), ["research."]);
        for text in ["", "{}", r#"[{"query":"fees"}]"#, r#"[{"query":"a","results":[],"x":1}]"#] {
            assert_eq!(places(text), ["research."], "{text}");
        }
    }
}
