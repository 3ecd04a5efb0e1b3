//! What each user of the bus may do. The configuration of nats-server ([`accounts`]), the check of a service at its start
//! ([`BusUser::streams`]) and the tests of the permissions are made from this table.
//!
//! A service may publish and subscribe to the subjects of its work, take messages from its own consumers, and read and
//! write its entries of buckets. Only the provisioner may create, change or delete anything, except that api-gateway removes
//! copies of what a person deleted.

mod accounts;

use std::time::Duration;

use crate::status::STORAGE_WARNING;
use crate::subject;
use crate::topology::{self, Bucket, Consumer, Stream};

pub use accounts::{Credential, accounts};

/// What a user may do with an object store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectAccess {
    Read,
    Write,
    /// Stores, reads and deletes objects.
    Own,
    /// Reads objects and removes them, and stores none.
    Remove,
}

/// One user of the bus: a service, or the command line.
#[derive(Clone, Copy, Debug)]
pub struct BusUser {
    /// The user's name; the answers to its requests arrive under [`subject::inbox`].
    pub name: &'static str,
    pub publish: &'static [&'static str],
    pub subscribe: &'static [&'static str],
    /// Subjects that it receives as one of the group [`subject::MCP_QUEUE`].
    pub shares: &'static [&'static str],
    /// How long it may take to answer a request; none answers no requests.
    pub answers_within: Option<Duration>,
    /// The durable consumers whose messages it takes.
    pub consumers: &'static [Consumer],
    /// Reads how every stream and consumer is, and how much of JetStream the account uses.
    pub inspects: bool,
    /// The buckets that it reads as a whole.
    pub reads: &'static [Bucket],
    /// The entries that it reads and writes, as a pattern of keys.
    pub writes: &'static [(Bucket, &'static str)],
    pub objects: &'static [(Bucket, ObjectAccess)],
    /// The streams whose messages it reads and removes, one by one or by their subject: copies of what PostgreSQL has.
    pub removes: &'static [Stream],
    /// Creates, changes and deletes streams, consumers and buckets.
    pub provisions: bool,
}

const NOTHING: BusUser = BusUser {
    name: "",
    publish: &[],
    subscribe: &[],
    shares: &[],
    answers_within: None,
    consumers: &[],
    inspects: false,
    reads: &[],
    writes: &[],
    objects: &[],
    removes: &[],
    provisions: false,
};

/// How long an answer of streamed text may take.
const SNAPSHOT: Duration = Duration::from_mins(1);
/// Longer than the longest tool call, and than the longest wait for an outcome.
const TOOL_CALL: Duration = Duration::from_mins(20);

pub const API_GATEWAY: BusUser = BusUser {
    name: "api-gateway",
    publish: &[
        subject::WORK_SESSION,
        subject::WORK_CHAT,
        subject::EVENTS_ALL,
        subject::INTAKE_ALERT,
        subject::CONTROL_CANCEL_ALL,
        subject::CONTROL_RELOAD,
        subject::LIVE_SESSIONS,
        subject::MCP_PROBE,
        subject::MCP_TRIAL,
    ],
    subscribe: &[subject::CONTROL_RELOAD],
    consumers: &[topology::INTAKE_ALERTS],
    inspects: true,
    reads: &[topology::MCP_STATUS, topology::WARNINGS, topology::INSTANCES],
    writes: &[
        (topology::INSTANCES, "api-gateway.*"),
        (topology::LEADERS, "system-watch"),
        (topology::WARNINGS, "access.issuer"),
        (topology::WARNINGS, "budget.tokens"),
        (topology::WARNINGS, "clock.offset"),
        (topology::WARNINGS, "config.mismatch"),
        (topology::WARNINGS, "dead_letters.waiting"),
        (topology::WARNINGS, "llm.providers"),
        (topology::WARNINGS, "llm.service"),
        (topology::WARNINGS, "runbooks.token"),
        (topology::WARNINGS, "sessions.pending"),
        (topology::WARNINGS, "slack.socket"),
    ],
    objects: &[
        (topology::BLOBS, ObjectAccess::Remove),
        (topology::INTAKE_BLOBS, ObjectAccess::Own),
    ],
    removes: &[topology::EVENTS],
    ..NOTHING
};

