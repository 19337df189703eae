//! What a candidate may say: values of listed types, handles on its own objects, errors, and names of types.

use crate::node::Node;

/// Whether this is a value as `values.py` and `peer.py` write it.
pub(crate) fn is_value(node: &Node) -> bool {
    let Node::List(items) = node else { return true };
    let Some((Node::Text(tag), rest)) = items.split_first() else { return false };
    match &**tag {
        "list" | "tuple" | "set" | "frozenset" => rest.iter().all(is_value),
        "dict" | "ordered" | "counter" => rest.len().is_multiple_of(2) && rest.iter().all(is_value),
        "deque" => {
            matches!(rest, [most, items @ ..] if is_bound(most) && items.iter().all(is_value))
        }
        "bytes" | "bytearray" | "memoryview" => one(rest, is_latin),
        "int" => one(rest, is_hexadecimal),
        "float" => one(rest, |text| matches!(text, "nan" | "inf" | "-inf")),
        "text" => one(rest, |text| is_digits(text) && text.len().is_multiple_of(2)),
        "complex" => matches!(rest, [real, imaginary] if is_float(real) && is_float(imaginary)),
        "range" => matches!(rest, [_, _, _]) && rest.iter().all(is_whole),
        "slice" => matches!(rest, [_, _, _]) && rest.iter().all(is_value),
        "decimal" => one(rest, |text| is_short(text) && text.bytes().all(is_of_number)),
        "fraction" => {
            matches!(rest, [Node::Text(over), Node::Text(under)] if is_hexadecimal(over) && is_hexadecimal(under))
        }
        "datetime" | "time" | "date" => {
            one(rest, |text| text.len() <= 64 && text.bytes().all(is_of_moment))
        }
        "timedelta" => matches!(rest, [Node::Int(_), Node::Int(_), Node::Int(_)]),
        "at" => {
            matches!(rest, [value, Node::Int(0 | 1), zone] if is_moment(value) && is_zone(zone))
        }
        "timezone" | "zone" => is_zone(node),
        "uuid" => one(rest, |text| text.len() == 32 && is_digits(text)),
        "path" | "purepath" => one(rest, |text| !text.contains('\0')),
        "NotImplemented" | "Ellipsis" => rest.is_empty(),
        "mine" => is_handle(rest),
        "held" => matches!(rest, [Node::Int(0..), content] if is_container(content)),
        "kept" => matches!(rest, [Node::Int(0..)]),
        "yours" | "name" => is_reference(node),
        "member" => {
            matches!(rest, [class, Node::Text(name)] if is_reference(class) && is_identifier(name))
        }
        "error" => is_error(node),
        _ => false,
    }
}

/// An error of the candidate, or one of the tests' that comes back.
pub(crate) fn is_error(node: &Node) -> bool {
    match node.list() {
        Some([Node::Text(tag), Node::Int(0..)]) => &**tag == "yours",
        Some(
            [
                Node::Text(tag),
                Node::Int(0..),
                known,
                Node::Text(name),
                Node::List(args),
                Node::Text(_),
                state,
            ],
        ) => {
            &**tag == "error"
                && is_names(known)
                && is_short(name)
                && args.iter().all(is_value)
                && is_tagged(state, "dict")
                && is_value(state)
        }
        _ => false,
    }
}

pub(crate) fn is_tagged(node: &Node, tag: &str) -> bool {
    matches!(node.list(), Some([Node::Text(own), ..]) if &**own == tag)
}

/// A container that can be changed, with what it holds.
pub(crate) fn is_container(node: &Node) -> bool {
    CONTAINERS.iter().any(|tag| is_tagged(node, tag)) && is_value(node)
}

/// A moment without a zone.
fn is_moment(node: &Node) -> bool {
    (is_tagged(node, "datetime") || is_tagged(node, "time")) && is_value(node)
}

