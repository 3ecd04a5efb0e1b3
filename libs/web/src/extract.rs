//! Extractors that refuse with a [`Problem`] which names the field.

use axum::Extension;
use axum::body::Bytes;
use axum::extract::path::ErrorKind;
use axum::extract::rejection::{BytesRejection, PathRejection};
use axum::extract::{DefaultBodyLimit, FromRequest, FromRequestParts, Request};
use axum::response::{IntoResponse, Response};
use http::header::CONTENT_TYPE;
use http::request::Parts;
use http::{HeaderMap, StatusCode};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_domain::code::Code;

use crate::problem::{FieldError, Problem};
use crate::server::BodyTimeout;
use crate::unique_keys::UniqueKeys;

/// The most bytes that a request's body may have. The router enforces it; the refusal names it.
pub const MAX_BODY: usize = MIB;
const MIB: usize = 1024 * 1024;

/// What [`body_limit`] tells the extractors.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimit(usize);

/// Layers that refuse a longer body, and name this limit then. An inner one counts instead of those around it.
pub fn body_limit(bytes: usize) -> (Extension<BodyLimit>, DefaultBodyLimit) {
    (Extension(BodyLimit(bytes)), DefaultBodyLimit::max(bytes))
}

fn limit_of(request: &Request) -> usize {
    request.extensions().get().map_or(MAX_BODY, |BodyLimit(bytes)| *bytes)
}

/// JSON, as a request's body or as an answer.
#[derive(Clone, Copy, Debug, Default)]
pub struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        check_content_type(request.headers())?;
        let limit = limit_of(&request);
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|rejection| unreadable(&rejection, limit))?;
        parse_json(&bytes).map(Self)
    }
}

impl<T: Serialize> IntoResponse for Json<T> {
    fn into_response(self) -> Response {
        axum::Json(self.0).into_response()
    }
}

/// The bytes of a request's body, for what is verified before it is read.
#[derive(Clone, Debug, Default)]
pub struct RawBody(pub Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBody {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let limit = limit_of(&request);
        let bytes = Bytes::from_request(request, state).await;
        bytes.map(Self).map_err(|rejection| unreadable(&rejection, limit))
    }
}

#[derive(Clone, Copy, Debug)]
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(path) => Ok(Self(path.0)),
            Err(rejection) => Err(bad_path(rejection)),
        }
    }
}

/// The variables of a query string; those that nobody asks for are left alone.
#[derive(Clone, Copy, Debug)]
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        match axum::extract::Query::<T>::try_from_uri(&parts.uri) {
            Ok(query) => Ok(Self(query.0)),
            Err(rejection) => {
                let source = std::error::Error::source(&rejection);
                let text = source.map_or_else(|| rejection.to_string(), ToString::to_string);
                Err(bad_query(&text))
            }
        }
    }
}

fn check_content_type(headers: &HeaderMap) -> Result<(), Problem> {
    let given = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let essence = given.and_then(|text| text.split(';').next()).map(str::trim).unwrap_or_default();
    let essence = essence.to_ascii_lowercase();
    let json = essence == "application/json"
        || (essence.starts_with("application/") && essence.ends_with("+json"));
    if json {
        return Ok(());
    }
    let message = if essence.is_empty() {
        "is missing; send the header `Content-Type: application/json`".to_owned()
    } else {
        format!("is `{essence}`; send JSON with the header `Content-Type: application/json`")
    };
    Err(Problem::unsupported_media_type(format!("Content-Type {message}"))
        .with_errors(vec![FieldError::new("Content-Type", message)]))
}

fn unreadable(rejection: &BytesRejection, limit: usize) -> Problem {
    if rejection.status() == StatusCode::PAYLOAD_TOO_LARGE {
        let size = if limit.is_multiple_of(MIB) {
            format!("{} MiB ({limit} bytes)", limit / MIB)
        } else {
            format!("{limit} bytes")
        };
        let message =
            format!("is larger than {size}; send less, for example only the end of a log");
        return Problem::too_large(format!("the body {message}"))
            .with_errors(vec![FieldError::new("body", message)]);
    }
    if is_late(rejection) {
        return Problem::body_timeout(
            "the body did not arrive in time; send it again, all at once, over a new connection",
        );
    }
    tracing::debug!(error = %rejection.body_text(), "body broke off");
    Problem::new(Code::Invalid, "the body broke off before its end; send it again")
}

pub(crate) fn is_late(error: &(dyn std::error::Error + 'static)) -> bool {
    std::iter::successors(Some(error), |error| error.source())
        .any(<dyn std::error::Error>::is::<BodyTimeout>)
}

fn parse_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    if bytes.is_empty() {
        return Err(Problem::invalid(vec![FieldError::new(
            "body",
            "is empty; send a JSON object",
        )]));
    }
    // A key that stands twice has one value for us and another for whoever checked the body before.
    read::<UniqueKeys>(bytes)?;
    read(bytes)
}

