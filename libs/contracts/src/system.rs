//! The state of PostgreSQL, of the queue and of NATS, as the API shows it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::SessionId;
use utoipa::ToSchema;

/// The database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DatabaseState {
    /// The version of the server.
    pub version: String,
    /// What the database takes on the server's disk.
    pub size_bytes: i64,
    /// The connections to this database, those of others included.
    pub connections: i64,
    /// The most that the server accepts, for all of its databases.
    pub max_connections: i64,
}

/// What waits for a worker, and what a worker has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct QueueState {
    /// Sessions that wait.
    pub pending: i64,
    /// Since when the oldest of them waits.
    pub oldest_pending_at: Option<Timestamp>,
    /// Sessions that workers have.
    pub in_progress: i64,
    /// Messages that no attempt could deliver, and that wait for a person.
    pub dead_letters: i64,
    /// Who works on what, the lease that ends first at the beginning; at most 100.
    pub leases: Vec<SessionLease>,
}

/// A session in the hands of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionLease {
    /// The session.
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
    /// The worker.
    pub owner: String,
    /// When another worker may take the session, unless the lease is renewed.
    pub expires_at: Timestamp,
    /// Whether that time has passed.
    pub is_expired: bool,
    /// How many workers had the session before.
    pub attempts: i32,
}

/// A stream of NATS.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StreamState {
    /// Its name.
    pub name: String,
    /// The messages that it stores.
    pub messages: u64,
    /// What they take.
    pub bytes: u64,
    /// The most that it stores.
    pub max_bytes: i64,
    /// Who reads it.
    pub consumers: Vec<ConsumerState>,
}

/// A consumer of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConsumerState {
    /// Its name.
    pub name: String,
    /// Messages that were not delivered yet.
    pub pending: u64,
    /// Messages that were delivered and not acknowledged yet.
    pub unacknowledged: u64,
}
