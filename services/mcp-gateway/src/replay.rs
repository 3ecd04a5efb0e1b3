//! Tools of a session that is replayed: they are listed and answered from the record of its original, and no server is
//! reached.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use tarsy_contracts::mcp::{
    CallResult, FailedServer, ServerGrant, Tool, ToolCallRequest, ToolTerms,
};
use tarsy_contracts::recording::RecordedServer;
use tarsy_contracts::trace::OfferedTool;
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::{CallId, SessionId};
use tarsy_store::{Error as StoreError, RecordedResult, Store};
use tokio::sync::OnceCell;

/// Connections for the records: calls are short, and replays are few.
const CONNECTIONS: u32 = 4;
/// Attempts to read from the record while PostgreSQL is unavailable.
const ATTEMPTS: u32 = 30;
/// The pause between two attempts.
const PAUSE: Duration = Duration::from_secs(1);

/// The records of sessions; the connection is opened when the first replay needs it. Cheap to clone.
#[derive(Clone)]
pub struct Records {
    database_url: String,
    store: Arc<OnceCell<Store>>,
}

impl Records {
    pub fn new(database_url: &str) -> Self {
        Self { database_url: database_url.to_owned(), store: Arc::default() }
    }

    async fn store(&self) -> Result<&Store, StoreError> {
        self.store
            .get_or_try_init(async || {
                let store = Store::connect(&self.database_url, CONNECTIONS).await?;
                store.schema_check().await?;
                Ok(store)
            })
            .await
    }

    /// Reads, and tries again while the database is unavailable.
    async fn read<'a, T, F, Fut>(&'a self, read: F) -> Result<T, StoreError>
    where
        F: Fn(&'a Store) -> Fut,
        Fut: Future<Output = Result<T, StoreError>>,
    {
        let mut attempts = 0;
        loop {
            let result = match self.store().await {
                Ok(store) => read(store).await,
                Err(error) => Err(error),
            };
            attempts += 1;
            match result {
                Err(error) if error.is_unavailable() && attempts < ATTEMPTS => {
                    tracing::warn!(error = %tarsy_telemetry::chain(&error), "no record could be read");
                    tokio::time::sleep(PAUSE).await;
                }
                decided => return decided,
            }
        }
    }
}

/// The tools of one lease of a replay.
pub(crate) struct Replay {
    records: Records,
    tools: Vec<Tool>,
}

impl Replay {
    /// The recorded tools that the grants allow, and the servers that have none.
    pub(crate) async fn open(
        records: &Records,
        session: SessionId,
        grants: &[ServerGrant],
    ) -> Result<(Self, Vec<FailedServer>), StoreError> {
        let servers = records.read(|store| store.list_recorded_servers(session)).await?;
        let (mut tools, mut failed) = (Vec::new(), Vec::new());
        let mut seen = BTreeSet::new();
        for grant in grants.iter().filter(|grant| seen.insert(&grant.server)) {
            match servers.iter().find(|server| server.server == grant.server) {
                Some(RecordedServer { error: None, tools: recorded, .. }) => {
                    let granted = recorded.iter().filter(|tool| {
                        grant.tools.as_ref().is_none_or(|names| names.contains(&tool.name))
                    });
                    tools.extend(granted.map(tool));
                }
                Some(RecordedServer { error: Some(error), .. }) => {
                    failed
                        .push(FailedServer { server: grant.server.clone(), error: error.clone() });
                }
                None => failed.push(FailedServer {
                    server: grant.server.clone(),
                    error: "not recorded: the replayed session did not use this server".to_owned(),
                }),
            }
        }
        Ok((Self { records: records.clone(), tools }, failed))
    }

    pub(crate) fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// The recorded result of a call, as it was: masked, and cut to what a gateway returns.
    pub(crate) async fn call(&self, call: &ToolCallRequest) -> CallResult {
        let id = call.call_id;
        match self.records.read(|store| store.find_recorded_result(id)).await {
            Ok(Some(recorded)) => result(id, recorded),
            Ok(None) => CallResult::error(id, not_recorded(&call.name)),
            Err(error) => {
                tracing::error!(error = %tarsy_telemetry::chain(&error), "no record could be read");
                let text = format!("The recorded result of '{}' could not be read.", call.name);
                CallResult::error(id, text)
            }
        }
    }
}

fn result(call_id: CallId, recorded: RecordedResult) -> CallResult {
    CallResult {
        is_error: recorded.status != CallStatus::Completed,
        refused_by_policy: recorded.refused_by_policy,
        ..CallResult::success(call_id, recorded.text)
    }
}

fn not_recorded(name: &str) -> String {
    format!(
        "not recorded: the replayed session made no call of '{name}' with these arguments. Nothing was executed. Use \
         other calls, or report what could not be examined."
    )
}

/// A recorded tool. Nothing is executed, so that its policy requires nothing.
fn tool(recorded: &OfferedTool) -> Tool {
    Tool {
        server: recorded.server.clone(),
        name: recorded.name.clone(),
        description: recorded.description.clone(),
        input_schema: recorded.input_schema.clone(),
        read_only: recorded.read_only,
        idempotent: recorded.idempotent,
        terms: ToolTerms::default(),
    }
}