pub const ORCHESTRATOR: BusUser = BusUser {
    name: "orchestrator",
    publish: &[
        subject::WORK_SESSION,
        subject::WORK_CHAT,
        subject::WORK_SUMMARIZE,
        subject::EVENTS_ALL,
        subject::LIVE_SESSION_ALL,
        subject::LIVE_SESSIONS,
        subject::LIVE_SUMMARIES_ALL,
        subject::MCP_OPEN,
        subject::MCP_INSTANCE_ALL,
    ],
    subscribe: &[
        subject::CONTROL_CANCEL_ALL,
        subject::CONTROL_RELOAD,
        subject::LIVE_SNAPSHOT_ALL,
        subject::SUMMARY_FINISHED_ALL,
    ],
    answers_within: Some(SNAPSHOT),
    consumers: &[topology::SESSION_WORK, topology::CHAT_WORK],
    writes: &[(topology::INSTANCES, "orchestrator.*")],
    objects: &[(topology::BLOBS, ObjectAccess::Read)],
    ..NOTHING
};

pub const MCP_GATEWAY: BusUser = BusUser {
    name: "mcp-gateway",
    publish: &[subject::LIVE_SESSION_ALL, subject::MCP_LOAD, subject::MCP_INSTANCE_OPEN_ALL],
    subscribe: &[subject::CONTROL_RELOAD, subject::MCP_LOAD, subject::MCP_INSTANCE_ALL],
    shares: &[subject::MCP_OPEN, subject::MCP_PROBE, subject::MCP_TRIAL, subject::MCP_LOGIN],
    answers_within: Some(TOOL_CALL),
    reads: &[topology::MCP_STATUS],
    writes: &[
        (topology::INSTANCES, "mcp-gateway.*"),
        (topology::LEADERS, "mcp-prober"),
        (topology::MCP_STATUS, ">"),
        (topology::WARNINGS, "mcp_health.>"),
        (topology::WARNINGS, "mcp_tools.>"),
    ],
    objects: &[(topology::BLOBS, ObjectAccess::Write)],
    ..NOTHING
};

pub const STREAM_RELAY: BusUser = BusUser {
    name: "stream-relay",
    publish: &[subject::LIVE_SNAPSHOT_ALL, subject::LIVE_SUMMARIES_ALL],
    subscribe: &[
        subject::CONTROL_RELOAD,
        subject::EVENTS_ALL,
        subject::LIVE_SESSION_ALL,
        subject::LIVE_SESSIONS,
    ],
    writes: &[(topology::INSTANCES, "stream-relay.*")],
    ..NOTHING
};

pub const SUMMARIZER: BusUser = BusUser {
    name: "summarizer",
    publish: &[subject::EVENTS_ALL, subject::LIVE_SESSION_ALL, subject::SUMMARY_FINISHED_ALL],
    subscribe: &[subject::CONTROL_CANCEL_ALL, subject::CONTROL_RELOAD, subject::LIVE_SUMMARIES_ALL],
    answers_within: Some(SNAPSHOT),
    consumers: &[topology::SUMMARY_WORK],
    writes: &[(topology::INSTANCES, "summarizer.*")],
    ..NOTHING
};

pub const NOTIFIER: BusUser = BusUser {
    name: "notifier",
    subscribe: &[subject::CONTROL_RELOAD],
    consumers: &[topology::NOTIFIER],
    writes: &[(topology::INSTANCES, "notifier.*"), (topology::WARNINGS, "notifications.>")],
    ..NOTHING
};

/// `tarsy mcp …`, `tarsy dead retry` and `tarsy doctor --cluster`, for people.
pub const CLI: BusUser = BusUser {
    name: "cli",
    publish: &[
        subject::INTAKE_ALERT,
        subject::MCP_OPEN,
        subject::MCP_PROBE,
        subject::MCP_LOGIN,
        subject::MCP_INSTANCE_ALL,
    ],
    inspects: true,
    reads: &[topology::MCP_STATUS, topology::WARNINGS, topology::INSTANCES],
    objects: &[(topology::BLOBS, ObjectAccess::Read)],
    ..NOTHING
};

