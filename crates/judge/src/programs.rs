//! The Python programs at both ends of the boundary.

/// What both ends share: values, and calls over one stream.
pub const SHARED: [(&str, &str); 3] = [
    ("values.py", include_str!("python/values.py")),
    ("both.py", include_str!("python/both.py")),
    ("peer.py", include_str!("python/peer.py")),
];

/// Serves the candidate.
pub const SUBJECT: (&str, &str) = ("subject.py", include_str!("python/subject.py"));

/// Stands in for the candidate where tests run, as a plugin of pytest.
pub const JUDGE: [(&str, &str); 5] = [
    ("judge.py", include_str!("python/judge.py")),
    ("lending.py", include_str!("python/lending.py")),
    ("exchange.py", include_str!("python/exchange.py")),
    ("starting.py", include_str!("python/starting.py")),
    ("judge_plugin.py", include_str!("python/judge_plugin.py")),
];

/// Answers in the place of a candidate without doing anything, as a plugin of pytest.
pub const LAZY: (&str, &str) = ("lazy.py", include_str!("python/lazy.py"));

/// Lists the tests that need the process of the code they judge, from their text alone.
pub const CROSSING: (&str, &str) = ("crossing.py", include_str!("python/crossing.py"));

/// Lists what a candidate offers, from its text alone.
pub const SURFACE: (&str, &str) = ("surface.py", include_str!("python/surface.py"));
