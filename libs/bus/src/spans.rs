//! Spans of messages, with the attributes of OpenTelemetry's conventions for messaging.

use async_nats::HeaderMap;
use tracing::Span;

const TRACEPARENT: &str = "traceparent";

/// The span of a message that is sent; none outside of a trace, as heartbeats are.
pub(crate) fn sending(operation: &'static str, kind: &'static str, subject: &str) -> Span {
    if tarsy_telemetry::traceparent().is_none() {
        return Span::none();
    }
    let span = tracing::info_span!("bus.send", otel.name = operation, otel.kind = kind);
    describe(&span, operation, "send", subject);
    span
}

/// The span of a message that is handled, in the trace of its sender.
pub(crate) fn processing(subject: &str, headers: Option<&HeaderMap>) -> Span {
    let span = tracing::info_span!("bus.process", otel.name = "process", otel.kind = "consumer");
    let parent = headers.and_then(|headers| headers.get(TRACEPARENT));
    tarsy_telemetry::set_parent(&span, parent.map(async_nats::HeaderValue::as_str));
    describe(&span, "process", "process", subject);
    span
}

fn describe(span: &Span, name: &'static str, kind: &'static str, subject: &str) {
    tarsy_telemetry::set_attribute(span, "messaging.system", "nats");
    tarsy_telemetry::set_attribute(span, "messaging.operation.name", name);
    tarsy_telemetry::set_attribute(span, "messaging.operation.type", kind);
    tarsy_telemetry::set_attribute(span, "messaging.destination.name", subject.to_owned());
}
