//! Tunnels: where they lead, where they do not, and what goes through them.

use std::io::{Read, Write};
use std::net::Shutdown;

use sealwright_sandbox::egress::Policy;
use sealwright_sandbox::egress::log::{Failure, Mode, Refusal, RequestOutcome};
use sealwright_sandbox::egress::policy::{Address, Tunnel};

use crate::world::{
    PATIENCE, Proxy, Role, Server, Wire, get, listening, nobody, outcomes, status, tunnel,
};

#[test]
fn a_target_in_any_other_spelling_than_the_listed_one_is_refused() {
    let (address, taken) = listening();
    let proxy = Proxy::start(&tunnel("api.test:443", Address::Pinned(address)));
    let long = format!("{}.api.test:443", "a".repeat(300));
    let table = [
        // Somewhere else.
        ("evil.test:443", 403, Refusal::TargetNotListed),
        ("api.test:80", 403, Refusal::TargetNotListed),
        ("api.test:8443", 403, Refusal::TargetNotListed),
        ("test:443", 403, Refusal::TargetNotListed),
        ("x.api.test:443", 403, Refusal::TargetNotListed),
        ("api.test.evil.test:443", 403, Refusal::TargetNotListed),
        ("evilapi.test:443", 403, Refusal::TargetNotListed),
        ("127.0.0.1:443", 403, Refusal::TargetNotListed),
        ("169.254.169.254:80", 403, Refusal::TargetNotListed),
        ("[::1]:443", 403, Refusal::TargetNotListed),
        ("[::ffff:127.0.0.1]:443", 403, Refusal::TargetNotListed),
        ("localhost:443", 403, Refusal::TargetNotListed),
        ("xn--pi-7kc.test:443", 403, Refusal::TargetNotListed),
        // The listed one, in disguise.
        ("API.test:443", 400, Refusal::TargetMalformed),
        ("api.test.:443", 400, Refusal::TargetMalformed),
        ("api.test:0443", 400, Refusal::TargetMalformed),
        ("api.test:+443", 400, Refusal::TargetMalformed),
        ("api.test:", 400, Refusal::TargetMalformed),
        ("api.test", 400, Refusal::TargetMalformed),
        ("api.test:443:443", 400, Refusal::Malformed),
        ("user@api.test:443", 400, Refusal::TargetMalformed),
        ("user:pass@api.test:443", 400, Refusal::TargetMalformed),
        ("evil.test:443@api.test:443", 400, Refusal::TargetMalformed),
        ("api.test:443@evil.test", 400, Refusal::TargetMalformed),
        ("*.test:443", 400, Refusal::TargetMalformed),
        ("*:443", 400, Refusal::TargetMalformed),
        ("api%2etest:443", 400, Refusal::Malformed),
        ("api.test%00.evil.test:443", 400, Refusal::Malformed),
        ("api.test\0.evil.test:443", 400, Refusal::Malformed),
        ("api.test\0:443", 400, Refusal::Malformed),
        (" api.test:443", 400, Refusal::Malformed),
        ("api.test :443", 400, Refusal::Malformed),
        ("api.test\t:443", 400, Refusal::Malformed),
        ("аpi.test:443", 400, Refusal::Malformed),
        ("api。test:443", 400, Refusal::Malformed),
        ("2130706433:443", 400, Refusal::TargetMalformed),
        ("0x7f000001:443", 400, Refusal::TargetMalformed),
        ("0177.0.0.1:443", 400, Refusal::TargetMalformed),
        ("127.1:443", 400, Refusal::TargetMalformed),
        ("[fe80::1%25eth0]:443", 400, Refusal::TargetMalformed),
        ("::1:443", 400, Refusal::Malformed),
        ("https://api.test:443", 400, Refusal::TargetMalformed),
        ("https://api.test:443/", 400, Refusal::TargetMalformed),
        ("//api.test:443", 400, Refusal::TargetMalformed),
        ("api.test:443/", 400, Refusal::Malformed),
        ("api.test:443?x", 400, Refusal::Malformed),
        ("api.test:443#x", 400, Refusal::Malformed),
        ("/", 400, Refusal::TargetMalformed),
        ("*", 400, Refusal::TargetMalformed),
        (long.as_str(), 400, Refusal::TargetMalformed),
    ];
    for (target, expected, _) in &table {
        let heard = proxy.ask(format!("CONNECT {target} HTTP/1.1\r\nHost: api.test:443\r\n\r\n"));
        assert_eq!(status(&heard), *expected, "{target:?} was answered {heard:?}");
    }
    assert!(taken.try_recv().is_err(), "something was dialled");
    // The control: the listed spelling is dialled.
    let mut role = connected(&proxy, "api.test:443");
    let upstream = taken.recv_timeout(PATIENCE).unwrap();
    drop(upstream);
    role.hear_all();
    let log = proxy.stop();
    let mut expected: Vec<_> =
        table.iter().map(|(_, _, why)| RequestOutcome::Refused { why: *why }).collect();
    // The upstream is done, and the role is not.
    expected.push(RequestOutcome::Failed { why: Failure::Stopped });
    assert_eq!(outcomes(&log), expected);
    let refused = log.entries.iter().find(|entry| entry.target == "evil.test:443").unwrap();
    assert_eq!(
        (refused.mode, refused.method.as_str(), refused.path.as_str()),
        (Mode::Connect, "CONNECT", "")
    );
}

