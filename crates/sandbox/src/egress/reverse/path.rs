//! Paths: which of them can be read in one way only, and which are listed.
//!
//! A prefix is worth nothing if the upstream reads the path differently: `/v1/../admin` begins with `/v1` here
//! and ends elsewhere there. So a path that some server somewhere would rewrite is refused, not repaired.

/// A path that every server reads as we do.
pub(crate) fn is_clear(path: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'\\' | b'#' | b'?');
    let Some(rest) = path.strip_prefix('/') else { return false };
    if !rest.bytes().all(plain) || !escapes_are_harmless(rest) {
        return false;
    }
    // The last part may be empty: that is a final slash.
    let mut parts = rest.split('/').rev();
    let last = parts.next().unwrap_or_default();
    !is_dots(last) && parts.all(|part| !part.is_empty() && !is_dots(part))
}

/// Whether `path` is `prefix`, or lies below it.
pub(crate) fn is_below(path: &str, prefix: &str) -> bool {
    let prefix = prefix.trim_end_matches('/');
    match path.strip_prefix(prefix) {
        Some(rest) => rest.is_empty() || rest.starts_with('/'),
        None => false,
    }
}

/// Whether `path` is what a pattern says, part by part. The first `*` in a part of the pattern stands for one or more
/// characters, as many as the log keeps.
pub(crate) fn is_like(path: &str, pattern: &str) -> bool {
    let (mut parts, mut patterns) = (path.split('/'), pattern.split('/'));
    loop {
        match (parts.next(), patterns.next()) {
            (None, None) => return true,
            (Some(part), Some(pattern)) if part_is_like(part, pattern) => {}
            _ => return false,
        }
    }
}

fn part_is_like(part: &str, pattern: &str) -> bool {
    let Some((before, after)) = pattern.split_once('*') else { return part == pattern };
    let rest = part.strip_prefix(before).and_then(|rest| rest.strip_suffix(after));
    // A `:` divides what is meant from what is done with it, so neither it nor an escape is in what is left open.
    rest.is_some_and(|rest| (1..=OPEN_MAX).contains(&rest.len()) && !rest.contains([':', '%']))
}

/// The first part of a path, and the path below it.
pub(crate) fn split(path: &str) -> (&str, &str) {
    let rest = path.strip_prefix('/').unwrap_or(path);
    match rest.find('/') {
        Some(at) => (&rest[..at], &rest[at..]),
        None => (rest, "/"),
    }
}

/// Whether a query carries a credential of the role's own, with which it could use another account.
pub(crate) fn has_credential(query: &str) -> bool {
    query.split(['&', ';']).any(|pair| {
        let name = pair.split('=').next().unwrap_or_default();
        let name = unescaped(name).to_ascii_lowercase().replace('_', "-");
        CREDENTIALS.contains(&name.as_str())
    })
}

/// `.` and `..`, also with parameters behind them, as some servers read them.
fn is_dots(part: &str) -> bool {
    matches!(part.split(';').next(), Some("." | ".."))
}

/// Escapes may stand for anything but what divides a path, moves in it, or begins another escape.
fn escapes_are_harmless(path: &str) -> bool {
    path.split('%').skip(1).all(|after| {
        let code = after.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok());
        let spelt_right = after.bytes().take(2).all(|byte| byte.is_ascii_hexdigit());
        let harmless = |byte: u8| byte >= b' ' && byte != 0x7f && !b"/\\.%;?#".contains(&byte);
        spelt_right && code.is_some_and(harmless)
    })
}

fn unescaped(text: &str) -> String {
    let mut parts = text.split('%');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                bytes.extend(&part.as_bytes()[2..]);
            }
            None => bytes.extend(part.as_bytes()),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The longest text that a `*` stands for.
const OPEN_MAX: usize = 128;

