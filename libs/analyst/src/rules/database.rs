//! Databases: connections, locks, memory, replication.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{Configuration, Database, OutOfMemory, Quota};

pub(super) const NOT_ARCHIVED: &str = "the write-ahead log is not archived, and piles up";

/// Words of the alerts that a log of transactions that is not archived brings about.
pub(super) const ARCHIVED: &[&str] =
    &["archiv", "wal", "backup", "disk", "space", "storage", "volume"];

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Database,
        86.0,
        NOT_ARCHIVED,
        r"archive(?:_| )command failed|archiving write-ahead log file .{0,80} failed|wal archiv\w* .{0,60}fail|failed to archive",
    )
    .beside(ARCHIVED),
    log(
        Database,
        88.0,
        "the database has no connection left",
        r"too many (?:open )?(?:connections|clients)|remaining connection slots|no more connections allowed|(?:reach|exceed|approach|hit)\w* (?:the )?max_connections|max_connections (?:is |was |has been |limit )?(?:reached|exceeded|hit)|connection limit exceeded|max number of clients reached|maximum number of (?:sessions|connections|processes) (?:exceeded|reached)|connections? refused.{0,30}too many",
    ),
    log(
        Database,
        85.0,
        "the pool of connections to the database is exhausted",
        r"pool (?:is )?(?:exhausted|timed? ?out|limit)|queuepool limit|timed? ?out (?:while )?waiting for (?:a |an idle )?connection|connection is not available, request timed out|could not obtain connection|no (?:free|available) connections?|pool .{0,30}\bexhausted\b|waitqueuetimeout",
    ),
    log(
        Database,
        87.0,
        "transactions of the database block each other",
        r"deadlock (?:detected|found)",
    )
    .beside(&["deadlock", "lock", "transaction"]),
    log(
        Database,
        84.0,
        "a message stream is full",
        r"maximum (?:bytes|messages|consumers) exceeded|stream .{0,40}(?:is full|limit exceeded)",
    )
    .beside(&["stream", "queue", "message", "publish", "consumer"]),
    log(
        Database,
        85.0,
        "a change of the schema failed, or the schema is not the one that the application needs",
        r"contains null values|schema version \S+ is required|migration .{0,60}\bfail|pending migration|schema .{0,30}(?:mismatch|out of date)",
    )
    .beside(&["migrat", "schema", "release", "deploy", "start", "crash", "restart"]),
    log(
        Database,
        84.0,
        "transactions of the database wait for locks",
        r"lock wait timeout|could not obtain lock|canceling statement due to lock timeout|still waiting for \w+lock|lock(?:ed)? by (?:process|pid|backend)|waiting for (?:table |global )?(?:metadata|read|schema) lock",
    )
    .beside(&["lock", "slow", "latency", "timeout", "transaction"]),
    log(
        Database,
        80.0,
        "statements of the database take too long",
        r"slow query|canceling statement due to statement timeout|query_time: [1-9]|\bduration: \d{4,}\.?\d* ms  |long[- ]running (?:query|transaction)|idle in transaction",
    )
    .beside(&["slow", "latency", "quer", "statement", "timeout", "lock"]),
    log(
        Database,
        89.0,
        "inserts are refused: a table has more parts than can be merged",
        r"too many parts \(\d+|\btoo_many_parts\b",
    )
    .beside(&["insert", "ingest", "write", "parts", "clickhouse"]),
    log(
        Database,
        90.0,
        "the database has no primary that can be reached",
        r"replicasetnoprimary|no primary server|has no quorum, stalled|master not discovered|not a quorum|not enough replicas available|\bclusterdown\b|wsrep has not yet prepared node",
    ),
    log(
        Database,
        84.0,
        "threads of the database wait for minutes for each other or for the disk",
        r"innodb: (?:a )?(?:warning: )?(?:a )?long semaphore wait|semaphore wait has lasted > \d+ seconds",
    )
    .beside(&["slow", "latency", "hang", "stuck", "database", "lock", "crash", "restart"]),
    both(
        Database,
        89.0,
        "the search cluster is red: a primary shard is on no node",
        r"^\S+\s+\d+\s+p\s+unassigned\b",
    ),
    log(
        Database,
        90.0,
        "a replication slot was given up: it kept more of the log than it may",
        r"can no longer get changes from replication slot|slot has been invalidated",
    )
    .beside(&["replica", "slot", "lag", "copy"]),
    log(
        Database,
        89.0,
        "a replica does not replicate: the slot that it reads is not there",
        r"replication slot \S+ does not exist",
    )
    .beside(&["replica", "slot", "lag", "copy"]),
    log(
        Database,
        84.0,
        "the search cluster refuses work: its queue is full",
        r"es_rejected_execution|esrejectedexecution|rejected execution of",
    )
    .beside(&["reject", "queue", "thread pool", "threadpool", "429", "too many requests"]),
    both(
        Database,
        90.0,
        "the key-value store takes no writes: its database has reached its largest size",
        r"mvcc: database space exceeded|alarm:nospace",
    ),
    both(Database, 86.0, "a node of the database is down", r"^dn\s+(?:\d{1,3}\.){3}\d{1,3}\s"),
    log(
        Database,
        82.0,
        "the cache was started, and still loads its data",
        r"redis is loading the dataset in memory",
    )
    .beside(&["start", "loading", "redis", "cache", "down"]),
    log(
        Database,
        91.0,
        "the cache cannot save its data: there is not enough memory for a copy of the process",
        r"can't save in background: fork|background saving error",
    )
    .beside(&["sav", "persist", "redis", "cache", "memory", "rdb", "fork"]),
    log(
        Configuration,
        86.0,
        "a statement is larger than the database accepts",
        r"packet bigger than 'max_allowed_packet'|max_allowed_packet.{0,30}exceed",
    )
    .beside(&["packet", "large", "size"]),
    log(
        Quota,
        89.0,
        "the search cluster has as many shards as it may have",
        r"maximum (?:normal )?shards open",
    ),
    log(
        OutOfMemory,
        86.0,
        "a circuit breaker refuses requests: they would need more memory than there is",
        r"circuit_?breaking_?exception|\] data too large, data for \[",
    )
    .beside(&["circuit", "breaker", "memory", "heap", "429"]),
    log(
        Database,
        86.0,
        "the cache has reached its memory limit",
        r"oom command not allowed|used memory > 'maxmemory'|\bmaxmemory\b.{0,20}(?:reach|exceed|limit|hit)",
    ),
    log(
        Database,
        82.0,
        "the database accepts no writes",
        r"read-only (?:mode|transaction|replica|node)|\breadonly you can't write|not (?:master|primary)(?:\b|ornorecovering)|no primary|notwritableprimary|misconf redis|running with the --(?:super-)?read-only option",
    )
    .beside(&["write", "read-only", "readonly", "primary", "failover", "insert"]),
    log(
        Database,
        84.0,
        "a replica of the database is behind or does not replicate",
        r"replication lag\b.{0,40}(?:exceed|too|high|critical|grow|increas|above|\d{3,})|replication (?:slot .{0,60}(?:inactive|lost|invalid|exceed|fail)|stopped|error|broken)|(?:slave|replica)_(?:sql|io)_running: no|fatal error 1236|conflict with recovery|replica(?:tion)? .{0,30}(?:behind|broken)|wal .{0,40}(?:already been removed|behind)",
    )
    .beside(&["replica", "lag", "stale", "behind", "slave", "standby"]),
    log(
        Database,
        85.0,
        "the data of the database are damaged or of another version",
        r"database files are incompatible|invalid page|checksum mismatch|corrupt(?:ed|ion)|wiredtiger error|unsupported .{0,20}data ?file|featurecompatibilityversion",
    ),
    log(
        Database,
        83.0,
        "a table or database that the application needs is missing",
        r#"(?:relation|table|database|collection|schema|column|topic) ["'`]?[\w.-]+["'`]? (?:does not|doesn't) exist|unknown (?:database|column|table)|no such table|ns not found"#,
    )
    .beside(&["migrat", "schema", "table", "missing", "start", "crash", "restart", "column", "relation"]),
    log(
        Database,
        92.0,
        "the ids of transactions are used up: vacuum does not freeze old rows",
        r"avoid wraparound data loss|must be vacuumed within \d+ transactions",
    ),
    log(
        Database,
        78.0,
        "checkpoints follow each other closely: more is written than the log of transactions is sized for",
        r"checkpoints are occurring too frequently",
    )
    .beside(&["checkpoint", "write", "i/o", "iops", "disk", "wal"]),
    log(
        Database,
        84.0,
        "the database failed over to its standby",
        r"failover (?:has )?(?:started|begun|initiated|completed|in progress)|(?:started|completed) (?:a )?(?:multi-az )?(?:instance )?failover|promoted to (?:the )?(?:new )?(?:primary|master)",
    )
    .beside(&["failover", "down", "unavailable", "connection", "primary", "replica", "read-only", "reachable"]),
    both(
        Database,
        84.0,
        "a queue grows because its consumers do not keep up",
        r"consumer lag|queue (?:is )?full|backlog .{0,30}(?:grow|exceed)|lag(?:ging)? .{0,20}\d{4,} messages|offset lag",
    )
    .beside(&["queue", "lag", "consumer", "backlog", "message", "late", "delay"]),
];
