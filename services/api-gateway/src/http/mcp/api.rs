//! Requests to the REST API within the process, for the sender of an MCP request.

use std::fmt;
use std::net::SocketAddr;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request};
use http::request::Parts;
use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tarsy_domain::id::SessionId;
use tower::ServiceExt as _;
use url::{Host, Url};

use crate::access::Principal;
use crate::http::permissions;
use crate::state::AppState;

/// The most bytes of an answer of the API.
const MAX_ANSWER: usize = 16 * 1024 * 1024;
/// What describes the MCP request itself; all other headers may identify its sender.
const OWN_HEADERS: [HeaderName; 7] = [
    header::ACCEPT,
    header::ACCEPT_ENCODING,
    header::CONNECTION,
    header::CONTENT_ENCODING,
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::TRANSFER_ENCODING,
];
/// Names the alert that a request submits: it comes from the arguments of a call.
pub(super) const IDEMPOTENCY_KEY: &str = "idempotency-key";

/// Why the API did not do what it was asked for, for whoever called the tool.
#[derive(Debug)]
pub(super) struct Refused {
    text: String,
    /// What the API answered, if it was asked.
    pub(super) status: Option<StatusCode>,
}

impl Refused {
    pub(super) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), status: None }
    }

    fn answered(status: StatusCode, text: String) -> Self {
        Self { text, status: Some(status) }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The parts of a problem that a caller can do something about.
#[derive(Deserialize)]
struct Problem {
    title: String,
    detail: String,
    #[serde(default)]
    errors: Vec<Wrong>,
}

#[derive(Deserialize)]
struct Wrong {
    field: String,
    message: String,
}

/// The API as one sender sees it.
pub(super) struct Api {
    router: Router,
    app: AppState,
    principal: Principal,
    headers: HeaderMap,
    peer: Option<ConnectInfo<SocketAddr>>,
}

impl Api {
    /// For the sender of a request that was let pass.
    pub(super) fn of(router: &Router, app: &AppState, parts: &Parts) -> Option<Self> {
        let principal = parts.extensions.get::<Principal>()?.clone();
        let mut headers = parts.headers.clone();
        for name in &OWN_HEADERS {
            headers.remove(name);
        }
        headers.remove(IDEMPOTENCY_KEY);
        let peer = parts.extensions.get::<ConnectInfo<SocketAddr>>().copied();
        Some(Self { router: router.clone(), app: app.clone(), principal, headers, peer })
    }

    /// Whether the sender has what a route requires.
    pub(super) fn may(&self, method: &Method, route: &str) -> bool {
        permissions::may(&self.principal, method, route)
    }

    /// The address of the page about a session.
    pub(super) fn page(&self, session: SessionId) -> String {
        let host = self.headers.get(header::HOST).and_then(|host| host.to_str().ok());
        let dashboard = reached_at(&self.app.catalog().system.dashboard_url, host);
        format!("{}/sessions/{session}", dashboard.trim_end_matches('/'))
    }

    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &[(&str, String)],
    ) -> Result<T, Refused> {
        let given = query.iter().filter(|(_, value)| !value.is_empty());
        let query =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(given).finish();
        self.send(self.request(Method::GET, &format!("{path}?{query}")), Body::empty()).await
    }

    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &Value,
        idempotency_key: Option<&str>,
    ) -> Result<T, Refused> {
        let mut request =
            self.request(Method::POST, path).header(header::CONTENT_TYPE, "application/json");
        if let Some(key) = idempotency_key {
            request = request.header(IDEMPOTENCY_KEY, key);
        }
        self.send(request, Body::from(body.to_string())).await
    }

    fn request(&self, method: Method, path: &str) -> http::request::Builder {
        let mut request = Request::builder().method(method).uri(path);
        if let Some(headers) = request.headers_mut() {
            headers.clone_from(&self.headers);
        }
        if let (Some(extensions), Some(peer)) = (request.extensions_mut(), self.peer) {
            extensions.insert(peer);
        }
        request
    }

    async fn send<T: DeserializeOwned>(
        &self,
        request: http::request::Builder,
        body: Body,
    ) -> Result<T, Refused> {
        let request = request
            .body(body)
            .map_err(|error| Refused::new(format!("the request cannot be made: {error}")))?;
        let response = match self.router.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let status = response.status();
        let retry_after = response.headers().get(header::RETRY_AFTER).cloned();
        let body = to_bytes(response.into_body(), MAX_ANSWER).await.map_err(|error| {
            tracing::warn!(%error, "an answer of the API was not read");
            Refused::new("the answer is too large; ask for less, or open the page of the session")
        })?;
        if !status.is_success() {
            let after = retry_after.as_ref().and_then(|value| value.to_str().ok());
            return Err(refused(status, &body, after));
        }
        serde_json::from_slice(&body).map_err(|error| {
            tracing::error!(%error, "an answer of the API has another form than its description");
            Refused::new("the answer cannot be read; the log of api-gateway has the cause")
        })
    }
}

