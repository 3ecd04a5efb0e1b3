//! Web servers and load balancers: what keeps them from answering, and what their upstreams do.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{Configuration, NetworkFault, ServiceRouting, Starvation};

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Configuration,
        90.0,
        "the web server has no connection left: all of `worker_connections` are in use",
        r"worker_connections are not enough",
    ),
    log(
        Configuration,
        90.0,
        "the proxy refuses bodies of requests that are larger than it accepts",
        r"client intended to send too large (?:chunked )?body",
    )
    .beside(&["413", "upload", "large", "body", "too large", "size"]),
    log(
        Configuration,
        90.0,
        "the proxy refuses the header of the answer: it is larger than its buffer",
        r"upstream sent too big header",
    )
    .beside(&["502", "5xx", "header", "bad gateway", "login"]),
    log(
        Starvation,
        84.0,
        "the proxy refuses requests beyond the rate that it is limited to",
        r"limiting (?:requests|connections)[, ].{0,30}by zone",
    )
    .beside(&["429", "503", "rate", "limit", "reject", "too many"]),
    log(
        Starvation,
        88.0,
        "the web server has no worker left for more requests",
        r"reached maxrequestworkers|reached pm\.max_children|reached max_children",
    ),
    log(
        Starvation,
        88.0,
        "the load balancer has as many sessions as it may have",
        r"reached (?:process fd|the configured maximum connection) limit",
    ),
    log(
        NetworkFault,
        82.0,
        "the proxy gets no answer from its upstream `${upstream}` in time",
        r#"upstream timed out .*upstream: "(?P<upstream>[a-z]+://[^/"]+)"#,
    )
    .beside(&["504", "5xx", "timeout", "timed out", "slow", "latency", "gateway", "upstream"]),
    log(
        ServiceRouting,
        66.0,
        "the proxy's upstream `${upstream}` refuses connections",
        r#"connect\(\) failed \(111: connection refused\).*upstream: "(?P<upstream>[a-z]+://[^/"]+)"#,
    ),
    log(
        ServiceRouting,
        84.0,
        "the proxy has no upstream that answers",
        r"no live upstreams|\bno_healthy_upstream\b|: no available server",
    ),
    log(
        ServiceRouting,
        82.0,
        "the upstream `${upstream}` ends connections before it has answered",
        r#"(?:upstream prematurely closed connection|recv\(\) failed \(104: ).*upstream: "(?P<upstream>[a-z]+://[^/"]+)"#,
    )
    .beside(&["502", "5xx", "gateway", "upstream", "reset"]),
    log(
        ServiceRouting,
        91.0,
        "the load balancer has no server for `${backend}`: all of them are down",
        r"(?:backend|proxy) '?(?P<backend>[\w.-]+)'? has no server available",
    ),
    log(
        ServiceRouting,
        82.0,
        "server `${server}` of the load balancer is down",
        r"server (?P<server>[\w.-]+/[\w.:-]+) is down, reason",
    )
    .beside(&["down", "502", "503", "5xx", "backend", "server", "upstream", "unavailable", "health"]),
    log(
        ServiceRouting,
        82.0,
        "the proxy gets no answer from its upstream in time",
        r"(?-i:\b50\d UT\b|\bupstream_response_timeout\b)|\bresponse_timeout\b",
    )
    .beside(&["504", "5xx", "timeout", "timed out", "slow", "latency", "gateway", "upstream"]),
    log(
        Starvation,
        84.0,
        "the proxy refuses requests: more wait for its upstream than may",
        r"(?-i:\b503 UO\b)|upstream_overflow",
    ),
    log(
        ServiceRouting,
        84.0,
        "the proxy cannot reach its upstream",
        r"(?-i:\b503 (?:UH|UF|URX|UF,URX)\b)|upstream_reset_before_response_started\{connection_failure",
    ),
    log(
        ServiceRouting,
        82.0,
        "an upstream does not pass the health checks of the proxy",
        r"targeturl.*health check failed|health check for server \S+ failed",
    ),
    log(
        ServiceRouting,
        80.0,
        "the proxy's upstream refuses connections",
        r#"connection refused".*"status": ?50[234]\b"#,
    ),
    both(
        Configuration,
        84.0,
        "the configuration of the web server is not valid",
        r"configuration file \S+ test failed",
    ),
    both(
        Configuration,
        91.0,
        "a sidecar takes encrypted calls alone, and the caller sends plain text (mutual TLS)",
        r"filter_chain_not_found",
    ),
    log(
        ServiceRouting,
        91.0,
        "the proxy's route leads to a cluster that it does not know",
        r"(?-i:\bNC\b) cluster_not_found|\bcluster_not_found\b|unknown cluster '",
    ),
    log(
        ServiceRouting,
        86.0,
        "the proxy has no route for the call",
        r"(?-i:\bNR\b) route_not_found|\broute_not_found\b",
    )
    .beside(&["404", "503", "5xx", "route", "gateway", "ingress", "error"]),
    both(
        Configuration,
        89.0,
        "an ingress names no class that a controller serves",
        r"ingress does not contain a valid ingressclass|ignoring ingress because of error while validating ingress class",
    ),
];
