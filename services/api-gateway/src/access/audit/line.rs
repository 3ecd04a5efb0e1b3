//! The log line of an entry.

use tarsy_store::NewAuditEntry;

pub(super) fn log(entry: &NewAuditEntry) {
    tracing::info!(
        principal = %entry.principal,
        credential = %entry.credential,
        client_address = entry.client_address.as_deref(),
        action = %entry.action,
        object = entry.object.as_deref(),
        outcome = entry.outcome,
        status = entry.status,
        request_id = entry.request_id.as_deref(),
        count = entry.count,
        "audit"
    );
}
