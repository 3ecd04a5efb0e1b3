//! Security headers of every response.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;
use http::{HeaderName, HeaderValue, header};

/// What the dashboard may load and do. Styles may be inline: its component library writes them.
pub const DASHBOARD_POLICY: &str = "default-src 'self'; script-src 'self'; \
     style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; \
     connect-src 'self'; object-src 'none'; base-uri 'self'; form-action 'self'; \
     frame-ancestors 'none'";

const PROTECTION: [(HeaderName, &str); 6] = [
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::REFERRER_POLICY, "strict-origin-when-cross-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), microphone=(), geolocation=()"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (header::CONTENT_SECURITY_POLICY, DASHBOARD_POLICY),
];

/// Adds the protecting headers that an answer does not set by itself.
pub async fn add_security_headers(request: Request, next: Next) -> Response {
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    for (name, value) in PROTECTION {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::routing::get;
    use axum::{Router, middleware};
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn an_answer_is_protected_and_keeps_what_it_set() {
        let own = async || [(header::CONTENT_SECURITY_POLICY, "default-src 'none'")];
        let router =
            Router::new().route("/", get(own)).layer(middleware::from_fn(add_security_headers));
        for (path, policy) in [("/", "default-src 'none'"), ("/missing", DASHBOARD_POLICY)] {
            let request = Request::get(path).body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            let headers = response.headers();
            assert_eq!(headers[header::CONTENT_SECURITY_POLICY], policy);
            assert_eq!(headers[header::X_FRAME_OPTIONS], "DENY");
            assert_eq!(headers[header::X_CONTENT_TYPE_OPTIONS], "nosniff");
            assert!(headers.contains_key("permissions-policy"));
        }
    }
}
