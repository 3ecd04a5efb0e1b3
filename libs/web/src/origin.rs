//! From where a browser may talk to us.

use std::fmt;
use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, header};
use tarsy_domain::code::Code;

use crate::problem::{FieldError, Problem};

/// The origins whose pages may open a WebSocket or change something. An origin is a scheme, a host and a port, and all
/// three count.
///
/// Always allowed: the dashboard's own origin.
#[derive(Clone, Debug)]
pub struct Origins {
    /// As [`normal`] writes them; `*` stands for any run of characters.
    patterns: Arc<[String]>,
    /// Whether people reach us over HTTPS.
    is_https: bool,
    loopback: bool,
}

impl Origins {
    /// The origin of the dashboard's URL, and patterns (`*` for any run of characters) beside it. A pattern without a
    /// scheme (`*.example.org`) has that of the dashboard, one without a port the default of its scheme; `:*` is any
    /// port. With `loopback` also `localhost`, `127.0.0.1` and `[::1]` on any port.
    pub fn new(dashboard_url: &str, patterns: &[String], loopback: bool) -> Self {
        let own = of_url(dashboard_url);
        let scheme = own.as_deref().and_then(|own| own.split_once("://"));
        let scheme = scheme.map_or("https", |(scheme, _)| scheme);
        let given = patterns.iter().map(|pattern| pattern.trim().to_ascii_lowercase());
        let given =
            given.filter(|text| !text.is_empty()).map(|text| match text.split_once("://") {
                Some((scheme, authority)) => normal(scheme, authority),
                None => normal(scheme, &text),
            });
        let is_https = scheme == "https";
        let own = own.as_deref().and_then(|own| own.split_once("://"));
        let own = own.map(|(scheme, authority)| normal(scheme, authority));
        Self { patterns: own.into_iter().chain(given).collect(), is_https, loopback }
    }

    /// Whether a page of this origin is welcome.
    pub fn allows(&self, origin: &str) -> bool {
        let Some(origin) = Origin::of(origin) else { return false };
        let is_local = self.loopback && is_loopback(&origin.host);
        is_local || self.patterns.iter().any(|pattern| glob(pattern, &origin.to_string()))
    }

    /// Whether this request may go on: it comes from no page, from ours, or from a welcome one.
    pub fn allows_request(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else { return true };
        let Ok(origin) = origin.to_str() else { return false };
        self.allows(origin)
    }

    /// Whether a page asks the very host and port that served it. Where people reach us over HTTPS, a page of plain HTTP
    /// is another one: whoever is on the network writes it.
    fn is_own_host(&self, headers: &HeaderMap) -> bool {
        let text = |value: &HeaderValue| value.to_str().ok().map(str::to_ascii_lowercase);
        let origin = headers.get(header::ORIGIN).and_then(text);
        let Some(origin) = origin.as_deref().and_then(Origin::of) else { return false };
        let host = headers.get(header::HOST).and_then(text);
        let serves = host.is_some_and(|host| normal(&origin.scheme, &host) == origin.to_string());
        let is_plain = origin.scheme != "https" && !is_loopback(&origin.host);
        serves && !(is_plain && self.is_https)
    }
}

/// The origin of a page, in lower case.
struct Origin {
    scheme: String,
    host: String,
    port: u16,
}

impl Origin {
    /// None if a browser would not write it so, or if it is no web page's.
    fn of(text: &str) -> Option<Self> {
        let text = text.to_ascii_lowercase();
        let (scheme, authority) = text.split_once("://")?;
        let (host, port) = split_port(authority);
        let port = port.unwrap_or_else(|| default_port(scheme));
        let is_bracketed = host.starts_with('[') && host.ends_with(']');
        let is_web = matches!(scheme, "http" | "https") && !host.is_empty();
        let is_host = !host.contains(['/', '@', '?', '#', '\\', '*'])
            && (is_bracketed || !host.contains(':'));
        if !is_web || !is_host || !port.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let port = port.parse().ok()?;
        Some(Self { scheme: scheme.to_owned(), host: host.to_owned(), port })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}:{}", self.scheme, self.host, self.port)
    }
}

