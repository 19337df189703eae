use super::{FixKind, classify_fix};
use crate::tests::names;

/// Proves: L-214
#[test]
fn the_changed_paths_decide_where_a_fix_leads() {
    let kind = |paths: &[&str]| classify_fix(&names(paths));
    assert_eq!(kind(&[]), FixKind::Verify);
    assert_eq!(kind(&["scaffolding/design.md", "README.md", "docs/a.txt"]), FixKind::Reconcile);
    for code in [
        "src/main.rs",
        "tests/report.rs",
        "Cargo.lock",
        "docs/build.sh",
        "content/page.md",
        "docs/../src/a.md",
        "docsx/a.md",
        "scaffolding",
    ] {
        assert_eq!(kind(&["README.md", code]), FixKind::BuildAndReview, "{code}");
    }
}
