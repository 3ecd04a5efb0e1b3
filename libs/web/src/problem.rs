//! RFC 9457 problems: the one shape of every refusal and failure over HTTP.

use std::borrow::Cow;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use tarsy_domain::code::{Code, Coded};
use utoipa::ToSchema;

use crate::request;

/// The media type of a problem.
pub const CONTENT_TYPE: &str = "application/problem+json";

/// How long a caller should wait when nothing better is known.
const RETRY_AFTER: Duration = Duration::from_secs(5);

/// What is wrong with one field of a request, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct FieldError {
    /// The field's path, such as `mcp.servers[0].name`.
    pub field: String,
    /// What is wrong, and the fix.
    pub message: String,
}

impl FieldError {
    /// What is wrong with this field.
    pub fn new(field: impl Into<String>, message: impl Into<String>) -> Self {
        Self { field: field.into(), message: message.into() }
    }
}

/// An RFC 9457 problem, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// Names the kind of problem.
    #[serde(rename = "type")]
    #[schema(value_type = String, example = "/problems/invalid")]
    kind: Cow<'static, str>,
    /// The kind of problem for a person.
    #[schema(value_type = String)]
    title: Cow<'static, str>,
    /// The HTTP status.
    status: u16,
    /// What happened this time; only what the caller may know.
    #[serde(skip_serializing_if = "Option::is_none")]
    detail: Option<String>,
    /// A copy of `detail`, or of `title`, for clients that read this name.
    message: String,
    /// The path that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<String>,
    /// Finds this request in the logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<String>,
    /// What is wrong, field by field.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    errors: Vec<FieldError>,
    /// How long to wait before trying again.
    #[serde(skip)]
    #[schema(ignore)]
    retry_after: Option<Duration>,
}

impl Problem {
    /// A problem of this kind that says what happened.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let (status, kind, title) = face(code);
        let problem = Self::bare(status, kind, title);
        let problem = problem.explained(detail.into());
        if matches!(code, Code::Unavailable | Code::RateLimited) {
            problem.retry_after(RETRY_AFTER)
        } else {
            problem
        }
    }

    /// Bad input: every problem at once, each with its field.
    pub fn invalid(errors: Vec<FieldError>) -> Self {
        let detail = match errors.as_slice() {
            [] => "the request is not valid".to_owned(),
            [only] => format!("{}: {}", only.field, only.message),
            [first, rest @ ..] => {
                format!("{}: {} (and {} more)", first.field, first.message, rest.len())
            }
        };
        Self { errors, ..Self::new(Code::Invalid, detail) }
    }

    /// Nothing is there.
    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(Code::NotFound, detail)
    }

    /// The body is larger than allowed.
    pub fn too_large(detail: impl Into<String>) -> Self {
        Self::bare(StatusCode::PAYLOAD_TOO_LARGE, "/problems/too-large", "Payload too large")
            .explained(detail.into())
    }

    /// The body is of a type that is not understood.
    pub fn unsupported_media_type(detail: impl Into<String>) -> Self {
        Self::bare(
            StatusCode::UNSUPPORTED_MEDIA_TYPE,
            "/problems/unsupported-media-type",
            "Unsupported media type",
        )
        .explained(detail.into())
    }

    /// The path is there, but not for this method.
    pub fn method_not_allowed() -> Self {
        Self::bare(
            StatusCode::METHOD_NOT_ALLOWED,
            "/problems/method-not-allowed",
            "Method not allowed",
        )
        .explained("this path does not take this method; see the Allow header".to_owned())
    }

    /// The same problem, with the fields that are wrong.
    #[must_use]
    pub fn with_errors(self, errors: Vec<FieldError>) -> Self {
        Self { errors, ..self }
    }

    /// The same problem, with a time after which trying again may help.
    #[must_use]
    pub fn retry_after(self, wait: Duration) -> Self {
        Self { retry_after: Some(wait), ..self }
    }

    /// The HTTP status.
    pub fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }

    /// What is wrong, field by field.
    pub fn errors(&self) -> &[FieldError] {
        &self.errors
    }

    fn bare(status: StatusCode, kind: &'static str, title: &'static str) -> Self {
        Self {
            kind: Cow::Borrowed(kind),
            title: Cow::Borrowed(title),
            status: status.as_u16(),
            detail: None,
            message: title.to_owned(),
            instance: None,
            trace_id: None,
            errors: Vec::new(),
            retry_after: None,
        }
    }

    fn explained(self, detail: String) -> Self {
        Self { message: detail.clone(), detail: Some(detail), ..self }
    }
}

