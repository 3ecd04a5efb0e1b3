//! From where a browser may talk to us.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use http::{HeaderMap, HeaderValue, Method, header};
use tarsy_domain::code::Code;

use crate::problem::{FieldError, Problem};

/// The hosts whose pages may open a WebSocket or change something.
///
/// Always allowed: the dashboard's own host.
#[derive(Clone, Debug)]
pub struct Origins {
    patterns: Arc<[String]>,
    loopback: bool,
}

impl Origins {
    /// The host of the dashboard's URL, and host patterns (`*` for any run of characters) beside
    /// it. A pattern may carry a scheme (`https://*.example.org`) or a port (`example.org:8443`). With
    /// `loopback` also `localhost`, `127.0.0.1` and `[::1]` on any port.
    pub fn new(dashboard_url: &str, patterns: &[String], loopback: bool) -> Self {
        let own = authority_of(dashboard_url).map(|text| host_of(text).to_ascii_lowercase());
        let given = patterns.iter().map(|pattern| pattern.trim().to_ascii_lowercase());
        let patterns = own.into_iter().chain(given).filter(|text| !text.is_empty()).collect();
        Self { patterns, loopback }
    }

    /// Whether a page of this origin is welcome.
    pub fn allows(&self, origin: &str) -> bool {
        let origin = origin.to_ascii_lowercase();
        let Some((scheme, rest)) = origin.split_once("://") else { return false };
        if !matches!(scheme, "http" | "https") || rest.contains(['/', '@', '?', '#']) {
            return false;
        }
        let host = host_of(rest);
        if self.loopback && matches!(host, "localhost" | "127.0.0.1" | "[::1]") {
            return true;
        }
        self.patterns.iter().any(|pattern| match pattern.split_once("://") {
            Some(_) => glob(pattern, &origin) || glob(pattern, &format!("{scheme}://{host}")),
            None => glob(pattern, host) || glob(pattern, rest),
        })
    }

    /// Whether this request may go on: it comes from no page, from ours, or from a welcome one.
    pub fn allows_request(&self, headers: &HeaderMap) -> bool {
        let Some(origin) = headers.get(header::ORIGIN) else { return true };
        let Ok(origin) = origin.to_str() else { return false };
        self.allows(origin)
    }
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
    let allowed = (same_host(headers) || origins.allows_request(headers)) && !hides_origin(headers);
    if allowed || (reads && !opens_websocket(headers)) {
        return next.run(request).await;
    }
    let message = "is not one that this server takes changes or WebSockets from; open the dashboard under \
                   system.dashboard_url, set that to the address you use, or add this host to \
                   system.allowed_ws_origins";
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

/// Whether a page asks the very host that served it.
fn same_host(headers: &HeaderMap) -> bool {
    let text = |value: &HeaderValue| value.to_str().ok().map(str::to_ascii_lowercase);
    let origin = headers.get(header::ORIGIN).and_then(text);
    let host = headers.get(header::HOST).and_then(text);
    match (origin.as_deref().and_then(|origin| origin.split_once("://")), host) {
        (Some((_, from)), Some(host)) => from == host,
        _ => false,
    }
}

fn authority_of(url: &str) -> Option<&str> {
    let (_, rest) = url.split_once("://")?;
    let authority = rest.split(['/', '?', '#']).next()?;
    Some(authority.rsplit('@').next().unwrap_or(authority))
}

fn host_of(authority: &str) -> &str {
    if let Some(end) = authority.find(']') {
        return authority.get(..=end).unwrap_or(authority);
    }
    authority.split(':').next().unwrap_or(authority)
}

/// `*` stands for any run of characters.
fn glob(pattern: &str, text: &str) -> bool {
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
        let patterns = ["*.corp.example".to_owned(), "https://only.example".to_owned()];
        Origins::new("https://tarsy.example:8443/tarsy", &patterns, true)
    }

    #[test]
    fn welcome_origins_are_the_dashboard_the_local_machine_and_the_patterns() {
        for origin in [
            "http://localhost:5173",
            "http://127.0.0.1:9",
            "http://[::1]:8080",
            "https://tarsy.example",
            "https://TARSY.example:8443",
            "https://a.b.corp.example",
            "https://only.example",
            "https://only.example:444",
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
            "http://only.example",
            "https://user@localhost",
            "file://localhost",
            "null",
            "",
        ] {
            assert!(!origins().allows(origin), "{origin}");
        }
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
            (("origin", "https://evil.example"), ("origin", "https://tarsy.example"));
        let (cross, upgrade) = (("sec-fetch-site", "cross-site"), ("upgrade", "websocket"));
        for (method, headers, allowed) in [
            ("POST", &[evil][..], false),
            ("POST", &[evil, cross], false),
            ("POST", &[("origin", "null")], false),
            ("POST", &[cross], false),
            ("POST", &[ours, cross], true),
            ("POST", &[ours, ("sec-fetch-site", "same-origin")], true),
            ("POST", &[("origin", "http://10.0.0.1")], true),
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
