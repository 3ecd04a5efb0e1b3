//! Alerts to try TARSy with.

/// An alert to try TARSy with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
pub struct ExampleAlert {
    /// The name that the command line uses.
    pub name: &'static str,
    /// A title for people.
    pub title: &'static str,
    /// What it shows, in one sentence.
    pub description: &'static str,
    /// The alert type, a built-in one.
    pub alert_type: &'static str,
    /// The alert's text.
    pub data: &'static str,
}

/// The alerts to try TARSy with; those of type `host` need neither cluster nor key.
pub const fn examples() -> &'static [ExampleAlert] {
    EXAMPLES
}

const EXAMPLES: &[ExampleAlert] = &[
    ExampleAlert {
        name: "host",
        title: "High load and a filling disk on this machine",
        description: "Looks at load, disks and processes of the machine that TARSy runs on.",
        alert_type: "host",
        data: r#"{
  "status": "firing",
  "labels": {
    "alertname": "HostHighLoadAndDiskUsage",
    "severity": "warning",
    "instance": "localhost",
    "mountpoint": "/",
    "team": "platform"
  },
  "annotations": {
    "summary": "Load is high and the root file system fills up on localhost",
    "description": "The 5 minute load average stays above the number of CPUs, and the root file system has passed its warning level. Find out which processes cause the load, which directories grow, and whether either explains the other.",
    "runbook_hint": "Compare load with CPU, memory and disk pressure before blaming one of them."
  },
  "expr": "node_load5 / count by (instance) (node_cpu_seconds_total{mode=\"idle\"}) > 1 and on (instance) node_filesystem_avail_bytes{mountpoint=\"/\"} / node_filesystem_size_bytes{mountpoint=\"/\"} < 0.25",
  "for": "10m"
}
"#,
    },
    ExampleAlert {
        name: "host-memory",
        title: "Memory pressure on this machine",
        description: "Looks for the processes that hold memory and for signs of swapping or the OOM killer.",
        alert_type: "host",
        data: r#"{
  "status": "firing",
  "labels": {
    "alertname": "HostMemoryPressure",
    "severity": "critical",
    "instance": "localhost"
  },
  "annotations": {
    "summary": "Little memory is available on localhost",
    "description": "Available memory has been below 10% for 5 minutes and major page faults are rising. Find the processes with the largest resident memory, check swap and pressure stall information, and look for kills by the kernel."
  },
  "expr": "node_memory_MemAvailable_bytes / node_memory_MemTotal_bytes < 0.10 and rate(node_vmstat_pgmajfault[5m]) > 100",
  "for": "5m"
}
"#,
    },
    ExampleAlert {
        name: "host-network",
        title: "Network errors on this machine",
        description: "Looks at interfaces, listening ports, connections and name resolution.",
        alert_type: "host",
        data: r#"{
  "status": "firing",
  "labels": {
    "alertname": "HostNetworkDegraded",
    "severity": "warning",
    "instance": "localhost"
  },
  "annotations": {
    "summary": "Connections from localhost fail or are slow",
    "description": "Services on this host report timeouts towards their peers, and TCP retransmissions are above normal. Check interface errors and drops, the number of connections by state, listening ports, routes and name resolution."
  },
  "expr": "rate(node_netstat_Tcp_RetransSegs[5m]) / rate(node_netstat_Tcp_OutSegs[5m]) > 0.02",
  "for": "10m"
}
"#,
    },
    ExampleAlert {
        name: "kubernetes",
        title: "A pod in CrashLoopBackOff",
        description: "Follows a restarting container to its cause; needs a cluster.",
        alert_type: "kubernetes",
        data: r#"{
  "status": "firing",
  "labels": {
    "alertname": "KubePodCrashLooping",
    "severity": "critical",
    "cluster": "production",
    "namespace": "checkout",
    "pod": "payment-api-7d9c6b5f4-x2k8q",
    "container": "payment-api",
    "reason": "CrashLoopBackOff"
  },
  "annotations": {
    "summary": "Pod checkout/payment-api-7d9c6b5f4-x2k8q is in CrashLoopBackOff",
    "description": "The container payment-api has restarted 14 times in the last 30 minutes. The last termination had exit code 1. The deployment was rolled out 40 minutes ago."
  },
  "expr": "max_over_time(kube_pod_container_status_waiting_reason{reason=\"CrashLoopBackOff\"}[5m]) >= 1",
  "for": "15m"
}
"#,
    },
];
