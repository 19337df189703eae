use super::{FixKind, classify_fix, needs_reconcile};
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

/// Proves: L-107
#[test]
fn a_fix_that_adds_files_or_changes_interfaces_needs_reconcile() {
    assert!(!needs_reconcile(&[], Some(false), Some(false)));
    assert!(needs_reconcile(&names(&["src/new.rs"]), Some(false), Some(false)));
    for changed in [Some(true), None] {
        assert!(needs_reconcile(&[], changed, Some(false)));
        assert!(needs_reconcile(&[], Some(false), changed));
    }
}
