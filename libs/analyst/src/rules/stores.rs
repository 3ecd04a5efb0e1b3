//! Databases, caches and stores: what they say of their members, their replicas and their limits.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{
    Configuration, Database, HostService, OutOfMemory, Quota, ServiceRouting, Starvation,
};

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Database,
        90.0,
        "the search cluster has no master",
        r"master_?not_?discovered|no known master node",
    ),
    log(
        Database,
        90.0,
        "the cache accepts no writes: too few of its replicas answer",
        r"\bnoreplicas\b",
    ),
    both(
        Database,
        92.0,
        "the replica has stopped: a row is not as its source expects it",
        r"could not execute (?:write|update|delete)_rows event",
    ),
    both(
        Configuration,
        95.0,
        "the shared memory of the container (/dev/shm) is too small for the database",
        r"could not resize shared memory segment",
    ),
    log(
        Configuration,
        91.0,
        "the database accepts encrypted connections alone",
        r"connections using insecure transport are prohibited",
    ),
    log(
        Database,
        72.0,
        "the database starts, or repairs itself after it was ended",
        r"the database system is (?:starting up|in recovery mode|not yet accepting connections)",
    ),
    log(
        Database,
        90.0,
        "changes of the schema do not fit those that the database has recorded",
        r"migrations have failed validation|migration checksum mismatch|detected (?:failed migration|resolved migration not applied)",
    ),
    log(
        Database,
        85.0,
        "the pool of connections to the database is exhausted",
        r"could not obtain a (?:database )?connection (?:from the pool )?within",
    ),
    both(
        Database,
        91.0,
        "the pooler has as many clients as it may have",
        r"no more connections allowed \(max_client_conn\)",
    ),
    log(
        Database,
        90.0,
        "a node of the database reaches none of its peers",
        r"unable to gossip with any (?:peers|seeds|nodes)",
    ),
    log(
        Database,
        88.0,
        "too few replicas of the database answer for what is asked",
        r"cannot achieve consistency level|not enough replicas available for (?:query|read|write)",
    ),
    both(
        Database,
        92.0,
        "a second server uses the files of the store",
        r"lock db directory: resource temporarily unavailable",
    ),
    log(
        Database,
        88.0,
        "the coordination service takes no more connections of a client",
        r"exceeded max client cnxns|too many connections from /\S+ - max is",
    ),
    log(
        OutOfMemory,
        70.0,
        "a worker was killed, perhaps because memory ran out",
        r"was sent sigkill! perhaps out of memory",
    )
    .beside(&["memory", "oom", "worker", "killed", "502", "503", "restart"]),
    log(
        HostService,
        84.0,
        "the process has no file handle left",
        r"running out of filedescriptors",
    ),
    log(
        ServiceRouting,
        80.0,
        "the cache in front of a web server gets no answer from it",
        r"\bbackend fetch failed\b",
    )
    .beside(&["503", "5xx", "backend", "varnish", "error"]),
    log(
        Quota,
        86.0,
        "a mail server takes no more connections of a user",
        r"maximum number of connections from user",
    )
    .beside(&["mail", "imap", "login", "connection"]),
    log(
        Starvation,
        86.0,
        "logs are not shipped: the buffer of their collector is full",
        r"bufferoverflowerror|by buffer overflow|buffer space has too many data",
    )
    .beside(&["log", "fluent", "buffer", "collector", "missing", "lost"]),
    both(
        Configuration,
        88.0,
        "the channel that notifications are sent to does not exist",
        r"\bchannel_not_found\b",
    ),
];
