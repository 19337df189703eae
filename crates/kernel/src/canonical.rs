//! Canonical JSON (RFC 8785): one byte sequence for one value, so that it can be hashed.
//!
//! The library of the field needs `std`, which the kernel does without; the tests hold this
//! against it. Stricter than the RFC in one point: whole numbers beyond ±(2^53 − 1) are
//! refused instead of rounded, because two readers would see two values.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use serde::Serialize;
use serde_json::Value;

/// Why a value has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// It cannot be written as JSON at all.
    #[error("the value is not JSON: {why}")]
    NotJson {
        /// What the serialiser said.
        why: String,
    },
    /// A whole number that JSON readers disagree about.
    #[error("{number} is beyond the whole numbers every JSON reader keeps exact")]
    NotExact {
        /// The number as written.
        number: String,
    },
    /// Arrays and objects are nested beyond reason.
    #[error("the value is nested more than {DEPTH_MAX} deep")]
    TooDeep,
}

/// Writes `value` in its canonical form.
pub fn canonical_json<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    let not_json = |error: serde_json::Error| CanonicalError::NotJson { why: error.to_string() };
    let value = serde_json::to_value(value).map_err(not_json)?;
    let mut out = Vec::new();
    write_canonical(&mut out, &value)?;
    Ok(out)
}

/// Writes `value` in its canonical form behind what is in `out`.
pub fn write_canonical(out: &mut Vec<u8>, value: &Value) -> Result<(), CanonicalError> {
    write(out, value, DEPTH_MAX)
}

fn write(out: &mut Vec<u8>, value: &Value, depth_left: usize) -> Result<(), CanonicalError> {
    let depth_left = depth_left.checked_sub(1).ok_or(CanonicalError::TooDeep)?;
    match value {
        Value::Null => out.extend(b"null"),
        Value::Bool(true) => out.extend(b"true"),
        Value::Bool(false) => out.extend(b"false"),
        Value::Number(number) => write_number(out, number)?,
        Value::String(text) => write_text(out, text),
        Value::Array(items) => {
            out.push(b'[');
            for (nth, item) in items.iter().enumerate() {
                if nth > 0 {
                    out.push(b',');
                }
                write(out, item, depth_left)?;
            }
            out.push(b']');
        }
        Value::Object(members) => {
            // The RFC orders names by UTF-16 code units, not by bytes.
            let mut members: Vec<(&String, &Value)> = members.iter().collect();
            if !members.is_sorted_by(|(a, _), (b, _)| a <= b && a.is_ascii() && b.is_ascii()) {
                members.sort_by(|(a, _), (b, _)| a.encode_utf16().cmp(b.encode_utf16()));
            }
            out.push(b'{');
            for (nth, (name, member)) in members.into_iter().enumerate() {
                if nth > 0 {
                    out.push(b',');
                }
                write_text(out, name);
                out.push(b':');
                write(out, member, depth_left)?;
            }
            out.push(b'}');
        }
    }
    Ok(())
}

fn write_number(out: &mut Vec<u8>, number: &serde_json::Number) -> Result<(), CanonicalError> {
    let exact = match (number.as_i64(), number.as_u64(), number.as_f64()) {
        (Some(whole), _, _) => whole.unsigned_abs() <= EXACT_MAX,
        (None, Some(_), _) | (None, None, None) => false,
        (None, None, Some(fraction)) => {
            let mut buffer = ryu_js::Buffer::new();
            let text = buffer.format(fraction);
            // A large whole float is spelt without an exponent, and would be read back as
            // one of the whole numbers that are refused.
            let spelt_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
            if !spelt_whole || fraction.abs() <= EXACT_MAX as f64 {
                out.extend(text.as_bytes());
                return Ok(());
            }
            false
        }
    };
    if !exact {
        return Err(CanonicalError::NotExact { number: number.to_string() });
    }
    out.extend(number.to_string().as_bytes());
    Ok(())
}

fn write_text(out: &mut Vec<u8>, text: &str) {
    if text.bytes().all(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
        out.push(b'"');
        out.extend(text.as_bytes());
        out.push(b'"');
        return;
    }
    let quoted = serde_json::to_string(text).expect("a string is always JSON");
    out.extend(quoted.as_bytes());
}

const EXACT_MAX: u64 = (1 << 53) - 1;
/// A reader gives up at 128, and a record adds a few levels of its own.
const DEPTH_MAX: usize = 96;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn names_are_ordered_by_utf16_and_text_is_escaped_once() {
        let value = json!({"\u{fb33}": 1, "\u{1f600}": 2, "b\u{8}\n\"\u{1f}": "é\u{7f}", "a": []});
        let expected =
            "{\"a\":[],\"b\\b\\n\\\"\\u001f\":\"é\u{7f}\",\"\u{1f600}\":2,\"\u{fb33}\":1}";
        assert_eq!(String::from_utf8(canonical_json(&value).unwrap()).unwrap(), expected);
    }

    #[test]
    fn numbers_that_readers_disagree_about_are_refused() {
        let edge = (1_i64 << 53) - 1;
        assert_eq!(canonical_json(&edge).unwrap(), b"9007199254740991");
        assert_eq!(canonical_json(&-edge).unwrap(), b"-9007199254740991");
        for number in
            [json!(edge + 1), json!(-edge - 1), json!(u64::MAX), json!(i64::MIN), json!(1e20)]
        {
            let refused = canonical_json(&number).unwrap_err();
            assert_eq!(refused, CanonicalError::NotExact { number: number.to_string() });
        }
    }

    #[test]
    fn a_bottomless_value_is_refused() {
        let deep = (0..DEPTH_MAX).fold(json!(1), |value, _| json!([value]));
        assert_eq!(canonical_json(&deep), Err(CanonicalError::TooDeep));
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-9_007_199_254_740_991_i64..=9_007_199_254_740_991).prop_map(Value::from),
            prop::num::f64::NORMAL
                .prop_filter("refused", |it| it.abs() < 9e15 || it.abs() >= 1e21)
                .prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 64, 8, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..8).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..8)
                    .prop_map(|members| members.into_iter().collect::<Value>()),
            ]
        })
    }

    proptest! {
        /// The bytes are those of the library that implements the RFC with `std`.
        #[test]
        fn it_agrees_with_the_library_of_the_field(value in values()) {
            let theirs = serde_json_canonicalizer::to_vec(&value).unwrap();
            prop_assert_eq!(canonical_json(&value).unwrap(), theirs);
        }

        /// What was written reads back as itself and is written the same again.
        #[test]
        fn it_is_a_fixed_point(value in values()) {
            let once = canonical_json(&value).unwrap();
            let again: Value = serde_json::from_slice(&once).unwrap();
            prop_assert_eq!(canonical_json(&again).unwrap(), once);
        }
    }
}
