//! The state of PostgreSQL, of the queue, of NATS and of the models, as the API shows it.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::id::SessionId;
use utoipa::ToSchema;

/// How the parts are that every service needs. A part that cannot be reached is null.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SystemState {
    /// PostgreSQL.
    pub database: Option<DatabaseState>,
    /// The queue of sessions, which is in PostgreSQL.
    pub queue: Option<QueueState>,
    /// JetStream.
    #[serde(default)]
    pub bus: Option<BusState>,
    /// The streams of NATS that exist.
    pub streams: Option<Vec<StreamState>>,
    /// llm-service, as api-gateway reaches it; null also where there is none, because no model is configured.
    #[serde(default)]
    pub llm_service: Option<LlmServiceState>,
    /// The providers that were called within the last hour.
    #[serde(default)]
    pub providers: Option<Vec<ProviderCalls>>,
}

/// The service that calls the models.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct LlmServiceState {
    /// The replicas that its address stands for.
    pub replicas: usize,
    pub connected_replicas: usize,
    /// When it last answered; null if it has not yet.
    pub answered_at: Option<Timestamp>,
    /// Why it does not answer; null while it does.
    pub problem: Option<String>,
}

/// The calls of a provider within the last hour, of the newest 5,000 of all providers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderCalls {
    /// Its name in the configuration.
    pub provider: String,
    /// How many calls ended.
    pub calls: i64,
    /// Those that failed, each attempt counted.
    pub failed: i64,
    /// When the newest one ended.
    pub last_call_at: Timestamp,
    /// The newest one that failed.
    pub last_failure: Option<ProviderFailure>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ProviderFailure {
    #[schema(value_type = Uuid)]
    pub session_id: SessionId,
    pub at: Timestamp,
    /// Why it failed, cut after 500 characters.
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct DatabaseState {
    pub version: String,
    /// What the database takes on the server's disk.
    pub size_bytes: i64,
    /// The connections to this database, those of others included.
    pub connections: i64,
    /// The most that the server accepts, for all of its databases.
    pub max_connections: i64,
    /// Of those, the ones that only administrators get.
    #[serde(default)]
    pub reserved_connections: i64,
    /// The connections to all databases of the server.
    #[serde(default)]
    pub server_connections: i64,
    /// Whether it refuses writes, as a standby does.
    #[serde(default)]
    pub read_only: bool,
    /// The role of whoever reads this.
    #[serde(default)]
    pub role: String,
    /// The schema, compared with that of the program that reads this.
    #[serde(default)]
    pub schema: SchemaState,
    /// Whether a commit waits for a standby.
    #[serde(default)]
    pub synchronous: bool,
    #[serde(default)]
    pub standbys: Vec<StandbyState>,
}

/// Which migrations a database has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SchemaState {
    /// The newest migration of the program.
    pub expected: i64,
    /// How the database differs from it, in words for people; none if it does not.
    pub problem: Option<String>,
}

/// A server that follows the database.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StandbyState {
    pub name: String,
    /// `streaming` if it follows; null if the role may not see it.
    pub state: Option<String>,
    /// Whether commits wait for it; null if the role may not see it.
    pub is_synchronous: Option<bool>,
    /// How much of the log it has not applied yet; null if the role may not see it.
    pub lag_bytes: Option<i64>,
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
    /// Sessions, and questions about finished ones, of which all that is left waits for people to approve tool calls; no worker
    /// has them.
    #[serde(default)]
    pub waiting_for_approval: i64,
    /// Messages that no attempt could deliver, and that wait for a person.
    pub dead_letters: i64,
    /// Who works on what, the lease that ends first at the beginning; at most 100.
    pub leases: Vec<SessionLease>,
}

/// A session in the hands of a worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SessionLease {
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

/// JetStream, as the account of TARSY uses it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct BusState {
    /// The version of the server that is connected.
    pub version: String,
    /// What streams on disk take.
    pub storage_bytes: u64,
    /// The most that they may take; null without a limit.
    pub max_storage_bytes: Option<i64>,
    /// What streams in memory take.
    pub memory_bytes: u64,
    /// The most that they may take; null without a limit.
    pub max_memory_bytes: Option<i64>,
}

/// A stream of NATS. Those of buckets begin with `KV_`, those of object stores with `OBJ_`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StreamState {
    pub name: String,
    /// The messages that it stores.
    pub messages: u64,
    /// What they take.
    pub bytes: u64,
    /// The most that it stores.
    pub max_bytes: i64,
    /// Whether it refuses messages when it is full, instead of dropping the oldest.
    #[serde(default)]
    pub refuses_when_full: bool,
    /// How many servers are to keep it.
    #[serde(default)]
    pub replicas: usize,
    /// How many servers have all of it.
    #[serde(default)]
    pub current_replicas: usize,
    pub consumers: Vec<ConsumerState>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ConsumerState {
    pub name: String,
    /// Messages that were not delivered yet.
    pub pending: u64,
    /// Messages that were delivered and not acknowledged yet.
    pub unacknowledged: u64,
}