#[test]
fn a_request_for_a_tunnel_that_is_more_than_that_is_refused() {
    let (address, taken) = listening();
    let proxy = Proxy::start(&tunnel("api.test:443", Address::Pinned(address)));
    let with = |headers: &str| {
        format!("CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\n{headers}\r\n")
    };
    let table = [
        (with("Content-Length: 1\r\n") + "x", 400, Refusal::TunnelBody),
        (with("Transfer-Encoding: chunked\r\n") + "0\r\n\r\n", 400, Refusal::TunnelBody),
        (with("").replace("HTTP/1.1", "HTTP/1.0"), 505, Refusal::Version),
        (with("").replace("HTTP/1.1\r\n", "\r\n"), 400, Refusal::Malformed),
        // What is not a request for a tunnel goes nowhere at all without an upstream.
        (get("http://api.test:443/"), 403, Refusal::NotAPath),
        (get("/"), 404, Refusal::NoUpstream),
        (with("").replace("CONNECT", "connect"), 403, Refusal::NotAPath),
        (with("").replace("CONNECT", "GET"), 403, Refusal::NotAPath),
    ];
    for (text, expected, _) in &table {
        assert_eq!(status(&proxy.ask(text)), *expected, "{text:?}");
    }
    assert!(taken.try_recv().is_err(), "something was dialled");
    let expected: Vec<_> =
        table.iter().map(|(_, _, why)| RequestOutcome::Refused { why: *why }).collect();
    assert_eq!(outcomes(&proxy.stop()), expected);
}

#[test]
fn a_tunnel_carries_bytes_both_ways_and_each_side_may_end_first() {
    let (address, taken) = listening();
    let proxy = Proxy::start(&tunnel("api.test:443", Address::Pinned(address)));

    let mut role = connected(&proxy, "api.test:443");
    let mut upstream = taken.recv_timeout(PATIENCE).unwrap();
    role.say(b"\0\xffping");
    let mut heard = [0; 6];
    upstream.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, b"\0\xffping");
    // The role is done; the upstream notices, and can still answer at length.
    role.done_speaking();
    assert_eq!(upstream.read(&mut heard).unwrap(), 0);
    let long = vec![b'y'; 1 << 20];
    let writer = std::thread::spawn(move || {
        upstream.write_all(&long).unwrap();
    });
    assert_eq!(role.hear_all().len(), 1 << 20);
    writer.join().unwrap();

    // The other way round: the upstream is done, and still hears the role.
    let mut role = connected(&proxy, "api.test:443");
    let mut upstream = taken.recv_timeout(PATIENCE).unwrap();
    upstream.write_all(b"bye").unwrap();
    upstream.shutdown(Shutdown::Write).unwrap();
    assert_eq!(role.hear_all(), "bye");
    role.say("last words");
    drop(role);
    let mut heard = String::new();
    upstream.read_to_string(&mut heard).unwrap();
    assert_eq!(heard, "last words");
    drop(upstream);

    let log = proxy.stop();
    assert_eq!(outcomes(&log), [RequestOutcome::Tunnelled, RequestOutcome::Tunnelled]);
    let bytes: Vec<_> = log.entries.iter().map(|entry| (entry.bytes_in, entry.bytes_out)).collect();
    assert_eq!(bytes, [(6, 1 << 20), (10, 3)]);
}

