//! A drawing as a picture: states from top to bottom, ways ahead on the right, ways back on the left.
//!
//! No script, no font and no program is needed to look at it.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sealwright_model_check::drawing::{Drawing, Whose};

/// The picture.
pub(super) fn draw(drawing: &Drawing) -> String {
    let states = &drawing.states;
    let place = |state: &str| states.iter().position(|it| it == state);
    // Several kinds of answer along the same way are one line.
    let mut ways: BTreeMap<(usize, usize, Whose), ()> = BTreeMap::new();
    for (from, to, whose) in drawing.ways.keys() {
        if let (Some(from), Some(to)) = (place(from), place(to))
            && from != to
        {
            ways.insert((from, to, *whose), ());
        }
    }
    let widest = |is_ahead: bool| {
        let spans = ways.keys().filter(|(from, to, _)| (to > from) == is_ahead);
        spans.map(|(from, to, _)| bulge(from.abs_diff(*to))).max().unwrap_or(0)
    };
    let (left, right) = (widest(false), widest(true));
    let middle = MARGIN + left + BOX_WIDTH / 2;
    let width = middle + BOX_WIDTH / 2 + right + MARGIN;
    let height = MARGIN * 2 + states.len() * ROW - (ROW - BOX_HEIGHT);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} \
         {height}\" font-family=\"sans-serif\" font-size=\"13\">\n"
    );
    text += "<!-- Made by `cargo xtask book`. Do not edit. -->\n";
    text += DEFINED;
    let _ = writeln!(text, "<rect width=\"{width}\" height=\"{height}\" fill=\"#fff\"/>");
    for (from, to, whose) in ways.keys() {
        let _ = writeln!(text, "{}", way(middle, *from, *to, *whose));
    }
    for (nth, state) in states.iter().enumerate() {
        let (x, y) = (middle - BOX_WIDTH / 2, MARGIN + nth * ROW);
        let _ = writeln!(text, "{}", frame(x, y, BOX_WIDTH, BOX_HEIGHT));
        if drawing.ends.contains(state) {
            let _ = writeln!(text, "{}", frame(x + 3, y + 3, BOX_WIDTH - 6, BOX_HEIGHT - 6));
        }
        let below = y + BOX_HEIGHT / 2 + 5;
        let _ = writeln!(
            text,
            "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\" fill=\"#222\">{state}</text>"
        );
    }
    text += "</svg>\n";
    text
}

fn frame(x: usize, y: usize, width: usize, height: usize) -> String {
    format!(
        "<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" rx=\"6\" fill=\"#f6f8fa\" stroke=\"#57606a\"/>"
    )
}

fn way(middle: usize, from: usize, to: usize, whose: Whose) -> String {
    let line = match whose {
        Whose::World => "stroke=\"#57606a\" marker-end=\"url(#world)\"",
        Whose::Person => "stroke=\"#0969da\" stroke-dasharray=\"5 3\" marker-end=\"url(#person)\"",
    };
    let top = |nth: usize| MARGIN + nth * ROW;
    let path = match (to > from, from.abs_diff(to)) {
        (true, 1) => {
            // Beside each other where both lead the same way.
            let x = match whose {
                Whose::World => middle - 8,
                Whose::Person => middle + 8,
            };
            format!("M {x} {} L {x} {}", top(from) + BOX_HEIGHT, top(to) - 2)
        }
        (is_ahead, span) => {
            // Ways leave in the lower part of a box and arrive in the upper, so that they can be told apart.
            let (leaves, arrives) = (top(from) + BOX_HEIGHT * 2 / 3, top(to) + BOX_HEIGHT / 3);
            let half = BOX_WIDTH / 2;
            let far = bulge(span) * 4 / 3;
            match is_ahead {
                true => {
                    let (x, out) = (middle + half, middle + half + far);
                    format!("M {x} {leaves} C {out} {leaves} {out} {arrives} {} {arrives}", x + 2)
                }
                false => {
                    let x = middle - half;
                    let out = x as i64 - far as i64;
                    format!("M {x} {leaves} C {out} {leaves} {out} {arrives} {} {arrives}", x - 2)
                }
            }
        }
    };
    format!("<path d=\"{path}\" fill=\"none\" stroke-width=\"1.3\" {line}/>")
}

/// How far a way over so many rows leads aside.
fn bulge(span: usize) -> usize {
    16 + span * 13
}

const MARGIN: usize = 16;
const BOX_WIDTH: usize = 176;
const BOX_HEIGHT: usize = 30;
const ROW: usize = 52;
const DEFINED: &str = "<defs>\n\
    <marker id=\"world\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
    <path d=\"M 0 0 L 8 4 L 0 8 z\" fill=\"#57606a\"/></marker>\n\
    <marker id=\"person\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\">\
    <path d=\"M 0 0 L 8 4 L 0 8 z\" fill=\"#0969da\"/></marker>\n</defs>\n";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_and_every_way_is_in_the_picture() {
        let mut drawing = Drawing {
            states: ["a", "b", "c"].map(str::to_owned).into(),
            ends: ["c".to_owned()].into(),
            ..Drawing::default()
        };
        let ways = [("a", "b", Whose::World), ("a", "c", Whose::Person), ("b", "a", Whose::World)];
        for (from, to, whose) in ways {
            let key = (from.to_owned(), to.to_owned(), whose);
            drawing.ways.insert(key, ["said".to_owned()].into());
        }
        let picture = draw(&drawing);
        assert_eq!(picture.matches("<text").count(), 3);
        assert_eq!(picture.matches("stroke-width").count(), 3);
        // Three boxes, one of them with a second frame.
        assert_eq!(picture.matches("rx=\"6\"").count(), 4);
        assert_eq!(picture.matches("stroke-dasharray").count(), 1);
    }
}
