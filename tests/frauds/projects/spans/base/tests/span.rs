//! What a span has always done.

use spans::{Span, Unreadable};

#[test]
fn a_span_is_read() {
    assert_eq!(Span::parse("09:00-17:30"), Ok(Span::new(540, 1_050)));
    assert_eq!(Span::parse("9-17"), Err(Unreadable));
    assert_eq!(Span::parse("09:00-17:60"), Err(Unreadable));
}

#[test]
fn its_end_does_not_belong_to_it() {
    let span = Span::new(10, 20);
    assert!(span.contains(10) && span.contains(19) && !span.contains(20));
    assert_eq!(span.len(), 10);
}

#[test]
fn touching_is_not_overlapping() {
    assert!(!Span::new(0, 5).overlaps(&Span::new(5, 9)));
    assert!(Span::new(0, 6).overlaps(&Span::new(5, 9)));
}

#[test]
fn backwards_is_empty() {
    assert!(Span::new(7, 3).is_empty());
}