#[test]
fn what_is_said_before_the_tunnel_stands_is_not_lost() {
    let (address, taken) = listening();
    let proxy = Proxy::start(&tunnel("api.test:443", Address::Pinned(address)));
    let mut role = proxy.role();
    role.say("CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\n\r\nearly");
    let mut upstream = taken.recv_timeout(PATIENCE).unwrap();
    let mut heard = [0; 5];
    upstream.read_exact(&mut heard).unwrap();
    assert_eq!(&heard, b"early");
    assert_eq!(status(&role.hear_until("\r\n\r\n")), 200);
}

#[test]
fn a_name_that_leads_to_the_host_itself_is_refused_and_an_address_that_is_listed_is_meant() {
    let (address, taken) = listening();
    let by_name = format!("localhost:{}", address.port());
    let literal = address.to_string();
    let public = |target: &String| Tunnel { target: target.clone(), address: Address::Public };
    let tunnels = vec![public(&by_name), public(&literal)];
    let proxy = Proxy::start(&Policy { tunnels, ..Policy::default() });
    let heard = proxy.ask(format!("CONNECT {by_name} HTTP/1.1\r\nHost: {by_name}\r\n\r\n"));
    assert_eq!(status(&heard), 403);
    assert!(heard.contains("not public"), "{heard}");
    assert!(taken.try_recv().is_err(), "something was dialled");
    drop(connected(&proxy, &literal));
    drop(taken.recv_timeout(PATIENCE).unwrap());
    let log = proxy.stop();
    assert_eq!(outcomes(&log)[0], RequestOutcome::Refused { why: Refusal::AddressNotPublic });
}

#[test]
fn a_target_that_is_down_is_said_so_with_a_hint() {
    let proxy = Proxy::start(&tunnel("api.test:443", Address::Pinned(nobody())));
    let heard = proxy.ask("CONNECT api.test:443 HTTP/1.1\r\nHost: api.test:443\r\n\r\n");
    assert_eq!(status(&heard), 502);
    assert!(heard.contains("hint: try again later"), "{heard}");
    assert_eq!(outcomes(&proxy.stop()), [RequestOutcome::Failed { why: Failure::Unreachable }]);
}

#[test]
fn stopping_cuts_an_open_tunnel_and_nothing_is_accepted_any_more() {
    let (address, taken) = listening();
    let proxy = Proxy::start(&tunnel("api.test:443", Address::Pinned(address)));
    let mut role = connected(&proxy, "api.test:443");
    let mut upstream = taken.recv_timeout(PATIENCE).unwrap();
    role.say("x");
    upstream.read_exact(&mut [0]).unwrap();
    let at = proxy.address;
    let log = proxy.stop();
    assert_eq!(role.hear_all(), "");
    assert_eq!(upstream.read(&mut [0]).unwrap_or(0), 0);
    assert!(std::net::TcpStream::connect(at).is_err());
    assert_eq!(outcomes(&log), [RequestOutcome::Failed { why: Failure::Stopped }]);
    assert_eq!(log.entries[0].bytes_in, 1);
}

#[test]
fn dropping_a_proxy_stops_it_as_well() {
    let (address, taken) = listening();
    let proxy = Proxy::start(&tunnel("api.test:443", Address::Pinned(address)));
    let mut role = connected(&proxy, "api.test:443");
    let _upstream = taken.recv_timeout(PATIENCE).unwrap();
    let at = proxy.address;
    drop(proxy);
    assert_eq!(role.hear_all(), "");
    assert!(std::net::TcpStream::connect(at).is_err());
}

#[test]
fn a_tunnel_and_an_upstream_can_be_had_from_one_listener() {
    let server = Server::friendly(Wire::Plain);
    let (address, taken) = listening();
    let upstreams = vec![server.upstream()];
    let proxy =
        Proxy::start(&Policy { upstreams, ..tunnel("api.test:443", Address::Pinned(address)) });
    let mut role = proxy.role();
    role.say(
        "GET /v1/x HTTP/1.1\r\nHost: i\r\n\r\nCONNECT api.test:443 HTTP/1.1\r\nHost: i\r\n\r\n",
    );
    assert_eq!(role.hear_answer().status, 200);
    assert_eq!(role.hear_answer().status, 200);
    drop(taken.recv_timeout(PATIENCE).unwrap());
    let modes: Vec<_> = proxy.stop().entries.iter().map(|entry| entry.mode).collect();
    assert_eq!(modes, [Mode::Reverse, Mode::Connect]);
}

/// A role at the mouth of an open tunnel.
fn connected(proxy: &Proxy, target: &str) -> Role {
    let mut role = proxy.role();
    role.say(format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n"));
    let head = role.hear_until("\r\n\r\n");
    assert_eq!(status(&head), 200, "{head}");
    role
}
