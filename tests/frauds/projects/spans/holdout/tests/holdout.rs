//! Merged spans, as nobody but the machine has seen them.

use spans::{Span, gaps, merge};

/// C2
#[test]
fn a_long_chain_becomes_one() {
    let chain: Vec<Span> = (0..100).rev().map(|n| Span::new(n * 7, n * 7 + 7)).collect();
    assert_eq!(merge(&chain), [Span::new(0, 700)]);
    let loose: Vec<Span> = (0..100).map(|n| Span::new(n * 7, n * 7 + 6)).collect();
    assert_eq!(merge(&loose), loose);
}

/// C5
#[test]
fn gaps_end_where_the_frame_ends() {
    let open = [Span::new(300, 900), Span::new(100, 200), Span::new(150, 250)];
    assert_eq!(gaps(&open, Span::new(120, 280)), [Span::new(250, 280)]);
    assert_eq!(gaps(&open, Span::new(0, 1_000)).len(), 3);
    assert_eq!(gaps(&open, Span::new(910, 910)), []);
}
