//! Which network addresses may be connected to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether an address may be connected to: a public one, or with `private` also one of the operator's
/// network. Metadata services, which hand out a machine's credentials, are always forbidden.
pub(crate) fn may_connect(address: IpAddr, private: bool) -> bool {
    let address = unmapped(address);
    is_public(address) || (private && is_inside(address))
}

/// Converts an IPv4-mapped address to IPv4.
fn unmapped(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V6(six) => six.to_ipv4_mapped().map_or(address, IpAddr::V4),
        IpAddr::V4(_) => address,
    }
}

fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => is_public_v4(four),
        IpAddr::V6(six) => is_public_v6(six),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = address.is_private()
        || address.is_loopback()
        || address.is_link_local()
        || address.is_documentation()
        || a == 0
        || (a == 100 && (64..128).contains(&b))
        || (a == 192 && b == 0 && c == 0)
        || (a == 192 && b == 88 && c == 99)
        || (a == 198 && (b == 18 || b == 19))
        || a >= 224;
    !special
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    // Translated addresses lead to what they carry.
    match address.segments() {
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] | [0x2002, high, low, ..] => {
            return is_public_v4(carried(high, low));
        }
        _ => {}
    }
    let [a, b, ..] = address.segments();
    let documentation = (a == 0x2001 && b == 0x0db8) || (a == 0x3fff && b < 0x1000);
    let special = a == 0x2001 && b < 0x0200;
    (a & 0xe000) == 0x2000 && !documentation && !special
}

fn carried(high: u16, low: u16) -> Ipv4Addr {
    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
    Ipv4Addr::new(a, b, c, d)
}

/// Whether an address belongs to a private network, except the metadata services of clouds.
fn is_inside(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(four) => {
            let [a, b, ..] = four.octets();
            let shared = a == 100 && (64..128).contains(&b);
            (four.is_private() || four.is_loopback() || shared)
                && four != Ipv4Addr::new(100, 100, 100, 200)
        }
        IpAddr::V6(six) => {
            let local = (six.segments()[0] & 0xfe00) == 0xfc00;
            (six.is_loopback() || local)
                && six != Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(text: &str, private: bool) -> bool {
        may_connect(text.parse().unwrap(), private)
    }

    #[test]
    fn only_public_addresses_may_connect() {
        for public in ["140.82.121.4", "1.1.1.1", "2606:50c0:8000::153", "::ffff:1.1.1.1"] {
            assert!(allowed(public, false), "{public}");
        }
        for inside in [
            "127.0.0.1",
            "127.9.9.9",
            "10.0.0.1",
            "172.16.0.1",
            "172.31.255.255",
            "192.168.1.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "0.1.2.3",
            "192.0.0.1",
            "198.18.0.1",
            "224.0.0.1",
            "240.0.0.1",
            "255.255.255.255",
            "192.0.2.1",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:c0a8:101::",
            "2001::1",
            "2001:db8::1",
            "100::1",
            "fec0::1",
        ] {
            assert!(!allowed(inside, false), "{inside}");
        }
    }

    #[test]
    fn a_private_host_may_be_inside_but_never_a_metadata_service() {
        for inside in ["127.0.0.1", "10.1.2.3", "192.168.0.1", "100.64.0.1", "fd12::1", "::1"] {
            assert!(allowed(inside, true), "{inside}");
        }
        for never in [
            "169.254.169.254",
            "fe80::1",
            "fd00:ec2::254",
            "100.100.100.200",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::ffff:169.254.169.254",
        ] {
            assert!(!allowed(never, true), "{never}");
        }
    }
}
