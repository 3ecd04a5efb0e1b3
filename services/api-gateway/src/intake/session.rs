//! The session of an alert that was accepted.

use serde_json::Value;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_store::NewSession;
use tarsy_web::Problem;

use crate::state::AppState;
use crate::submission::{self, Accepted, RequestedTools};

/// Whose alert it is.
pub(crate) struct SenderOf {
    /// As people read it.
    pub(crate) author: String,
    /// Whose tokens it uses.
    pub(crate) principal: String,
}

/// The session that investigates the alert, with its texts masked; without an idempotency key.
pub(crate) fn session(
    app: &AppState,
    accepted: Accepted,
    sender: SenderOf,
) -> Result<NewSession, Problem> {
    let Accepted { submission, mut chain, .. } = accepted;
    app.catalog().promote(&mut chain, app.clock.now());
    let encoded = |result: serde_json::Result<Value>| {
        result.map_err(|error| {
            tracing::error!(%error, "a session's configuration could not be encoded");
            Problem::new(Code::Internal, "the alert could not be encoded")
        })
    };
    let selection =
        submission.mcp.as_ref().map(RequestedTools::selection).map(serde_json::to_value);
    let alert_data = app.masker.mask(submission.data.clone())?;
    let fields = submission::fields::masked(&submission.fields, &alert_data, &app.masker)?;
    Ok(NewSession {
        id: SessionId::new(),
        alert_data,
        alert_type: Some(chain.alert_type.clone()),
        chain_id: chain.chain_id.clone(),
        author: Some(sender.author),
        principal: Some(sender.principal),
        runbook_url: submission.runbook,
        mcp_selection: selection.map(encoded).transpose()?,
        requested_provider: submission.provider,
        slack_message_fingerprint: submission.slack_message_fingerprint,
        fields,
        idempotency: None,
        settings: submission::settings(&chain),
        config_snapshot: encoded(serde_json::to_value(&chain))?,
        traceparent: tarsy_telemetry::traceparent(),
    })
}
