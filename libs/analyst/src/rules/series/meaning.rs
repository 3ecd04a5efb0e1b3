//! What metrics are about, by the words of their names, and from which value on they are alarming.

use crate::alert::snake;
use crate::change::{Change, median};
use crate::facts::Series;
use crate::verdict::Category::{self, Database, Disk, Starvation};

/// Words of a name, one of each list. One that ends in `*` is the beginning of a word; others of more than three letters may
/// stand anywhere, as names join them (`freestorage`).
pub(super) type Words = &'static [&'static [&'static str]];

/// A metric that is alarming from some value on.
pub(super) struct Meaning {
    pub(super) words: Words,
    /// Words that make it another metric.
    pub(super) others: &'static [&'static str],
    pub(super) is_alarming: fn(&Seen<'_>) -> bool,
    pub(super) category: Category,
    /// As [`crate::signal::Signal::weight`].
    pub(super) weight: f64,
    pub(super) cause: &'static str,
    /// The statements that can bring it about.
    pub(super) work: Work,
    /// What may bring it about; the first of which something moved no later is stated.
    pub(super) drivers: &'static [Driver],
}

/// Which statements of a database can bring something about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Work {
    None,
    /// Those that do not wait for anything else than a processor.
    Computes,
    Writes,
    /// Those that wait for locks.
    Waits,
}

/// A metric that rises before another one is alarming.
pub(super) struct Driver {
    pub(super) words: Words,
    pub(super) others: &'static [&'static str],
    pub(super) because: &'static str,
    /// What it adds to the weight.
    pub(super) more: f64,
}

/// A series with its change.
pub(super) struct Seen<'f> {
    pub(super) series: &'f Series,
    pub(super) change: Option<Change>,
    /// The level at its end.
    last: f64,
}

const MEBIBYTE: f64 = 1_048_576.0;
/// What is written to a database, and what it logs of that.
const WRITES: Words = &[
    &[
        "write",
        "transaction_logs",
        "wal",
        "binlog",
        "bin_log",
        "redo",
        "insert",
        "update",
        "tup",
        "rows",
    ],
    &[
        "iops",
        "throughput",
        "bytes",
        "generation",
        "generated",
        "rate",
        "per",
        "written",
        "inserted",
        "updated",
        "total",
    ],
];
/// Words of metrics that say how long writes take, not how many there are.
const NO_WRITES: &[&str] = &["read", "latency", "lag", "time", "wait*"];
const MORE_WRITES: Driver =
    Driver { words: WRITES, others: NO_WRITES, because: "as more is written", more: 6.0 };
const RETAINED: Words = &[
    &["slot", "transaction_logs", "wal", "binlog", "bin_log"],
    &["lag", "disk", "size", "usage", "retained", "diff", "bytes"],
];

const FREE_SPACE: Words =
    &[&["free", "avail*"], &["storage", "space", "disk", "filesystem", "volume"]];
const NO_SPACE: &[&str] = &["memory", "inode"];

