//! Writes canonical JSON straight from what is serialised, without a tree of values between.
//!
//! Members are written as they come and put in order when their object ends:
//!
//! ```text
//!  {"b":1,"a":2   members: b 1..6, a 7..12   not in order   ──end──▶   {"a":2,"b":1}
//! ```

use alloc::borrow::Cow;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::ops::Range;

use serde::ser::{self, Serialize, Serializer};
use serde_json::Value;

use super::{CanonicalError, DEPTH_MAX, EXACT_MAX};

type Written<T = ()> = Result<T, CanonicalError>;

/// Writes one value behind what is there already.
pub(super) struct Writer<'o> {
    out: &'o mut Vec<u8>,
    order: &'o mut Order,
    depth_left: usize,
}

/// Buffers for sorting members. They are empty between two values and kept to save allocations.
#[derive(Debug, Default)]
pub(super) struct Order {
    /// The members of all objects that are not closed yet.
    members: Vec<Member>,
    /// The bytes of members while these are sorted.
    moved: Vec<u8>,
}

#[derive(Debug)]
struct Member {
    name: Cow<'static, str>,
    /// The name and the value, without a comma.
    bytes: Range<usize>,
}

impl<'o> Writer<'o> {
    pub(super) fn new(out: &'o mut Vec<u8>, order: &'o mut Order) -> Self {
        // A value that could not be written left its members.
        order.members.clear();
        Self { out, order, depth_left: DEPTH_MAX }
    }

    fn whole(&mut self, number: i128) -> Written {
        if number.unsigned_abs() > u128::from(EXACT_MAX) {
            return Err(CanonicalError::NotExact { number: number.to_string() });
        }
        self.out.extend(itoa::Buffer::new().format(number as i64).as_bytes());
        Ok(())
    }

    fn text(&mut self, text: &str) {
        // Nearly every text is plain, so all of it is looked at, many bytes at a time.
        let is_escaped = |byte: u8| (byte < b' ') | (byte == b'"') | (byte == b'\\');
        if !text.bytes().fold(false, |found, byte| found | is_escaped(byte)) {
            self.out.reserve(text.len() + 2);
            self.out.push(b'"');
            self.out.extend(text.as_bytes());
            self.out.push(b'"');
            return;
        }
        let quoted = serde_json::to_string(text).expect("a string is always JSON");
        self.out.extend(quoted.as_bytes());
    }

    /// Goes one level down.
    fn open(&mut self, bracket: u8) -> Written {
        self.depth_left = self.depth_left.checked_sub(1).ok_or(CanonicalError::TooDeep)?;
        self.out.push(bracket);
        Ok(())
    }

    /// Writes one part of what was opened last.
    fn part(&mut self, value: &(impl Serialize + ?Sized)) -> Written {
        if self.depth_left == 0 {
            return Err(CanonicalError::TooDeep);
        }
        value.serialize(self)
    }

    fn close(&mut self, bracket: u8) {
        self.out.push(bracket);
        self.depth_left += 1;
    }

    fn list<'w>(&'w mut self) -> Written<List<'w, 'o>> {
        self.open(b'[')?;
        Ok(List { writer: self, is_empty: true, is_member: false })
    }

    fn object<'w>(&'w mut self) -> Written<Object<'w, 'o>> {
        self.open(b'{')?;
        let first = self.order.members.len();
        Ok(Object { writer: self, first, name: None, is_member: false })
    }

    /// The name of a variant stands before what it holds.
    fn variant(&mut self, name: &str) -> Written {
        self.open(b'{')?;
        self.text(name);
        self.out.push(b':');
        Ok(())
    }

    /// Puts the members from `first` on in order, where they are not.
    fn order(&mut self, first: usize) -> Written {
        let Order { members: open, moved } = &mut *self.order;
        let members = &mut open[first..];
        let is_before = |a: &Member, b: &Member| in_order(&a.name, &b.name) == Ordering::Less;
        if members.is_sorted_by(is_before) {
            open.truncate(first);
            return Ok(());
        }
        let from = members.first().map_or(self.out.len(), |member| member.bytes.start);
        members.sort_by(|a, b| in_order(&a.name, &b.name));
        if let Some(twice) = members.windows(2).find(|pair| pair[0].name == pair[1].name) {
            let why = alloc::format!("the member `{}` is there twice", twice[0].name);
            return Err(CanonicalError::NotJson { why });
        }
        moved.clear();
        moved.extend_from_slice(&self.out[from..]);
        self.out.truncate(from);
        for (nth, member) in members.iter().enumerate() {
            if nth > 0 {
                self.out.push(b',');
            }
            let lies = member.bytes.start - from..member.bytes.end - from;
            self.out.extend_from_slice(&moved[lies]);
        }
        open.truncate(first);
        Ok(())
    }
}

