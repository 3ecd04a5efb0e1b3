//! What a network address leads to.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Metadata and agent services at addresses that are not link-local: of Alibaba, Oracle and Azure.
const METADATA_V4: [Ipv4Addr; 3] = [
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
    Ipv4Addr::new(168, 63, 129, 16),
];

/// What an address leads to; one inside of an IPv6 address that is translated to it counts as it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Network {
    Public,
    /// Of a network that is not reached from outside, shared ones of carriers included.
    Private,
    /// This machine.
    Loopback,
    /// Link-local, or the metadata service of a cloud, which hands out the credentials of a machine.
    Metadata,
    /// No single machine: unspecified, which many systems take for this one, multicast and broadcast.
    Unspecific,
    /// For documentation, benchmarks, or not assigned.
    Reserved,
}

impl Network {
    pub fn of(address: IpAddr) -> Self {
        match address {
            IpAddr::V4(four) => of_v4(four),
            IpAddr::V6(six) => of_v6(six),
        }
    }

    /// Whether a server that somebody outside names may be there: at a public address, or where the operator allows it, at
    /// one inside. A metadata service never.
    pub const fn may_be_named(self, inside: bool) -> bool {
        matches!(self, Self::Public) || (inside && matches!(self, Self::Private | Self::Loopback))
    }
}

/// Whether an address is link-local or that of a cloud's metadata service, also inside of an IPv6 address that leads to it.
pub fn is_restricted(address: IpAddr) -> bool {
    Network::of(address) == Network::Metadata
}

fn of_v4(address: Ipv4Addr) -> Network {
    let [a, b, c, _] = address.octets();
    match (a, b, c) {
        _ if address.is_link_local() || METADATA_V4.contains(&address) => Network::Metadata,
        (127, ..) => Network::Loopback,
        (0 | 224..=239, ..) | (255, 255, 255) => Network::Unspecific,
        (100, 64..=127, _) => Network::Private,
        _ if address.is_private() => Network::Private,
        (192, 0, 0) | (192, 88, 99) | (198, 18 | 19, _) | (240.., ..) => Network::Reserved,
        _ if address.is_documentation() => Network::Reserved,
        _ => Network::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> Network {
    if address.is_loopback() {
        return Network::Loopback;
    }
    match (carried(address), of_v6_alone(address)) {
        (Some(Carried::Routed(four)), _) => of_v4(four),
        // A tunnel is public for nobody, but may lead inside.
        (Some(Carried::Tunnelled(four)), alone) => match of_v4(four) {
            Network::Public | Network::Reserved => alone,
            inside => inside,
        },
        (None, alone) => alone,
    }
}

/// The IPv4 address that an IPv6 address leads to.
enum Carried {
    /// It is the destination, as a router on the way sees it.
    Routed(Ipv4Addr),
    /// The end of a tunnel.
    Tunnelled(Ipv4Addr),
}

fn carried(address: Ipv6Addr) -> Option<Carried> {
    let at = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match address.segments() {
        // IPv4-mapped, NAT64 and 6to4.
        [0, 0, 0, 0, 0, 0xffff, high, low]
        | [0x64, 0xff9b, 0, 0, 0, 0, high, low]
        | [0x2002, high, low, ..] => Some(Carried::Routed(at(high, low))),
        [0, 0, 0, 0, 0, 0, 0, 0] => None,
        // IPv4-compatible, IPv4-translated, NAT64 of a network of its own, ISATAP.
        [0, 0, 0, 0, 0 | 0xffff, 0, high, low]
        | [0x64, 0xff9b, 1, .., high, low]
        | [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some(Carried::Tunnelled(at(high, low))),
        // Teredo writes it with every bit inverted.
        [0x2001, 0, .., high, low] => Some(Carried::Tunnelled(at(!high, !low))),
        _ => None,
    }
}

fn of_v6_alone(address: Ipv6Addr) -> Network {
    let [a, b, .., high, low] = address.segments();
    let is_local = (a & 0xfe00) == 0xfc00;
    // Clouds give their services unique local addresses: AWS a prefix, Google and Scaleway one each, others one that ends
    // like the IPv4 address.
    let is_metadata = is_local
        && ((a, b) == (0xfd00, 0xec2)
            || ((a, b) == (0xfd20, 0xce) && (high, low) == (0, 0x254))
            || ((a, b) == (0xfd00, 0x42) && (high, low) == (0, 0x42))
            || (high, low) == (0xa9fe, 0xa9fe));
    let is_documentation = (a == 0x2001 && b == 0x0db8) || (a == 0x3fff && b < 0x1000);
    let is_special = a == 0x2001 && b < 0x0200;
    if address.is_unicast_link_local() || is_metadata {
        Network::Metadata
    } else if address.is_unspecified() || address.is_multicast() {
        Network::Unspecific
    } else if is_local {
        Network::Private
    } else if (a & 0xe000) == 0x2000 && !is_documentation && !is_special {
        Network::Public
    } else {
        Network::Reserved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn may_be_named(text: &str, inside: bool) -> bool {
        Network::of(text.parse().unwrap()).may_be_named(inside)
    }

    #[test]
    fn only_public_addresses_may_be_named_by_somebody_outside() {
        for public in ["140.82.121.4", "1.1.1.1", "2606:50c0:8000::153", "::ffff:1.1.1.1"] {
            assert!(may_be_named(public, false), "{public}");
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
            "168.63.129.16",
            "::",
            "::1",
            "fe80::1",
            "fc00::1",
            "fd00:ec2::254",
            "ff02::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:0:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "2002:7f00:1::",
            "2002:c0a8:101::",
            "2001::1",
            "2001:0:4136:e378:8000:63bf:80ff:fffe",
            "2606:4700::5efe:10.0.0.1",
            "2001:db8::1",
            "100::1",
            "fec0::1",
        ] {
            assert!(!may_be_named(inside, false), "{inside}");
        }
    }

    #[test]
    fn one_inside_may_be_named_where_that_is_allowed_but_never_a_metadata_service() {
        for inside in ["127.0.0.1", "10.1.2.3", "192.168.0.1", "100.64.0.1", "fd12::1", "::1"] {
            assert!(may_be_named(inside, true), "{inside}");
        }
        for never in ["169.254.169.254", "fe80::1", "0.0.0.0", "224.0.0.1", "255.255.255.255"] {
            assert!(!may_be_named(never, true), "{never}");
        }
    }

    #[test]
    fn metadata_addresses_are_restricted_however_they_are_written() {
        for text in [
            "169.254.169.254",
            "169.254.0.1",
            "169.254.170.2",
            "fe80::1",
            "fe80::a9fe:a9fe",
            "::ffff:169.254.169.254",
            "::ffff:0:169.254.169.254",
            "::169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "64:ff9b:1::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "2001:0:0:0:0:0:5601:5601",
            "2606:4700::200:5efe:169.254.169.254",
            "fd00:ec2::254",
            "fd00:ec2::23",
            "fd20:ce::254",
            "fd00:42::42",
            "fd00:c1::a9fe:a9fe",
            "100.100.100.200",
            "192.0.0.192",
            "168.63.129.16",
            "::ffff:168.63.129.16",
        ] {
            assert!(is_restricted(text.parse().unwrap()), "{text}");
        }
        for text in ["127.0.0.1", "10.0.0.1", "::1", "2606:4700::1111", "192.168.1.1"] {
            assert!(!is_restricted(text.parse().unwrap()), "{text}");
        }
    }
}
