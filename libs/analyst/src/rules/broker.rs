//! Message brokers: replicas, consumers, alarms.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{Application, Configuration, Database, Disk, Starvation};

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        Database,
        90.0,
        "partitions of the message broker have no leader",
        r"\bpartition: \d+\s+leader: (?:none|-1)\b|leader_not_available|leadernotavailableexception",
    ),
    log(
        Database,
        88.0,
        "the message broker refuses messages: too few replicas are in sync",
        r"notenoughreplicas|fewer in-sync replicas than required|insufficient to satisfy the min\.isr",
    ),
    log(Database, 80.0, "replicas of the message broker fall behind", r"shrinking isr from",
    )
    .beside(&["replica", "isr", "broker", "kafka"]),
    log(
        Disk,
        86.0,
        "a folder of the message broker can no longer be written or read",
        r"all log dirs in .* have failed|logdirfailurechannel|stopping serving (?:replicas|logs) in dir|kafkastorageexception",
    ),
    both(
        Database,
        88.0,
        "a group of consumers has no member that reads its queue",
        r"consumer group '[^']+' has no active members",
    ),
    log(
        Application,
        82.0,
        "a consumer is taken out of its group: it needs too long for what it has read",
        r"(?-i:\b(?:WARN|ERROR)\b).*consumer poll timeout has expired|commitfailedexception|max\.poll\.interval\.ms.{0,40}exceeded",
    )
    .beside(&["consumer", "lag", "queue", "rebalanc", "group"]),
    log(
        Configuration,
        88.0,
        "messages are larger than the message broker or its client accepts",
        r"recordtoolargeexception|message_too_large|message size too large",
    )
    .beside(&["large", "size", "message", "publish", "produc"]),
    log(
        Starvation,
        90.0,
        "the message broker takes no more messages: it has too little memory",
        r"memory resource limit alarm set on node",
    ),
    log(
        Disk,
        90.0,
        "the message broker takes no more messages: it has too little disk space",
        r"disk resource limit alarm set on node|free disk space is insufficient",
    ),
    log(
        Database,
        91.0,
        "the cluster of the message broker has fallen into parts that do not know each other",
        r"running_partitioned_network|inconsistent_database",
    ),
    log(
        Application,
        84.0,
        "a consumer does not confirm its messages in time, and the message broker ends its channel",
        r"delivery acknowledgement on channel \d+ timed out",
    )
    .beside(&["consumer", "lag", "queue", "ack", "channel"]),
    log(
        Database,
        84.0,
        "a consumer of the message broker is too slow, and is cut off",
        r"slow consumer detected|slow consumer, messages dropped",
    )
    .beside(&["consumer", "slow", "lag", "message", "subscri"]),
    log(
        Disk,
        88.0,
        "the message broker has no space for a stream",
        r"insufficient storage resources|insufficient (?:disk|file) resources",
    ),
];
