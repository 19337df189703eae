//! What turns text into vectors. Network encoders and local ones implement it elsewhere or as a [`HelperProgram`].

use sealwright_kernel::{Digest, canonical_json};
use serde::{Deserialize, Serialize};

pub use helper::{HelperConfig, HelperProgram};

mod helper;

/// A dense encoder. The same text gives the same vector for as long as [`EmbedderInfo`] is the same.
pub trait Embedder: Send + Sync {
    fn info(&self) -> &EmbedderInfo;

    /// One vector for each text, in order.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError>;
}

/// What an encoder is. Vectors of two encoders are never compared.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EmbedderInfo {
    pub name: String,
    /// Which weights: a version or a digest.
    pub revision: String,
    pub dims: usize,
    pub tokens_max: usize,
}

#[derive(Debug, thiserror::Error)]
pub enum EmbedderError {
    #[error("cannot start the embedder `{program}`")]
    Start { program: String, source: std::io::Error },
    #[error("the embedder `{program}` ended: {why}")]
    Ended { program: String, why: String },
    #[error("the embedder `{program}` gave no answer within {limit_ms} ms")]
    TimedOut { program: String, limit_ms: u64 },
    #[error("the embedder `{name}` gave an unusable answer: {why}")]
    Answer { name: String, why: String },
    #[error("the embedder `{name}` cannot be used: {why}")]
    Unfit { name: String, why: String },
    #[error("the embedder `{name}` refused: {why}")]
    Refused { name: String, why: String },
}

impl EmbedderInfo {
    /// Refuses an encoder that reads too little or whose vectors are too short or too long.
    pub fn check(&self) -> Result<(), EmbedderError> {
        let refused = |why: String| {
            let name = self.name.chars().take(NAME_BYTES_MAX).collect();
            Err(EmbedderError::Unfit { name, why })
        };
        for text in [&self.name, &self.revision] {
            let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
            if text.is_empty() || text.len() > NAME_BYTES_MAX || !is_plain {
                return refused(format!(
                    "its name and revision are 1 to {NAME_BYTES_MAX} printable ASCII characters"
                ));
            }
        }
        if !(DIMS_MIN..=DIMS_MAX).contains(&self.dims) {
            return refused(format!("it has {} dimensions: {DIMS_MIN} to {DIMS_MAX}", self.dims));
        }
        if self.tokens_max < TOKENS_MIN {
            return refused(format!("it reads {} tokens: at least {TOKENS_MIN}", self.tokens_max));
        }
        Ok(())
    }

    /// Names the encoder on disk.
    pub fn digest(&self) -> Digest {
        Digest::of(&canonical_json(self).expect("names and small numbers are JSON"))
    }
}

/// Vectors of length one, or why they are none.
pub(crate) fn embed_checked(
    embedder: &dyn Embedder,
    texts: &[&str],
) -> Result<Vec<Vec<f32>>, EmbedderError> {
    let info = embedder.info();
    let refused = |why: String| Err(EmbedderError::Answer { name: info.name.clone(), why });
    let mut vectors = embedder.embed(texts)?;
    if vectors.len() != texts.len() {
        return refused(format!("{} vectors for {} texts", vectors.len(), texts.len()));
    }
    for vector in &mut vectors {
        if vector.len() != info.dims {
            return refused(format!("{} numbers in place of {}", vector.len(), info.dims));
        }
        let length = dot(vector, vector).sqrt();
        if !length.is_finite() || length < LENGTH_MIN {
            return refused("a vector without a direction".into());
        }
        for value in vector.iter_mut() {
            *value = (f64::from(*value) / length) as f32;
        }
    }
    Ok(vectors)
}

/// The same sum on every machine: one order, and no fused operations.
pub(crate) fn dot(left: &[f32], right: &[f32]) -> f64 {
    left.iter().zip(right).map(|(left, right)| f64::from(*left) * f64::from(*right)).sum()
}

pub const DIMS_MIN: usize = 256;
pub const DIMS_MAX: usize = 1536;
pub const TOKENS_MIN: usize = 512;
const NAME_BYTES_MAX: usize = 128;
const LENGTH_MIN: f64 = 1e-12;

#[cfg(test)]
mod tests;
