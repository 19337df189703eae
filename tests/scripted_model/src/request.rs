//! The body of a request: bounded, decompressed and parsed as JSON.

use std::io::Read as _;

use http_body_util::{BodyExt as _, LengthLimitError, Limited};
use hyper::body::{Body as _, Incoming};
use serde_json::Value;

/// Why a body was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It exceeds the bound, compressed or not.
    TooLarge,
    /// Its compression is not supported.
    ///
    /// Codex compresses with zstd only for users logged in to ChatGPT and only for OpenAI's servers.
    Packing,
    /// It is not valid JSON, or incomplete.
    NoJson,
}

impl Unreadable {
    pub(crate) fn status(self) -> (u16, &'static str) {
        match self {
            Self::TooLarge => (413, "the request is too large"),
            Self::Packing => (415, "only gzip can be unpacked here"),
            Self::NoJson => (400, "the request is no JSON"),
        }
    }
}

/// Reads a body with the compression of its header, and returns its length.
pub(crate) async fn read(
    packing: Option<&str>,
    body: Incoming,
) -> Result<(Value, usize), Unreadable> {
    // Do not wait for a body that is announced as too large.
    if body.size_hint().lower() > BYTES_MAX {
        return Err(Unreadable::TooLarge);
    }
    let limit = usize::try_from(BYTES_MAX).unwrap_or(usize::MAX);
    let bytes = Limited::new(body, limit).collect().await.map_err(|error| {
        if error.is::<LengthLimitError>() { Unreadable::TooLarge } else { Unreadable::NoJson }
    })?;
    let bytes = unpacked(packing, &bytes.to_bytes())?;
    let value = serde_json::from_slice(&bytes).map_err(|_| Unreadable::NoJson)?;
    Ok((value, bytes.len()))
}

fn unpacked(packing: Option<&str>, bytes: &[u8]) -> Result<Vec<u8>, Unreadable> {
    match packing {
        None | Some("" | "identity") => Ok(bytes.to_vec()),
        Some("gzip") => {
            let mut unpacked = Vec::new();
            flate2::read::MultiGzDecoder::new(bytes)
                .take(BYTES_MAX + 1)
                .read_to_end(&mut unpacked)
                .map_err(|_| Unreadable::NoJson)?;
            let is_too_large = u64::try_from(unpacked.len()).is_ok_and(|length| length > BYTES_MAX);
            if is_too_large { Err(Unreadable::TooLarge) } else { Ok(unpacked) }
        }
        Some(_) => Err(Unreadable::Packing),
    }
}

/// The most bytes of one request, compressed or not.
const BYTES_MAX: u64 = 32 << 20;

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn what_is_packed_is_unpacked_or_refused() {
        assert_eq!(unpacked(None, b"{}"), Ok(b"{}".to_vec()));
        assert_eq!(unpacked(Some("gzip"), &gzip(b"{}")), Ok(b"{}".to_vec()));
        assert_eq!(unpacked(Some("gzip"), b"{}"), Err(Unreadable::NoJson));
        assert_eq!(unpacked(Some("zstd"), b"{}"), Err(Unreadable::Packing));
    }

    #[test]
    fn what_grows_too_large_when_unpacked_is_refused_at_the_bound() {
        let most = usize::try_from(BYTES_MAX).unwrap();
        assert_eq!(unpacked(Some("gzip"), &gzip(&vec![b' '; most])).map(|it| it.len()), Ok(most));
        let larger = gzip(&vec![b' '; most + 1]);
        assert_eq!(unpacked(Some("gzip"), &larger), Err(Unreadable::TooLarge));
    }
}