pub(super) const MEANINGS: &[Meaning] = &[
    Meaning {
        words: &[
            &[
                "replica",
                "replication",
                "replay",
                "standby",
                "slave",
                "secondary",
                "seconds_behind",
            ],
            &["lag", "delay", "behind"],
        ],
        others: &["slot"],
        is_alarming: |seen| seen.stays_up() && seen.seconds() >= 60.0,
        category: Database,
        weight: 82.0,
        cause: "replication lag, the replica falls behind",
        work: Work::Writes,
        drivers: &[Driver {
            words: WRITES,
            others: NO_WRITES,
            because: "as a write-heavy workload makes more WAL or binary log than the replica replays",
            more: 10.0,
        }],
    },
    Meaning {
        words: RETAINED,
        others: &["generation", "generated", "written", "rate", "throughput"],
        is_alarming: |seen| {
            seen.stays_up() && seen.grows_by(3.0) && seen.last >= 1_024.0 * MEBIBYTE
        },
        category: Database,
        weight: 84.0,
        cause: "the log of transactions piles up on disk: a replication slot that nobody reads or a failing archive retains it",
        work: Work::None,
        drivers: &[],
    },
    Meaning {
        words: FREE_SPACE,
        others: NO_SPACE,
        is_alarming: |seen| seen.stays_down() && seen.shrinks_to(0.2),
        category: Disk,
        weight: 84.0,
        cause: "the free storage space runs out",
        work: Work::Writes,
        drivers: &[MORE_WRITES],
    },
    Meaning {
        words: &[
            &["disk", "storage", "filesystem", "volume", "space"],
            &["used", "usage", "util", "percent", "pct"],
        ],
        others: &["iops", "latency", "queue", "io", "read", "write", "log", "binlog", "free"],
        is_alarming: |seen| {
            seen.percent().is_some_and(|used| used >= 97.0 || used >= 90.0 && seen.stays_up())
        },
        category: Disk,
        weight: 84.0,
        cause: "the storage space is used up",
        work: Work::Writes,
        drivers: &[MORE_WRITES],
    },
    Meaning {
        words: &[&["credit", "burst", "ebsio", "ebsbyte"], &["balance"]],
        others: &["surplus"],
        is_alarming: |seen| seen.stays_down() && seen.shrinks_to(0.05),
        category: Starvation,
        weight: 86.0,
        cause: "its burst credits are used up, and it is throttled to its baseline",
        work: Work::None,
        drivers: &[],
    },
    Meaning {
        words: &[&["cpu*", "processor"], &["util", "usage", "percent", "pct", "used", "busy"]],
        others: &["credit", "idle", "request", "limit", "quota", "throttl"],
        is_alarming: |seen| {
            seen.percent().is_some_and(|busy| busy >= 95.0 || busy >= 85.0 && seen.stays_up())
        },
        category: Starvation,
        weight: 74.0,
        cause: "the processor is used up",
        work: Work::Computes,
        drivers: &[Driver {
            words: &[&[
                "connections",
                "transactions",
                "queries",
                "questions",
                "requests",
                "commit",
                "calls",
            ]],
            others: &["latency", "time", "ids", "blocked", "max", "failed"],
            because: "as more work arrives",
            more: 4.0,
        }],
    },
    Meaning {
        words: &[&["swap"], &["usage", "used", "bytes"]],
        others: &["free"],
        is_alarming: |seen| seen.stays_up() && seen.grows_by(3.0) && seen.last >= 256.0 * MEBIBYTE,
        category: Starvation,
        weight: 74.0,
        cause: "the memory is used up, and it swaps",
        work: Work::None,
        drivers: &[],
    },
    Meaning {
        words: &[
            &["transaction*", "xid*", "txid*", "frozen*"],
            &["ids", "age", "xid*", "wraparound"],
        ],
        others: &["oldest", "longest", "duration", "seconds"],
        is_alarming: |seen| seen.last >= 1.0e9,
        category: Database,
        weight: 86.0,
        cause: "the ids of transactions run out: vacuum does not freeze old rows",
        work: Work::None,
        drivers: &[],
    },
    Meaning {
        words: &[&["dead"], &["tup", "tuples", "rows"]],
        others: &[],
        is_alarming: |seen| seen.stays_up() && seen.grows_by(3.0) && seen.last >= 1.0e6,
        category: Database,
        weight: 78.0,
        cause: "dead rows pile up: vacuum does not keep up",
        work: Work::Writes,
        drivers: &[MORE_WRITES],
    },
    Meaning {
        words: &[
            &["oldest", "longest", "max", "maximum"],
            &["transaction", "xact", "tx", "query", "queries"],
            &["age", "duration", "seconds", "time"],
        ],
        others: &["ids", "xid"],
        is_alarming: |seen| seen.stays_up() && seen.seconds() >= 600.0,
        category: Database,
        weight: 82.0,
        cause: "a transaction stays open and holds what it locked",
        work: Work::None,
        drivers: &[],
    },
    Meaning {
        words: &[
            &["lock", "locks", "locked", "blocked", "blocking", "deadlock*"],
            &["wait*", "blocked", "blocking", "deadlock*"],
        ],
        others: &["timeout"],
        is_alarming: |seen| seen.stays_up() && seen.grows_by(3.0) && seen.last >= 2.0,
        category: Database,
        weight: 82.0,
        cause: "sessions of the database wait for locks",
        work: Work::Waits,
        drivers: &[],
    },
    Meaning {
        words: &[&["queue"], &["depth", "length"], &["disk", "io", "volume", "storage"]],
        others: &[],
        is_alarming: |seen| seen.stays_up() && seen.grows_by(5.0) && seen.last >= 8.0,
        category: Disk,
        weight: 76.0,
        cause: "reads and writes queue up at the disk",
        work: Work::None,
        drivers: &[Driver {
            words: &[&["iops", "ops", "throughput"]],
            others: &["latency", "network"],
            because: "as more is read or written than the volume allows",
            more: 8.0,
        }],
    },
];

impl<'f> Seen<'f> {
    pub(super) fn of(series: &'f Series) -> Self {
        let end: Vec<f64> = series.points.iter().rev().take(3).map(|point| point.value).collect();
        Self { series, change: Change::of(series), last: median(&end) }
    }

    pub(super) fn has(&self, words: Words, others: &[&str]) -> bool {
        let name = snake(&self.series.name);
        words.iter().all(|list| list.iter().any(|word| is_in(&name, word)))
            && !others.iter().any(|word| is_in(&name, word))
    }

    /// Whether it is the free space of a disk, of which there is more at the end than at the beginning.
    pub(super) fn has_space_again(&self) -> bool {
        self.has(FREE_SPACE, NO_SPACE)
            && self.change.is_some_and(|change| change.rises() || change.has_returned())
    }