/// The RFC orders names by UTF-16 code units, not by bytes. That is a difference only where two names part at a
/// character from U+E000 on, which UTF-8 begins with one of the last bytes there are.
fn in_order(a: &str, b: &str) -> Ordering {
    match a.bytes().zip(b.bytes()).find(|(a, b)| a != b) {
        None => a.len().cmp(&b.len()),
        Some((a, b)) if a < FROM_E000 || b < FROM_E000 => a.cmp(&b),
        Some(_) => a.encode_utf16().cmp(b.encode_utf16()),
    }
}

/// What the first byte of U+E000 and of everything behind it is, or is more than.
const FROM_E000: u8 = 0xee;

pub(super) struct List<'w, 'o> {
    writer: &'w mut Writer<'o>,
    is_empty: bool,
    /// Whether it is what a variant holds.
    is_member: bool,
}

impl List<'_, '_> {
    fn item(&mut self, value: &(impl Serialize + ?Sized)) -> Written {
        if !core::mem::take(&mut self.is_empty) {
            self.writer.out.push(b',');
        }
        self.writer.part(value)
    }

    fn finish(self) {
        self.writer.close(b']');
        if self.is_member {
            self.writer.close(b'}');
        }
    }
}

pub(super) struct Object<'w, 'o> {
    writer: &'w mut Writer<'o>,
    /// The first of its members.
    first: usize,
    /// The name whose value comes next.
    name: Option<String>,
    /// Whether it is what a variant holds.
    is_member: bool,
}

impl Object<'_, '_> {
    fn member(&mut self, name: Cow<'static, str>, value: &(impl Serialize + ?Sized)) -> Written {
        if self.writer.order.members.len() > self.first {
            self.writer.out.push(b',');
        }
        let start = self.writer.out.len();
        self.writer.text(&name);
        self.writer.out.push(b':');
        self.writer.part(value)?;
        self.writer.order.members.push(Member { name, bytes: start..self.writer.out.len() });
        Ok(())
    }

    fn finish(self) -> Written {
        self.writer.order(self.first)?;
        self.writer.close(b'}');
        if self.is_member {
            self.writer.close(b'}');
        }
        Ok(())
    }
}

/// Numbers of a type that is always a whole number.
macro_rules! whole {
    ($($method:ident: $number:ty),*) => {
        $(fn $method(self, number: $number) -> Written {
            self.whole(i128::from(number))
        })*
    };
}

impl<'w, 'o> Serializer for &'w mut Writer<'o> {
    type Ok = ();
    type Error = CanonicalError;
    type SerializeSeq = List<'w, 'o>;
    type SerializeTuple = List<'w, 'o>;
    type SerializeTupleStruct = List<'w, 'o>;
    type SerializeTupleVariant = List<'w, 'o>;
    type SerializeMap = Object<'w, 'o>;
    type SerializeStruct = Object<'w, 'o>;
    type SerializeStructVariant = Object<'w, 'o>;

    whole!(
        serialize_i8: i8, serialize_i16: i16, serialize_i32: i32, serialize_i64: i64,
        serialize_u8: u8, serialize_u16: u16, serialize_u32: u32, serialize_u64: u64,
        serialize_i128: i128
    );

