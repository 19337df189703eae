//! Merged spans, and the gaps between them.

use spans::{Span, gaps, merge};

fn spans(list: &[(u32, u32)]) -> Vec<Span> {
    list.iter().map(|(start, end)| Span::new(*start, *end)).collect()
}

/// C1
#[test]
fn overlapping_spans_become_one() {
    assert_eq!(merge(&spans(&[(10, 20), (15, 30), (40, 50)])), spans(&[(10, 30), (40, 50)]));
}

/// C1
#[test]
fn one_span_inside_another_disappears() {
    assert_eq!(merge(&spans(&[(10, 60), (20, 30), (55, 58)])), spans(&[(10, 60)]));
}

/// C2
#[test]
fn touching_spans_become_one() {
    assert_eq!(merge(&spans(&[(10, 20), (20, 30)])), spans(&[(10, 30)]));
    assert_eq!(merge(&spans(&[(10, 20), (21, 30)])), spans(&[(10, 20), (21, 30)]));
}

/// C3
#[test]
fn the_order_of_the_input_does_not_matter() {
    assert_eq!(
        merge(&spans(&[(70, 80), (10, 20), (40, 50), (15, 25)])),
        spans(&[(10, 25), (40, 50), (70, 80)])
    );
}

/// C4
#[test]
fn empty_spans_are_left_out() {
    assert_eq!(merge(&spans(&[(5, 5), (10, 20), (30, 25)])), spans(&[(10, 20)]));
}

/// C5
#[test]
fn gaps_lie_between_the_spans() {
    let open = spans(&[(540, 720), (780, 1_020)]);
    let free = spans(&[(480, 540), (720, 780), (1_020, 1_080)]);
    assert_eq!(gaps(&open, Span::new(480, 1_080)), free);
}

/// C5
#[test]
fn a_frame_without_spans_is_one_gap() {
    assert_eq!(gaps(&[], Span::new(60, 120)), spans(&[(60, 120)]));
    assert_eq!(gaps(&spans(&[(0, 1_440)]), Span::new(60, 120)), []);
}
