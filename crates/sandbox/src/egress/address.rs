//! Which addresses are public.
//!
//! A name on the allow list belongs to another party, who may point it at the host's own loopback, at the
//! neighbours in a private network, or at the metadata service of a cloud. So addresses are checked, and not
//! only names.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address is given out to the public internet.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match carried(address) {
            Some(inside) => is_public_v4(inside),
            None => is_public_v6(address),
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = address.to_bits();
    !SPECIAL_V4.iter().any(|(net, length)| bits >> (32 - length) == net.to_bits() >> (32 - length))
}

/// Only 2000::/3 is given out to the public, and not all of it.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let bits = address.to_bits();
    let within =
        |net: Ipv6Addr, length: u32| bits >> (128 - length) == net.to_bits() >> (128 - length);
    within(Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3)
        && !SPECIAL_V6.iter().any(|(net, length)| within(*net, *length))
}

/// The IPv4 address that is really dialled under an IPv6 one: mapped, or translated by the network.
fn carried(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let translated = address.segments()[..6] == [0x64, 0xff9b, 0, 0, 0, 0];
    let last = || Ipv4Addr::from_bits(address.to_bits() as u32);
    address.to_ipv4_mapped().or_else(|| translated.then(last))
}

/// The special registry of IPv4 (RFC 6890 and after), with multicast and what is reserved.
const SPECIAL_V4: &[(Ipv4Addr, u32)] = &[
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
    // Azure's metadata and DNS, which looks public.
    (Ipv4Addr::new(168, 63, 129, 16), 32),
];

/// What of 2000::/3 is not public: protocols and tunnels, documentation, 6to4.
const SPECIAL_V6: &[(Ipv6Addr, u32)] = &[
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_anybody_can_reach_is_public() {
        let public = ["1.1.1.1", "172.15.0.1", "172.32.0.1", "100.128.0.1", "2606:4700::1111"];
        let translated = ["::ffff:1.1.1.1", "64:ff9b::101:101"];
        for text in public.into_iter().chain(translated) {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
        let private = [
            "0.0.0.0",
            "10.1.2.3",
            "100.64.0.1",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.192",
            "192.168.1.1",
            "198.18.0.1",
            "224.0.0.1",
            "255.255.255.255",
            "168.63.129.16",
            "::",
            "::1",
            "::7f00:1",
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "fec0::1",
            "ff02::1",
            "2001:db8::1",
            "2001::1",
            "2002:7f00:1::1",
            "3fff::1",
            "100::1",
        ];
        for text in private {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }
}
