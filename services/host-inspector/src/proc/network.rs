//! `/proc/net/dev` and `/proc/net/{tcp,tcp6,udp,udp6}`.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use serde::Serialize;

/// The counters of one interface since boot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Interface {
    pub(crate) name: String,
    pub(crate) rx_bytes: u64,
    pub(crate) rx_packets: u64,
    pub(crate) rx_errors: u64,
    pub(crate) rx_dropped: u64,
    pub(crate) tx_bytes: u64,
    pub(crate) tx_packets: u64,
    pub(crate) tx_errors: u64,
    pub(crate) tx_dropped: u64,
}

/// Reads `/proc/net/dev`.
pub(crate) fn interfaces(text: &str) -> Vec<Interface> {
    text.lines().filter_map(interface).collect()
}

fn interface(line: &str) -> Option<Interface> {
    let (name, rest) = line.rsplit_once(':')?;
    let numbers: Vec<u64> =
        rest.split_ascii_whitespace().map_while(|part| part.parse().ok()).collect();
    let at = |index: usize| numbers.get(index).copied();
    Some(Interface {
        name: name.trim().to_owned(),
        rx_bytes: at(0)?,
        rx_packets: at(1)?,
        rx_errors: at(2)?,
        rx_dropped: at(3)?,
        tx_bytes: at(8)?,
        tx_packets: at(9)?,
        tx_errors: at(10)?,
        tx_dropped: at(11)?,
    })
}

/// A listening socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Listener {
    pub(crate) address: SocketAddr,
    pub(crate) uid: u32,
    pub(crate) inode: u64,
}

/// The state number of a listening TCP socket.
const TCP_LISTEN: &str = "0A";
/// The state number of an unconnected UDP socket.
const UDP_UNCONNECTED: &str = "07";

/// Reads the listening sockets of a TCP table.
pub(crate) fn tcp_listeners(text: &str) -> Vec<Listener> {
    listeners(text, TCP_LISTEN)
}

/// Reads the unconnected sockets of a UDP table.
pub(crate) fn udp_listeners(text: &str) -> Vec<Listener> {
    listeners(text, UDP_UNCONNECTED)
}

fn listeners(text: &str, state: &str) -> Vec<Listener> {
    text.lines().skip(1).filter_map(|line| listener(line, state)).collect()
}

fn listener(line: &str, state: &str) -> Option<Listener> {
    let fields: Vec<&str> = line.split_ascii_whitespace().collect();
    let field = |index: usize| fields.get(index).copied();
    if field(3)? != state {
        return None;
    }
    Some(Listener {
        address: address(field(1)?)?,
        uid: field(7)?.parse().ok()?,
        inode: field(9)?.parse().ok()?,
    })
}

/// Reads `0100007F:1F90`: every four bytes of the address are in the order of the host (little endian here).
fn address(text: &str) -> Option<SocketAddr> {
    let (host, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let words = (0..host.len() / 8)
        .map(|index| {
            let word = u32::from_str_radix(host.get(index * 8..index * 8 + 8)?, 16).ok()?;
            Some(word.to_le_bytes())
        })
        .collect::<Option<Vec<[u8; 4]>>>()?;
    let ip = if let [word] = words.as_slice() {
        IpAddr::V4(Ipv4Addr::from(*word))
    } else {
        let bytes: [u8; 16] = words.concat().try_into().ok()?;
        let six = Ipv6Addr::from(bytes);
        six.to_ipv4_mapped().map_or(IpAddr::V6(six), IpAddr::V4)
    };
    Some(SocketAddr::new(ip, port))
}

/// The inode in the target of a socket's descriptor link (`socket:[123]`).
pub(crate) fn socket_inode(link: &str) -> Option<u64> {
    link.strip_prefix("socket:[")?.strip_suffix(']')?.parse().ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const DEV: &str = "Inter-|   Receive                                                |  Transmit
 face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls carrier compressed
    lo:    3193      29    0    0    0     0          0         0     3193      29    0    0    0     0       0          0
  eth0: 910113345   31403    1    2    0     0          0         0  1937933   16661    3    4    0     0       0          0
";
    const TCP: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000   999        0 191 1 000000003d74220b 100 0 0 10 0
   1: 0100007F:9C40 0100007F:1F90 01 00000000:00000000 00:00000000 00000000     0        0 192 1 000000003d74220b 20 4 30 10 -1
";
    const TCP6: &str = "  sl  local_address                         remote_address                        st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 00000000000000000000000001000000:0016 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 77 1 0 100 0 0 10 0
   1: 0000000000000000FFFF00000100007F:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 78 1 0 100 0 0 10 0
";

    #[test]
    fn counters_come_per_interface() {
        let all = interfaces(DEV);
        assert_eq!(all.len(), 2);
        let eth0 = all.last().expect("two interfaces");
        assert_eq!(
            (eth0.name.as_str(), eth0.rx_bytes, eth0.tx_packets),
            ("eth0", 910_113_345, 16_661)
        );
        assert_eq!(
            (eth0.rx_errors, eth0.rx_dropped, eth0.tx_errors, eth0.tx_dropped),
            (1, 2, 3, 4)
        );
    }

    #[test]
    fn only_listening_tcp_sockets_are_kept() {
        let found = tcp_listeners(TCP);
        assert_eq!(
            found,
            [Listener {
                address: "127.0.0.1:8080".parse().expect("address"),
                uid: 999,
                inode: 191
            }]
        );
    }

    #[test]
    fn ipv6_and_mapped_addresses_are_read() {
        let found: Vec<String> =
            tcp_listeners(TCP6).iter().map(|one| one.address.to_string()).collect();
        assert_eq!(found, ["[::1]:22", "127.0.0.1:80"]);
    }

    #[test]
    fn a_socket_link_names_its_inode() {
        assert_eq!(socket_inode("socket:[4711]"), Some(4711));
        assert_eq!(socket_inode("/dev/null"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(text in ".{0,300}") {
            let _ = interfaces(&text);
            let _ = tcp_listeners(&format!("head\n{text}"));
            let _ = address(&text);
        }
    }
}