/// Refuses a document of JSON in which an object has a key twice; what is no JSON is left to whoever reads it.
pub fn refuse_repeated_keys(bytes: &[u8]) -> Result<(), Problem> {
    if serde_json::from_slice::<serde::de::IgnoredAny>(bytes).is_err() {
        return Ok(());
    }
    read::<UniqueKeys>(bytes).map(drop)
}

fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut reader = serde_json::Deserializer::from_slice(bytes);
    let value: T = serde_path_to_error::deserialize(&mut reader).map_err(|err| {
        let path = err.path().to_string();
        bad_json(&path, err.inner())
    })?;
    match reader.end() {
        Ok(()) => Ok(value),
        Err(err) => Err(bad_json(".", &err)),
    }
}

fn bad_json(path: &str, err: &serde_json::Error) -> Problem {
    if !err.is_data() {
        let message = format!("is not valid JSON: {err}; correct it there");
        return Problem::invalid(vec![FieldError::new("body", message)]);
    }
    let text = without_position(&err.to_string());
    Problem::invalid(vec![field_error(path, &text)])
}

fn bad_query(text: &str) -> Problem {
    let (path, text) = text.split_once(": ").unwrap_or((".", text));
    Problem::invalid(vec![field_error(path, text)])
}

/// Moves the name that serde puts into its message to where a caller looks for it.
fn field_error(path: &str, text: &str) -> FieldError {
    let inside = |name: &str| match path.trim_start_matches('.') {
        "" => name.to_owned(),
        outer if outer == name || outer.ends_with(&format!(".{name}")) => outer.to_owned(),
        outer => format!("{outer}.{name}"),
    };
    let named = |prefix: &str| {
        let rest = text.strip_prefix(prefix)?.strip_prefix('`')?;
        rest.split_once('`')
    };
    if let Some((name, rest)) = named("missing field ") {
        let rest = rest.trim();
        let fix = if rest.is_empty() { "add it" } else { rest };
        return FieldError::new(inside(name), format!("is missing; {fix}"));
    }
    if let Some((name, rest)) = named("unknown field ") {
        let known = rest.trim_start_matches(", ");
        return FieldError::new(inside(name), format!("is not known; {known}; leave it out"));
    }
    if let Some((name, _)) = named("duplicate field ") {
        return FieldError::new(inside(name), "is given twice; give it once");
    }
    let field = match path.trim_start_matches('.') {
        "" => "body",
        outer => outer,
    };
    FieldError::new(field, text.to_owned())
}

fn without_position(text: &str) -> String {
    match text.rfind(" at line ") {
        Some(at) => text.get(..at).unwrap_or(text).to_owned(),
        None => text.to_owned(),
    }
}

fn bad_path(rejection: PathRejection) -> Problem {
    let PathRejection::FailedToDeserializePathParams(failure) = rejection else {
        tracing::error!(error = %rejection, "path without its variables");
        return Problem::new(Code::Internal, "the request could not be done");
    };
    let (field, message) = match failure.into_kind() {
        ErrorKind::ParseErrorAtKey { key, value, expected_type } => {
            (key, format!("`{}` is not a {expected_type}", truncated(&value)))
        }
        ErrorKind::DeserializeError { key, value, message } => {
            (key, format!("`{}` cannot be read: {message}", truncated(&value)))
        }
        ErrorKind::InvalidUtf8InPathParam { key } => (key, "is not UTF-8".to_owned()),
        other => ("path".to_owned(), other.to_string()),
    };
    Problem::invalid(vec![FieldError::new(field, message)])
}

