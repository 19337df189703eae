//! Headers on their way through: what speaks of the connection, of who is behind it, or of another credential
//! stays here.

use std::collections::BTreeSet;

use hyper::HeaderMap;
use hyper::header::{CONNECTION, HeaderName, HeaderValue};

use super::super::rules::Signature;

/// Whose credential may be in a request.
pub(crate) enum Signer<'a> {
    /// The role's own.
    Role,
    /// The host's, in these headers.
    Host(&'a [HeaderName]),
}

/// Takes out of a request what the upstream is not to see.
pub(crate) fn clean_request(headers: &mut HeaderMap, signer: &Signer<'_>) {
    let listed = listed_as_hop(headers);
    remove(headers, |name| {
        // Some servers read an underscore as a hyphen.
        let name = name.replace('_', "-");
        let credential = match signer {
            Signer::Role => false,
            Signer::Host(own) => {
                CREDENTIALS.contains(&name.as_str()) || own.iter().any(|own| is_same(own, &name))
            }
        };
        credential || listed.contains(&name) || is_hop(&name) || is_told_by_others(&name)
    });
}

/// Takes out of an answer what the role is not to see, or would misread.
pub(crate) fn clean_response(
    headers: &mut HeaderMap,
    injected: &[HeaderName],
    signature: &Signature,
) {
    let listed = listed_as_hop(headers);
    let repeating: BTreeSet<String> = headers
        .iter()
        .filter(|(_, value)| signature.0.iter().any(|(_, own)| repeats(value, own)))
        .map(|(name, _)| name.as_str().replace('_', "-"))
        .collect();
    remove(headers, |name| {
        let name = name.replace('_', "-");
        listed.contains(&name)
            || is_hop(&name)
            || RESPONSE_NEVER.contains(&name.as_str())
            || repeating.contains(&name)
            || injected.iter().any(|injected| is_same(injected, &name))
    });
}

/// Whether a value of an answer has the secret of a signature in it, with or without its scheme.
fn repeats(value: &HeaderValue, own: &HeaderValue) -> bool {
    let own = own.as_bytes();
    let secret = own.rsplit(|byte| *byte == b' ').next().unwrap_or(own);
    !secret.is_empty() && value.as_bytes().windows(secret.len()).any(|part| part == secret)
}

fn is_same(header: &HeaderName, name: &str) -> bool {
    header.as_str().replace('_', "-") == name
}

fn remove(headers: &mut HeaderMap, unwanted: impl Fn(&str) -> bool) {
    let names: BTreeSet<String> = headers
        .keys()
        .map(HeaderName::as_str)
        .filter(|name| unwanted(name))
        .map(str::to_owned)
        .collect();
    for name in names {
        headers.remove(name.as_str());
    }
}

/// What `Connection` names is of this connection only.
fn listed_as_hop(headers: &HeaderMap) -> BTreeSet<String> {
    let values = headers.get_all(CONNECTION).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).map(|name| name.trim().to_ascii_lowercase()).collect()
}

fn is_hop(name: &str) -> bool {
    HOP.contains(&name) || name.starts_with("proxy-")
}

/// Stories about where a request comes from and where it should go.
fn is_told_by_others(name: &str) -> bool {
    REQUEST_NEVER.contains(&name) || name.starts_with("x-forwarded-")
}

/// Of one connection. The length is in it because every body is framed anew.
const HOP: &[&str] = &[
    "connection",
    "content-length",
    "http2-settings",
    "keep-alive",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

const REQUEST_NEVER: &[&str] = &[
    "cookie",
    "cookie2",
    "expect",
    "forwarded",
    "host",
    "via",
    "x-forwarded",
    "x-host",
    // These change the method, path or host that was checked.
    "x-http-method",
    "x-http-method-override",
    "x-method-override",
    "x-original-host",
    "x-original-url",
    "x-real-ip",
    "x-rewrite-url",
];

/// Cookies would be a memory that runs share; the other would lead the role past the proxy.
const RESPONSE_NEVER: &[&str] = &["alt-svc", "set-cookie", "set-cookie2"];

/// With a foreign key, a role could send what it sees to another account of a listed upstream.
const CREDENTIALS: &[&str] = &[
    "api-key",
    "authorization",
    "ocp-apim-subscription-key",
    "x-access-token",
    "x-amz-security-token",
    "x-api-key",
    "x-auth-token",
    "x-authorization",
    "x-goog-api-key",
    "x-goog-iam-authorization-token",
];

#[cfg(test)]
mod tests {
    use hyper::header::HeaderValue;

    use super::*;

    #[test]
    fn only_what_the_upstream_should_see_is_left_of_a_request() {
        let kept =
            [("accept", "*/*"), ("anthropic-version", "1"), ("content-type", "application/json")];
        let mut headers = map(&kept);
        for name in [
            "Authorization",
            "x-api-key",
            "x_api_key",
            "API-Key",
            "X-Goog-Api-Key",
            "X-House-Key",
            "Host",
            "Cookie",
            "Connection",
            "Keep-Alive",
            "TE",
            "Trailer",
            "Upgrade",
            "Proxy-Authorization",
            "Proxy-Connection",
            "Proxy-Anything",
            "Forwarded",
            "X-Forwarded-For",
            "X_Forwarded_Host",
            "Via",
            "X-HTTP-Method-Override",
            "X-Original-URL",
            "Expect",
            "Content-Length",
            "Transfer-Encoding",
        ] {
            headers.append(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_static("x"),
            );
        }
        let own = HeaderName::from_static("x-house-key");
        clean_request(&mut headers, &Signer::Host(&[own]));
        assert_eq!(headers, map(&kept));
    }

    #[test]
    fn what_connection_names_goes_with_it() {
        let mut headers =
            map(&[("connection", "close, X-Of-This-Hop"), ("x-of-this-hop", "1"), ("a", "1")]);
        clean_request(&mut headers, &Signer::Host(&[]));
        assert_eq!(headers, map(&[("a", "1")]));
    }

    #[test]
    fn a_role_that_signs_itself_keeps_its_credential() {
        let mut headers = map(&[("authorization", "Bearer own"), ("cookie", "a=b")]);
        clean_request(&mut headers, &Signer::Role);
        assert_eq!(headers, map(&[("authorization", "Bearer own")]));
    }

    #[test]
    fn an_answer_has_no_cookies_and_no_injected_header() {
        let kept =
            [("content-type", "text/event-stream"), ("location", "https://elsewhere.example/")];
        let mut headers = map(&kept);
        let more = [
            ("set-cookie", "a=b"),
            ("x-api-key", "sk"),
            ("transfer-encoding", "chunked"),
            ("alt-svc", "h3"),
            ("x-debug", "you said: sk-secret!"),
        ];
        headers.extend(map(&more));
        let own = HeaderName::from_static("x-api-key");
        let signature =
            Signature(vec![(own.clone(), HeaderValue::from_static("Bearer sk-secret"))]);
        clean_response(&mut headers, &[own], &signature);
        assert_eq!(headers, map(&kept));
    }

    fn map(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let one = |(name, value): &(&'static str, &'static str)| {
            (HeaderName::from_static(name), HeaderValue::from_static(value))
        };
        pairs.iter().map(one).collect()
    }
}
