//! Where the address that people use has a path: a server below `/tarsy/` of a host that it shares.
//!
//! A proxy in front of it may take the path off a request or leave it there. Both are served, so that no second setting
//! has to agree with the proxy.

use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::middleware::{self, Next};
use axum::response::Response;
use http::uri::PathAndQuery;
use http::{HeaderValue, Uri, header};
use tower::ServiceExt as _;
use url::Url;

/// The path of an address, without a slash at its end; empty where a server has its host for itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BasePath(Arc<str>);

impl BasePath {
    /// That of the address of the dashboard. One with characters that would end an attribute of HTML or a cookie is none;
    /// the configuration refuses it.
    pub fn of_url(url: &str) -> Self {
        let path = Url::parse(url).ok().map(|url| url.path().trim_matches('/').to_owned());
        let is_plain = |path: &String| {
            let plain = |one: char| one.is_ascii_alphanumeric() || "-._~/%".contains(one);
            !path.is_empty() && path.chars().all(plain) && !path.contains("//")
        };
        let path = path.filter(is_plain).map(|path| format!("/{path}"));
        Self(path.unwrap_or_default().into())
    }

    /// Empty, or with a slash in front.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// The address as the server behind a proxy that takes the path off would get it; none if it is not below the path.
    fn strip(&self, uri: &Uri) -> Option<Uri> {
        let rest = uri.path_and_query()?.as_str().strip_prefix(self.as_str())?;
        let rest = match rest.chars().next() {
            Some('/') => rest.to_owned(),
            None | Some('?') => format!("/{rest}"),
            Some(_) => return None,
        };
        let mut parts = uri.clone().into_parts();
        parts.path_and_query = Some(PathAndQuery::try_from(rest).ok()?);
        Uri::from_parts(parts).ok()
    }

    /// A path of this server as a browser asks for it.
    fn outside(&self, location: &str) -> Option<HeaderValue> {
        let is_ours = location.starts_with('/') && !location.starts_with("//");
        let after = location.strip_prefix(self.as_str());
        let is_outside = after
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('/') || rest.starts_with('?'));
        let missing = is_ours && !is_outside;
        missing.then(|| HeaderValue::try_from(format!("{}{location}", self.0)).ok())?
    }

    /// Serves a router also below the path, and sends browsers to addresses below it.
    pub fn serve(self, router: Router) -> Router {
        if self.is_root() {
            return router;
        }
        let base = self.clone();
        let stripped = router.map_request(move |mut request: Request| {
            if let Some(uri) = base.strip(request.uri()) {
                *request.uri_mut() = uri;
            }
            request
        });
        Router::new().fallback_service(stripped).layer(middleware::from_fn(
            move |request: Request, next: Next| {
                let base = self.clone();
                async move { base.with_location(next.run(request).await) }
            },
        ))
    }

    fn with_location(&self, mut response: Response) -> Response {
        let location = response.headers().get(header::LOCATION);
        let location = location.and_then(|value| value.to_str().ok());
        if let Some(outside) = location.and_then(|location| self.outside(location)) {
            response.headers_mut().insert(header::LOCATION, outside);
        }
        response
    }
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use axum::response::Redirect;
    use axum::routing::get;

    use super::*;

    #[test]
    fn the_path_is_that_of_the_address() {
        for (url, path) in [
            ("http://localhost:8080", ""),
            ("https://host.example/", ""),
            ("https://host.example/tarsy", "/tarsy"),
            ("https://host.example/ops/tarsy/", "/ops/tarsy"),
            ("https://host.example/a;b", ""),
            ("no address", ""),
        ] {
            assert_eq!(BasePath::of_url(url).as_str(), path, "{url}");
        }
    }

    async fn ask(router: &Router, path: &str) -> (Option<String>, String) {
        let request = Request::get(path).body(Body::empty()).unwrap();
        let response = router.clone().oneshot(request).await.unwrap();
        let location = response
            .headers()
            .get(header::LOCATION)
            .map(|value| value.to_str().unwrap().to_owned());
        let body = axum::body::to_bytes(response.into_body(), 1_000).await.unwrap();
        (location, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test]
    async fn a_server_answers_below_its_path_whether_a_proxy_takes_it_off_or_not() {
        let served = Router::new()
            .route("/here", get(async |uri: Uri| uri.to_string()))
            .route("/moved", get(async || Redirect::to("/here?a=1")))
            .route("/away", get(async || Redirect::to("https://issuer.example/")))
            .route("/evil", get(async || Redirect::to("//evil.example/")))
            .fallback(async || "nothing");
        let router = BasePath::of_url("https://host.example/tarsy").serve(served);
        for path in ["/here?b=2", "/tarsy/here?b=2"] {
            assert_eq!(ask(&router, path).await.1, "/here?b=2");
        }
        for path in ["/moved", "/tarsy/moved"] {
            assert_eq!(ask(&router, path).await.0.as_deref(), Some("/tarsy/here?a=1"));
        }
        let elsewhere = ask(&router, "/tarsy/away").await.0;
        assert_eq!(elsewhere.as_deref(), Some("https://issuer.example/"));
        assert_eq!(ask(&router, "/tarsy/evil").await.0.as_deref(), Some("//evil.example/"));
        for path in ["/tarsyhere", "/tarsy", "/tarsy?a", "/tarsy/", "/other/here"] {
            assert_eq!(ask(&router, path).await.1, "nothing", "{path}");
        }
    }
}
