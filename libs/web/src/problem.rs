//! RFC 9457 problems: the one shape of every refusal and failure over HTTP.

use std::borrow::Cow;
use std::time::Duration;

use axum::response::{IntoResponse, Response};
use http::{HeaderValue, StatusCode, header};
use serde::Serialize;
use tarsy_domain::code::{Code, Coded};
use utoipa::openapi::RefOr;
use utoipa::openapi::schema::Schema;
use utoipa::{PartialSchema, ToSchema};

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

/// A kind of problem.
#[derive(Debug, PartialEq, Eq)]
struct Face {
    kind: &'static str,
    title: &'static str,
    status: StatusCode,
}

/// An RFC 9457 problem, ready to be sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    face: &'static Face,
    detail: String,
    errors: Vec<FieldError>,
    retry_after: Option<Duration>,
    sign_in: Option<&'static str>,
}

/// A problem on the wire.
#[derive(Debug, Serialize, ToSchema)]
struct Document<'a> {
    /// Names the kind of problem.
    #[serde(rename = "type")]
    #[schema(example = "/problems/invalid")]
    kind: &'a str,
    /// The kind of problem for a person.
    #[schema(example = "Invalid request")]
    title: &'a str,
    #[schema(example = 400)]
    status: u16,
    /// What happened this time; only what the caller may know.
    detail: &'a str,
    /// A copy of `detail`, for clients that read this name.
    message: &'a str,
    /// The path that was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    instance: Option<&'a str>,
    /// Finds this request in the logs.
    #[serde(skip_serializing_if = "Option::is_none")]
    trace_id: Option<&'a str>,
    /// What is wrong, field by field.
    #[serde(skip_serializing_if = "<[FieldError]>::is_empty")]
    #[schema(value_type = Option<Vec<FieldError>>)]
    errors: &'a [FieldError],
    /// Where a person signs in, if that would help.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "/api/v1/sign-in")]
    sign_in: Option<&'a str>,
}

impl PartialSchema for Problem {
    fn schema() -> RefOr<Schema> {
        Document::schema()
    }
}

impl ToSchema for Problem {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Problem")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        Document::schemas(schemas);
    }
}

impl Problem {
    /// A problem of this kind that says what happened.
    pub fn new(code: Code, detail: impl Into<String>) -> Self {
        let transient = matches!(code, Code::Unavailable | Code::RateLimited);
        let retry_after = transient.then_some(RETRY_AFTER);
        Self { retry_after, ..Self::of(face(code), detail) }
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
        Self::new(Code::Invalid, detail).with_errors(errors)
    }

    pub fn not_found(detail: impl Into<String>) -> Self {
        Self::new(Code::NotFound, detail)
    }

    /// It was there, and a person deleted it.
    pub fn gone(detail: impl Into<String>) -> Self {
        Self::of(&DELETED, detail)
    }

    /// The body is larger than allowed.
    pub fn too_large(detail: impl Into<String>) -> Self {
        Self::of(&TOO_LARGE, detail)
    }

    /// The body did not arrive in time.
    pub fn body_timeout(detail: impl Into<String>) -> Self {
        Self::of(&BODY_TIMEOUT, detail)
    }

    /// The body is of a type that is not understood.
    pub fn unsupported_media_type(detail: impl Into<String>) -> Self {
        Self::of(&UNSUPPORTED, detail)
    }

    /// The path is there, but not for this method.
    pub fn method_not_allowed() -> Self {
        Self::of(&METHOD, "this path does not take this method; see the Allow header")
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

    /// The same problem, with the path where a person signs in.
    #[must_use]
    pub fn with_sign_in(self, path: &'static str) -> Self {
        Self { sign_in: Some(path), ..self }
    }

    pub const fn status(&self) -> StatusCode {
        self.face.status
    }

    /// What happened, for whoever asked.
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// What is wrong, field by field.
    pub fn errors(&self) -> &[FieldError] {
        &self.errors
    }

    fn of(face: &'static Face, detail: impl Into<String>) -> Self {
        Self { face, detail: detail.into(), errors: Vec::new(), retry_after: None, sign_in: None }
    }
}

impl<E: Coded> From<E> for Problem {
    /// The caller's mistakes are explained to the caller; ours are logged and kept to ourselves.
    fn from(err: E) -> Self {
        let code = err.code();
        if face(code).status.is_server_error() {
            tracing::error!(error = %tarsy_telemetry::chain(&err), "request failed");
            return Self::new(code, generic(code));
        }
        tracing::debug!(error = %tarsy_telemetry::chain(&err), "request refused");
        Self::new(code, err.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let current = request::current();
        let document = Document {
            kind: self.face.kind,
            title: self.face.title,
            status: self.face.status.as_u16(),
            detail: &self.detail,
            message: &self.detail,
            instance: current.as_ref().map(|request| request.path.as_str()),
            trace_id: current.as_ref().map(|request| request.id.as_str()),
            errors: &self.errors,
            sign_in: self.sign_in,
        };
        let body = serde_json::to_vec(&document).unwrap_or_default();
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

macro_rules! faces {
    ($($name:ident = $status:ident, $kind:literal, $title:literal;)+) => {
        $(
            static $name: Face = Face {
                kind: concat!("/problems/", $kind),
                title: $title,
                status: StatusCode::$status,
            };
        )+
    };
}

faces! {
    INVALID = BAD_REQUEST, "invalid", "Invalid request";
    UNAUTHENTICATED = UNAUTHORIZED, "unauthenticated", "Not signed in";
    FORBIDDEN = FORBIDDEN, "forbidden", "Not allowed";
    NOT_FOUND = NOT_FOUND, "not-found", "Not found";
    DELETED = GONE, "gone", "Deleted";
    METHOD = METHOD_NOT_ALLOWED, "method-not-allowed", "Method not allowed";
    CONFLICT = CONFLICT, "conflict", "Conflict";
    TOO_LARGE = PAYLOAD_TOO_LARGE, "too-large", "Payload too large";
    BODY_TIMEOUT = REQUEST_TIMEOUT, "body-timeout", "Body not received in time";
    UNSUPPORTED = UNSUPPORTED_MEDIA_TYPE, "unsupported-media-type", "Unsupported media type";
    RATE_LIMITED = TOO_MANY_REQUESTS, "rate-limited", "Too many requests";
    TIMEOUT = GATEWAY_TIMEOUT, "timeout", "No answer in time";
    UNAVAILABLE = SERVICE_UNAVAILABLE, "unavailable", "Unavailable";
    INTERNAL = INTERNAL_SERVER_ERROR, "internal", "Internal error";
}

const fn face(code: Code) -> &'static Face {
    match code {
        Code::Invalid => &INVALID,
        Code::Unauthenticated => &UNAUTHENTICATED,
        Code::Forbidden => &FORBIDDEN,
        Code::NotFound => &NOT_FOUND,
        Code::Conflict => &CONFLICT,
        Code::RateLimited => &RATE_LIMITED,
        Code::Timeout => &TIMEOUT,
        Code::Unavailable => &UNAVAILABLE,
        Code::Internal => &INTERNAL,
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
    async fn a_server_error_hides_its_cause_from_the_caller() {
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
    async fn all_bad_fields_are_reported_at_once() {
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
    fn a_transient_problem_has_a_retry_after_header() {
        let response = Problem::new(Code::Unavailable, "away").into_response();
        assert_eq!(response.headers()[header::RETRY_AFTER], "5");
        let response =
            Problem::new(Code::RateLimited, "much").retry_after(Duration::from_millis(10));
        assert_eq!(response.into_response().headers()[header::RETRY_AFTER], "1");
    }
}
