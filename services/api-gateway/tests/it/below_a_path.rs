//! A gateway below a path of a host that it shares, behind a proxy that takes the path off and behind one that leaves it.

use futures::{SinkExt as _, StreamExt as _};
use reqwest::redirect::Policy;
use reqwest::{Client, Method};
use serde_json::json;
use tarsy_service::ServiceContext;
use tarsy_testkit::{
    CLIENT_ID, CLIENT_SECRET, PathOfProxy, TestIssuer, TestReverseProxy, TestStack, WAIT,
};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use url::Url;

use crate::browser::{ROLES, USERS, location};
use crate::stack::{Answer, Stack, send};
use crate::websocket::relay;

const PAGE: &str = "<head><meta name=\"base-path\" content=\"\" /><title>built</title>\
                    <script src=\"/assets/app-1a2b.js\"></script></head>";

struct Below {
    proxy: TestReverseProxy,
    client: Client,
    /// As the browser sends it.
    cookie: Option<String>,
    _stack: Stack,
    _issuer: TestIssuer,
    _relay: ServiceContext,
    _folder: TempDir,
}

impl Below {
    async fn start(mode: PathOfProxy) -> Self {
        let mut proxy = TestReverseProxy::bind("/ops/tarsy").await.unwrap();
        let issuer = TestIssuer::start(USERS).await.unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (url, issued_by) = (proxy.url(), issuer.url());
        let text = format!(
            "system:\n  dashboard_url: {url}/\n  access:\n    mode: oidc\n    roles: {ROLES}\n    oidc:\n      \
             issuer: {issued_by}\n      client_id: {CLIENT_ID}\n      client_secret_env: OIDC_SECRET\n"
        );
        std::fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
        std::fs::create_dir(folder.path().join("assets")).unwrap();
        std::fs::write(folder.path().join("index.html"), PAGE).unwrap();
        std::fs::write(folder.path().join("favicon.svg"), "<svg/>").unwrap();
        std::fs::write(folder.path().join("assets/app-1a2b.js"), "let x = 1;").unwrap();
        let service = ServiceContext::default();
        let relay = format!("http://{}", relay(&service).await);
        let path = folder.path().to_str().unwrap();
        let settings = [
            ("TARSY_CONFIG_DIR", path),
            ("TARSY_DASHBOARD_DIR", path),
            ("TARSY_RELAY_URL", &relay),
            ("OIDC_SECRET", CLIENT_SECRET),
        ];
        let stack = Stack::with_settings(TestStack::start().await.unwrap(), &settings).await;
        proxy.serve(stack.address, mode).unwrap();
        let client = Client::builder().timeout(WAIT).redirect(Policy::none()).build().unwrap();
        Self {
            proxy,
            client,
            cookie: None,
            _stack: stack,
            _issuer: issuer,
            _relay: service,
            _folder: folder,
        }
    }

    /// Asks as a browser does for an address on the host.
    async fn get(&self, path: &str) -> Answer {
        let url: Url = self.proxy.url().parse().unwrap();
        let request = self.client.request(Method::GET, url.join(path).unwrap());
        send(match &self.cookie {
            Some(cookie) => request.header("cookie", cookie),
            None => request,
        })
        .await
    }

    /// Keeps the cookie that an answer sets for the path, and for no other.
    fn keep_cookie(&mut self, answer: &Answer, name: &str) {
        let set = answer.headers.get_all("set-cookie").iter().map(|one| one.to_str().unwrap());
        let set = set.filter(|one| !one.contains("Max-Age=0"));
        let set = set.into_iter().find(|one| one.starts_with(name)).unwrap();
        assert!(set.contains("; Path=/ops/tarsy;"), "{set}");
        self.cookie = set.split_once(';').map(|(pair, _)| pair.to_owned());
    }

    /// Signs in; where the browser ends.
    async fn sign_in(&mut self) -> String {
        let begun = self.get("/ops/tarsy/api/v1/sign-in?return_to=/sessions/1").await;
        assert_eq!(begun.status, 303, "{begun:?}");
        self.keep_cookie(&begun, "tarsy_attempt=");
        let mut url: Url = location(&begun).parse().unwrap();
        url.set_path("/approve");
        url.query_pairs_mut().append_pair("user", "ada");
        let approved = send(self.client.get(url)).await;
        let back = location(&approved);
        let callback = format!("{}/api/v1/sign-in/callback?", self.proxy.url());
        assert!(back.starts_with(&callback), "{back}");
        let done = self.get(&back).await;
        self.keep_cookie(&done, "tarsy_sign_in=");
        location(&done)
    }

    async fn echoed(&self, text: &str) -> String {
        let url = format!("{}/api/v1/ws", self.proxy.url().replacen("http", "ws", 1));
        let mut request = url.into_client_request().unwrap();
        let url: Url = self.proxy.url().parse().unwrap();
        let origin = url.origin().ascii_serialization();
        request.headers_mut().insert("origin", origin.parse().unwrap());
        request.headers_mut().insert("cookie", self.cookie.as_ref().unwrap().parse().unwrap());
        let (mut socket, _) = tokio_tungstenite::connect_async(request).await.unwrap();
        socket.send(tokio_tungstenite::tungstenite::Message::text(text)).await.unwrap();
        socket.next().await.unwrap().unwrap().into_text().unwrap().to_string()
    }
}

async fn everything_works(mode: PathOfProxy) {
    let mut below = Below::start(mode).await;
    for page in ["/ops/tarsy/", "/ops/tarsy/sessions/1?a=b", "/ops/tarsy"] {
        let answer = below.get(page).await;
        let html = answer.body.as_str().unwrap_or_default();
        assert!(html.contains("content=\"/ops/tarsy\""), "{page}: {answer:?}");
        assert!(html.contains("src=\"/ops/tarsy/assets/app-1a2b.js\""), "{page}: {html}");
        assert_eq!(answer.headers["cache-control"], "no-cache", "{page}");
    }
    let asset = below.get("/ops/tarsy/assets/app-1a2b.js").await;
    assert_eq!((asset.status.as_u16(), asset.body.as_str()), (200, Some("let x = 1;")));
    assert_eq!(below.get("/ops/tarsy/favicon.svg").await.headers["content-type"], "image/svg+xml");
    assert_eq!(below.get("/api/v1/me").await.status, 404, "that is another server's");

    assert_eq!(below.get("/ops/tarsy/api/v1/me").await.status, 401);
    assert_eq!(below.sign_in().await, "/ops/tarsy/sessions/1");
    let me = below.get("/ops/tarsy/api/v1/me").await;
    assert_eq!((me.status.as_u16(), &me.body["role"]), (200, &json!("admin")));
    assert_eq!(below.echoed("live").await, "live");

    let docs = below.get("/ops/tarsy/docs").await;
    assert_eq!(location(&docs), "/ops/tarsy/docs/");
    let description = below.get("/ops/tarsy/openapi.json").await.body;
    assert_eq!(description["servers"], json!([{"url": "/ops/tarsy"}]));
    let settings = below.get("/ops/tarsy/docs/swagger-initializer.js").await.body;
    assert!(settings.to_string().contains("/ops/tarsy/openapi.json"), "{settings}");
}

#[tokio::test]
async fn everything_works_behind_a_proxy_that_takes_the_path_off() {
    Box::pin(everything_works(PathOfProxy::Stripped)).await;
}

#[tokio::test]
async fn everything_works_behind_a_proxy_that_leaves_the_path() {
    Box::pin(everything_works(PathOfProxy::Kept)).await;
}
