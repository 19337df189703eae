//! What tests of this crate share: entries, and an encoder that needs no model.

use sealwright_kernel::Timestamp;

use crate::{CodeIndexEntry, Embedder, EmbedderError, EmbedderInfo, IoSummary, Status};

/// An entry called `MM-{name}@{version}` that does `purpose`.
pub(crate) fn entry(name: &str, version: &str, purpose: &str) -> CodeIndexEntry {
    CodeIndexEntry {
        module_id: format!("MM-{name}"),
        version: version.into(),
        name: name.into(),
        purpose: purpose.into(),
        tags: vec!["net".into(), "limits".into()],
        contract_ref: "CTR-1a2b3c4d@1.0.0".parse().unwrap(),
        examples_ref: "EX-1a2b3c4d@1.0.0".parse().unwrap(),
        ship_ref: "SHIP-1a2b3c4d@1.0.0".parse().unwrap(),
        io_summary: IoSummary {
            inputs: vec!["Key: who asks".into()],
            outputs: vec!["Verdict: yes or no".into()],
            modes: vec!["sync".into()],
            ..IoSummary::default()
        },
        dependencies: Vec::new(),
        status: Status::Shipped,
        superseded_by: None,
        notes: String::new(),
    }
}

pub(crate) fn at() -> Timestamp {
    Timestamp::from_millis(1_763_000_000_000)
}

/// Counts the letters of a text: like texts get like vectors. `[1,0,…]` in a purpose is taken as it is.
pub(crate) struct Letters {
    info: EmbedderInfo,
}

impl Letters {
    pub(crate) fn new(revision: &str, dims: usize) -> Self {
        let info = EmbedderInfo {
            name: "letters".into(),
            revision: revision.into(),
            dims,
            tokens_max: 512,
        };
        Self { info }
    }
}

impl Embedder for Letters {
    fn info(&self) -> &EmbedderInfo {
        &self.info
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        let vector = |text: &&str| {
            let mut vector = vec![0.0; self.info.dims];
            if let Some(given) = text.lines().next().and_then(|it| it.strip_prefix("at ")) {
                for (place, number) in vector.iter_mut().zip(given.split(',')) {
                    *place = number.trim().parse().unwrap();
                }
                return vector;
            }
            for byte in text.bytes() {
                vector[usize::from(byte) % self.info.dims] += 1.0;
            }
            vector
        };
        Ok(texts.iter().map(vector).collect())
    }
}
