//! The trace context, as the text of a `traceparent` header.

use std::collections::HashMap;

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