/// `tarsy migrate` and `tarsy provision`.
pub const PROVISIONER: BusUser = BusUser {
    name: "provisioner",
    subscribe: &[subject::CONTROL_RELOAD],
    writes: &[(topology::LEADERS, "provisioner"), (topology::WARNINGS, STORAGE_WARNING)],
    provisions: true,
    ..NOTHING
};

pub const USERS: [BusUser; 8] =
    [API_GATEWAY, ORCHESTRATOR, MCP_GATEWAY, STREAM_RELAY, SUMMARIZER, NOTIFIER, CLI, PROVISIONER];

/// The services that send heartbeats.
pub fn reporting_services() -> impl Iterator<Item = &'static str> {
    const ALL: &[BusUser] = &USERS;
    let reports = |user: &&BusUser| {
        user.writes.iter().any(|(bucket, _)| bucket.name == topology::INSTANCES.name)
    };
    ALL.iter().filter(reports).map(|user| user.name)
}

pub fn user(name: &str) -> Option<&'static BusUser> {
    const ALL: &[BusUser] = &USERS;
    ALL.iter().find(|user| user.name == name)
}

impl BusUser {
    /// Every subject that it may publish on, those of the API of JetStream included.
    pub fn may_publish(&self) -> Vec<String> {
        let mut all = vec![subject::FLUSH.to_owned()];
        all.extend(self.publish.iter().map(|&subject| subject.to_owned()));
        all.extend(self.streams().iter().map(|stream| format!("$JS.API.STREAM.INFO.{stream}")));
        for Consumer { name, stream, .. } in self.consumers {
            all.push(format!("$JS.API.CONSUMER.INFO.{stream}.{name}"));
            all.push(format!("$JS.API.CONSUMER.MSG.NEXT.{stream}.{name}"));
            all.push(format!("$JS.ACK.{stream}.{name}.>"));
        }
        for bucket in self.reads {
            all.push(format!("$JS.API.DIRECT.GET.{}.>", bucket.stream()));
        }
        for (bucket, keys) in self.writes {
            let entries = format!("$KV.{}.{keys}", bucket.name);
            if !self.reads.iter().any(|read| read.name == bucket.name) {
                all.push(format!("$JS.API.DIRECT.GET.{}.{entries}", bucket.stream()));
            }
            all.push(entries);
        }
        for (store, access) in self.objects {
            all.extend(objects(store, *access));
        }
        for stream in self.removes {
            for verb in ["MSG.GET", "MSG.DELETE", "PURGE"] {
                all.push(format!("$JS.API.STREAM.{verb}.{}", stream.name));
            }
        }
        if self.inspects {
            let more: Vec<String> =
                inspection().into_iter().filter(|subject| !all.contains(subject)).collect();
            all.extend(more);
        }
        if self.provisions {
            all.extend(provisioning());
        }
        all
    }

    /// Every subject that it may subscribe to, and with a queue group where it may only share.
    pub fn may_subscribe(&self) -> Vec<String> {
        let mut all = vec![format!("{}.>", subject::inbox(self.name))];
        all.extend(self.subscribe.iter().map(|&subject| subject.to_owned()));
        all.extend(self.shares.iter().map(|subject| format!("{subject} {}", subject::MCP_QUEUE)));
        all
    }

    /// The streams that it uses, those of buckets and object stores included.
    pub fn streams(&self) -> Vec<String> {
        if self.provisions {
            return topology::stream_names();
        }
        let published = topology::STREAMS
            .iter()
            .filter(|stream| stream.subjects.iter().any(|subject| self.publish.contains(subject)));
        let mut all: Vec<String> = published.map(|stream| stream.name.to_owned()).collect();
        all.extend(self.consumers.iter().map(|consumer| consumer.stream.to_owned()));
        all.extend(self.reads.iter().map(Bucket::stream));
        all.extend(self.writes.iter().map(|(bucket, _)| bucket.stream()));
        all.extend(self.objects.iter().map(|(store, _)| store.object_stream()));
        all.sort();
        all.dedup();
        all
    }
}