/// An origin, or a pattern of some, with its port written out.
fn normal(scheme: &str, authority: &str) -> String {
    let (host, port) = split_port(authority);
    format!("{scheme}://{host}:{}", port.unwrap_or_else(|| default_port(scheme)))
}

fn default_port(scheme: &str) -> &'static str {
    if scheme == "http" { "80" } else { "443" }
}

/// A host, in brackets if it is an IPv6 address, and its port if one is written.
fn split_port(authority: &str) -> (&str, Option<&str>) {
    match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, Some(port)),
        _ => (authority, None),
    }
}

/// Whether a host is this machine, by the names that browsers know for it.
pub(crate) fn is_loopback(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "[::1]")
}

/// The origin of a URL, as browsers write it.
pub(crate) fn of_url(url: &str) -> Option<String> {
    let (scheme, _) = url.split_once("://")?;
    Some(format!("{scheme}://{}", authority_of(url)?).to_ascii_lowercase())
}

/// Refuses what a foreign page sends in a visitor's name.
pub async fn require_allowed(
    State(origins): State<Origins>,
    request: Request,
    next: Next,
) -> Response {
    let headers = request.headers();
    let reads = matches!(*request.method(), Method::GET | Method::HEAD | Method::OPTIONS);
    let allowed =
        (origins.is_own_host(headers) || origins.allows_request(headers)) && !hides_origin(headers);
    if allowed || (reads && !opens_websocket(headers)) {
        return next.run(request).await;
    }
    let message = "is not one that this server takes changes or WebSockets from; open the dashboard under \
                   system.dashboard_url, set that to the address you use, or add this origin, with its \
                   scheme and port, to system.allowed_ws_origins";
    Problem::new(Code::Forbidden, format!("the page's origin {message}"))
        .with_errors(vec![FieldError::new("Origin", message)])
        .into_response()
}

/// Whether a page of another site had the browser send this without naming it.
fn hides_origin(headers: &HeaderMap) -> bool {
    let is_cross_site = headers.get("sec-fetch-site").is_some_and(|site| site == "cross-site");
    is_cross_site && !headers.contains_key(header::ORIGIN)
}

fn opens_websocket(headers: &HeaderMap) -> bool {
    let upgrade = headers.get(header::UPGRADE).and_then(|value| value.to_str().ok());
    upgrade.is_some_and(|protocol| protocol.eq_ignore_ascii_case("websocket"))
}

pub(crate) fn authority_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    Some(authority.rsplit('@').next().unwrap_or(authority))
}

pub(crate) fn host_of(authority: &str) -> &str {
    if let Some(end) = authority.find(']') {
        return authority.get(..=end).unwrap_or(authority);
    }
    authority.split(':').next().unwrap_or(authority)
}

