//! Removal of what the streams of NATS still hold of deleted sessions: at once, and once more by whoever watches the system,
//! because an event may have been on its way. The rows of deleted sessions say what is left to do, also after a crash.

use std::time::Duration;

use tarsy_domain::id::SessionId;
use tarsy_store::NewAuditEntry;
use tokio::time::timeout;
use uuid::Uuid;

use crate::state::AppState;

/// What the audit log calls it.
const ACTION: &str = "remove_copies";
/// How long a person waits for it.
const AT_ONCE: Duration = Duration::from_secs(3);
/// The most sessions of one round.
const MAX_SESSIONS: i64 = 20;

/// Removes what can be removed now; the rest is done later.
pub(crate) async fn remove_at_once(app: &AppState, sessions: &[SessionId]) {
    if !app.bus.is_connected() {
        return;
    }
    match timeout(AT_ONCE, app.bus.remove_copies_of(sessions)).await {
        Ok(Ok(_)) => {}
        Ok(Err(error)) => {
            tracing::debug!(error = %tarsy_telemetry::chain(&error), "copies of a session are removed later");
        }
        Err(_) => tracing::debug!("copies of a session are removed later"),
    }
}

/// Removes what is left of sessions that were deleted a while ago, and notes it.
pub(crate) async fn remove_of_deleted(app: &AppState) {
    let Ok(deleted) = app.store.deleted_sessions_with_copies(MAX_SESSIONS).await else { return };
    if deleted.is_empty() {
        return;
    }
    let sessions: Vec<SessionId> = deleted.iter().map(|one| one.session_id).collect();
    let removed = match app.bus.remove_copies_of(&sessions).await {
        Ok(removed) => removed,
        Err(error) => {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "copies of deleted sessions could not be removed yet");
            return;
        }
    };
    for one in &deleted {
        // Without a place it is done again later.
        let Ok(place) = app.audit.reserve().await else { return };
        if app.store.note_copies_removed(&[one.session_id]).await.is_err() {
            return;
        }
        place.add(entry(one.session_id, &one.deleted_by));
    }
    tracing::info!(
        sessions = sessions.len(),
        removed,
        "removed what NATS held of deleted sessions"
    );
}

fn entry(session: SessionId, deleted_by: &str) -> NewAuditEntry {
    NewAuditEntry {
        id: Uuid::now_v7(),
        principal: deleted_by.to_owned(),
        credential: "none".to_owned(),
        client_address: None,
        action: ACTION.to_owned(),
        object: Some(format!("/api/v1/sessions/{session}")),
        outcome: "allowed",
        status: 200,
        request_id: None,
        count: 1,
        session_id: Some(session.uuid()),
        decided: None,
    }
}
