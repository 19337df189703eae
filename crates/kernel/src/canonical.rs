//! Canonical JSON (RFC 8785): one byte sequence for one value, so that it can be hashed.
//!
//! The library of the field needs `std`, which the kernel does without; the tests hold this
//! against it. Stricter than the RFC in one point: whole numbers beyond ±(2^53 − 1) are
//! refused instead of rounded, because two readers would see two values.

mod writer;

use alloc::string::{String, ToString as _};
use alloc::vec::Vec;
use core::fmt;

use serde::Serialize;

use writer::{Order, Writer};

/// Why a value has no canonical form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanonicalError {
    /// It cannot be written as JSON at all.
    #[error("the value is not JSON: {why}")]
    NotJson { why: String },
    /// A whole number that JSON readers disagree about.
    #[error("{number} is beyond the whole numbers every JSON reader keeps exact")]
    NotExact { number: String },
    /// Arrays and objects are nested beyond reason.
    #[error("the value is nested more than {DEPTH_MAX} deep")]
    TooDeep,
}

impl serde::ser::Error for CanonicalError {
    fn custom<T: fmt::Display>(why: T) -> Self {
        Self::NotJson { why: why.to_string() }
    }
}

pub fn canonical_json<T: Serialize + ?Sized>(value: &T) -> Result<Vec<u8>, CanonicalError> {
    let mut out = Vec::new();
    Canonical::default().write(&mut out, value)?;
    Ok(out)
}

/// Writes one value after the other in their canonical forms, with the same buffers.
#[derive(Debug, Default)]
pub struct Canonical {
    order: Order,
}

impl Canonical {
    /// Writes `value` behind what is in `out`.
    pub fn write<T: Serialize + ?Sized>(
        &mut self,
        out: &mut Vec<u8>,
        value: &T,
    ) -> Result<(), CanonicalError> {
        value.serialize(&mut Writer::new(out, &mut self.order))
    }
}

const EXACT_MAX: u64 = (1 << 53) - 1;
/// A reader gives up at 128, and a record adds a few levels of its own.
const DEPTH_MAX: usize = 96;

#[cfg(test)]
mod tests {
    use alloc::collections::BTreeMap;
    use alloc::vec;

    use proptest::prelude::*;
    use serde_json::{Value, json};

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

    #[test]
    fn a_list_may_be_as_deep_as_is_allowed() {
        let deep = (2..DEPTH_MAX).fold(json!([]), |value, _| json!({ "in": value }));
        assert!(canonical_json(&deep).is_ok());
        assert_eq!(canonical_json(&json!([[deep]])), Err(CanonicalError::TooDeep));
    }

    /// Everything that types can be made of.
    #[derive(Serialize)]
    struct Everything {
        zeta: Option<u8>,
        alpha: Vec<Kind>,
        map: BTreeMap<u32, char>,
        #[serde(flatten)]
        more: More,
        unit: (),
        pair: (i8, f32),
        none: Option<u8>,
        empty: Empty,
        new: New,
    }

    #[derive(Serialize)]
    struct More {
        omega: bool,
        beta: &'static str,
    }

    #[derive(Serialize)]
    struct Empty {}

    #[derive(Serialize)]
    struct New(u64);

    #[derive(Serialize)]
    enum Kind {
        Unit,
        New(Empty),
        Tuple(u8, bool),
        Struct { z: u8, a: u8 },
    }

    /// Written straight from types it is what it would be by way of values, in the same order.
    #[test]
    fn types_are_written_as_their_values_are() {
        let everything = Everything {
            zeta: Some(1),
            alpha: vec![
                Kind::Unit,
                Kind::New(Empty {}),
                Kind::Tuple(1, true),
                Kind::Struct { z: 1, a: 2 },
            ],
            map: BTreeMap::from([(10, 'é'), (9, '"')]),
            more: More { omega: false, beta: "\n" },
            unit: (),
            pair: (-1, 0.5),
            none: None,
            empty: Empty {},
            new: New(7),
        };
        let value = serde_json::to_value(&everything).unwrap();
        let theirs = serde_json_canonicalizer::to_vec(&value).unwrap();
        assert_eq!(canonical_json(&everything).unwrap(), theirs);
    }

    #[test]
    fn two_members_of_one_name_are_refused() {
        #[derive(Serialize)]
        struct Twice {
            beta: u8,
            #[serde(flatten)]
            more: More,
        }
        let twice = Twice { beta: 1, more: More { omega: true, beta: "2" } };
        let refused = canonical_json(&twice).unwrap_err();
        let why = "the member `beta` is there twice".into();
        assert_eq!(refused, CanonicalError::NotJson { why });
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
