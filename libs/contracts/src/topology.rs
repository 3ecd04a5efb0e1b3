//! Streams, durable consumers and buckets, as data; the bus makes them.

use std::time::Duration;

use crate::subject;

/// When a stream deletes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retention {
    /// When a consumer acknowledged it.
    WorkQueue,
    /// When a limit is reached.
    Limits,
}

#[derive(Clone, Copy, Debug)]
pub struct Stream {
    pub name: &'static str,
    pub subjects: &'static [&'static str],
    /// How long.
    pub retention: Retention,
    /// On disk, or in memory.
    pub on_disk: bool,
    /// A full stream refuses the new, instead of dropping the old.
    pub refuse_when_full: bool,
    /// The oldest it keeps.
    pub max_age: Duration,
    /// The most it keeps.
    pub max_bytes: i64,
    /// The largest message it takes; none leaves it to the server.
    pub max_message_bytes: Option<i32>,
    /// How long it remembers message ids.
    pub duplicate_window: Duration,
    /// How many messages it keeps a subject; none is no limit.
    pub max_per_subject: Option<i64>,
}

const MINUTE: Duration = Duration::from_mins(1);
const HOUR: Duration = Duration::from_hours(1);
const MIB: i64 = 1024 * 1024;

/// Wake-ups. In memory: one that is lost costs a worker's poll, and one on disk costs a sync before it is delivered.
pub const WORK: Stream = Stream {
    name: "TARSY_WORK",
    subjects: &[subject::WORK_SESSION, subject::WORK_CHAT, subject::WORK_SUMMARIZE],
    retention: Retention::WorkQueue,
    on_disk: false,
    refuse_when_full: true,
    max_age: HOUR,
    max_bytes: 64 * MIB,
    max_message_bytes: None,
    duplicate_window: Duration::from_mins(2),
    max_per_subject: None,
};

/// Persistent events on their way.
pub const EVENTS: Stream = Stream {
    name: "TARSY_EVENTS",
    subjects: &[subject::EVENTS_ALL],
    retention: Retention::Limits,
    on_disk: true,
    refuse_when_full: false,
    max_age: HOUR,
    max_bytes: 512 * MIB,
    max_message_bytes: Some(512 * 1024),
    duplicate_window: Duration::from_mins(10),
    max_per_subject: None,
};

/// Alerts that are queued while PostgreSQL is unavailable.
pub const INTAKE: Stream = Stream {
    name: "TARSY_INTAKE",
    subjects: &[subject::INTAKE_ALERT],
    retention: Retention::WorkQueue,
    on_disk: true,
    refuse_when_full: true,
    max_age: Duration::from_hours(168),
    max_bytes: 256 * MIB,
    max_message_bytes: None,
    duplicate_window: Duration::from_mins(10),
    max_per_subject: None,
};

/// Cancel requests.
pub const CONTROL: Stream = Stream {
    name: "TARSY_CONTROL",
    subjects: &[subject::CONTROL_CANCEL_ALL],
    retention: Retention::Limits,
    on_disk: false,
    refuse_when_full: false,
    max_age: Duration::from_mins(15),
    max_bytes: 8 * MIB,
    max_message_bytes: None,
    duplicate_window: MINUTE,
    max_per_subject: Some(1),
};

pub const STREAMS: [Stream; 4] = [WORK, EVENTS, INTAKE, CONTROL];

/// One durable pull consumer.
#[derive(Clone, Copy, Debug)]
pub struct Consumer {
    pub name: &'static str,
    pub stream: &'static str,
    /// What of it.
    pub filter: &'static str,
    /// How long a delivery may stay unanswered.
    pub ack_wait: Duration,
    /// How often a message is tried.
    pub max_deliver: i64,
}

/// Wake-ups for pending sessions, to an orchestrator with capacity.
pub const SESSION_WORK: Consumer = Consumer {
    name: "orchestrator-session",
    stream: WORK.name,
    filter: subject::WORK_SESSION,
    ack_wait: Duration::from_secs(30),
    max_deliver: 5,
};