    pub(super) fn stays_up(&self) -> bool {
        self.change.is_some_and(|change| change.rises() && !change.has_returned())
    }

    fn stays_down(&self) -> bool {
        self.change.is_some_and(|change| !change.rises() && !change.has_returned())
    }

    fn grows_by(&self, factor: f64) -> bool {
        self.change.is_some_and(|change| self.last >= factor * change.before)
    }

    fn shrinks_to(&self, share: f64) -> bool {
        self.change.is_some_and(|change| self.last <= share * change.before)
    }

    /// The last level as a share of 100; none if its unit is another one or cannot be known.
    fn percent(&self) -> Option<f64> {
        let name = snake(&self.series.name);
        let unit = self.series.unit.to_ascii_lowercase();
        let bare = unit.is_empty() || unit.starts_with("10^2");
        let is_share = name.contains("ratio") || bare && self.series.name.ends_with("/utilization");
        let is_percent = unit.contains("percent") || unit == "%";
        let named = ["percent", "pct", "util"].iter().any(|word| name.contains(word));
        let is_known = is_percent || unit.is_empty() && named;
        let last = if is_share && self.last <= 1.0 { self.last * 100.0 } else { self.last };
        ((is_known || is_share) && last <= 101.0).then_some(last)
    }

    /// The last level in seconds, which it is without another unit; of bytes as many as MiB.
    fn seconds(&self) -> f64 {
        let name = snake(&self.series.name);
        let unit = self.series.unit.to_ascii_lowercase();
        let is = |words: &[&str]| words.iter().any(|word| is_in(&name, word) || unit == *word);
        if is(&["bytes", "byte"]) {
            return self.last / MEBIBYTE;
        }
        let of_aurora = unit.is_empty() && name.contains("aurora");
        let is_milli = of_aurora || is(&["ms", "milliseconds", "millis", "millisecond"]);
        if is_milli { self.last / 1_000.0 } else { self.last }
    }
}

/// Whether a name in small letters with `_` between its words has a word.
fn is_in(name: &str, word: &str) -> bool {
    let mut parts = name.split('_');
    match word.strip_suffix('*') {
        Some(beginning) => parts.any(|part| part.starts_with(beginning)),
        None if word.len() > 3 => name.contains(word),
        None => parts.any(|part| part == word),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meaning(name: &str) -> Option<&'static str> {
        let (object, unit) = (String::new(), String::new());
        let series = Series {
            name: name.to_owned(),
            object,
            machine: String::new(),
            unit,
            points: Vec::new(),
            line: 1,
            result: 0,
        };
        let seen = Seen::of(&series);
        MEANINGS.iter().find(|one| seen.has(one.words, one.others)).map(|one| one.cause)
    }

    #[test]
    fn names_of_several_vendors_mean_the_same() {
        for (names, cause) in [
            (
                &[
                    "ReplicaLag",
                    "AuroraReplicaLag",
                    "pg_replication_lag_seconds",
                    "mysql_slave_status_seconds_behind_master",
                    "mysql_replica_status_seconds_behind_source",
                    "postgresql.replication.delay",
                ][..],
                "replication lag, the replica falls behind",
            ),
            (
                &["OldestReplicationSlotLag", "TransactionLogsDiskUsage", "BinLogDiskUsage"],
                "the log of transactions piles up on disk: a replication slot that nobody reads or a failing archive retains it",
            ),
            (
                &["FreeStorageSpace", "node_filesystem_avail_bytes", "free_disk_space"],
                "the free storage space runs out",
            ),
            (&["storage_percent", "disk_used_percent"], "the storage space is used up"),
            (
                &["CPUUtilization", "cpu_percent", "database/cpu/utilization"],
                "the processor is used up",
            ),
            (
                &["CPUCreditBalance", "BurstBalance", "EBSIOBalance%"],
                "its burst credits are used up, and it is throttled to its baseline",
            ),
            (
                &["MaximumUsedTransactionIDs", "pg_database_xid_age"],
                "the ids of transactions run out: vacuum does not freeze old rows",
            ),
            (
                &["n_dead_tup", "pg_stat_user_tables_n_dead_tup"],
                "dead rows pile up: vacuum does not keep up",
            ),
            (
                &[
                    "Innodb_row_lock_current_waits",
                    "BlockedTransactions",
                    "Deadlocks",
                    "pg_locks_waiting",
                ],
                "sessions of the database wait for locks",
            ),
            (&["DiskQueueDepth"], "reads and writes queue up at the disk"),
        ] {
            for name in names {
                assert_eq!(meaning(name), Some(cause), "{name}");
            }
        }
        for name in [
            "ReadIOPS",
            "CommitLatency",
            "FreeableMemory",
            "node_cpu_seconds_total",
            "up",
            "http_requests_total",
        ] {
            assert_eq!(meaning(name), None, "{name}");
        }
    }
}
