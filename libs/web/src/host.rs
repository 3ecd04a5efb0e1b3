//! The names under which this server answers: a page whose domain was rebound to this address names another one.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, Uri, header};
use tarsy_domain::code::Code;

use crate::origin::{authority_of, glob, host_of, is_loopback};
use crate::problem::{FieldError, Problem};

/// The hosts that requests may name.
///
/// Always allowed: loopback names, and the dashboard's own host.
#[derive(Clone, Debug)]
pub struct AllowedHosts(Arc<[String]>);

impl AllowedHosts {
    /// The host of the dashboard's URL, and host patterns (`*` for any run of characters) beside it.
    pub fn new(dashboard_url: &str, patterns: &[String]) -> Self {
        let own = authority_of(dashboard_url).map(|text| host_of(text).to_ascii_lowercase());
        let given = patterns.iter().map(|pattern| pattern.trim().to_ascii_lowercase());
        Self(own.into_iter().chain(given).filter(|text| !text.is_empty()).collect())
    }

    /// Ports do not count: a proxy in front may have another one.
    fn includes(&self, authority: &str) -> bool {
        let authority = authority.to_ascii_lowercase();
        let host = host_of(&authority);
        let is_ours = |pattern: &String| glob(pattern, host) || glob(pattern, &authority);
        !authority.contains(['/', '@', '?', '#'])
            && (is_loopback(host) || self.0.iter().any(is_ours))
    }

    /// Whether a request names an allowed host.
    fn allow(&self, headers: &HeaderMap, uri: &Uri) -> bool {
        let mut named = headers.get_all(header::HOST).iter();
        let host = match (named.next(), named.next(), uri.authority()) {
            (Some(host), None, _) => host.to_str().ok(),
            // HTTP/2 has `:authority` instead.
            (None, _, Some(authority)) => Some(authority.as_str()),
            _ => None,
        };
        host.is_some_and(|host| self.includes(host))
    }
}

/// Refuses requests that name another host.
pub async fn require_allowed(
    State(hosts): State<AllowedHosts>,
    request: Request,
    next: Next,
) -> Response {
    if hosts.allow(request.headers(), request.uri()) {
        return next.run(request).await;
    }
    let message = "is not a name of this server; set system.dashboard_url to the address you use, \
                   or add its host to system.access.allowed_hosts";
    Problem::new(Code::Forbidden, format!("the host {message}"))
        .with_errors(vec![FieldError::new("Host", message)])
        .into_response()
}

#[cfg(test)]
mod tests {
    use http::{HeaderValue, StatusCode};

    use super::*;

    fn allowed(hosts: &[&'static str], uri: &'static str) -> bool {
        let patterns = ["*.corp.example".to_owned(), "10.1.2.3".to_owned()];
        let mut headers = HeaderMap::new();
        for host in hosts {
            headers.append(header::HOST, HeaderValue::from_static(host));
        }
        let ours = AllowedHosts::new("https://tarsy.example:8443/", &patterns);
        ours.allow(&headers, &Uri::from_static(uri))
    }

    #[test]
    fn only_names_of_this_server_are_answered() {
        for host in [
            "localhost:8080",
            "127.0.0.1",
            "[::1]:8080",
            "tarsy.example",
            "a.corp.example:1",
            "10.1.2.3:80",
        ] {
            assert!(allowed(&[host], "/"), "{host}");
        }
        for host in ["rebound.example", "localhost.rebound.example", "10.1.2.4", "", "a@localhost"]
        {
            assert!(!allowed(&[host], "/"), "{host}");
        }
        assert!(!allowed(&["localhost", "rebound.example"], "/"));
        assert!(!allowed(&[], "/"));
        assert!(allowed(&[], "http://localhost/health"));
    }

    #[tokio::test]
    async fn another_name_is_refused() {
        use tower::ServiceExt as _;
        let hosts = AllowedHosts::new("http://localhost:8080", &[]);
        let router = axum::Router::new()
            .route("/", axum::routing::get(async || StatusCode::OK))
            .layer(axum::middleware::from_fn_with_state(hosts, require_allowed));
        let ask = async |host: &str| {
            let request = Request::get("/").header(header::HOST, host);
            let request = request.body(axum::body::Body::empty()).unwrap();
            router.clone().oneshot(request).await.unwrap().status()
        };
        assert_eq!(ask("localhost:1").await, StatusCode::OK);
        assert_eq!(ask("rebound.example:1").await, StatusCode::FORBIDDEN);
    }
}