impl<E: Coded> From<E> for Problem {
    /// The caller's mistakes are explained to the caller; ours are logged and kept to ourselves.
    fn from(err: E) -> Self {
        let code = err.code();
        let (status, ..) = face(code);
        if status.is_server_error() {
            tracing::error!(error = %tarsy_telemetry::chain(&err), "request failed");
            return Self::new(code, generic(code));
        }
        tracing::debug!(error = %tarsy_telemetry::chain(&err), "request refused");
        Self::new(code, err.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(mut self) -> Response {
        if let Some(current) = request::current() {
            self.instance.get_or_insert(current.path);
            self.trace_id.get_or_insert(current.id);
        }
        let body = serde_json::to_vec(&self).unwrap_or_default();
        let mut response =
            (self.status(), [(header::CONTENT_TYPE, CONTENT_TYPE)], body).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
        if let Some(wait) = self.retry_after {
            let seconds = wait.as_secs().max(1);
            headers.insert(header::RETRY_AFTER, HeaderValue::from(seconds));
        }
        response
    }
}

const fn face(code: Code) -> (StatusCode, &'static str, &'static str) {
    match code {
        Code::Invalid => (StatusCode::BAD_REQUEST, "/problems/invalid", "Invalid request"),
        Code::Unauthenticated => {
            (StatusCode::UNAUTHORIZED, "/problems/unauthenticated", "Not signed in")
        }
        Code::Forbidden => (StatusCode::FORBIDDEN, "/problems/forbidden", "Not allowed"),
        Code::NotFound => (StatusCode::NOT_FOUND, "/problems/not-found", "Not found"),
        Code::Conflict => (StatusCode::CONFLICT, "/problems/conflict", "Conflict"),
        Code::RateLimited => {
            (StatusCode::TOO_MANY_REQUESTS, "/problems/rate-limited", "Too many requests")
        }
        Code::Timeout => (StatusCode::GATEWAY_TIMEOUT, "/problems/timeout", "No answer in time"),
        Code::Unavailable => {
            (StatusCode::SERVICE_UNAVAILABLE, "/problems/unavailable", "Unavailable")
        }
        Code::Internal => {
            (StatusCode::INTERNAL_SERVER_ERROR, "/problems/internal", "Internal error")
        }
    }
}

const fn generic(code: Code) -> &'static str {
    match code {
        Code::Unavailable => "something that this needs is away for the moment; try again soon",
        Code::Timeout => "something that this needs did not answer in time; try again soon",
        _ => "the request could not be done; the log has the cause under this trace_id",
    }
}

#[cfg(test)]
mod tests {
    use std::fmt;

    use super::*;

    #[derive(Debug)]
    struct Failure(Code);

    impl fmt::Display for Failure {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("could not read row 7 of table secrets")
        }
    }

    impl std::error::Error for Failure {}

    impl Coded for Failure {
        fn code(&self) -> Code {
            self.0
        }
    }

    async fn body(response: Response) -> serde_json::Value {
        let bytes = axum::body::to_bytes(response.into_body(), 64 * 1024).await.unwrap();
        serde_json::from_slice(&bytes).unwrap()
    }

    #[tokio::test]
    async fn a_failure_of_ours_tells_the_caller_nothing_of_its_inside() {
        for code in [Code::Internal, Code::Unavailable, Code::Timeout] {
            let response = Problem::from(Failure(code)).into_response();
            assert!(response.status().is_server_error());
            assert_eq!(response.headers()[header::CONTENT_TYPE], CONTENT_TYPE);
            let text = body(response).await.to_string();
            assert!(!text.contains("row 7"), "{text}");
        }
    }

    #[tokio::test]
    async fn a_mistake_of_the_caller_is_explained_and_copied_to_message() {
        let response = Problem::from(Failure(Code::Conflict)).into_response();
        assert_eq!(response.status(), StatusCode::CONFLICT);
        let body = body(response).await;
        assert_eq!(body["detail"], "could not read row 7 of table secrets");
        assert_eq!(body["message"], body["detail"]);
        assert_eq!(body["type"], "/problems/conflict");
        assert_eq!(body["status"], 409);
        assert!(body.get("errors").is_none());
    }

    #[tokio::test]
    async fn all_bad_fields_are_told_at_once() {
        let problem = Problem::invalid(vec![
            FieldError::new("data", "is missing; send the alert's text"),
            FieldError::new("runbook", "is not a URL"),
        ]);
        let body = body(problem.into_response()).await;
        assert_eq!(body["status"], 400);
        assert_eq!(body["errors"][0]["field"], "data");
        assert_eq!(body["errors"][1]["field"], "runbook");
        assert_eq!(body["detail"], "data: is missing; send the alert's text (and 1 more)");
    }

    #[test]
    fn what_may_pass_by_itself_says_when_to_come_back() {
        let response = Problem::new(Code::Unavailable, "away").into_response();
        assert_eq!(response.headers()[header::RETRY_AFTER], "5");
        let response =
            Problem::new(Code::RateLimited, "much").retry_after(Duration::from_millis(10));
        assert_eq!(response.into_response().headers()[header::RETRY_AFTER], "1");
    }
}