/// Wake-ups for pending questions, to an orchestrator with capacity.
pub const CHAT_WORK: Consumer = Consumer {
    name: "orchestrator-chat",
    stream: WORK.name,
    filter: subject::WORK_CHAT,
    ack_wait: Duration::from_secs(30),
    max_deliver: 5,
};

/// Wake-ups for pending summaries, to a summarizer with capacity.
pub const SUMMARY_WORK: Consumer = Consumer {
    name: "summarizer",
    stream: WORK.name,
    filter: subject::WORK_SUMMARIZE,
    ack_wait: Duration::from_secs(30),
    max_deliver: 5,
};

/// Alerts that are queued while PostgreSQL is unavailable.
pub const INTAKE_ALERTS: Consumer = Consumer {
    name: "api-gateway-intake",
    stream: INTAKE.name,
    filter: subject::INTAKE_ALERT,
    ack_wait: Duration::from_secs(30),
    max_deliver: -1,
};

/// Sessions that start and end, to a notifier. The stream's age is the bound: the table is polled, too.
pub const NOTIFIER: Consumer = Consumer {
    name: "notifier",
    stream: EVENTS.name,
    filter: subject::EVENTS_STATUS,
    ack_wait: Duration::from_secs(30),
    max_deliver: -1,
};

pub const CONSUMERS: [Consumer; 5] =
    [SESSION_WORK, CHAT_WORK, SUMMARY_WORK, INTAKE_ALERTS, NOTIFIER];

/// One key-value bucket; all that is in it can be recomputed.
#[derive(Clone, Copy, Debug)]
pub struct Bucket {
    pub name: &'static str,
    /// How long an entry lives; zero is for ever.
    pub ttl: Duration,
}

impl Bucket {
    /// The stream that keeps its entries.
    pub fn stream(&self) -> String {
        format!("KV_{}", self.name)
    }

    /// The stream that keeps the objects of an object store.
    pub fn object_stream(&self) -> String {
        format!("OBJ_{}", self.name)
    }
}

/// Health and tools of the MCP servers.
pub const MCP_STATUS: Bucket = Bucket { name: "tarsy_mcp_status", ttl: Duration::ZERO };
/// What an operator should know.
pub const WARNINGS: Bucket = Bucket { name: "tarsy_warnings", ttl: Duration::ZERO };
/// The services that run.
pub const INSTANCES: Bucket = Bucket { name: "tarsy_instances", ttl: Duration::from_mins(1) };
/// Which replica leads a periodic job; avoids duplicate work, protects no data.
pub const LEADERS: Bucket = Bucket { name: "tarsy_leaders", ttl: Duration::from_secs(30) };

pub const BUCKETS: [Bucket; 4] = [MCP_STATUS, WARNINGS, INSTANCES, LEADERS];

/// The object store for payloads above [`INLINE_LIMIT`].
pub const BLOBS: Bucket = Bucket { name: "tarsy_blobs", ttl: HOUR };

/// The object store for queued alerts above [`INLINE_LIMIT`]; they live as long as their messages.
pub const INTAKE_BLOBS: Bucket = Bucket { name: "tarsy_intake_blobs", ttl: INTAKE.max_age };

pub const OBJECT_STORES: [Bucket; 2] = [BLOBS, INTAKE_BLOBS];

/// The names of all streams, those of buckets and object stores included.
pub fn stream_names() -> Vec<String> {
    let streams = STREAMS.iter().map(|stream| stream.name.to_owned());
    let buckets = BUCKETS.iter().map(Bucket::stream);
    streams.chain(buckets).chain(OBJECT_STORES.iter().map(Bucket::object_stream)).collect()
}

/// The largest payload, in bytes, that travels inside a message.
pub const INLINE_LIMIT: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_consumer_reads_a_subject_of_its_stream() {
        for consumer in CONSUMERS {
            let stream = STREAMS.iter().find(|stream| stream.name == consumer.stream).unwrap();
            let read =
                stream.subjects.iter().any(|subject| subject::covers(subject, consumer.filter));
            assert!(read, "{}", consumer.name);
        }
    }

    #[test]
    fn a_message_id_is_remembered_no_longer_than_its_message() {
        for stream in STREAMS {
            assert!(stream.duplicate_window <= stream.max_age, "{}", stream.name);
        }
    }
}
