use super::*;
use crate::tests::Letters;

fn info(dims: usize, tokens_max: usize) -> EmbedderInfo {
    EmbedderInfo { name: "e".into(), revision: "1".into(), dims, tokens_max }
}

#[test]
fn an_encoder_that_is_too_small_is_refused() {
    for (dims, tokens, expected) in [
        (256, 512, true),
        (1536, 8192, true),
        (255, 512, false),
        (128, 512, false),
        (1537, 512, false),
        (384, 511, false),
        (384, 256, false),
    ] {
        assert_eq!(info(dims, tokens).check().is_ok(), expected, "{dims} {tokens}");
    }
    for bad in ["", "a b", "\u{1b}", &"x".repeat(129)] {
        assert!(EmbedderInfo { name: bad.into(), ..info(384, 512) }.check().is_err());
        assert!(EmbedderInfo { revision: bad.into(), ..info(384, 512) }.check().is_err());
    }
    assert!(EmbedderInfo { name: "x".repeat(128), ..info(384, 512) }.check().is_ok());
}

#[test]
fn every_part_of_an_encoder_changes_its_name_on_disk() {
    let all = [
        info(384, 512),
        info(385, 512),
        info(384, 513),
        EmbedderInfo { name: "f".into(), ..info(384, 512) },
        EmbedderInfo { revision: "2".into(), ..info(384, 512) },
    ];
    let digests: std::collections::BTreeSet<_> = all.iter().map(EmbedderInfo::digest).collect();
    assert_eq!(digests.len(), all.len());
}

/// Answers with what it was made with.
struct Says(EmbedderInfo, Vec<Vec<f32>>);

impl Embedder for Says {
    fn info(&self) -> &EmbedderInfo {
        &self.0
    }

    fn embed(&self, _: &[&str]) -> Result<Vec<Vec<f32>>, EmbedderError> {
        Ok(self.1.clone())
    }
}

#[test]
fn vectors_without_a_direction_or_of_another_size_are_refused() {
    let said = |vectors: Vec<Vec<f32>>| embed_checked(&Says(info(256, 512), vectors), &["x"]);
    let with = |value: f32| {
        let mut vector = vec![0.0; 256];
        vector[3] = value;
        vector
    };
    assert_eq!(said(vec![with(-4.0)]).unwrap(), [with(-1.0)]);
    for bad in [
        vec![],
        vec![with(1.0), with(1.0)],
        vec![vec![1.0; 255]],
        vec![vec![1.0; 257]],
        vec![with(0.0)],
        vec![with(f32::NAN)],
        vec![with(f32::INFINITY)],
    ] {
        assert!(matches!(said(bad), Err(EmbedderError::Answer { .. })));
    }
    let letters = Letters::new("1", 256);
    let made = embed_checked(&letters, &["some text"]).unwrap();
    assert!((dot(&made[0], &made[0]) - 1.0).abs() < 1e-6);
}
