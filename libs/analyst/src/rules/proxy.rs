//! Web servers and load balancers: what keeps them from answering, and what their upstreams do.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{
    Application, Configuration, NetworkFault, ServiceRouting, Starvation,
};

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
    both(
        ServiceRouting,
        62.0,
        "the sidecar gets no configuration: the control plane of the mesh does not answer",
        r"envoy proxy is not ready: config not received|\bis (?:istiod|pilot) running\?",
    ),
    log(
        Configuration,
        84.0,
        "the proxy refuses the configuration that its control plane sends",
        r"grpc config for \S+ rejected",
    )
    .beside(&["mesh", "route", "gateway", "proxy", "config", "503", "404", "envoy", "istio"]),
    both(
        Configuration,
        88.0,
        "the secret with the certificate of an ingress does not exist",
        r"(?:obtaining x\.509 certificate|getting ssl certificate).{0,60}no object matching key",
    )
    .beside(&["certificate", "tls", "ssl", "https", "ingress"]),
    both(
        Configuration,
        90.0,
        "an answer is larger than its caller accepts",
        r"received message larger than max|message larger than max \(",
    )
    .beside(&["large", "size", "message", "report", "fail", "export", "error"]),
    both(
        Configuration,
        86.0,
        "a server ends the connections of a client that asks too often whether it is there",
        r"too_many_pings|enhance_your_calm",
    )
    .beside(&["connection", "reset", "unavailable", "grpc", "goaway", "error", "503"]),
    log(
        Application,
        80.0,
        "a method is called that the service does not have",
        r"code = unimplemented desc = (?:unknown|method)|unimplemented: (?:unknown|method)",
    )
    .beside(&["grpc", "unimplemented", "release", "deploy", "version", "error", "fail"]),
];
