//! Values as both ends of the boundary write them: JSON without objects, every list behind its tag.

// Crates of earlier editions have to ask for it.
use std::convert::{TryFrom as _, TryInto as _};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::Hash;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug, PartialEq)]
pub enum V {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(String),
    List(Vec<V>),
}

/// What can be shown to the other side and kept.
pub trait Lend {
    fn lend(&self) -> V;
}

/// What can also be handed over, and had back.
pub trait Wire: Lend + Sized {
    fn give(self) -> V {
        self.lend()
    }

    fn get(value: V) -> Option<Self>;
}

pub fn list(items: impl IntoIterator<Item = V>) -> V {
    V::List(std::iter::once(V::Text("list".to_owned())).chain(items).collect())
}

pub fn items(value: V) -> Option<std::vec::IntoIter<V>> {
    let V::List(items) = value else { return None };
    let mut items = items.into_iter();
    match items.next() {
        Some(V::Text(tag)) if tag == "list" => Some(items),
        _ => None,
    }
}

fn tagged(tag: &str, text: String) -> V {
    V::List(vec![V::Text(tag.to_owned()), V::Text(text)])
}

fn untagged(tag: &str, value: V) -> Option<String> {
    let V::List(items) = value else { return None };
    match <[V; 2]>::try_from(items) {
        Ok([V::Text(own), V::Text(text)]) if own == tag => Some(text),
        _ => None,
    }
}

pub fn bytes(all: &[u8]) -> V {
    tagged("bytes", all.iter().map(|it| char::from(*it)).collect())
}

pub fn of_bytes(value: V) -> Option<Vec<u8>> {
    untagged("bytes", value)?.chars().map(|it| u8::try_from(it).ok()).collect()
}

impl V {
    pub fn written(&self) -> String {
        let mut out = String::new();
        self.write(&mut out);
        out
    }

    fn write(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(it) => out.push_str(if *it { "true" } else { "false" }),
            Self::Int(it) => out.push_str(&it.to_string()),
            Self::Float(it) => out.push_str(&format!("{it:?}")),
            Self::Text(it) => write_text(it, out),
            Self::List(items) => {
                out.push('[');
                for (nth, item) in items.iter().enumerate() {
                    if nth > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
        }
    }

    pub fn read(text: &str) -> Option<Self> {
        let mut reader = Reader { bytes: text.as_bytes(), at: 0 };
        let value = reader.value(DEPTH_MAX)?;
        (reader.at == reader.bytes.len()).then_some(value)
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            it if (it as u32) < 0x20 => out.push_str(&format!("\\u{:04x}", it as u32)),
            it => out.push(it),
        }
    }
    out.push('"');
}

struct Reader<'r> {
    bytes: &'r [u8],
    at: usize,
}

impl Reader<'_> {
    fn value(&mut self, depth: u32) -> Option<V> {
        let depth = depth.checked_sub(1)?;
        match *self.bytes.get(self.at)? {
            b'n' => self.word("null", V::Null),
            b't' => self.word("true", V::Bool(true)),
            b'f' => self.word("false", V::Bool(false)),
            b'"' => self.text().map(V::Text),
            b'[' => {
                self.at += 1;
                let mut items = Vec::new();
                if self.bytes.get(self.at) == Some(&b']') {
                    self.at += 1;
                    return Some(V::List(items));
                }
                loop {
                    items.push(self.value(depth)?);
                    self.at += 1;
                    match self.bytes.get(self.at - 1)? {
                        b',' => {}
                        b']' => return Some(V::List(items)),
                        _ => return None,
                    }
                }
            }
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: V) -> Option<V> {
        let is_there = self.bytes[self.at..].starts_with(word.as_bytes());
        self.at += word.len();
        is_there.then_some(value)
    }

    fn number(&mut self) -> Option<V> {
        let first = self.at;
        while self.bytes.get(self.at).is_some_and(|it| b"+-.eE0123456789".contains(it)) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.bytes[first..self.at]).ok()?;
        if text.contains(['.', 'e', 'E']) {
            text.parse().ok().map(V::Float)
        } else {
            text.parse().ok().map(V::Int)
        }
    }

    fn text(&mut self) -> Option<String> {
        let mut out = Vec::new();
        self.at += 1;
        loop {
            let byte = *self.bytes.get(self.at)?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(out).ok(),
                b'\\' => {
                    let escaped = *self.bytes.get(self.at)?;
                    self.at += 1;
                    let letter = match escaped {
                        b'n' => '\n',
                        b't' => '\t',
                        b'r' => '\r',
                        b'b' => '\u{8}',
                        b'f' => '\u{c}',
                        b'u' => {
                            let digits = self.bytes.get(self.at..self.at + 4)?;
                            self.at += 4;
                            let digits = std::str::from_utf8(digits).ok()?;
                            char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
                        }
                        other => other as char,
                    };
                    out.extend_from_slice(letter.encode_utf8(&mut [0; 4]).as_bytes());
                }
                other => out.push(other),
            }
        }
    }
}

