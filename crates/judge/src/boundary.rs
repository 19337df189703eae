//! The way from the candidate to the tests.

use crate::node::Node;
use crate::value::{is_container, is_error, is_identifier, is_latin, is_tagged, is_value};

/// The longest frame.
pub const FRAME_BYTES_MAX: usize = 16 << 20;

/// Why a conversation ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    #[error("a frame of more than {FRAME_BYTES_MAX} bytes")]
    TooLong,
    #[error("a frame that is not JSON of the allowed kind")]
    NotJson,
    #[error("a frame that the protocol does not have")]
    NotAllowed,
}

/// Takes the bytes that come from a candidate, in pieces of any size, and gives frames that may go on.
#[derive(Debug, Default)]
pub struct Boundary {
    pending: Vec<u8>,
}

impl Boundary {
    /// The frames that are whole now, each with its length before it, written anew from what was understood.
    pub fn take(&mut self, bytes: &[u8]) -> Result<Vec<u8>, Malformed> {
        self.pending.extend_from_slice(bytes);
        let (mut out, mut used) = (Vec::new(), 0);
        while let Some((head, rest)) = self.pending[used..].split_first_chunk::<HEAD>() {
            let length = usize::try_from(u32::from_be_bytes(*head)).unwrap_or(usize::MAX);
            if length > FRAME_BYTES_MAX {
                return Err(Malformed::TooLong);
            }
            let Some(frame) = rest.get(..length) else { break };
            append(&mut out, frame)?;
            used += HEAD + length;
        }
        self.pending.drain(..used);
        Ok(out)
    }
}

fn append(out: &mut Vec<u8>, frame: &[u8]) -> Result<(), Malformed> {
    let node = Node::read(frame).map_err(|_| Malformed::NotJson)?;
    if !is_frame(&node) {
        return Err(Malformed::NotAllowed);
    }
    let text = serde_json::to_vec(&node).map_err(|_| Malformed::NotJson)?;
    let length = u32::try_from(text.len()).map_err(|_| Malformed::TooLong)?;
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(&text);
    Ok(())
}

fn is_frame(node: &Node) -> bool {
    let Some([Node::Text(kind), Node::Int(0..), body @ .., released, told]) = node.list() else {
        return false;
    };
    let is_body = match (&**kind, body) {
        ("ok", [value]) => is_value(value),
        ("raise", [error]) => is_error(error),
        ("ask", [Node::Text(what), Node::List(args)]) => is_question(what, args),
        ("gone", []) => true,
        _ => false,
    };
    is_body && are_released(released) && are_told(told)
}

/// What a candidate may ask of objects that tests have given it, and of nothing else: a path that it makes up would read
/// files there, a type of the library would make code.
fn is_question(what: &str, args: &[Node]) -> bool {
    args.iter().all(is_value)
        && args.first().is_some_and(|target| is_tagged(target, "yours"))
        && match (what, args) {
            ("call", [_, positional, keywords]) => {
                is_tagged(positional, "tuple") && is_tagged(keywords, "dict")
            }
            ("get", [_, Node::Text(name)]) => is_identifier(name),
            ("special", [_, Node::Text(name), positional]) => {
                is_identifier(name) && is_tagged(positional, "tuple")
            }
            _ => false,
        }
}

/// Handles that the candidate no longer holds, each with how often it had been given.
fn are_released(node: &Node) -> bool {
    let is_one = |node: &Node| matches!(node.list(), Some([Node::Int(0..), Node::Int(0..)]));
    node.list().is_some_and(|items| items.iter().all(is_one))
}

/// Output, warnings, and what changed in containers that both sides have, which are data.
fn are_told(node: &Node) -> bool {
    let is_one = |node: &Node| match node.list() {
        Some([Node::Text(kind), Node::Int(1 | 2), Node::Text(text)]) => {
            &**kind == "output" && is_latin(text)
        }
        Some([Node::Text(kind), Node::Text(module), Node::Text(path), Node::Text(_)]) => {
            &**kind == "warning" && is_identifier(module) && is_identifier(path)
        }
        Some([Node::Text(kind), Node::Bool(_), Node::Int(0..), rest @ ..]) => match rest {
            [] => &**kind == "dropped",
            [content] => &**kind == "changed" && is_container(content),
            _ => false,
        },
        _ => false,
    };
    node.list().is_some_and(|items| items.iter().all(is_one))
}

/// The bytes of a length.
const HEAD: usize = 4;