/// The address of the dashboard: the configured one, with the port of this machine that the sender asks where that is on this
/// machine, too.
fn reached_at(dashboard: &str, host: Option<&str>) -> String {
    let (Ok(mut url), Some(asked)) =
        (Url::parse(dashboard), host.and_then(|host| Url::parse(&format!("http://{host}")).ok()))
    else {
        return dashboard.to_owned();
    };
    if is_this_machine(&url) && is_this_machine(&asked) && url.set_port(asked.port()).is_ok() {
        url.to_string()
    } else {
        dashboard.to_owned()
    }
}

fn is_this_machine(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// A problem of the API in words.
fn refused(status: StatusCode, body: &[u8], retry_after: Option<&str>) -> Refused {
    let Ok(problem) = serde_json::from_slice::<Problem>(body) else {
        return Refused::answered(status, format!("the API answered {status}"));
    };
    let mut text = format!("{} ({}): {}", problem.title, status.as_u16(), problem.detail);
    // The first one is in the detail.
    for Wrong { field, message } in problem.errors.iter().skip(1) {
        text = format!("{text}\n{field}: {message}");
    }
    if let Some(seconds) = retry_after {
        text = format!("{text}\nTry again after {seconds} s.");
    }
    Refused::answered(status, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_port_that_the_sender_asks_on_this_machine() {
        for (dashboard, host, expected) in [
            ("http://localhost:8080", Some("127.0.0.1:9000"), "http://localhost:9000/"),
            ("http://localhost:8080/ops", Some("localhost:9000"), "http://localhost:9000/ops"),
            ("http://localhost:8080", Some("tarsy.internal"), "http://localhost:8080"),
            ("https://tarsy.example.com", Some("127.0.0.1:9000"), "https://tarsy.example.com"),
            ("http://localhost:8080", None, "http://localhost:8080"),
        ] {
            assert_eq!(reached_at(dashboard, host), expected, "{dashboard} {host:?}");
        }
    }

    #[test]
    fn a_refusal_names_each_field_and_when_to_try_again() {
        let body = br#"{"title": "Invalid request", "detail": "data: is missing (and 1 more)",
            "errors": [{"field": "data", "message": "is missing"}, {"field": "title", "message": "is too long"}]}"#;
        let text = refused(StatusCode::BAD_REQUEST, body, None).to_string();
        assert_eq!(
            text,
            "Invalid request (400): data: is missing (and 1 more)\ntitle: is too long"
        );
        let body = br#"{"title": "Too many requests", "detail": "slow down"}"#;
        let text = refused(StatusCode::TOO_MANY_REQUESTS, body, Some("7")).to_string();
        assert_eq!(text, "Too many requests (429): slow down\nTry again after 7 s.");
        let text = refused(StatusCode::BAD_GATEWAY, b"<html>", None).to_string();
        assert_eq!(text, "the API answered 502 Bad Gateway");
    }
}
