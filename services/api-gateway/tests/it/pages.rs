use reqwest::Method;
use tarsy_testkit::TestStack;

use crate::stack::{Stack, send};

#[tokio::test]
async fn every_answer_is_protected() {
    let stack = Stack::start().await;
    for path in ["/", "/api/v1/sessions", "/api/v1/nothing", "/health", "/docs/", "/assets/x.js"] {
        let answer = stack.get(path).await;
        assert_eq!(answer.headers["x-frame-options"], "DENY", "{path}");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff", "{path}");
        let referrer = &answer.headers["referrer-policy"];
        assert_eq!(referrer, "strict-origin-when-cross-origin", "{path}");
        let policy = answer.headers["permissions-policy"].to_str().unwrap();
        assert!(policy.contains("camera=()") && policy.contains("geolocation=()"), "{path}");
        let policy = answer.headers["content-security-policy"].to_str().unwrap();
        assert!(policy.contains("default-src 'self'"), "{path}");
        assert!(answer.headers.contains_key("x-request-id"), "{path}");
    }
}

#[tokio::test]
async fn known_origins_may_read_with_credentials() {
    let stack = Stack::start().await;
    let request = stack
        .request(Method::OPTIONS, "/api/v1/alerts")
        .header("Origin", "http://localhost:5173")
        .header("Access-Control-Request-Method", "POST")
        .header("Access-Control-Request-Headers", "content-type,idempotency-key");
    let answer = send(request).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["access-control-allow-origin"], "http://localhost:5173");
    assert_eq!(answer.headers["access-control-allow-credentials"], "true");
    assert_eq!(answer.headers["access-control-max-age"], "3600");
}

#[tokio::test]
async fn without_a_built_dashboard_the_page_explains_how_to_build_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().to_str().unwrap();
    let servers = TestStack::start().await.unwrap();
    let stack = Stack::with_settings(servers, &[("TARSY_DASHBOARD_DIR", path)]).await;
    let answer = stack.get("/").await;
    assert!(answer.body.as_str().unwrap().contains("make dashboard"));
    assert_eq!(answer.headers["content-type"], "text/html; charset=utf-8");
    std::fs::write(folder.path().join("index.html"), "<title>built</title>").unwrap();
    assert!(stack.get("/").await.body.as_str().unwrap().contains("built"));
}

#[tokio::test]
async fn assets_last_for_ever_and_the_page_is_asked_for_every_time() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("assets")).unwrap();
    std::fs::write(folder.path().join("index.html"), "<title>dashboard</title>").unwrap();
    std::fs::write(folder.path().join("favicon.svg"), "<svg/>").unwrap();
    std::fs::write(folder.path().join("assets/app-1a2b.js"), "let x = 1;").unwrap();
    std::fs::write(folder.path().parent().unwrap().join("tarsy-outside.txt"), "secret").unwrap();
    let path = folder.path().to_str().unwrap();
    let servers = TestStack::start().await.unwrap();
    let stack = Stack::with_settings(servers, &[("TARSY_DASHBOARD_DIR", path)]).await;
    for path in ["/", "/sessions/123", "/anything/else"] {
        let answer = stack.get(path).await;
        assert_eq!(answer.status, 200, "{path}");
        assert!(answer.body.as_str().unwrap().contains("dashboard"), "{path}");
        assert_eq!(answer.headers["cache-control"], "no-cache", "{path}");
    }
    assert_eq!(stack.get("/favicon.svg").await.headers["content-type"], "image/svg+xml");
    let asset = stack.get("/assets/app-1a2b.js").await;
    assert_eq!(asset.status, 200);
    assert_eq!(asset.headers["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(stack.get("/assets/gone.js").await.status, 404);
    for path in ["/assets/../../tarsy-outside.txt", "/..%2ftarsy-outside.txt"] {
        assert!(!stack.get(path).await.body.to_string().contains("secret"), "{path}");
    }
    assert_eq!(stack.post("/anything").await.status, 405);
}

#[tokio::test]
async fn a_file_that_the_build_compressed_is_sent_as_it_is_to_whoever_accepts_it() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("assets")).unwrap();
    std::fs::write(folder.path().join("index.html"), "<title>dashboard</title>").unwrap();
    for (ending, text) in [("", "let x = 1;"), (".br", "by brotli"), (".gz", "by gzip")] {
        std::fs::write(folder.path().join(format!("assets/app-1a2b.js{ending}")), text).unwrap();
    }
    let path = folder.path().to_str().unwrap();
    let servers = TestStack::start().await.unwrap();
    let stack = Stack::with_settings(servers, &[("TARSY_DASHBOARD_DIR", path)]).await;
    for (accepted, encoding, text) in [
        ("gzip, deflate, br, zstd", Some("br"), "by brotli"),
        ("gzip", Some("gzip"), "by gzip"),
        ("identity", None, "let x = 1;"),
    ] {
        let asked = stack.request(Method::GET, "/assets/app-1a2b.js");
        let answer = send(asked.header("accept-encoding", accepted)).await;
        let sent = answer.headers.get("content-encoding").map(|value| value.to_str().unwrap());
        assert_eq!((sent, answer.body.as_str().unwrap()), (encoding, text), "{accepted}");
        assert!(answer.headers["content-type"].to_str().unwrap().starts_with("text/javascript"));
    }
}

#[tokio::test]
async fn links_to_the_documentation_lead_to_the_book_of_the_installation_if_it_has_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("index.html"), "<title>dashboard</title>").unwrap();
    let path = folder.path().to_str().unwrap();
    let asked = async |settings: &[(&str, &str)]| {
        let stack = Stack::with_settings(TestStack::start().await.unwrap(), settings).await;
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        let url = format!("http://{}/documentation/install/helm", stack.address);
        let answer = send(client.build().unwrap().get(url)).await;
        let to = answer.headers.get("location").map(|to| to.to_str().unwrap().to_owned());
        (answer.status.as_u16(), to)
    };
    assert_eq!(asked(&[("TARSY_DASHBOARD_DIR", path)]).await, (200, None));
    let book = "system: {documentation_url: 'https://docs.example.com/tarsy/'}\n";
    std::fs::write(folder.path().join("tarsy.yaml"), book).unwrap();
    let answered = asked(&[("TARSY_DASHBOARD_DIR", path), ("TARSY_CONFIG_DIR", path)]).await;
    let page = "https://docs.example.com/tarsy/install/helm.html";
    assert_eq!(answered, (307, Some(page.to_owned())));
}

#[tokio::test]
async fn the_api_is_described_and_the_description_can_be_browsed() {
    let stack = Stack::start().await;
    let description = stack.get("/openapi.json").await.body;
    assert!(description["paths"].get("/api/v1/alerts").is_some());
    let docs = stack.get("/docs/").await;
    assert_eq!(docs.status, 200);
    assert!(docs.body.as_str().unwrap().contains("swagger"));
    assert!(!docs.body.as_str().unwrap().contains("<script>"), "the policy forbids inline scripts");
}
