//! Faults of the network: loss, delay, resets, timeouts.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::NetworkFault;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        NetworkFault,
        92.0,
        "traffic is delayed or dropped by a queueing discipline",
        r"qdisc netem .{0,80}(?:delay|loss|corrupt|reorder|duplicate)",
    ),
    log(
        NetworkFault,
        86.0,
        "packets are lost",
        r"(?:[1-9]\d?|100)(?:\.\d+)?% packet loss|packet loss (?:of |is |at )?[1-9]|bandwidth limit",
    ),
    both(
        NetworkFault,
        84.0,
        "nothing accepts connections at `${host}` on port ${port}",
        r"curl: \(7\) failed to connect to (?P<host>\S+) port (?P<port>\d+)",
    ),
    both(
        NetworkFault,
        84.0,
        "a link of the host is down",
        r"link is down|nic link is down|carrier lost|\bno-carrier\b|network is unreachable|state down\b.{0,40}mtu",
    )
    .beside(&["link", "interface", "network", "down", "unreachable", "nic", "packet"]),
    log(
        NetworkFault,
        86.0,
        "no local port is left for connections to a peer",
        r"(?:connect(?:\(\))?|dial \w+|connection|https?).*cannot assign requested address|eaddrnotavail",
    ),
    log(
        NetworkFault,
        60.0,
        "no route leads to a peer",
        r"no route to host|host is unreachable|ehostunreach|enetunreach",
    ),
    log(
        NetworkFault,
        50.0,
        "calls of a peer time out",
        r"i/o timeout|context deadline exceeded|deadline_?exceeded|upstream request timeout|timed? ?out|connection timeout|sockettimeoutexception|etimedout|read timeout",
    ),
    log(
        NetworkFault,
        46.0,
        "connections are closed by the peer",
        r"connection reset|econnreset|broken pipe|unexpected eof|transport is closing|upstream connect error|premature close|socket hang up|connection aborted",
    ),
    both(
        NetworkFault,
        85.0,
        "the table of tracked connections is full",
        r"nf_conntrack: table full",
    ),
    log(
        NetworkFault,
        80.0,
        "the interface drops or damages packets",
        r"(?:tx|rx)[ _](?:dropped|errors)[ :=]+[1-9]\d{3,}|tx hang|transmit queue \d+ timed out",
    )
    .beside(&["link", "interface", "network", "packet", "drop", "error"]),
];
