//! A secret: text that is sent to an upstream and never shown.
//!
//! It has no equality and no display, so it cannot be compared, printed or stored by accident. What is written
//! of it in a policy's canonical form is always the same word, so no digest gives it away either.

use std::fmt;
use std::sync::Arc;

use hyper::header::{HeaderValue, InvalidHeaderValue};
use serde::{Serialize, Serializer};

#[derive(Clone)]
pub struct Secret(Arc<str>);

impl Secret {
    /// Keeps `text` from being shown.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into().into())
    }

    /// This, with something before it that is no secret.
    #[must_use]
    pub fn after(&self, plain: &str) -> Self {
        Self::new(format!("{plain}{}", self.0))
    }

    /// As the value of a header that is never shown either.
    pub(super) fn header_value(&self) -> Result<HeaderValue, InvalidHeaderValue> {
        let mut value = HeaderValue::from_str(&self.0)?;
        value.set_sensitive(true);
        Ok(value)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(REDACTED)
    }
}

impl Serialize for Secret {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(REDACTED)
    }
}

const REDACTED: &str = "redacted";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_not_shown_in_any_form() {
        let secret = Secret::new("Bearer sk-very-secret");
        let value = secret.header_value().unwrap();
        let shown = format!("{secret:?} {value:?} {}", serde_json::to_string(&secret).unwrap());
        assert_eq!(shown, "redacted Sensitive \"redacted\"");
    }

    #[test]
    fn the_error_about_a_secret_does_not_quote_it() {
        let error = Secret::new("sk-very\r\nsecret").header_value().unwrap_err();
        assert!(!format!("{error} {error:?}").contains("very"), "{error:?}");
    }
}
