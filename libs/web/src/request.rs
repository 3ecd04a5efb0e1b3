//! What is known of the request being served: its id, its path, its span, its time.

use std::net::SocketAddr;
use std::time::Instant;

use axum::extract::{ConnectInfo, MatchedPath, Request};
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue, Method, StatusCode};
use tracing::Instrument as _;
use uuid::Uuid;

/// The header that carries the request's id, both ways.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The longest request id that is taken from a caller.
const MAX_ID: usize = 128;

tokio::task_local! {
    static CURRENT: Current;
}

/// The request being served.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Current {
    /// Its id: the caller's, or a fresh one.
    pub id: String,
    pub path: String,
}

/// The request that this task serves, if it serves one.
pub fn current() -> Option<Current> {
    CURRENT.try_with(Clone::clone).ok()
}

/// Gives each request an id, a span and a place in the metrics.
pub async fn observe(request: Request, next: Next) -> Response {
    let started = Instant::now();
    let id = given_id(&request).unwrap_or_else(|| Uuid::now_v7().simple().to_string());
    let method = request.method().clone();
    let route = request
        .extensions()
        .get::<MatchedPath>()
        .map_or_else(|| "unmatched".to_owned(), |path| path.as_str().to_owned());
    let path = request.uri().path().to_owned();
    let peer = request.extensions().get::<ConnectInfo<SocketAddr>>().map(|info| info.0.ip());
    let span = tracing::info_span!(
        "http.request",
        otel.name = format!("{} {route}", label(&method)),
        otel.kind = "server",
        http.request.method = label(&method),
        http.route = %route,
        request.id = %id,
        peer = peer.map(tracing::field::display),
    );
    let parent = request.headers().get("traceparent").and_then(|value| value.to_str().ok());
    tarsy_telemetry::set_parent(&span, parent);
    tarsy_telemetry::set_attribute(&span, "url.path", path.clone());

    let current = Current { id: id.clone(), path };
    let answer = CURRENT.scope(current, next.run(request)).instrument(span.clone());
    let mut response = answer.await;

    let (status, elapsed) = (response.status(), started.elapsed());
    span.in_scope(|| report(status, elapsed.as_secs_f64()));
    tarsy_telemetry::set_attribute(&span, "http.response.status_code", i64::from(status.as_u16()));
    if status.is_server_error() {
        tarsy_telemetry::set_failed(&span, status.as_str());
    }
    let (method, status) = (label(&method).to_owned(), status.as_u16().to_string());
    let labels = [("method", method), ("route", route), ("status", status)];
    metrics::counter!("tarsy_http_requests_total", &labels).increment(1);
    metrics::histogram!("tarsy_http_request_duration_seconds", &labels).record(elapsed);
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, value);
    }
    response
}

fn report(status: StatusCode, seconds: f64) {
    if status.is_server_error() {
        tracing::warn!(status = status.as_u16(), seconds, "answered");
    } else {
        tracing::debug!(status = status.as_u16(), seconds, "answered");
    }
}

/// A method for a metric: each new one would be kept for ever, and a caller may make up as many as it
/// likes.
fn label(method: &Method) -> &str {
    const USUAL: [Method; 7] = [
        Method::GET,
        Method::HEAD,
        Method::POST,
        Method::PUT,
        Method::PATCH,
        Method::DELETE,
        Method::OPTIONS,
    ];
    if USUAL.contains(method) { method.as_str() } else { "other" }
}

fn given_id(request: &Request) -> Option<String> {
    let id = request.headers().get(REQUEST_ID)?.to_str().ok()?;
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    (!id.is_empty() && id.len() <= MAX_ID && id.chars().all(plain)).then(|| id.to_owned())
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use axum::{Router, middleware};
    use tower::ServiceExt as _;

    use super::*;
    use crate::Problem;

    async fn ask(id: &str) -> (HeaderValue, serde_json::Value) {
        let router = Router::new()
            .route("/things", get(async || Problem::not_found("no such thing")))
            .layer(middleware::from_fn(observe));
        let request =
            Request::get("/things?secret=1").header(REQUEST_ID, id).body(Body::empty()).unwrap();
        let response = router.oneshot(request).await.unwrap();
        let given = response.headers()[REQUEST_ID].clone();
        let bytes = axum::body::to_bytes(response.into_body(), 64 * 1024).await.unwrap();
        (given, serde_json::from_slice(&bytes).unwrap())
    }

    #[test]
    fn a_method_that_a_caller_made_up_is_no_metric_of_its_own() {
        assert_eq!(label(&Method::DELETE), "DELETE");
        assert_eq!(label(&Method::from_bytes(b"GET1").unwrap()), "other");
        assert_eq!(label(&Method::TRACE), "other");
    }

    #[tokio::test]
    async fn a_problem_names_its_request() {
        let (given, body) = ask("abc-1").await;
        assert_eq!(given, "abc-1");
        assert_eq!(body["trace_id"], "abc-1");
        assert_eq!(body["instance"], "/things");
    }

    #[tokio::test]
    async fn an_id_that_could_forge_a_log_line_is_replaced() {
        let (given, body) = ask("a b\"c").await;
        assert_ne!(given, "a b\"c");
        assert_eq!(body["trace_id"], given.to_str().unwrap());
    }
}
