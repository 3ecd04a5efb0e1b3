//! Message brokers: replicas, consumers, alarms.

use super::pattern::{Pattern, both, log};
use crate::verdict::Category::{Application, Configuration, Database, Disk, Quota, Starvation};

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        Database,
        90.0,
        "partitions of the message broker have no leader",
        r"\bpartition: \d+\s+leader: (?:none|-1)\b|leader_not_available|leadernotavailableexception",
    )
    .beside(&["leader", "partition", "broker", "kafka", "produc", "consum", "lag", "queue", "message", "event"]),
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
        r"recordtoolargeexception|message_too_large|message size too large|maximum payload (?:exceeded|violation)",
    )
    .beside(&["large", "size", "message", "publish", "produc"]),
    log(
        Starvation,
        90.0,
        "the message broker takes no more messages: it has too little memory",
        r"memory resource limit alarm set on node|vm_memory_high_watermark set\b",
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
    both(
        Configuration,
        94.0,
        "the folder of the broker belongs to another cluster",
        r"inconsistentclusteridexception|inconsistentbrokeridexception|doesn't match stored (?:broker|cluster) ?id",
    ),
    both(
        Configuration,
        91.0,
        "another process uses the folder of the broker",
        r"failed to acquire lock on file \.lock|a kafka instance in another process or thread is using this directory",
    ),
    log(
        Configuration,
        88.0,
        "a topic is used that the message broker does not have",
        r"topic \S+ not present in metadata after|unknown_topic_or_part|unknowntopicorpartition|does not host this topic-partition",
    ),
    both(
        Configuration,
        91.0,
        "a topic asks for more replicas than there are brokers",
        r"invalidreplicationfactor|replication factor: \d+ larger than available brokers",
    ),
    log(
        Database,
        84.0,
        "the message broker has lost its coordination service",
        r"keepererrorcode = (?:connectionloss|sessionexpired)|unable to connect to zookeeper|zookeeper session (?:has )?expired|timed out waiting for connection while in state: connecting",
    )
    .beside(&["kafka", "broker", "zookeeper", "clickhouse", "queue", "lag", "leader"]),
    log(
        Database,
        84.0,
        "consumers ask for messages that the broker has deleted",
        r"offsetoutofrange|offset_out_of_range|fetch position .{0,80}is out of range",
    )
    .beside(&["consumer", "lag", "queue", "message", "topic", "stream"]),
    both(
        Configuration,
        93.0,
        "a queue or exchange is declared with other settings than it has",
        r"precondition_failed - inequivalent arg|inequivalent arg '",
    ),
    both(
        Configuration,
        90.0,
        "a queue, exchange or virtual host is used that does not exist",
        r"not_found - no (?:queue|exchange|vhost|previously declared)|vhost \S+ not found",
    ),
    both(
        Database,
        90.0,
        "the message broker waits for the other nodes of its cluster to start",
        r"timeout_waiting_for_tables|waiting for mnesia tables|failed_to_cluster_with|error while waiting for mnesia",
    ),
    log(
        Application,
        84.0,
        "a consumer holds a queue for itself alone",
        r"resource_locked - cannot obtain exclusive access",
    ),
    log(
        Quota,
        90.0,
        "a group of consumers has as many members as it may have",
        r"groupmaxsizereached|group_max_size_reached|consumer group has reached its max",
    ),
    log(
        Database,
        80.0,
        "the message broker has no coordinator for a group of consumers",
        r"coordinatornotavailable|coordinator_not_available|group coordinator (?:is )?(?:not available|unavailable)",
    )
    .beside(&["consumer", "lag", "group", "kafka", "broker", "coordinator"]),
    log(
        Application,
        86.0,
        "two producers use the same id of transactions, and the older one is shut out",
        r"producerfenced|invalidproducerepoch|invalid_producer_epoch",
    ),
    log(
        Application,
        88.0,
        "a consumer cannot read a message: it does not have the form that the consumer expects",
        r"error deserializing (?:key|value|avro|json)|recorddeserializationexception|unknown magic byte",
    )
    .beside(&["consumer", "lag", "message", "event", "queue", "process", "deserial"]),
    log(
        Configuration,
        90.0,
        "a new form of messages does not fit the older one, and is refused",
        r"schema being registered is incompatible",
    ),
    log(
        Configuration,
        84.0,
        "a stream or consumer is used that the message broker does not have",
        r"\bnats: (?:consumer|stream)(?: name)? (?:not found|deleted|does not exist)|\bno stream matches subject",
    )
    .beside(&["stream", "consumer", "message", "publish", "subscri", "queue", "event"]),
    log(
        Configuration,
        84.0,
        "nobody takes what is asked at a subject of the message broker",
        r"\bno responders available for request",
    )
    .beside(&["request", "message", "publish", "stream", "answer", "respond"]),
    log(
        Quota,
        92.0,
        "the message broker takes no more messages of a topic: what waits there has reached its quota",
        r"producerblockedquotaexceeded",
    ),
];
