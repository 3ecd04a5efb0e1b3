//! Which pages of other origins may read our answers.

use std::time::Duration;

use http::{HeaderName, HeaderValue, Method, header};
use tower_http::cors::{AllowOrigin, CorsLayer};

use crate::origin;
use crate::request::REQUEST_ID;

const LOCAL: [&str; 4] = [
    "http://localhost:5173",
    "http://127.0.0.1:5173",
    "http://localhost:8080",
    "http://127.0.0.1:8080",
];

/// Allows the origin of the dashboard's URL and, with `local`, the development servers; with credentials, for an hour.
pub fn layer(dashboard_url: &str, local: bool) -> CorsLayer {
    let own = origin::of_url(dashboard_url).and_then(|text| HeaderValue::from_str(&text).ok());
    let origins = LOCAL.into_iter().filter(|_| local).map(HeaderValue::from_static).chain(own);
    CorsLayer::new()
        .allow_origin(AllowOrigin::list(origins))
        .allow_credentials(true)
        .allow_methods([Method::GET, Method::POST, Method::PUT, Method::DELETE, Method::OPTIONS])
        .allow_headers([
            header::ACCEPT,
            header::AUTHORIZATION,
            header::CONTENT_TYPE,
            HeaderName::from_static("idempotency-key"),
            HeaderName::from_static("traceparent"),
            HeaderName::from_static("x-csrf-token"),
            HeaderName::from_static("x-tarsy-user"),
            REQUEST_ID,
        ])
        .expose_headers([header::RETRY_AFTER, REQUEST_ID])
        .max_age(Duration::from_hours(1))
}

#[cfg(test)]
mod tests {
    use axum::Router;
    use axum::body::Body;
    use axum::routing::get;
    use tower::ServiceExt as _;

    use super::*;

    #[tokio::test]
    async fn only_known_origins_may_read_the_answers() {
        let router = Router::new()
            .route("/", get(async || ""))
            .layer(layer("https://tarsy.example/app", true));
        for (origin, allowed) in [
            ("http://localhost:5173", true),
            ("https://tarsy.example", true),
            ("https://evil.example", false),
        ] {
            let request = http::Request::get("/").header(header::ORIGIN, origin);
            let request = request.body(Body::empty()).unwrap();
            let response = router.clone().oneshot(request).await.unwrap();
            let given = response.headers().get(header::ACCESS_CONTROL_ALLOW_ORIGIN);
            assert_eq!(given.is_some_and(|value| value == origin), allowed, "{origin}");
        }
    }
}
