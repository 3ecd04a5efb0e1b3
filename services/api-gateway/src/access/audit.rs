//! Writes the audit log: a log line at once, and a row in the background.
//!
//! What an identified sender does has a place before it is done, and is never dropped. Whoever is not identified can send
//! without end, so that such requests are counted (`anonymous`).

mod anonymous;
mod line;
mod writer;

use std::sync::Arc;

use tarsy_domain::code::Code;
use tarsy_service::ServiceContext;
use tarsy_store::{NewAuditEntry, Store};
use tarsy_web::Problem;
use tokio::sync::mpsc;
use tokio::time::{Duration, timeout};

use self::anonymous::Anonymous;
use self::line::log;

/// The most entries that wait for the database. With the longest texts they take some 40 MB.
const MAX_WAITING: usize = 32_768;
/// How long a request waits for a place: PostgreSQL takes entries faster than requests come, unless it is away.
const MAX_WAIT: Duration = Duration::from_secs(2);
/// The longest object, such as a path, in characters; TARSy's own have fewer.
const MAX_OBJECT: usize = 512;
/// The longest of the other texts.
const MAX_TEXT: usize = 256;

/// Takes entries of the audit log; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct AuditLog {
    identified: mpsc::Sender<NewAuditEntry>,
    anonymous: Arc<Anonymous>,
}

/// A place for one entry; dropped, it is free again.
#[derive(Debug)]
pub(crate) struct Place(mpsc::OwnedPermit<NewAuditEntry>);

impl AuditLog {
    /// Starts the tasks that store the entries; they end when the service stops, after those that wait.
    pub(crate) fn start(service: &ServiceContext, store: &Store) -> Self {
        let (identified, receiver) = mpsc::channel(MAX_WAITING);
        let anonymous = Arc::new(Anonymous::default());
        let writer = writer::Writer::new(store, service);
        service.spawn_aux("gateway.audit", writer.clone().run(receiver));
        service.spawn_aux("gateway.audit.anonymous", writer.run_anonymous(Arc::clone(&anonymous)));
        Self { identified, anonymous }
    }

    /// A place for an entry, before what it is about is done. The request is to be refused if there is none.
    pub(crate) async fn reserve(&self) -> Result<Place, Problem> {
        match timeout(MAX_WAIT, self.identified.clone().reserve_owned()).await {
            Ok(Ok(place)) => Ok(Place(place)),
            _ => Err(Problem::new(
                Code::Unavailable,
                "the audit log takes no entry at the moment, and nothing is done without one; PostgreSQL may be away",
            )),
        }
    }

    /// Adds an entry about a request that nobody was identified for; never waits.
    pub(crate) fn add_anonymous(&self, entry: NewAuditEntry) {
        if let Some(first) = self.anonymous.count(capped(entry)) {
            log(&first);
        }
    }
}

impl Place {
    pub(crate) fn add(self, entry: NewAuditEntry) {
        let entry = capped(entry);
        log(&entry);
        self.0.send(entry);
    }
}

/// The entry with texts of bounded length.
fn capped(entry: NewAuditEntry) -> NewAuditEntry {
    NewAuditEntry {
        principal: cut(entry.principal, MAX_TEXT),
        credential: cut(entry.credential, MAX_TEXT),
        object: entry.object.map(|object| cut(object, MAX_OBJECT)),
        request_id: entry.request_id.map(|id| cut(id, MAX_TEXT)),
        ..entry
    }
}

fn cut(mut text: String, most: usize) -> String {
    if let Some((end, _)) = text.char_indices().nth(most) {
        text.truncate(end);
        text.push('…');
    }
    text
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn entry(object: &str) -> NewAuditEntry {
        NewAuditEntry {
            id: Uuid::now_v7(),
            principal: "alice".to_owned(),
            credential: "token:1".to_owned(),
            client_address: None,
            action: "submit_alert".to_owned(),
            object: Some(object.to_owned()),
            outcome: "allowed",
            status: 202,
            request_id: None,
            count: 1,
            session_id: None,
            decided: None,
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_request_waits_for_a_place_in_the_audit_log_and_is_refused_without_one() {
        let (identified, mut receiver) = mpsc::channel(1);
        let log = AuditLog { identified, anonymous: Arc::default() };
        let place = log.reserve().await.unwrap();
        let problem = log.reserve().await.unwrap_err();
        assert_eq!(problem.status().as_u16(), 503);
        place.add(entry("/a"));
        let (second, stored) = tokio::join!(log.reserve(), receiver.recv());
        assert_eq!(stored.unwrap().object.as_deref(), Some("/a"));
        second.unwrap().add(entry("/b"));
        assert_eq!(receiver.recv().await.unwrap().object.as_deref(), Some("/b"));
    }

    #[test]
    fn a_long_object_is_cut_at_a_character() {
        let cut = capped(entry(&"ä".repeat(6_000))).object.unwrap();
        assert_eq!(cut.chars().count(), MAX_OBJECT + 1);
        assert!(cut.ends_with("ä…"));
        assert_eq!(capped(entry("/short")).object.unwrap(), "/short");
    }
}
