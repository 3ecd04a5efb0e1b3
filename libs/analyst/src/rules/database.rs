//! Databases: connections, locks, memory, replication.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{Access, Application, Configuration, Database, OutOfMemory, Quota};

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
    both(
        Database,
        90.0,
        "the disk is too slow for the log of the cache",
        r"asynchronous aof fsync is taking too long",
    )
    .beside(&["redis", "cache", "slow", "latency", "disk", "timeout", "command", "session"]),
    both(
        Database,
        93.0,
        "the append-only file of the cache is damaged",
        r"bad file format reading the append only file|unrecoverable error reading the append only file|unexpected end of file reading the append only file",
    ),
    both(
        Database,
        88.0,
        "another node has become the master of the cache",
        r"\+switch-master|\+odown master|failover-end for",
    )
    .beside(&["redis", "cache", "write", "read-only", "readonly", "failover", "master", "down", "session", "sentinel"]),
    both(
        Application,
        86.0,
        "a command uses keys that lie in different slots of the cluster",
        r"\bcrossslot\b",
    ),
    both(
        Database,
        93.0,
        "the database has shut a client out because of its connection errors",
        r"is blocked because of many connection errors",
    ),
    both(
        Database,
        93.0,
        "a table of the database is full",
        r"the table '[^']+' is full|error 1114\b|\(1114,",
    ),
    both(
        Database,
        92.0,
        "a second server uses the files of the database",
        r"unable to lock \./ibdata|unable to lock ./ib_|lock file \x22?postmaster\.pid\x22? already exists|unable to lock the lock file|dbpathinuse|failed to obtain node locks?|unable to acquire lock on .{0,80}data",
    ),
    both(
        Database,
        92.0,
        "a table of the database is damaged",
        r"is marked as crashed and should be repaired|invalid memory alloc request size|could not read block \d+|missing chunk number \d+ for toast",
    ),
    both(
        Access,
        91.0,
        "client and database do not know the same way to sign in",
        r"authentication plugin '[^']+' cannot be loaded|plugin '\w+' is not loaded|does not support authentication protocol requested|scram authentication is not supported|authentication method \d+ not supported|password authentication is not supported",
    ),
    both(
        Access,
        92.0,
        "the database has no rule that lets the client in",
        r"no pg_hba\.conf entry for|pg_hba\.conf rejects connection|host '[^']+' is not allowed to connect",
    ),
    both(
        Database,
        93.0,
        "the replica is on another timeline than its source: the histories of the servers went apart",
        r"requested timeline \d+ is not a child of this server|highest timeline \d+ of the primary is behind recovery timeline|new timeline \d+ forked off",
    ),
    both(
        Database,
        93.0,
        "the replica needs a part of the log that its source has already removed",
        r"requested wal segment \S+ has already been removed|too stale to catch up|oplog.{0,40}(?:too stale|rolled over)|could not find first log file name in binary log|purged (?:binary logs|required)",
    ),
    both(
        Database,
        93.0,
        "a sequence, or a column of ids, has reached its largest value",
        r"reached maximum value of sequence|out of range value for column '?\w*id'?|duplicate entry '(?:2147483647|4294967295)'",
    ),
    both(
        Database,
        88.0,
        "the file of the database is locked by another process",
        r"database is locked|database table is locked|sqlite_busy",
    ),
    both(
        Configuration,
        90.0,
        "statements are prepared through a pool that gives each transaction another session",
        r"prepared statement \x22[^\x22]+\x22 (?:does not exist|already exists)",
    ),
    both(
        Database,
        92.0,
        "the database has no memory left for locks",
        r"out of shared memory.{0,80}max_locks_per_transaction|you might need to increase .?max_(?:locks_per_transaction|pred_locks)|the total number of locks exceeds the lock table size",
    ),
    both(
        Configuration,
        92.0,
        "the folder of the database has the wrong owner or rights",
        r"data directory \S+ has (?:wrong ownership|invalid permissions|group or world access)|initdb: .{0,80}(?:exists but is not empty|permission denied)",
    ),
    both(
        Database,
        91.0,
        "changes of the schema wait for a lock of changes that an earlier run left behind",
        r"waiting for changelog lock|could not acquire change log lock",
    ),
    both(
        Configuration,
        92.0,
        "the changes of the schema that were applied differ from those that the program brings",
        r"migration checksum mismatch|detected (?:failed|applied|resolved) migration|can't locate revision identified by|multiple head revisions|migrations are pending|pendingmigrationerror|inconsistentmigrationhistory",
    ),
    both(
        Database,
        90.0,
        "a column or function is used that the database does not have",
        r"no such column|undefined ?column|function \S+\([^)]*\) does not exist",
    ),
    both(
        Configuration,
        94.0,
        "the kernel allows too few memory maps (vm.max_map_count)",
        r"vm\.max_map_count \[?\d+\]? is too low|max virtual memory areas .{0,60}too low",
    ),
    both(
        Configuration,
        91.0,
        "the search server refuses to start: its host is not prepared",
        r"bootstrap checks? failed|bootstrap check failure",
    ),
    both(
        Quota,
        91.0,
        "an index of the search cluster has as many fields as it may have",
        r"limit of total fields \[?\d+\]? has been exceeded",
    ),
    log(
        Application,
        82.0,
        "documents do not fit the types of their index",
        r"mapper_?parsing_?exception|document_parsing_exception|failed to parse field \[",
    )
    .beside(&["index", "document", "ingest", "write", "log", "elastic", "search"]),
    both(
        Database,
        91.0,
        "the cluster has no leader",
        r"no cluster leader|no raft leader|raft: .{0,60}election timeout|has no (?:raft )?leader|local node not active but active cluster node not found",
    ),
    both(
        OutOfMemory,
        90.0,
        "a query needs more memory than it may take",
        r"memory limit \((?:total|for query|for user)\) exceeded|exceeded memory limit for \$|query exceeded (?:per-node |distributed )?(?:user |total )?memory limit|sort exceeded memory limit",
    ),
    both(
        Database,
        88.0,
        "tables accept no writes: the database has lost its coordination service",
        r"table is in readonly mode",
    ),
    both(
        Database,
        87.0,
        "queries read too many deleted rows",
        r"tombstoneoverwhelmingexception|scanned over \d+ tombstones",
    ),
    both(
        Quota,
        89.0,
        "more series or samples are sent than the store of metrics or logs takes",
        r"per-user series limit|max-series-per|(?:maximum active|max) streams? limit exceeded|ingestion rate limit exceeded|per[ -]stream rate limit exceeded|sample limit exceeded|max-values-per-tag limit exceeded",
    ),
];
