//! A response body in pieces, complete or cut off.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use hyper::body::{Body, Bytes, Frame};
use tokio::time::Sleep;

use crate::reply::halves;
use crate::{Fault, Written};

#[derive(Debug)]
pub(crate) struct Pieces {
    left: VecDeque<Bytes>,
    between: Duration,
    end: End,
    pause: Option<Pin<Box<Sleep>>>,
}

/// What follows the last piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Proper,
    Cut,
}

impl Pieces {
    pub(crate) fn one(text: String) -> Self {
        Self::new([text])
    }

    /// A reply with the delivery faults applied, and its length if the body has one.
    pub(crate) fn of(written: Written, fault: Option<Fault>) -> (Self, Option<usize>) {
        let (pieces, length) = match written {
            Written::Body(value) => {
                let text = value.to_string();
                match fault {
                    Some(Fault::Malformed) => {
                        let broken = halves(&text)[0].to_owned();
                        let length = broken.len();
                        (vec![broken], Some(length))
                    }
                    _ => (halves(&text).map(str::to_owned).to_vec(), Some(text.len())),
                }
            }
            Written::Events(mut events) => {
                if let Some(Fault::Malformed) = fault {
                    // All but the first of several events: some clients skip events they cannot parse and would not
                    // notice a single broken one.
                    let sound = usize::from(events.len() > 1);
                    events.iter_mut().skip(sound).for_each(|event| *event = broken(event));
                }
                (events, None)
            }
        };
        (Self::new(pieces).under(fault), length)
    }

    fn new(pieces: impl IntoIterator<Item = String>) -> Self {
        Self {
            left: pieces.into_iter().map(Bytes::from).collect(),
            between: Duration::ZERO,
            end: End::Proper,
            pause: None,
        }
    }

    fn under(mut self, fault: Option<Fault>) -> Self {
        match fault {
            Some(Fault::CutStream) => {
                self.left.truncate(self.left.len().div_ceil(2));
                if let Some(last) = self.left.back_mut() {
                    *last = last.slice(..last.len() / 2);
                }
                self.end = End::Cut;
            }
            Some(Fault::Slow { between_ms, .. }) => {
                self.between = Duration::from_millis(between_ms.into());
            }
            Some(
                Fault::RateLimited { .. }
                | Fault::WindowFull { .. }
                | Fault::Unauthorised
                | Fault::ServerError
                | Fault::Malformed
                | Fault::WrongSchema
                | Fault::Refusal
                | Fault::Truncated,
            )
            | None => {}
        }
        self
    }

    /// The delay after a piece.
    fn wait(&self) -> Duration {
        match (self.left.is_empty(), self.end) {
            (false, _) => self.between,
            (true, End::Proper) => Duration::ZERO,
            // The text before the cut must arrive.
            (true, End::Cut) => self.between.max(BEFORE_CUT),
        }
    }
}

impl Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        Poll::Ready(match (self.left.pop_front(), self.end) {
            (Some(piece), _) => {
                let wait = self.wait();
                if !wait.is_zero() {
                    self.pause = Some(Box::pin(tokio::time::sleep(wait)));
                }
                Some(Ok(Frame::data(piece)))
            }
            (None, End::Proper) => None,
            (None, End::Cut) => Some(Err(io::Error::other("cut off on purpose"))),
        })
    }
}

/// An event with truncated JSON inside a complete event.
fn broken(event: &str) -> String {
    match event.split_once("data: ") {
        Some((name, json)) => format!("{name}data: {}\n\n", halves(json)[0].trim_end()),
        None => event.to_owned(),
    }
}

const BEFORE_CUT: Duration = Duration::from_millis(20);

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;
    use serde_json::json;
    use tokio::time::Instant;

    use super::*;

    fn events() -> Written {
        let event = |name: &str| format!("data: {{\"name\":\"{name}\"}}\n\n");
        Written::Events(vec![event("one"), event("two"), event("three"), event("four")])
    }

    /// The received text, its end, and the time in milliseconds.
    async fn arrived(written: Written, fault: Option<Fault>) -> (String, String, u128) {
        let begin = Instant::now();
        let (mut pieces, _) = Pieces::of(written, fault);
        let (mut text, mut end) = (String::new(), "proper".to_owned());
        while let Some(frame) = pieces.frame().await {
            match frame {
                Ok(frame) => text += std::str::from_utf8(&frame.into_data().unwrap()).unwrap(),
                Err(error) => {
                    end = error.to_string();
                    break;
                }
            }
        }
        (text, end, begin.elapsed().as_millis())
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_arrives_whole_and_at_once() {
        let expected = (r#"{"a":"é"}"#.to_owned(), "proper".to_owned(), 0);
        assert_eq!(arrived(Written::Body(json!({"a": "é"})), None).await, expected);
    }

    #[tokio::test(start_paused = true)]
    async fn a_slow_stream_waits_between_its_pieces() {
        let slow = Fault::Slow { before_ms: 7, between_ms: 100 };
        let (text, end, waited_ms) = arrived(events(), Some(slow)).await;
        assert_eq!((text.lines().count(), end.as_str(), waited_ms), (8, "proper", 300));
    }

    #[tokio::test(start_paused = true)]
    async fn a_cut_stream_stops_in_the_middle_of_an_event() {
        let (text, end, _) = arrived(events(), Some(Fault::CutStream)).await;
        assert_eq!(text, "data: {\"name\":\"one\"}\n\ndata: {\"nam");
        assert_eq!(end, "cut off on purpose");
    }

    #[tokio::test(start_paused = true)]
    async fn a_malformed_stream_begins_well_and_ends_well() {
        let (text, end, _) = arrived(events(), Some(Fault::Malformed)).await;
        let expected = "data: {\"name\":\"one\"}\n\n\
            data: {\"name\":\n\ndata: {\"name\":\"\n\ndata: {\"name\":\n\n";
        assert_eq!((text.as_str(), end.as_str()), (expected, "proper"));
    }
}
