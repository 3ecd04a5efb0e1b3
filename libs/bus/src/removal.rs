//! Removal of what streams still hold of a deleted session, and of a text: copies of what PostgreSQL has, which would
//! expire later.

use std::collections::BTreeSet;
use std::time::Duration;

use async_nats::jetstream::object_store::ObjectInfo;
use async_nats::jetstream::stream::{
    DirectGetErrorKind, LastRawMessageErrorKind as RawMessageErrorKind, Stream,
};
use bytes::Bytes;
use jiff::Timestamp;
use tarsy_contracts::subject;
use tarsy_contracts::topology::{self, Bucket};
use tarsy_domain::id::SessionId;
use tokio::time::Instant;
use uuid::Uuid;

use crate::connect::Bus;
use crate::error::Error;

/// The streams that may hold a text of a session besides [`topology::INTAKE`], whose alerts are stored nowhere else: these
/// are counted by [`Bus::queued_alerts`]. The others hold ids, or the state of the installation.
pub const COPIES: [&str; 3] = ["TARSY_EVENTS", "OBJ_tarsy_blobs", "OBJ_tarsy_intake_blobs"];

/// How long one step goes through a stream, if one message does not take longer.
const STEP: Duration = Duration::from_secs(2);
/// The most time that removing what is left of sessions may take.
const OF_SESSIONS: Duration = Duration::from_secs(10);
/// When the message of a queued alert is in the stream after its payload, or never will be.
const QUEUED_AFTER: Duration = Duration::from_mins(1);

#[derive(Clone, Copy, Debug)]
pub struct TextRemoval<'a> {
    /// As it may be written.
    pub spellings: &'a [String],
    /// Counts the messages that have the text, and removes none.
    pub only_count: bool,
    pub now: Timestamp,
}

impl TextRemoval<'_> {
    fn concerns(&self, payload: &[u8]) -> bool {
        let text = String::from_utf8_lossy(payload);
        self.spellings.iter().any(|one| text.contains(one))
    }
}

/// How far a removal in one stream has come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextStep {
    /// How many messages and objects had the text.
    pub found: u64,
    /// Those of them that are left because they may be the only copy of an alert.
    pub left: u64,
    /// The sequence after which the next step goes on; none at the end of the stream.
    pub continue_after: Option<u64>,
}

struct Found {
    sequence: u64,
    subject: String,
    payload: Bytes,
}

impl Bus {
    /// Removes what streams hold of these sessions, which PostgreSQL has no more; returns how many messages and objects. It
    /// can be repeated without harm.
    pub async fn remove_copies_of(&self, sessions: &[SessionId]) -> Result<u64, Error> {
        let work = Box::pin(async {
            let mut removed = 0;
            let events = self.stream_of(topology::EVENTS.name).await?;
            for session in sessions {
                removed += purge(&events, &subject::events_of(*session)).await?;
            }
            let names: BTreeSet<String> = sessions.iter().map(ToString::to_string).collect();
            for store in &topology::OBJECT_STORES {
                removed += self.remove_objects_of(store, &names).await?;
            }
            Ok(removed)
        });
        match tokio::time::timeout(OF_SESSIONS, work).await {
            Ok(done) => done,
            Err(_) => Err(Error::Timeout { subject: "$JS.API".to_owned() }),
        }
    }

