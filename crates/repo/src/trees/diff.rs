//! Unified diffs of single files.

use similar::TextDiff;

/// The unified diff of one file. A binary file gives one line.
pub fn diff(path: &str, before: Option<&[u8]>, now: Option<&[u8]>) -> String {
    let text = |content: Option<&[u8]>| {
        std::str::from_utf8(content.unwrap_or_default()).ok().map(str::to_owned)
    };
    let (old, new) = (
        before.map_or_else(|| "/dev/null".to_owned(), |_| format!("a/{path}")),
        now.map_or_else(|| "/dev/null".to_owned(), |_| format!("b/{path}")),
    );
    match (text(before), text(now)) {
        (Some(before), Some(now)) => {
            let diff = TextDiff::from_lines(&before, &now);
            let body = diff.unified_diff().context_radius(3).header(&old, &new).to_string();
            format!("diff --git a/{path} b/{path}\n{body}")
        }
        (None, _) | (_, None) => {
            format!("diff --git a/{path} b/{path}\nBinary files {old} and {new} differ\n")
        }
    }
}