macro_rules! whole {
    ($($of:ty),*) => {$(
        impl Lend for $of {
            fn lend(&self) -> V {
                match i64::try_from(*self) {
                    Ok(it) => V::Int(it),
                    Err(_) => {
                        let is_below = i128::try_from(*self).is_ok_and(|it| it < 0);
                        let digits = if is_below {
                            format!("-{:#x}", i128::try_from(*self).unwrap_or_default().unsigned_abs())
                        } else {
                            format!("{self:#x}")
                        };
                        tagged("int", digits)
                    }
                }
            }
        }
        impl Wire for $of {
            fn get(value: V) -> Option<Self> {
                if let V::Int(it) = value {
                    return Self::try_from(it).ok();
                }
                let text = untagged("int", value)?;
                let (is_below, digits) = match text.strip_prefix('-') {
                    Some(digits) => (true, digits),
                    None => (false, text.as_str()),
                };
                let size = u128::from_str_radix(digits.strip_prefix("0x")?, 16).ok()?;
                if is_below {
                    Self::try_from(0_i128.checked_sub_unsigned(size)?).ok()
                } else {
                    Self::try_from(size).ok()
                }
            }
        }
    )*};
}
whole!(u8, u16, u32, u64, u128, usize, i8, i16, i32, i64, i128, isize);