/// Enough of a caller's text to recognise it by.
pub fn truncated(text: &str) -> String {
    const KEPT: usize = 80;
    match text.char_indices().nth(KEPT) {
        Some((at, _)) => format!("{}…", text.get(..at).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::routing::{get, post};
    use serde::Deserialize;
    use tarsy_domain::id::SessionId;
    use tower::ServiceExt as _;

    use super::*;

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Outer {
        #[expect(dead_code, reason = "only read by serde")]
        inner: Inner,
    }

    #[derive(Debug, Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Inner {
        #[expect(dead_code, reason = "only read by serde")]
        count: u8,
    }

    #[derive(Deserialize)]
    struct OfSession {
        #[expect(dead_code, reason = "only read by serde")]
        id: SessionId,
    }

    #[derive(Deserialize)]
    struct Wanted {
        #[expect(dead_code, reason = "only read by serde")]
        page: Option<u32>,
    }

    fn router() -> Router {
        Router::new()
            .route("/json", post(async |_: Json<Outer>| StatusCode::OK))
            .route("/path/{id}", get(async |_: Path<OfSession>| StatusCode::OK))
            .route("/query", get(async |_: Query<Wanted>| StatusCode::OK))
            .layer(body_limit(64))
    }

    async fn send(request: http::Request<Body>) -> (StatusCode, serde_json::Value) {
        let response = router().oneshot(request).await.unwrap();
        let status = response.status();
        let bytes = axum::body::to_bytes(response.into_body(), 64 * 1024).await.unwrap();
        (status, serde_json::from_slice(&bytes).unwrap_or_default())
    }

    async fn post_json(body: &str) -> (StatusCode, serde_json::Value) {
        let request = http::Request::post("/json")
            .header(CONTENT_TYPE, "application/json; charset=utf-8")
            .body(Body::from(body.to_owned()))
            .unwrap();
        send(request).await
    }

    #[tokio::test]
    async fn a_bad_member_is_named_by_its_path() {
        for (body, field) in [
            (r#"{"inner":{"count":300}}"#, "inner.count"),
            (r#"{"inner":{"count":"x"}}"#, "inner.count"),
            (r#"{"inner":{}}"#, "inner.count"),
            (r#"{"inner":{"count":1,"cuont":2}}"#, "inner.cuont"),
            (r#"{"inner":{"count":1},"extra":2}"#, "extra"),
            (r#"{"inner":{"count":1,"count":1}}"#, "inner.count"),
            (r#"{"inner":{"count":1},"inner":{"count":2}}"#, "inner"),
            (r#"{"inner":"#, "body"),
            (r#"{"inner":{"count":1}} tail"#, "body"),
            ("[]", "body"),
            ("", "body"),
        ] {
            let (status, answer) = post_json(body).await;
            assert_eq!(status, StatusCode::BAD_REQUEST, "{body}");
            assert_eq!(answer["errors"][0]["field"], field, "{body}: {answer}");
        }
    }

    #[tokio::test]
    async fn a_good_body_is_taken() {
        assert_eq!(post_json(r#"{"inner":{"count":3}}"#).await.0, StatusCode::OK);
    }

    #[test]
    fn a_key_twice_is_refused_wherever_it_stands_and_whatever_is_read() {
        for (body, field) in [
            (r#"{"data":"a","data":"b"}"#, "data"),
            (r#"{"a":[{"x":1},{"x":1,"y":2,"x":3}]}"#, "a[1].x"),
            (r#"{"a":{"b":{"":1,"":2}}}"#, "a.b."),
            (r#"{"a":1,"\u0061":2}"#, "a"),
        ] {
            let problem = parse_json::<serde_json::Value>(body.as_bytes()).unwrap_err();
            let text = format!("{problem:?}");
            assert!(text.contains(&format!("\"{field}\"")), "{body}: {text}");
            assert!(text.contains("is given twice; give it once"), "{body}: {text}");
        }
        for body in [r#"[{"a":1},{"a":1}]"#, r#"{"a":{"a":{"A":null}},"n":1.5e3}"#, "7"] {
            assert!(parse_json::<serde_json::Value>(body.as_bytes()).is_ok(), "{body}");
        }
    }

    #[tokio::test]
    async fn another_content_type_is_refused_by_name() {
        for given in [None, Some("text/plain")] {
            let mut request = http::Request::post("/json");
            if let Some(given) = given {
                request = request.header(CONTENT_TYPE, given);
            }
            let (status, answer) = send(request.body(Body::from("{}")).unwrap()).await;
            assert_eq!(status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
            assert_eq!(answer["errors"][0]["field"], "Content-Type");
        }
    }

    #[tokio::test]
    async fn a_body_that_is_too_large_is_refused_as_such() {
        let (status, answer) = post_json(&" ".repeat(65)).await;
        assert_eq!(status, StatusCode::PAYLOAD_TOO_LARGE);
        assert_eq!(answer["type"], "/problems/too-large");
        let message = answer["message"].as_str().unwrap();
        assert!(message.contains("larger than 64 bytes"), "{message}");
    }

    #[tokio::test]
    async fn a_path_variable_that_is_no_id_is_named() {
        let request = http::Request::get("/path/nonsense").body(Body::empty()).unwrap();
        let (status, answer) = send(request).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        let error = &answer["errors"][0];
        assert_eq!(error["field"], "id");
        let message = error["message"].as_str().unwrap();
        assert!(message.starts_with("`nonsense` cannot be read: an ID is a UUID"), "{message}");
    }

    #[tokio::test]
    async fn a_bad_query_variable_is_named_and_an_unknown_one_left_alone() {
        let request = http::Request::get("/query?page=two").body(Body::empty()).unwrap();
        let (status, answer) = send(request).await;
        assert_eq!(status, StatusCode::BAD_REQUEST);
        assert_eq!(answer["errors"][0]["field"], "page");
        let request = http::Request::get("/query?_=1").body(Body::empty()).unwrap();
        assert_eq!(send(request).await.0, StatusCode::OK);
    }
}
