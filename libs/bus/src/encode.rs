//! Payloads and headers of messages.

use async_nats::HeaderMap;
use bytes::Bytes;
use serde::Serialize;

use crate::error::Error;

pub(crate) fn encode<T: Serialize>(subject: &str, message: &T) -> Result<Bytes, Error> {
    serde_json::to_vec(message)
        .map(Bytes::from)
        .map_err(|source| Error::Shape { subject: subject.to_owned(), source })
}

/// Headers with the trace context of the current span.
pub(crate) fn headers() -> HeaderMap {
    let mut headers = HeaderMap::new();
    if let Some(traceparent) = tarsy_telemetry::traceparent() {
        headers.insert("traceparent", traceparent.as_str());
    }
    headers
}