    fn serialize_u128(self, number: u128) -> Written {
        let too_large = |_| CanonicalError::NotExact { number: number.to_string() };
        self.whole(i128::try_from(number).map_err(too_large)?)
    }

    fn serialize_bool(self, value: bool) -> Written {
        self.out.extend(if value { &b"true"[..] } else { b"false" });
        Ok(())
    }

    fn serialize_f32(self, number: f32) -> Written {
        self.serialize_f64(f64::from(number))
    }

    fn serialize_f64(self, number: f64) -> Written {
        // JSON has no other word for what is no number.
        let Some(known) = serde_json::Number::from_f64(number) else {
            return self.serialize_unit();
        };
        let mut buffer = ryu_js::Buffer::new();
        let text = buffer.format(number);
        // A large whole float is spelt without an exponent, and would be read back as one of
        // the whole numbers that are refused.
        let is_spelt_whole = text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if is_spelt_whole && number.abs() > EXACT_MAX as f64 {
            return Err(CanonicalError::NotExact { number: known.to_string() });
        }
        self.out.extend(text.as_bytes());
        Ok(())
    }

    fn serialize_char(self, value: char) -> Written {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Written {
        self.text(value);
        Ok(())
    }

    fn serialize_bytes(self, value: &[u8]) -> Written {
        self.collect_seq(value)
    }

    fn serialize_none(self) -> Written {
        self.serialize_unit()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Written {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Written {
        self.out.extend(b"null");
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> Written {
        self.serialize_unit()
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, variant: &'static str) -> Written {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Written {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Written {
        self.variant(variant)?;
        self.part(value)?;
        self.close(b'}');
        Ok(())
    }

    fn serialize_seq(self, _: Option<usize>) -> Written<List<'w, 'o>> {
        self.list()
    }

    fn serialize_tuple(self, _: usize) -> Written<List<'w, 'o>> {
        self.list()
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Written<List<'w, 'o>> {
        self.list()
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Written<List<'w, 'o>> {
        self.variant(variant)?;
        self.list().map(|list| List { is_member: true, ..list })
    }

    fn serialize_map(self, _: Option<usize>) -> Written<Object<'w, 'o>> {
        self.object()
    }

    fn serialize_struct(self, _: &'static str, _: usize) -> Written<Object<'w, 'o>> {
        self.object()
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Written<Object<'w, 'o>> {
        self.variant(variant)?;
        self.object().map(|object| Object { is_member: true, ..object })
    }
}

/// What is a list, by whichever of its names.
macro_rules! list {
    ($($kind:ident, $method:ident);*) => {
        $(impl ser::$kind for List<'_, '_> {
            type Ok = ();
            type Error = CanonicalError;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
                self.item(value)
            }

            fn end(self) -> Written {
                self.finish();
                Ok(())
            }
        })*
    };
}

list!(
    SerializeSeq, serialize_element; SerializeTuple, serialize_element;
    SerializeTupleStruct, serialize_field; SerializeTupleVariant, serialize_field
);

/// An object whose member names are known in advance.
macro_rules! object {
    ($($kind:ident),*) => {
        $(impl ser::$kind for Object<'_, '_> {
            type Ok = ();
            type Error = CanonicalError;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Written {
                self.member(Cow::Borrowed(name), value)
            }

            fn end(self) -> Written {
                self.finish()
            }
        })*
    };
}

object!(SerializeStruct, SerializeStructVariant);

impl ser::SerializeMap for Object<'_, '_> {
    type Ok = ();
    type Error = CanonicalError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, name: &T) -> Written {
        let name = match serde_json::to_value(name) {
            Ok(Value::String(name)) => name,
            Ok(Value::Number(number)) => number.to_string(),
            Ok(Value::Bool(name)) => name.to_string(),
            Ok(Value::Null | Value::Array(_) | Value::Object(_)) | Err(_) => {
                return Err(ser::Error::custom("a member has a name that is no text"));
            }
        };
        self.name = Some(name);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Written {
        let name = self.name.take().expect("a name comes before its value");
        self.member(Cow::Owned(name), value)
    }

    fn end(self) -> Written {
        self.finish()
    }
}