/// Parameters that upstreams take for a key, with `_` written as `-`.
const CREDENTIALS: &[&str] = &[
    "access-token",
    "api-key",
    "apikey",
    "auth-token",
    "authorization",
    "key",
    "x-amz-credential",
    "x-amz-security-token",
    "x-amz-signature",
    "x-api-key",
    "x-goog-api-key",
    "x-goog-signature",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_that_can_be_read_in_two_ways_is_not_clear() {
        for path in [
            "/",
            "/v1/messages",
            "/v1/",
            "/v1beta/models/gemini-pro:streamGenerateContent",
            "/v1/files/a%20b",
            "/v1/caf%C3%A9",
            "/.well-known/x",
            "/v1/a..b",
            "/v1/...",
        ] {
            assert!(is_clear(path), "{path}");
        }
        for path in [
            "",
            "v1",
            "*",
            "/v1/../admin",
            "/v1/..",
            "/v1/.",
            "/./v1",
            "/v1/%2e%2e/admin",
            "/v1/%2E%2E",
            "/v1/.%2e/admin",
            "/v1/..;/admin",
            "/v1/..;x=1/admin",
            "/v1/..%3b/admin",
            "//v1",
            "/v1//messages",
            "/v1/a//",
            "/v1\\..\\admin",
            "/v1/%5c..%5cadmin",
            "/v1%2f..%2fadmin",
            "/v1/%252e%252e/admin",
            "/v1/%00",
            "/v1/%0d%0aHost:%20x",
            "/v1/%zz",
            "/v1/%2",
            "/v1/%",
            "/v1/%+a",
            "/v1/ä",
            "/v1/a b",
            "/v1/a\tb",
            "/v1/a%3fb",
            "/v1/a%23b",
            "/v1/a#b",
            "/v1/a%7fb",
        ] {
            assert!(!is_clear(path), "{path}");
        }
    }

    #[test]
    fn a_prefix_ends_where_a_part_ends() {
        for (path, prefix, expected) in [
            ("/v1/messages", "/v1/messages", true),
            ("/v1/messages/batches", "/v1/messages", true),
            ("/v1/messages/", "/v1/messages", true),
            ("/v1/messages", "/v1/messages/", true),
            ("/v1/messagesx", "/v1/messages", false),
            ("/v1/message", "/v1/messages", false),
            ("/V1/messages", "/v1/messages", false),
            ("/anything", "/", true),
            ("/", "/", true),
        ] {
            assert_eq!(is_below(path, prefix), expected, "{path} below {prefix}");
        }
    }

    #[test]
    fn a_pattern_leaves_open_one_part_and_nothing_more() {
        let models = "/v1beta/models/*:generateContent";
        for (path, pattern, expected) in [
            ("/v1/messages", "/v1/messages", true),
            ("/v1/messages/", "/v1/messages", false),
            ("/v1/messages/batches", "/v1/messages", false),
            ("/v1/message", "/v1/messages", false),
            ("/V1/messages", "/v1/messages", false),
            ("/v1/messages", "/v1/messages/", false),
            ("/", "/", true),
            ("/v1beta/models/pro-2:generateContent", models, true),
            ("/v1beta/models/:generateContent", models, false),
            ("/v1beta/models/pro:generateContentx", models, false),
            ("/v1beta/models/a/b:generateContent", models, false),
            ("/v1beta/models/a:delete:generateContent", models, false),
            ("/v1beta/models/a%3Adelete:generateContent", models, false),
            ("/v1beta/tunedModels/a:generateContent", models, false),
        ] {
            assert_eq!(is_like(path, pattern), expected, "{path} like {pattern}");
        }
        let of = |length: usize| format!("/v1beta/models/{}:generateContent", "m".repeat(length));
        assert!(is_like(&of(OPEN_MAX), models) && !is_like(&of(OPEN_MAX + 1), models));
    }

    #[test]
    fn the_first_part_of_a_path_is_split_off() {
        assert_eq!(split("/model/v1/messages"), ("model", "/v1/messages"));
        assert_eq!(split("/model/"), ("model", "/"));
        assert_eq!(split("/model"), ("model", "/"));
        assert_eq!(split("/"), ("", "/"));
    }

    #[test]
    fn a_key_in_a_query_is_found_in_disguise() {
        for query in
            ["key=x", "a=b&key=x", "a=b;KEY=x", "k%65y=x", "api_key=x", "key", "X-Amz-Signature=0"]
        {
            assert!(has_credential(query), "{query}");
        }
        for query in ["", "alt=sse", "monkey=x", "a=key", "beta=true&limit=20", "%", "%6", "a%"] {
            assert!(!has_credential(query), "{query}");
        }
    }
}
