//! A target: a host and a port, in the one spelling that is let through.
//!
//! Allow lists were passed by names that the list and the dialler read differently: upper case, a final dot, a
//! NUL byte, an escaped letter, numbers that are addresses in disguise. So there is one spelling, it is checked
//! byte by byte, and what is dialled is the very text that was listed.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    pub(super) host: Host,
    pub(super) port: u16,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Host {
    /// A name, to be looked up on the host.
    Name(String),
    Literal(IpAddr),
}

/// Why a text is no target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// There has to be one colon and a port behind it.
    #[error("not `host:port`")]
    NoPort,
    /// The port is not a number from 1 to 65535 without zeros before it.
    #[error("the port is not a number from 1 to 65535")]
    Port,
    /// The name holds something that is not a lower-case letter, a digit, a hyphen or a dot.
    #[error("the name has characters other than a-z, 0-9, `-` and `.`")]
    Character,
    /// A part of the name is empty, too long, or begins or ends with a hyphen.
    #[error("a label of the name is empty, too long, or begins or ends with `-`")]
    Label,
    /// The name could be taken for an address.
    #[error("the name could be parsed as a number")]
    Number,
    /// An address is not spelt the shortest way.
    #[error("the address is not in canonical form")]
    Literal,
    /// The name is longer than names are.
    #[error("the name is too long")]
    TooLong,
}

impl Target {
    /// Reads `host:port`.
    pub(super) fn parse(text: &str) -> Result<Self, TargetError> {
        let (host, port) = text.rsplit_once(':').ok_or(TargetError::NoPort)?;
        Ok(Self { host: Host::parse(host)?, port: parse_port(port)? })
    }
}

impl Host {
    /// Reads a name, an address, or an address in brackets.
    pub(super) fn parse(text: &str) -> Result<Self, TargetError> {
        if let Some(inside) = text.strip_prefix('[') {
            let inside = inside.strip_suffix(']').ok_or(TargetError::Literal)?;
            let address: Ipv6Addr = inside.parse().map_err(|_| TargetError::Literal)?;
            return exactly(inside, IpAddr::V6(address));
        }
        if let Ok(address) = text.parse::<Ipv4Addr>() {
            return exactly(text, IpAddr::V4(address));
        }
        check_name(text)?;
        Ok(Self::Name(text.to_owned()))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.host {
            Host::Name(name) => write!(f, "{name}:{}", self.port),
            Host::Literal(IpAddr::V4(address)) => write!(f, "{address}:{}", self.port),
            Host::Literal(IpAddr::V6(address)) => write!(f, "[{address}]:{}", self.port),
        }
    }
}

fn exactly(text: &str, address: IpAddr) -> Result<Host, TargetError> {
    if address.to_string() == text { Ok(Host::Literal(address)) } else { Err(TargetError::Literal) }
}

fn parse_port(text: &str) -> Result<u16, TargetError> {
    let port: u16 = text.parse().map_err(|_| TargetError::Port)?;
    // `+80` and `080` are numbers as well, but not spelt so.
    if port > 0 && port.to_string() == text { Ok(port) } else { Err(TargetError::Port) }
}

fn check_name(name: &str) -> Result<(), TargetError> {
    let plain = |byte: u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.');
    if !name.bytes().all(plain) {
        return Err(TargetError::Character);
    }
    if name.len() > NAME_MAX {
        return Err(TargetError::TooLong);
    }
    for label in name.split('.') {
        let hyphen = label.starts_with('-') || label.ends_with('-');
        if label.is_empty() || label.len() > LABEL_MAX || hyphen {
            return Err(TargetError::Label);
        }
    }
    // Resolvers take `2130706433`, `0x7f.1` and `127.1` for addresses. Which of them is decided by the last part.
    let last = name.rsplit('.').next().unwrap_or_default();
    let hexadecimal = last.strip_prefix("0x").is_some_and(|rest| rest.bytes().all(is_hex));
    if hexadecimal || last.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(TargetError::Number);
    }
    Ok(())
}

fn is_hex(byte: u8) -> bool {
    byte.is_ascii_hexdigit()
}

/// What the domain name system can carry.
const NAME_MAX: usize = 253;
const LABEL_MAX: usize = 63;

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_target_is_spelt_in_one_way_only() {
        let table = [
            ("api.example.com:443", Ok(())),
            ("xn--bcher-kva.example:443", Ok(())),
            ("localhost:80", Ok(())),
            ("10.0.0.7:8443", Ok(())),
            ("[2606:4700::1]:443", Ok(())),
            ("4you.example:1", Ok(())),
            ("api.example.com", Err(TargetError::NoPort)),
            ("", Err(TargetError::NoPort)),
            ("api.example.com:", Err(TargetError::Port)),
            ("api.example.com:0", Err(TargetError::Port)),
            ("api.example.com:0443", Err(TargetError::Port)),
            ("api.example.com:+443", Err(TargetError::Port)),
            ("api.example.com:65536", Err(TargetError::Port)),
            ("api.example.com:443 ", Err(TargetError::Port)),
            ("api.example.com:443/", Err(TargetError::Port)),
            ("API.example.com:443", Err(TargetError::Character)),
            ("api.example.com\0:443", Err(TargetError::Character)),
            ("api.example.com%00:443", Err(TargetError::Character)),
            ("user@api.example.com:443", Err(TargetError::Character)),
            ("user:pw@api.example.com:443", Err(TargetError::Character)),
            ("*.example.com:443", Err(TargetError::Character)),
            ("api_.example.com:443", Err(TargetError::Character)),
            ("аpi.example.com:443", Err(TargetError::Character)),
            ("api。example.com:443", Err(TargetError::Character)),
            ("2606:4700::1:443", Err(TargetError::Character)),
            ("api.example.com.:443", Err(TargetError::Label)),
            (".example.com:443", Err(TargetError::Label)),
            ("-api.example.com:443", Err(TargetError::Label)),
            (":443", Err(TargetError::Label)),
            ("2130706433:443", Err(TargetError::Number)),
            ("0x7f000001:443", Err(TargetError::Number)),
            ("0x7f.1:443", Err(TargetError::Number)),
            ("127.1:443", Err(TargetError::Number)),
            ("0177.0.0.1:443", Err(TargetError::Number)),
            ("[::ffff:7f00:1]:443", Err(TargetError::Literal)),
            ("[2606:4700:0::1]:443", Err(TargetError::Literal)),
            ("[2606:4700::A]:443", Err(TargetError::Literal)),
            ("[fe80::1%eth0]:443", Err(TargetError::Literal)),
            ("[2606:4700::1:443", Err(TargetError::Literal)),
        ];
        for (text, expected) in table {
            assert_eq!(Target::parse(text).map(|_| ()), expected, "{text:?}");
        }
        let long = format!("{}:443", ["a".repeat(63).as_str(); 4].join("."));
        assert_eq!(Target::parse(&long), Err(TargetError::TooLong));
    }

    proptest! {
        /// What is dialled is what was listed, byte for byte.
        #[test]
        fn a_target_is_written_as_it_was_read(text in "[a-z0-9.\\-:\\[\\]A-Z%@ ]{0,40}") {
            if let Ok(target) = Target::parse(&text) {
                prop_assert_eq!(target.to_string(), text);
            }
        }
    }
}
