//! The dashboard's files, and an answer to every address that nothing else answers.

use std::path::Path;

use axum::extract::{Request, State};
use axum::response::{Html, IntoResponse as _, Redirect, Response};
use http::{HeaderValue, Method, StatusCode, header};
use tarsy_web::{BasePath, Problem};
use tower::ServiceExt as _;
use tower_http::services::{ServeDir, ServeFile};

use crate::state::AppState;

/// Below it are the pages of the documentation: the book of the installation, or those that the dashboard has.
const DOCUMENTATION: &str = "/documentation/";
/// The bundler names files by their content, so they never change.
const FOREVER: &str = "public, max-age=31536000, immutable";
const ASK_EVERY_TIME: &str = "no-cache";

const MISSING: &str = "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">\
<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"><title>TARSy</title>\
<style>body{font-family:system-ui,sans-serif;max-width:40rem;margin:15vh auto;padding:0 1rem;\
line-height:1.6;color:#1c2430;background:#fff}code{background:#eef1f5;padding:.1em .35em;\
border-radius:.25em}@media(prefers-color-scheme:dark){body{color:#e6e9ee;background:#14181f}\
code{background:#242b36}a{color:#8ab4f8}}</style></head><body><h1>The dashboard is not built</h1>\
<p>TARSy runs, but the files of its dashboard are missing. Build them with \
<code>make dashboard</code> and reload this page, or set <code>TARSY_DASHBOARD_DIR</code> to the \
folder that has them.</p><p>The API works without it: see <a href=\"/docs/\">its description</a>, \
or ask <a href=\"/api/v1/sessions\">/api/v1/sessions</a>.</p></body></html>";
/// In the built page: where it asks for its files, and the base path that its scripts read.
const FILES: &str = "=\"/assets/";
const BASE: &str = "<meta name=\"base-path\" content=\"\"";

/// Serves a file of the dashboard, or its page.
pub(super) async fn serve(State(app): State<AppState>, request: Request) -> Response {
    let path = request.uri().path();
    if path == "/api" || path.starts_with("/api/") {
        return Problem::not_found("there is nothing under this path; /docs lists what there is")
            .into_response();
    }
    if !matches!(*request.method(), Method::GET | Method::HEAD) {
        return Problem::method_not_allowed().into_response();
    }
    if let Some(page) = path.strip_prefix(DOCUMENTATION)
        && let Some(book) = &app.catalog().system.documentation_url
    {
        // The browser keeps the anchor.
        return Redirect::temporary(&format!("{book}/{page}.html")).into_response();
    }
    let asset = path.starts_with("/assets/");
    let base = BasePath::of_url(&app.catalog().system.dashboard_url);
    let Some(folder) = app.settings.dashboard_dir.as_deref() else { return missing(asset, &base) };
    if !asset && !tokio::fs::try_exists(folder.join("index.html")).await.unwrap_or(false) {
        return missing(asset, &base);
    }
    if !base.is_root() && !asset && !is_file(folder, path).await {
        return page_below(folder, &base).await;
    }
    file(folder, asset, &base, request).await
}

/// Whether a path is that of a file beside the page, such as the icon.
async fn is_file(folder: &Path, path: &str) -> bool {
    let name = path.trim_start_matches('/');
    let is_name = !name.is_empty() && name != "index.html" && !name.contains(['/', '%']);
    is_name && tokio::fs::metadata(folder.join(name)).await.is_ok_and(|found| found.is_file())
}

/// The page below a path. It is small, so that it is written anew for each request.
async fn page_below(folder: &Path, base: &BasePath) -> Response {
    let Ok(page) = tokio::fs::read_to_string(folder.join("index.html")).await else {
        return missing(false, base);
    };
    let path = base.as_str();
    let page = page
        .replace(FILES, &format!("=\"{path}/assets/"))
        .replace(BASE, &format!("<meta name=\"base-path\" content=\"{path}\""));
    ([(header::CACHE_CONTROL, ASK_EVERY_TIME)], Html(page)).into_response()
}

async fn file(folder: &Path, asset: bool, base: &BasePath, request: Request) -> Response {
    // The build has compressed them already, better and for once.
    let files = ServeDir::new(folder).precompressed_br().precompressed_gzip();
    let served = if asset {
        files.oneshot(request).await.map(|response| response.map(axum::body::Body::new))
    } else {
        let page = ServeFile::new(folder.join("index.html"));
        let files = files.fallback(page);
        files.oneshot(request).await.map(|response| response.map(axum::body::Body::new))
    };
    let Ok(mut response) = served;
    if response.status() == StatusCode::NOT_FOUND {
        return missing(asset, base);
    }
    let lasting = if asset { FOREVER } else { ASK_EVERY_TIME };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(lasting));
    response
}

fn missing(asset: bool, base: &BasePath) -> Response {
    if asset {
        return Problem::not_found("the dashboard has no such file; reload the page")
            .into_response();
    }
    let page = MISSING.replace("href=\"/", &format!("href=\"{}/", base.as_str()));
    ([(header::CACHE_CONTROL, "no-store")], Html(page)).into_response()
}
