//! Clocks: a host whose time is off.

use super::pattern::{Pattern, both};
use crate::verdict::Category::Clock;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        Clock,
        93.0,
        "a certificate is not valid yet: the clock of one side is behind, or it was issued for a later time",
        r"not yet valid: current time \S+ is before",
    ),
    both(
        Clock,
        88.0,
        "the clocks of the machines differ",
        r"clock skew|clocks? (?:is |are )?(?:out of sync|not synchroni[sz]ed|drift)|system clock (?:wrong|synchronized: no)|clock difference|clock is ahead|time (?:drift|jumped|skew)",
    )
    .beside(&["clock", "time", "ntp", "skew", "drift", "token", "certificate", "tls"]),
    both(
        Clock,
        86.0,
        "a certificate or token is not valid yet: the clock of one side is off",
        r"not yet valid|token used before issued|issued in the future|\bnbf\b.{0,30}(?:future|invalid)|timestamp .{0,40}in the future",
    ),
    both(
        Clock,
        76.0,
        "the clock of the host is not synchronized",
        r"ntp (?:synchronized|service): (?:no|inactive)|no (?:suitable|selectable) (?:source|sources)|can't synchronise|leap status\s*:\s*not synchronised|stratum\s*:\s*0\b",
    ),
    both(
        Clock,
        92.0,
        "a request is refused for its time: the clock of the machine is off",
        r"requesttimetooskewed|difference between the request time and the (?:current|server\W?s?) time is too large|signature not yet current|signature expired: \S+ is now earlier",
    ),
];