/// Nothing, an offset with or without a name, or a place.
fn is_zone(node: &Node) -> bool {
    match node.list() {
        None => *node == Node::Null,
        Some([Node::Text(tag), offset, Node::Null]) => &**tag == "timezone" && is_span(offset),
        Some([Node::Text(tag), offset, Node::Text(name)]) => {
            &**tag == "timezone" && is_span(offset) && is_short(name)
        }
        Some([Node::Text(tag), Node::Text(key)]) => &**tag == "zone" && is_place(key),
        _ => false,
    }
}

fn is_span(node: &Node) -> bool {
    is_tagged(node, "timedelta") && is_value(node)
}

/// As the database of time zones names places.
fn is_place(key: &str) -> bool {
    key.len() <= 64
        && key.split('/').all(|part| {
            part.starts_with(|it: char| it.is_ascii_alphanumeric())
                && part.bytes().all(|it| it.is_ascii_alphanumeric() || b"_+-".contains(&it))
        })
}

/// Number, class, name of the class, special methods, kinds, what it is as a plain value, name in the library.
fn is_handle(rest: &[Node]) -> bool {
    let [
        Node::Int(0..),
        class,
        Node::Text(name),
        Node::List(specials),
        Node::List(kinds),
        base,
        library,
    ] = rest
    else {
        return false;
    };
    let is_word = |node: &Node| node.text().is_some_and(is_identifier);
    (*class == Node::Null || is_reference(class))
        && is_short(name)
        && specials.len() <= SPECIALS_MAX
        && specials.iter().all(is_word)
        && kinds.len() <= SPECIALS_MAX
        && kinds.iter().all(is_word)
        && is_value(base)
        && (*library == Node::Null || is_names(library))
}

/// Something by its name, or an object of the tests by its number.
fn is_reference(node: &Node) -> bool {
    match node.list() {
        Some([Node::Text(tag), Node::Int(0..)]) => &**tag == "yours",
        Some([Node::Text(tag), Node::Text(module), Node::Text(path)]) => {
            &**tag == "name" && is_identifier(module) && (path.is_empty() || is_identifier(path))
        }
        _ => false,
    }
}

/// A module and a path in it.
fn is_names(node: &Node) -> bool {
    matches!(node.list(), Some([Node::Text(module), Node::Text(path)]) if is_identifier(module) && is_identifier(path))
}

fn one(rest: &[Node], is_right: impl Fn(&str) -> bool) -> bool {
    matches!(rest, [Node::Text(text)] if is_right(text))
}

pub(crate) fn is_identifier(text: &str) -> bool {
    is_short(text)
        && !text.is_empty()
        && text.chars().all(|it| it.is_alphanumeric() || it == '_' || it == '.')
}

pub(crate) fn is_latin(text: &str) -> bool {
    text.chars().all(|letter| u32::from(letter) < 256)
}

fn is_short(text: &str) -> bool {
    text.len() <= SHORT_BYTES
}

fn is_digits(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// As `hex` writes a whole number.
fn is_hexadecimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text).strip_prefix("0x");
    digits.is_some_and(|digits| !digits.is_empty() && is_digits(digits))
}

fn is_of_number(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.')
}

fn is_of_moment(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b'-' | b':' | b'.' | b'+' | b'T')
}

fn is_whole(node: &Node) -> bool {
    matches!(node, Node::Int(_))
        || (matches!(node.list(), Some([Node::Text(tag), _]) if &**tag == "int") && is_value(node))
}

fn is_float(node: &Node) -> bool {
    matches!(node, Node::Float(_))
        || (matches!(node.list(), Some([Node::Text(tag), _]) if &**tag == "float")
            && is_value(node))
}

/// The most items of a queue, if there is a most.
fn is_bound(node: &Node) -> bool {
    matches!(node, Node::Null | Node::Int(0..))
}

const CONTAINERS: [&str; 7] = ["list", "dict", "set", "bytearray", "ordered", "counter", "deque"];
/// The longest name.
const SHORT_BYTES: usize = 4096;
/// There are about a hundred special methods.
const SPECIALS_MAX: usize = 256;
