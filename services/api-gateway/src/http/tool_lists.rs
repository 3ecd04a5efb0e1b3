//! Asks a tool gateway for the tools of a server, while a person waits.

use std::time::Duration;

use serde::Serialize;
use tarsy_bus::Error as BusError;
use tarsy_contracts::mcp::{Tool, ToolList};
use tarsy_domain::code::Code;
use tarsy_web::Problem;
use tokio::time::Instant;

use crate::state::AppState;

/// How long the server may take to start and list its tools, in milliseconds.
pub(super) const TIMEOUT_MS: u64 = 20_000;
/// How much longer the request waits for the gateway than the gateway for the server.
const GRACE: Duration = Duration::from_secs(2);

/// What came of it.
pub(super) struct Listed {
    pub(super) tools: Vec<Tool>,
    pub(super) error: Option<String>,
    pub(super) duration_ms: u64,
}

/// Sends a request that has [`TIMEOUT_MS`]. `failed` says what a person learns of a gateway that does not answer.
pub(super) async fn list<R: Serialize + Sync>(
    app: &AppState,
    subject: &str,
    wanted: &R,
    failed: &str,
) -> Result<Listed, Problem> {
    let begun = Instant::now();
    let limit = Duration::from_millis(TIMEOUT_MS) + GRACE;
    let (tools, error) = match app
        .bus
        .request::<_, ToolList>(subject.to_owned(), wanted, limit)
        .await
    {
        Ok(list) => (list.tools, list.failed.into_iter().next().map(|one| one.error)),
        Err(BusError::Refused(refusal)) => (Vec::new(), Some(refusal.message)),
        Err(error) => {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "the tool gateway did not answer");
            let detail = format!(
                "no tool gateway answers, so that {failed}; look at the services on the page System"
            );
            return Err(Problem::new(Code::Unavailable, detail));
        }
    };
    let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Listed { tools, error, duration_ms })
}
