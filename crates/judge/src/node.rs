//! JSON without objects, read into bounded memory.

use std::cell::Cell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeSeq as _, Serializer};

/// The most values that one frame holds.
pub(crate) const NODES_MAX: usize = 1 << 20;

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Int(i64),
    Float(f64),
    Text(Box<str>),
    List(Vec<Self>),
}

impl Node {
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, serde_json::Error> {
        let left = Cell::new(NODES_MAX);
        let mut reader = serde_json::Deserializer::from_slice(bytes);
        let node = Seed(&left).deserialize(&mut reader)?;
        reader.end()?;
        Ok(node)
    }

    pub(crate) fn list(&self) -> Option<&[Self]> {
        if let Self::List(items) = self { Some(items) } else { None }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        if let Self::Text(text) = self { Some(text) } else { None }
    }
}

#[derive(Clone, Copy)]
struct Seed<'n>(&'n Cell<usize>);

impl<'de> DeserializeSeed<'de> for Seed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        let left = self.0.get();
        if left == 0 {
            return Err(D::Error::custom("too many values"));
        }
        self.0.set(left - 1);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Seed<'_> {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a value that is no object")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        Ok(Node::Int(value))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Node, E> {
        i64::try_from(value).map(Node::Int).map_err(|_| E::custom("a number that is too large"))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Float(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut nodes = Vec::new();
        while let Some(node) = items.next_element_seed(self)? {
            nodes.push(node);
        }
        Ok(Node::List(nodes))
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(value) => serializer.serialize_bool(*value),
            Self::Int(value) => serializer.serialize_i64(*value),
            Self::Float(value) => serializer.serialize_f64(*value),
            Self::Text(value) => serializer.serialize_str(value),
            Self::List(nodes) => {
                let mut items = serializer.serialize_seq(Some(nodes.len()))?;
                for node in nodes {
                    items.serialize_element(node)?;
                }
                items.end()
            }
        }
    }
}
