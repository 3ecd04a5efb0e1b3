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
        r"(?:[1-9]\d?|100)(?:\.\d+)?% packet loss|packet loss (?:of |is |at )?[1-9]|bandwidth limit (?:is |was )?(?:reached|exceeded)",
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
        r"link is down|nic link is down|carrier lost|\bno-carrier\b|state down\b.{0,40}mtu",
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
        93.0,
        "the network manager of the host removed a route that another program had set",
        r"remov(?:ed|ing) (?:foreign|unmanaged) (?:route|rule|nexthop)|(?:foreign|unmanaged) routes? (?:was|were) removed",
    ),
    log(
        NetworkFault,
        60.0,
        "no route leads to a peer",
        r"no route to host|host is unreachable|ehostunreach",
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
    both(
        NetworkFault,
        92.0,
        "the table of neighbours (ARP) is full: the machine cannot reach more addresses",
        r"neighbo(?:u)?r table overflow|arp_cache: .{0,20}overflow",
    ),
    both(
        NetworkFault,
        91.0,
        "the kernel has no memory left for the buffers of TCP",
        r"tcp: out of memory -- consider tuning tcp_mem|tcp: too many orphaned sockets",
    ),
    both(
        NetworkFault,
        90.0,
        "two machines have one address",
        r"duplicate (?:ip )?address|address .{1,40} is (?:already )?in use by .{0,20}(?:[0-9a-f]{2}:){5}|\bdad failed\b|\bip conflict\b",
    ),
    both(
        NetworkFault,
        90.0,
        "packets are larger than the way lets through (MTU)",
        r"frag(?:mentation)? needed (?:and df set|but)|message too long, mtu|pmtu .{0,40}(?:exceed|black ?hole)",
    ),
    both(
        NetworkFault,
        88.0,
        "a link of a bond is down",
        r"link status definitely down|bond\d+: .{0,60}(?:no active slave|now running without any active)",
    ),
    both(
        NetworkFault,
        80.0,
        "the machine has no route to a network that it calls",
        r"network is unreachable|\benetunreach\b|network unreachable",
    )
    .beside(&["route", "network", "reach", "outbound", "egress", "connect", "gateway"]),
    log(
        NetworkFault,
        90.0,
        "the machine lost the address that it had for a time (DHCP), and the routes that came with it",
        r"dhcp(?:v?[46])? (?:client: )?lease (?:was )?(?:lost|expired)|dhcp[46]?.{0,40}state changed bound -> (?:expired|fail|timeout)|remov(?:ed|ing) dhcp(?:v?[46])? route",
    )
    .beside(&["route", "network", "reach", "outbound", "egress", "connect", "gateway", "down", "address"]),
    log(
        NetworkFault,
        91.0,
        "somebody took a route of the machine away",
        r"command=\S*/ip (?:-\d )?(?:r|ro|route) (?:del|delete|flush)\b|deleted route\b|route .{0,60} (?:was )?(?:deleted|withdrawn)\b",
    )
    .beside(&["route", "network", "reach", "outbound", "egress", "connect", "gateway"]),
    both(
        NetworkFault,
        84.0,
        "the directory of users (LDAP) cannot be reached",
        r"can't contact ldap server|ldap .{0,40}server is unavailable|sssd\S*: .{0,40}backend is offline",
    )
    .beside(&["ldap", "login", "auth", "user", "directory", "sssd", "sign"]),
];