    async fn remove_objects_of(
        &self,
        store: &Bucket,
        sessions: &BTreeSet<String>,
    ) -> Result<u64, Error> {
        let stream = self.stream_of(&store.object_stream()).await?;
        let (mut after, mut removed) = (0, 0);
        while let Some(found) = next_object(&stream, store, after).await? {
            after = found.sequence;
            let Ok(object) = serde_json::from_slice::<ObjectInfo>(&found.payload) else { continue };
            let of = object.name.split_once('.').map_or("", |(session, _)| session);
            if sessions.contains(of) {
                remove_object(&stream, store, &found, &object).await?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// Removes a text from one of [`COPIES`], as far as one step comes, after this sequence. It can be repeated without harm.
    pub async fn remove_text(
        &self,
        copies: &str,
        after: u64,
        removal: TextRemoval<'_>,
    ) -> Result<TextStep, Error> {
        let store = topology::OBJECT_STORES.iter().find(|store| store.object_stream() == copies);
        let stream = Box::pin(self.stream_of(copies)).await?;
        let (mut step, until) = (TextStep::default(), Instant::now() + STEP);
        let mut last = after;
        loop {
            let found = match store {
                Some(store) => next_object(&stream, store, last).await?,
                None => next_message(&stream, last).await?,
            };
            let Some(found) = found else { return Ok(step) };
            last = found.sequence;
            match store {
                Some(store) => {
                    Box::pin(self.remove_object_with(store, &stream, &found, removal, &mut step))
                        .await?;
                }
                None if removal.concerns(&found.payload) => {
                    step.found += 1;
                    if !removal.only_count {
                        delete(&stream, last).await?;
                    }
                }
                None => {}
            }
            if Instant::now() >= until {
                step.continue_after = Some(last);
                return Ok(step);
            }
        }
    }

    async fn remove_object_with(
        &self,
        store: &Bucket,
        stream: &Stream<()>,
        found: &Found,
        removal: TextRemoval<'_>,
        step: &mut TextStep,
    ) -> Result<(), Error> {
        let Ok(object) = serde_json::from_slice::<ObjectInfo>(&found.payload) else {
            return Ok(());
        };
        if object.deleted {
            return Ok(());
        }
        let Some(payload) = self.blobs(store).read_chunks(&object).await? else { return Ok(()) };
        if !removal.concerns(&payload) {
            return Ok(());
        }
        step.found += 1;
        if store.name == topology::INTAKE_BLOBS.name
            && (is_new(&object.name, removal.now) || self.queued_alerts().await? > 0)
        {
            step.left += 1;
            return Ok(());
        }
        if removal.only_count {
            return Ok(());
        }
        remove_object(stream, store, found, &object).await
    }

    async fn stream_of(&self, name: &str) -> Result<Stream<()>, Error> {
        let stream = self.jetstream().get_stream_no_info(name).await;
        stream.map_err(|error| failed(name, error))
    }
}

/// Whether the message that names this object may not be in the stream yet; the name holds its age.
fn is_new(name: &str, now: Timestamp) -> bool {
    let id = name.rsplit('.').next().and_then(|id| Uuid::try_parse(id).ok());
    let made = id.and_then(|id| id.get_timestamp()).map_or(0, |time| time.to_unix().0);
    let age = now.as_second() - i64::try_from(made).unwrap_or(0);
    age < i64::try_from(QUEUED_AFTER.as_secs()).unwrap_or(i64::MAX)
}

/// The first message after this sequence, of the server that leads the stream.
async fn next_message(stream: &Stream<()>, after: u64) -> Result<Option<Found>, Error> {
    match stream.get_first_raw_message_by_subject(subject::EVENTS_ALL, after + 1).await {
        Ok(message) => Ok(Some(Found {
            sequence: message.sequence,
            subject: message.subject.to_string(),
            payload: message.payload,
        })),
        Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => Ok(None),
        Err(error) => Err(failed(topology::EVENTS.name, error)),
    }
}

/// The description of the first object after this sequence.
async fn next_object(
    stream: &Stream<()>,
    store: &Bucket,
    after: u64,
) -> Result<Option<Found>, Error> {
    let descriptions = format!("$O.{}.M.*", store.name);
    match stream.direct_get_next_for_subject(descriptions, Some(after + 1)).await {
        Ok(message) => Ok(Some(Found {
            sequence: message.sequence,
            subject: message.subject.to_string(),
            payload: message.payload,
        })),
        Err(error) if error.kind() == DirectGetErrorKind::NotFound => Ok(None),
        Err(error) => Err(failed(store.name, error)),
    }
}

/// The chunks first: without them a description that is left says that they are to be removed.
async fn remove_object(
    stream: &Stream<()>,
    store: &Bucket,
    found: &Found,
    object: &ObjectInfo,
) -> Result<(), Error> {
    purge(stream, &format!("$O.{}.C.{}", store.name, object.nuid)).await?;
    purge(stream, &found.subject).await?;
    Ok(())
}

async fn purge(stream: &Stream<()>, filter: &str) -> Result<u64, Error> {
    let purged = stream.purge().filter(filter).await;
    purged.map(|done| done.purged).map_err(|error| failed(filter, error))
}

/// Deletes one message; another one may have done so.
async fn delete(stream: &Stream<()>, sequence: u64) -> Result<(), Error> {
    let Err(error) = stream.delete_message(sequence).await else { return Ok(()) };
    let next = next_message(stream, sequence - 1).await?;
    if next.is_some_and(|found| found.sequence == sequence) {
        return Err(failed(topology::EVENTS.name, error));
    }
    Ok(())
}

fn failed(what: &str, error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Error {
    Error::Remove { what: what.to_owned(), source: error.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that may hold a text are gone through, and the others are known not to.
    #[test]
    fn every_stream_is_gone_through_or_holds_no_text_of_a_session() {
        let without: BTreeSet<&str> = [
            // Ids.
            topology::WORK.name,
            topology::CONTROL.name,
            // The only copy of an alert: waited for instead.
            topology::INTAKE.name,
            // The state of the installation.
            "KV_tarsy_mcp_status",
            "KV_tarsy_warnings",
            "KV_tarsy_instances",
            "KV_tarsy_leaders",
        ]
        .into();
        let all = topology::stream_names();
        let known = without.iter().chain(&COPIES).copied().collect::<BTreeSet<_>>();
        assert_eq!(all.iter().map(String::as_str).collect::<BTreeSet<_>>(), known);
    }

    #[test]
    fn an_object_is_new_until_its_message_must_be_there() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let named = |age: u64| {
            let made = uuid::Timestamp::from_unix(uuid::NoContext, 1_800_000_000 - age, 0);
            format!("{}.{}", SessionId::new(), Uuid::new_v7(made))
        };
        assert!(is_new(&named(59), now) && !is_new(&named(60), now) && !is_new("odd", now));
    }
}