impl Lend for f64 {
    fn lend(&self) -> V {
        if self.is_finite() {
            return V::Float(*self);
        }
        let word = if self.is_nan() { "nan" } else if *self > 0.0 { "inf" } else { "-inf" };
        tagged("float", word.to_owned())
    }
}
impl Wire for f64 {
    fn get(value: V) -> Option<Self> {
        match value {
            V::Float(it) => Some(it),
            V::Int(it) => Some(it as f64),
            other => untagged("float", other)?.parse().ok(),
        }
    }
}
impl Lend for f32 {
    fn lend(&self) -> V {
        f64::from(*self).lend()
    }
}
impl Wire for f32 {
    fn get(value: V) -> Option<Self> {
        f64::get(value).map(|it| it as f32)
    }
}
impl Lend for bool {
    fn lend(&self) -> V {
        V::Bool(*self)
    }
}
impl Wire for bool {
    fn get(value: V) -> Option<Self> {
        if let V::Bool(it) = value { Some(it) } else { None }
    }
}
impl Lend for char {
    fn lend(&self) -> V {
        V::Text(self.to_string())
    }
}
impl Wire for char {
    fn get(value: V) -> Option<Self> {
        let V::Text(text) = value else { return None };
        let mut letters = text.chars();
        letters.next().filter(|_| letters.next().is_none())
    }
}
impl Lend for str {
    fn lend(&self) -> V {
        V::Text(self.to_owned())
    }
}
impl Lend for String {
    fn lend(&self) -> V {
        V::Text(self.clone())
    }
}
impl Wire for String {
    fn get(value: V) -> Option<Self> {
        if let V::Text(it) = value { Some(it) } else { None }
    }
}
impl Lend for Path {
    fn lend(&self) -> V {
        V::Text(self.to_string_lossy().into_owned())
    }
}
impl Lend for PathBuf {
    fn lend(&self) -> V {
        self.as_path().lend()
    }
}
impl Wire for PathBuf {
    fn get(value: V) -> Option<Self> {
        String::get(value).map(Self::from)
    }
}
impl Lend for std::ffi::OsStr {
    fn lend(&self) -> V {
        Path::new(self).lend()
    }
}
impl Lend for std::ffi::OsString {
    fn lend(&self) -> V {
        self.as_os_str().lend()
    }
}
impl Wire for std::ffi::OsString {
    fn get(value: V) -> Option<Self> {
        String::get(value).map(Self::from)
    }
}
impl Lend for () {
    fn lend(&self) -> V {
        V::Null
    }
}
impl Wire for () {
    fn get(value: V) -> Option<Self> {
        (value == V::Null).then_some(())
    }
}
impl Lend for std::cmp::Ordering {
    fn lend(&self) -> V {
        V::Int(*self as i64)
    }
}
impl Wire for std::cmp::Ordering {
    fn get(value: V) -> Option<Self> {
        i64::get(value).map(|it| it.cmp(&0))
    }
}
impl Lend for std::time::Duration {
    fn lend(&self) -> V {
        list([self.as_secs().lend(), self.subsec_nanos().lend()])
    }
}
impl Wire for std::time::Duration {
    fn get(value: V) -> Option<Self> {
        let mut parts = items(value)?;
        let (whole, rest) = (u64::get(parts.next()?)?, u32::get(parts.next()?)?);
        (rest < 1_000_000_000).then(|| Self::new(whole, rest))
    }
}
impl<T: Lend + ?Sized> Lend for &T {
    fn lend(&self) -> V {
        (**self).lend()
    }
}
impl<T: Lend> Lend for [T] {
    fn lend(&self) -> V {
        list(self.iter().map(Lend::lend))
    }
}
impl<T: Wire> Lend for Box<T> {
    fn lend(&self) -> V {
        (**self).lend()
    }
}
impl<T: Wire> Wire for Box<T> {
    fn give(self) -> V {
        (*self).give()
    }
    fn get(value: V) -> Option<Self> {
        T::get(value).map(Self::new)
    }
}
impl<T: Lend> Lend for Option<T> {
    fn lend(&self) -> V {
        list(self.iter().map(Lend::lend))
    }
}
impl<T: Wire> Wire for Option<T> {
    fn give(self) -> V {
        list(self.map(Wire::give))
    }
    fn get(value: V) -> Option<Self> {
        let mut items = items(value)?;
        match (items.next(), items.next()) {
            (None, _) => Some(None),
            (Some(one), None) => T::get(one).map(Some),
            _ => None,
        }
    }
}
impl<T: Wire, E: Wire> Lend for Result<T, E> {
    fn lend(&self) -> V {
        match self {
            Ok(it) => list([V::Bool(true), it.lend()]),
            Err(it) => list([V::Bool(false), it.lend()]),
        }
    }
}
impl<T: Wire, E: Wire> Wire for Result<T, E> {
    fn give(self) -> V {
        match self {
            Ok(it) => list([V::Bool(true), it.give()]),
            Err(it) => list([V::Bool(false), it.give()]),
        }
    }
    fn get(value: V) -> Option<Self> {
        let mut items = items(value)?;
        match (items.next()?, items.next()?) {
            (V::Bool(true), it) => T::get(it).map(Ok),
            (V::Bool(false), it) => E::get(it).map(Err),
            _ => None,
        }
    }
}
impl<T: Wire, const N: usize> Lend for [T; N] {
    fn lend(&self) -> V {
        self.as_slice().lend()
    }
}
impl<T: Wire, const N: usize> Wire for [T; N] {
    fn give(self) -> V {
        list(IntoIterator::into_iter(self).map(Wire::give))
    }
    fn get(value: V) -> Option<Self> {
        Vec::<T>::get(value)?.try_into().ok()
    }
}
macro_rules! row {
    ($($of:ident [$($also:path),*]),*) => {$(
        impl<T: Wire $(+ $also)*> Lend for $of<T> {
            fn lend(&self) -> V {
                list(self.iter().map(Lend::lend))
            }
        }
        impl<T: Wire $(+ $also)*> Wire for $of<T> {
            fn give(self) -> V {
                list(self.into_iter().map(Wire::give))
            }
            fn get(value: V) -> Option<Self> {
                items(value)?.map(T::get).collect()
            }
        }
    )*};
}
row!(Vec [], VecDeque [], BTreeSet [Ord], HashSet [Eq, Hash]);
macro_rules! pairs {
    ($($of:ident [$($also:path),*]),*) => {$(
        impl<K: Wire $(+ $also)*, T: Wire> Lend for $of<K, T> {
            fn lend(&self) -> V {
                list(self.iter().map(|(key, value)| list([key.lend(), value.lend()])))
            }
        }
        impl<K: Wire $(+ $also)*, T: Wire> Wire for $of<K, T> {
            fn give(self) -> V {
                list(self.into_iter().map(|(key, value)| list([key.give(), value.give()])))
            }
            fn get(value: V) -> Option<Self> {
                let pair = |value: V| {
                    let mut items = items(value)?;
                    Some((K::get(items.next()?)?, T::get(items.next()?)?))
                };
                items(value)?.map(pair).collect()
            }
        }
    )*};
}
pairs!(BTreeMap [Ord], HashMap [Eq, Hash]);
macro_rules! tuple {
    ($($of:ident $nth:tt),*) => {
        impl<$($of: Wire),*> Lend for ($($of,)*) {
            fn lend(&self) -> V {
                list([$(self.$nth.lend()),*])
            }
        }
        impl<$($of: Wire),*> Wire for ($($of,)*) {
            fn give(self) -> V {
                list([$(self.$nth.give()),*])
            }
            fn get(value: V) -> Option<Self> {
                let mut items = items(value)?;
                Some(($($of::get(items.next()?)?,)*))
            }
        }
    };
}
tuple!(A 0);
tuple!(A 0, B 1);
tuple!(A 0, B 1, C 2);
tuple!(A 0, B 1, C 2, D 3);
tuple!(A 0, B 1, C 2, D 3, E 4);
tuple!(A 0, B 1, C 2, D 3, E 4, F 5);
macro_rules! error {
    ($($of:ty),*) => {$(
        impl Lend for $of {
            fn lend(&self) -> V {
                V::Text(self.to_string())
            }
        }
        impl Wire for $of {
            fn get(value: V) -> Option<Self> {
                String::get(value).map(Self::from)
            }
        }
    )*};
}
error!(Box<dyn std::error::Error>, Box<dyn std::error::Error + Send + Sync>);

/// A frame: its length, and its text.
pub fn send(stream: &mut impl std::io::Write, value: &V) -> std::io::Result<()> {
    let text = value.written();
    let length = u32::try_from(text.len()).map_err(std::io::Error::other)?;
    stream.write_all(&[&length.to_be_bytes()[..], text.as_bytes()].concat())?;
    stream.flush()
}

pub fn receive(stream: &mut impl std::io::Read) -> std::io::Result<V> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_be_bytes(length) as usize;
    if length > FRAME_BYTES_MAX {
        return Err(std::io::Error::other("a frame that is too long"));
    }
    let mut text = vec![0; length];
    stream.read_exact(&mut text)?;
    let text = String::from_utf8(text).map_err(std::io::Error::other)?;
    V::read(&text).ok_or_else(|| std::io::Error::other("a frame that is no value"))
}

const DEPTH_MAX: u32 = 128;
pub const FRAME_BYTES_MAX: usize = 16 << 20;
