//! The values that mean a fault.

use super::condition::Is::{AboveTarget, After, AtLeast, Has, Seconds, Share, There, Word};
use super::condition::State;
use crate::rules::database::NOT_ARCHIVED;
use crate::verdict::Category::{
    Clock, Database, Disk, NetworkFault, OutOfMemory, ServiceRouting, Starvation,
};

const YES: &[&str] = &["true", "t", "yes", "1"];
const NO: &[&str] = &["false", "f", "no", "0"];
/// The part of a limit from which on it is reached.
const ALL: f64 = 0.98;
/// The age of transaction ids from which on no more may be given out soon.
const OLD_IDS: f64 = 1_500_000_000.0;
/// Seconds by which a clock is off.
const OFF: f64 = 1.0;
/// Seconds by which a replica is behind.
const BEHIND: f64 = 300.0;
/// Messages that wait.
const MANY: f64 = 1_000.0;
/// Messages that a group of consumers has not read.
const LAG: f64 = 100_000.0;

const NO_CONNECTIONS: &str = "the database has no connection left, its sessions take up the limit";
const NOT_APPLIED: &str = "the replica has stopped: it cannot apply a change of its source";
const SERVER: (&str, &[&str]) = ("", &[]);

pub(super) const KNOWN: &[State] = &[
    State {
        when: &[
            ("active", Word(NO)),
            ("wal_status", Word(&["extended", "unreserved", "lost"])),
            ("slot_name", There),
        ],
        category: Database,
        weight: 89.0,
        cause: "a replication slot that nobody reads keeps the log of transactions on disk, or has lost it",
        object: ("slot", &["slot_name"]),
    },
    State {
        when: &[
            ("last_failed_time", After("last_archived_time")),
            ("failed_count", AtLeast(1.0)),
            ("last_failed_wal", There),
        ],
        category: Database,
        weight: 87.0,
        cause: NOT_ARCHIVED,
        object: SERVER,
    },
    State {
        when: &[
            ("replicas", Share("maxpods", 1.0)),
            ("targets", AboveTarget),
            ("reference", There),
        ],
        category: Starvation,
        weight: 76.0,
        cause: "the number of replicas cannot grow any further: the autoscaler is at its maximum, and the load above its target",
        object: ("HorizontalPodAutoscaler", &["name"]),
    },
    State {
        when: &[("age", AtLeast(OLD_IDS)), ("datname", There)],
        category: Database,
        weight: 91.0,
        cause: "the ids of transactions are used up: vacuum does not freeze old rows",
        object: ("database", &["datname"]),
    },
    State {
        when: &[("used", Share("max_connections", ALL)), ("max_connections", There)],
        category: Database,
        weight: 89.0,
        cause: NO_CONNECTIONS,
        object: SERVER,
    },
    State {
        when: &[("threads_connected", Share("max_connections", ALL)), ("max_connections", There)],
        category: Database,
        weight: 89.0,
        cause: NO_CONNECTIONS,
        object: SERVER,
    },
    State {
        when: &[("replay_lag", Seconds(BEHIND)), ("application_name", There)],
        category: Database,
        weight: 86.0,
        cause: "a replica of the database is behind",
        object: ("replica", &["application_name"]),
    },
    State {
        when: &[("master_link_status", Word(&["down"]))],
        category: Database,
        weight: 88.0,
        cause: "a replica has no connection to its primary",
        object: SERVER,
    },
    State {
        when: &[("rdb_last_bgsave_status", Word(&["err"]))],
        category: Database,
        weight: 86.0,
        cause: "the database cannot save its data to disk",
        object: SERVER,
    },
    State {
        when: &[("aof_last_write_status", Word(&["err"]))],
        category: Database,
        weight: 86.0,
        cause: "the database cannot save its data to disk",
        object: SERVER,
    },
    State {
        when: &[("cluster_state", Word(&["fail"]))],
        category: Database,
        weight: 90.0,
        cause: "the cluster is down: no node serves some of its slots",
        object: SERVER,
    },
    State {
        when: &[
            ("used_memory", Share("maxmemory", ALL)),
            ("maxmemory", AtLeast(1.0)),
            ("maxmemory_policy", Word(&["noeviction"])),
        ],
        category: Database,
        weight: 89.0,
        cause: "the cache has reached its memory limit, and may remove nothing",
        object: SERVER,
    },
    State {
        when: &[("status", Word(&["red"])), ("unassigned_shards", AtLeast(1.0))],
        category: Database,
        weight: 89.0,
        cause: "the cluster is red: primary shards are on no node",
        object: ("cluster", &["cluster_name"]),
    },
    State {
        when: &[("leader", Word(&["-1", "none"])), ("partition", There)],
        category: Database,
        weight: 90.0,
        cause: "partitions of the message broker have no leader",
        object: ("topic", &["topic"]),
    },
    State {
        when: &[("type", Word(&["backend"])), ("stats.status", Word(&["down"]))],
        category: ServiceRouting,
        weight: 90.0,
        cause: "the load balancer has no server for a backend: all of them are down",
        object: ("backend", &["name"]),
    },
    State {
        when: &[("mem_alarm", Word(YES))],
        category: Starvation,
        weight: 90.0,
        cause: "the message broker takes no more messages: it has too little memory",
        object: ("broker", &["name"]),
    },
    State {
        when: &[("disk_free_alarm", Word(YES))],
        category: Disk,
        weight: 90.0,
        cause: "the message broker takes no more messages: it has too little disk space",
        object: ("broker", &["name"]),
    },
    State {
        when: &[("messages_ready", AtLeast(MANY)), ("consumers", Word(&["0"]))],
        category: Database,
        weight: 88.0,
        cause: "a queue grows because nobody reads it: it has no consumer",
        object: ("queue", &["name"]),
    },
    State {
        when: &[("lag", AtLeast(LAG)), ("topic", There), ("current_offset", There)],
        category: Database,
        weight: 82.0,
        cause: "a queue grows because its consumers do not keep up",
        object: ("group", &["group", "topic"]),
    },
    State {
        when: &[("svname", Word(&["backend"])), ("status", Word(&["down"]))],
        category: ServiceRouting,
        weight: 90.0,
        cause: "the load balancer has no server for a backend: all of them are down",
        object: ("backend", &["pxname"]),
    },
    State {
        when: &[("target_health.state", Word(&["unhealthy"])), ("target_health.reason", There)],
        category: ServiceRouting,
        weight: 87.0,
        cause: "a target of the load balancer does not pass its health checks",
        object: ("target", &["target.id"]),
    },
    State {
        when: &[
            ("response_flags", Has("u")),
            ("response_code", AtLeast(500.0)),
            ("upstream_cluster", There),
            ("response_code_details", There),
        ],
        category: ServiceRouting,
        weight: 84.0,
        cause: "the proxy gets no answer from its upstream",
        object: ("upstream", &["upstream_cluster"]),
    },
    State {
        when: &[("replica_sql_running", Word(NO)), ("last_sql_errno", AtLeast(1.0))],
        category: Database,
        weight: 91.0,
        cause: NOT_APPLIED,
        object: SERVER,
    },
    State {
        when: &[("slave_sql_running", Word(NO)), ("last_sql_errno", AtLeast(1.0))],
        category: Database,
        weight: 91.0,
        cause: NOT_APPLIED,
        object: SERVER,
    },
    State {
        when: &[("health", Word(&["down"])), ("last_error", Has("refused")), ("scrape_url", There)],
        category: NetworkFault,
        weight: 84.0,
        cause: "nothing accepts connections at the address of the target",
        object: ("target", &["labels.instance", "scrape_url"]),
    },
    State {
        when: &[("state.oomkilled", Word(YES))],
        category: OutOfMemory,
        weight: 92.0,
        cause: "a container was killed because it used more memory than its limit",
        object: ("container", &["name"]),
    },
    State {
        when: &[("dbinstance_status", Word(&["storage-full"]))],
        category: Disk,
        weight: 91.0,
        cause: "the storage of the database is full",
        object: ("database", &["dbinstance_identifier"]),
    },
    State {
        when: &[("raid_level", There), ("state", Has("degraded"))],
        category: Disk,
        weight: 90.0,
        cause: "an array has lost a disk",
        object: ("", &[]),
    },
    State {
        when: &[("system_time", Seconds(OFF)), ("stratum", There)],
        category: Clock,
        weight: 90.0,
        cause: "the clock of the host is off",
        object: SERVER,
    },
    State {
        when: &[
            ("nf_conntrack_count", Share("nf_conntrack_max", ALL)),
            ("nf_conntrack_max", There),
        ],
        category: NetworkFault,
        weight: 88.0,
        cause: "the table of tracked connections is full",
        object: SERVER,
    },
];
