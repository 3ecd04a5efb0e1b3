//! What errors of JSON-RPC tell in their `data`, and in their words.

use http::StatusCode;
use rmcp::model::ErrorData;
use serde_json::{Value, json};

/// In the `data` of an error of `serve`: its server ended, and whether the request was executed is not known.
const SERVER_ENDED: &str = "tarsy_server_ended";
/// In the `data` of an error: what the server gave there.
const DETAIL: &str = "detail";
/// In the `data` of an error: the status of the HTTP answer that it came with.
const HTTP_STATUS: &str = "tarsy_http_status";
/// The part of the details of an error that is shown, in characters.
const DETAIL_CHARS: usize = 1_000;

/// The answer of `serve` to a request whose server ended.
pub(crate) fn server_ended(reason: String) -> ErrorData {
    ErrorData::internal_error(reason, Some(json!({SERVER_ENDED: true})))
}

/// Whether a server behind `serve` ended before it answered. Any server may claim it: the worst that follows is that a
/// read-only call is made once more.
pub(super) fn has_server_ended(error: &ErrorData) -> bool {
    error.data.as_ref().and_then(|data| data.get(SERVER_ENDED)).is_some()
}

/// Adds the status of the HTTP answer to an error that came with it.
pub(crate) fn with_status(error: ErrorData, status: StatusCode) -> ErrorData {
    let data = json!({HTTP_STATUS: status.as_u16(), DETAIL: error.data});
    ErrorData::new(error.code, error.message, Some(data))
}

pub(super) fn status_of(error: &ErrorData) -> Option<u16> {
    error.data.as_ref()?.get(HTTP_STATUS)?.as_u64()?.try_into().ok()
}

/// Whether an error says that the server does not know the session. Servers say so in many ways; where another session is
/// meant, a new one of ours does no harm.
pub(crate) fn is_lost_session(error: &ErrorData) -> bool {
    let text = error.message.to_lowercase();
    let is_gone = [
        "not found",
        "expired",
        "invalid",
        "unknown",
        "no valid",
        "missing",
        "not exist",
        "n't exist",
        "terminated",
        "closed",
        "no longer",
        "no active",
        "required",
        "lost",
    ];
    let names_session = text.contains("session") && is_gone.iter().any(|word| text.contains(word));
    names_session
        || ["not initialized", "not initialised", "before initialization", "uninitialized"]
            .iter()
            .any(|words| text.contains(words))
}

/// What a server says with an error, with the details in which the cause often is.
pub(super) fn protocol_message(error: &ErrorData) -> String {
    let message = format!("{} (code {})", error.message, error.code.0);
    let data = error.data.as_ref().map(|data| data.get(DETAIL).unwrap_or(data));
    let detail = match data {
        None | Some(Value::Null) => return message,
        Some(Value::String(text)) => text.clone(),
        Some(data) => data.to_string(),
    };
    let detail = detail.trim();
    if detail.is_empty() || error.message.contains(detail) {
        return message;
    }
    let shown: String = detail.chars().take(DETAIL_CHARS).collect();
    format!("{message}: {shown}")
}