fn objects(store: &Bucket, access: ObjectAccess) -> Vec<String> {
    let (stream, name) = (store.object_stream(), store.name);
    let descriptions = format!("$JS.API.DIRECT.GET.{stream}.$O.{name}.M.*");
    let chunks = format!("$JS.API.DIRECT.GET.{stream}");
    let stored = format!("$O.{name}.>");
    match access {
        ObjectAccess::Read => vec![descriptions, chunks],
        ObjectAccess::Write => vec![descriptions, stored],
        // Deleting an object purges its chunks.
        ObjectAccess::Own => {
            vec![descriptions, chunks, stored, format!("$JS.API.STREAM.PURGE.{stream}")]
        }
        ObjectAccess::Remove => vec![chunks, format!("$JS.API.STREAM.PURGE.{stream}")],
    }
}

fn inspection() -> Vec<String> {
    let mut all = vec!["$JS.API.INFO".to_owned()];
    all.extend(
        topology::stream_names().iter().map(|stream| format!("$JS.API.STREAM.INFO.{stream}")),
    );
    for Consumer { name, stream, .. } in topology::CONSUMERS {
        all.push(format!("$JS.API.CONSUMER.INFO.{stream}.{name}"));
    }
    all
}

fn provisioning() -> Vec<String> {
    let mut all = vec!["$JS.API.INFO".to_owned()];
    for stream in topology::stream_names() {
        for verb in ["CREATE", "UPDATE", "DELETE", "PURGE"] {
            all.push(format!("$JS.API.STREAM.{verb}.{stream}"));
        }
    }
    for Consumer { name, stream, .. } in topology::CONSUMERS {
        all.push(format!("$JS.API.CONSUMER.INFO.{stream}.{name}"));
        all.push(format!("$JS.API.CONSUMER.CREATE.{stream}.{name}.>"));
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_provisioner_creates_changes_or_deletes_but_for_copies_that_are_removed() {
        let copies = [
            format!("$JS.API.STREAM.PURGE.{}", topology::BLOBS.object_stream()),
            format!("$JS.API.STREAM.PURGE.{}", topology::INTAKE_BLOBS.object_stream()),
            format!("$JS.API.STREAM.PURGE.{}", topology::EVENTS.name),
            format!("$JS.API.STREAM.MSG.DELETE.{}", topology::EVENTS.name),
            format!("$JS.API.STREAM.MSG.GET.{}", topology::EVENTS.name),
        ];
        for user in USERS.iter().filter(|user| !user.provisions) {
            let removes = user.name == API_GATEWAY.name;
            let own = |subject: &&String| !(removes && copies.contains(subject));
            for subject in user.may_publish().iter().filter(own) {
                let verbs = ["CREATE", "UPDATE", "DELETE", "PURGE", "RESTORE", "PAUSE", "MSG.GET"];
                assert!(
                    !verbs.iter().any(|verb| subject.contains(verb)),
                    "{} {subject}",
                    user.name
                );
                assert!(!subject::covers(subject, "$JS.API.>"), "{} {subject}", user.name);
            }
        }
    }

    #[test]
    fn every_stream_has_somebody_who_publishes_and_every_consumer_one_user() {
        for stream in topology::STREAMS {
            let published = stream
                .subjects
                .iter()
                .all(|subject| USERS.iter().any(|user| user.publish.contains(subject)));
            assert!(published, "{}", stream.name);
        }
        for consumer in topology::CONSUMERS {
            let owners = USERS
                .iter()
                .filter(|user| user.consumers.iter().any(|one| one.name == consumer.name));
            assert_eq!(owners.count(), 1, "{}", consumer.name);
        }
    }

    #[test]
    fn an_instance_reports_itself_only_as_its_own_service() {
        for user in USERS {
            for (bucket, keys) in user.writes {
                if bucket.name == topology::INSTANCES.name {
                    assert_eq!(*keys, format!("{}.*", user.name));
                }
            }
        }
    }
}