/// `*` stands for any run of characters.
pub(crate) fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else { return false };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
    }
    true
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::post;
    use axum::{Router, middleware};
    use http::StatusCode;
    use tower::ServiceExt as _;

    use super::*;

    fn origins() -> Origins {
        let patterns =
            ["*.corp.example", "https://only.example", "http://plain.example", "any.example:*"];
        Origins::new("https://tarsy.example:8443/tarsy", &patterns.map(str::to_owned), true)
    }

    #[test]
    fn welcome_origins_are_the_dashboard_the_local_machine_and_the_patterns() {
        for origin in [
            "http://localhost:5173",
            "http://127.0.0.1:9",
            "http://[::1]:8080",
            "https://TARSY.example:8443",
            "https://a.b.corp.example",
            "https://a.corp.example:443",
            "https://only.example",
            "http://plain.example",
            "https://any.example:9",
        ] {
            assert!(origins().allows(origin), "{origin}");
        }
    }

    #[test]
    fn lookalikes_are_not_welcome() {
        for origin in [
            "https://evil.example",
            "https://tarsy.example.evil",
            "https://localhost.evil",
            "https://corp.example.evil",
            "https://evil.example:443.corp.example",
            "https://user@localhost",
            "file://localhost",
            "https://",
            "null",
            "",
        ] {
            assert!(!origins().allows(origin), "{origin}");
        }
    }

    #[test]
    fn a_page_of_another_scheme_or_port_of_a_welcome_host_is_another_page() {
        for origin in [
            "https://tarsy.example",
            "http://tarsy.example:8443",
            "https://tarsy.example:9443",
            "http://only.example",
            "https://only.example:444",
            "http://a.corp.example",
            "https://a.corp.example:8443",
            "https://plain.example",
            "http://any.example:9",
        ] {
            assert!(!origins().allows(origin), "{origin}");
        }
    }

    #[test]
    fn a_page_of_plain_http_is_not_the_one_that_people_reach_over_https() {
        let asks = |dashboard: &str, origin: &'static str, host: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(header::ORIGIN, HeaderValue::from_static(origin));
            headers.insert(header::HOST, HeaderValue::from_static(host));
            Origins::new(dashboard, &[], false).is_own_host(&headers)
        };
        let (https, http) = ("https://tarsy.example", "http://tarsy.example");
        assert!(asks(https, "https://10.0.0.1:8443", "10.0.0.1:8443"));
        assert!(asks(https, "http://localhost:8080", "localhost:8080"));
        assert!(asks(http, "http://10.0.0.1", "10.0.0.1"));
        assert!(asks(http, "https://tarsy.example", "tarsy.example"));
        assert!(!asks(https, "http://tarsy.example", "tarsy.example"));
        assert!(!asks(https, "http://10.0.0.1", "10.0.0.1"));
        assert!(!asks(http, "http://10.0.0.1:8080", "10.0.0.1"));
    }

    #[test]
    fn pages_of_the_local_machine_are_welcome_in_local_mode_only() {
        let ours = Origins::new("https://tarsy.example", &[], false);
        assert!(ours.allows("https://tarsy.example"));
        assert!(!ours.allows("http://localhost:5173") && !ours.allows("http://[::1]:8080"));
    }

    #[tokio::test]
    async fn a_foreign_page_changes_nothing() {
        let router = Router::new()
            .route("/", post(async || StatusCode::OK).get(async || StatusCode::OK))
            .layer(middleware::from_fn_with_state(origins(), require_allowed));
        let ask = async |method: &str, headers: &[(&str, &str)]| {
            let mut request =
                http::Request::builder().method(method).uri("/").header(header::HOST, "10.0.0.1");
            for (name, value) in headers {
                request = request.header(*name, *value);
            }
            let request = request.body(Body::empty()).unwrap();
            router.clone().oneshot(request).await.unwrap().status()
        };
        let (evil, ours) =
            (("origin", "https://evil.example"), ("origin", "https://tarsy.example:8443"));
        let (cross, upgrade) = (("sec-fetch-site", "cross-site"), ("upgrade", "websocket"));
        for (method, headers, allowed) in [
            ("POST", &[evil][..], false),
            ("POST", &[evil, cross], false),
            ("POST", &[("origin", "null")], false),
            ("POST", &[cross], false),
            ("POST", &[ours, cross], true),
            ("POST", &[ours, ("sec-fetch-site", "same-origin")], true),
            ("POST", &[("origin", "https://10.0.0.1")], true),
            ("POST", &[("origin", "http://10.0.0.1")], false),
            ("POST", &[("origin", "https://10.0.0.1:444")], false),
            ("POST", &[], true),
            ("GET", &[evil, cross], true),
            ("GET", &[evil, upgrade], false),
            ("GET", &[cross, upgrade], false),
            ("GET", &[ours, upgrade], true),
            ("GET", &[upgrade], true),
        ] {
            let expected = if allowed { StatusCode::OK } else { StatusCode::FORBIDDEN };
            assert_eq!(ask(method, headers).await, expected, "{method} {headers:?}");
        }
    }
}
