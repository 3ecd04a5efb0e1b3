//! The trace context, as the text of a `traceparent` header, and what only spans show.

use std::collections::HashMap;

use opentelemetry::Value;
use opentelemetry::trace::Status;
use tracing::Span;
use tracing_opentelemetry::OpenTelemetrySpanExt as _;

const HEADER: &str = "traceparent";

/// The current span as a `traceparent`, when spans are exported.
pub fn traceparent() -> Option<String> {
    let mut carrier = HashMap::new();
    let context = Span::current().context();
    opentelemetry::global::get_text_map_propagator(|propagator| {
        propagator.inject_context(&context, &mut carrier);
    });
    carrier.remove(HEADER)
}

/// Makes a span the child of the one that a `traceparent` names.
pub fn set_parent(span: &Span, traceparent: Option<&str>) {
    let Some(value) = traceparent else { return };
    let carrier = HashMap::from([(HEADER.to_owned(), value.to_owned())]);
    let context =
        opentelemetry::global::get_text_map_propagator(|propagator| propagator.extract(&carrier));
    if span.set_parent(context).is_err() {
        tracing::trace!("spans are not exported; the caller's trace ends here");
    }
}

/// Sets an attribute of an exported span. Log lines show the fields of a span, and not its attributes.
pub fn set_attribute(span: &Span, name: &'static str, value: impl Into<Value>) {
    span.set_attribute(name, value);
}

/// Marks an exported span as failed; `error` is a code or a kind, never a text from outside.
pub fn set_failed(span: &Span, error: impl Into<String>) {
    let error = error.into();
    span.set_attribute("error.type", error);
    span.set_status(Status::error(""));
}
