//! OAuth: a small authorization server, and the gateways before it.

use std::collections::{HashMap, HashSet};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Form;
use axum::extract::{Query, Request, State};
use axum::http::StatusCode;
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Redirect, Response};
use axum::routing::{get, post};
use futures::future::join_all;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::{Value, json};
use tarsy_bus::Error;
use tarsy_contracts::mcp::{Ack, LoginFinish, LoginRequest, LoginStarted};
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_mcp_gateway::Vault;
use tarsy_store::Store;
use tarsy_testkit::{TestPg, WAIT};
use tokio::net::TcpListener;
use tokio_util::task::TaskTracker;

use crate::server::Peer;
use crate::sse;
use crate::stack::{GatewayOptions, Stack, ask, connect, launch, open};

/// What the authorization server has given, and to how many it gave.
#[derive(Default)]
struct Books {
    access: HashSet<String>,
    refresh: HashSet<String>,
    codes: HashMap<String, String>,
    given: usize,
    refreshed: usize,
    registered: usize,
}

#[derive(Clone)]
struct Site {
    address: SocketAddr,
    /// Where the tools are.
    path: &'static str,
    books: Arc<Mutex<Books>>,
    /// What it says of itself instead of what is true.
    lies: Arc<Mutex<HashMap<&'static str, String>>>,
}

impl Site {
    fn books(&self) -> MutexGuard<'_, Books> {
        self.books.lock().unwrap()
    }

    /// Says that something is elsewhere.
    fn lie(&self, of: &'static str, address: &str) {
        let mut lies = self.lies.lock().unwrap();
        lies.clear();
        lies.insert(of, address.to_owned());
    }

    /// An address of its own, or the one that it states instead.
    fn stated(&self, of: &'static str, path: &str) -> String {
        let stated = self.lies.lock().unwrap().get(of).cloned();
        stated.unwrap_or_else(|| format!("{}{path}", self.base()))
    }

    fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    fn resource(&self) -> String {
        format!("{}{}", self.base(), self.path)
    }

    /// Tokens that nobody has seen before.
    fn give(&self, with_refresh: bool) -> Value {
        let mut books = self.books();
        books.given += 1;
        let (access, refresh) = (
            format!("opaque-access-{}-value", books.given),
            format!("opaque-refresh-{}-value", books.given),
        );
        books.access.insert(access.clone());
        let mut tokens =
            json!({"access_token": access, "token_type": "Bearer", "expires_in": 3600});
        if with_refresh {
            books.refresh.insert(refresh.clone());
            tokens["refresh_token"] = json!(refresh);
        }
        tokens
    }

    /// Every access token is good for nothing from now on.
    fn revoke(&self) {
        self.books().access.clear();
    }

    fn entry(&self, oauth: &str) -> String {
        format!(
            "  remote:\n    transport:\n      type: {}\n      url: \"{}\"\n      init_timeout: 10s\n      \
             oauth: {oauth}\n",
            if self.path == "/mcp" { "http" } else { "sse" },
            self.resource()
        )
    }
}

async fn serve() -> Site {
    serve_at("/mcp").await
}

async fn serve_at(path: &'static str) -> Site {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let site = Site { address, path, books: Arc::default(), lies: Arc::default() };
    let service: StreamableHttpService<Peer, LocalSessionManager> = StreamableHttpService::new(
        || Ok(Peer::default()),
        LocalSessionManager::default().into(),
        StreamableHttpServerConfig::default(),
    );
    let guard = middleware::from_fn_with_state(site.clone(), check);
    let tools = axum::Router::new()
        .nest_service("/mcp", service)
        .merge(sse::router("/base/messages?id=", None).0)
        .layer(guard);
    let router = axum::Router::new()
        .route("/.well-known/oauth-protected-resource", get(resource))
        .route("/.well-known/oauth-authorization-server", get(metadata))
        .route("/register", post(register))
        .route("/authorize", get(authorize))
        .route("/token", post(token))
        .with_state(site.clone())
        .merge(tools);
    TaskTracker::new().spawn(async move { axum::serve(listener, router).await.unwrap() });
    site
}

async fn check(State(site): State<Site>, request: Request, next: Next) -> Response {
    let given = request.headers().get("authorization").and_then(|value| value.to_str().ok());
    let token =
        given.and_then(|given| given.strip_prefix("Bearer ")).unwrap_or_default().to_owned();
    if site.books().access.contains(&token) {
        return next.run(request).await;
    }
    let resource = site.stated("resource_metadata", "/.well-known/oauth-protected-resource");
    let challenge = format!("Bearer resource_metadata=\"{resource}\", scope=\"tools\"");
    (StatusCode::UNAUTHORIZED, [("www-authenticate", challenge)], "who are you").into_response()
}

async fn resource(State(site): State<Site>) -> axum::Json<Value> {
    axum::Json(
        json!({"resource": site.resource(), "authorization_servers": [site.stated("server", "")]}),
    )
}

async fn metadata(State(site): State<Site>) -> axum::Json<Value> {
    let base = site.base();
    axum::Json(json!({
        "issuer": base,
        "authorization_endpoint": site.stated("authorization", "/authorize"),
        "token_endpoint": site.stated("token", "/token"),
        "registration_endpoint": site.stated("registration", "/register"),
        "response_types_supported": ["code"],
        "code_challenge_methods_supported": ["S256"],
        "token_endpoint_auth_methods_supported": ["none", "client_secret_post"],
    }))
}

async fn register(State(site): State<Site>, axum::Json(body): axum::Json<Value>) -> Response {
    site.books().registered += 1;
    let answer = json!({"client_id": "registered", "redirect_uris": body["redirect_uris"]});
    (StatusCode::CREATED, axum::Json(answer)).into_response()
}

async fn authorize(
    State(site): State<Site>,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let part = |name: &str| query.get(name).cloned().unwrap_or_default();
    if part("code_challenge_method") != "S256"
        || part("resource") != site.resource()
        || part("scope") != "tools"
    {
        return (StatusCode::BAD_REQUEST, format!("{query:?}")).into_response();
    }
    let code = format!("code-{}", part("state"));
    site.books().codes.insert(code.clone(), part("redirect_uri"));
    let back =
        format!("{}?code={code}&state={}&iss={}", part("redirect_uri"), part("state"), site.base());
    Redirect::to(&back).into_response()
}

async fn token(State(site): State<Site>, Form(form): Form<HashMap<String, String>>) -> Response {
    let part = |name: &str| form.get(name).cloned().unwrap_or_default();
    let no = |error: &str| {
        (StatusCode::BAD_REQUEST, axum::Json(json!({"error": error}))).into_response()
    };
    if part("resource") != site.resource() {
        return no("invalid_target");
    }
    let tokens = match part("grant_type").as_str() {
        "client_credentials" if part("client_secret") == "the-client-secret" => site.give(false),
        "authorization_code" => {
            let known = site.books().codes.remove(&part("code"));
            if known != Some(part("redirect_uri")) || part("code_verifier").len() < 43 {
                return no("invalid_grant");
            }
            site.give(true)
        }
        "refresh_token" => {
            // A refresh token is good once: whoever uses it again is refused.
            if !site.books().refresh.remove(&part("refresh_token")) {
                return no("invalid_grant");
            }
            site.books().refreshed += 1;
            site.give(true)
        }
        _ => return no("unauthorized_client"),
    };
    axum::Json(tokens).into_response()
}

async fn vault() -> (TestPg, Store, Vault) {
    let pg = TestPg::granted().await.unwrap();
    let store = Store::connect(&pg.url_as("mcp-gateway"), 6).await.unwrap();
    let vault = Vault::new(store.clone(), vec![[9; 32]]);
    (pg, store, vault)
}

fn login_request(server: &str, redirect_uri: &str) -> LoginRequest {
    LoginRequest {
        server: server.to_owned(),
        redirect_uri: redirect_uri.to_owned(),
        timeout_ms: 30_000,
    }
}

async fn begin(stack: &Stack, server: &str) -> Result<LoginStarted, Error> {
    let asked = login_request(server, "http://127.0.0.1:8979/callback");
    stack.bus.request(subject::MCP_LOGIN.to_owned(), &asked, WAIT).await
}

/// Logs in as a person with a browser would.
async fn log_in(stack: &Stack, server: &str) {
    let began = begin(stack, server).await.unwrap();
    let browser =
        reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).build().unwrap();
    let back = browser.get(&began.authorization_url).send().await.unwrap();
    let (status, headers) = (back.status(), back.headers().clone());
    let page = back.text().await.unwrap();
    let callback = headers.get("location").unwrap_or_else(|| panic!("{status}: {page}"));
    let finish = LoginFinish {
        login_id: began.login_id,
        callback_url: callback.to_str().unwrap().to_owned(),
    };
    let subject = subject::mcp_instance(&began.instance, McpVerb::Login);
    let Ack {} = stack.bus.request(subject, &finish, WAIT).await.unwrap();
}

#[tokio::test]
async fn a_client_gets_tokens_for_itself_and_new_ones_when_they_are_refused() {
    let site = serve().await;
    let oauth = "{grant: client_credentials, client_id: tarsy, client_secret: the-client-secret}";
    let stack =
        Stack::with(GatewayOptions { servers: site.entry(oauth), ..GatewayOptions::default() })
            .await;
    let lease = stack.lease(&["remote"]).await;
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    assert!(!ask(&*lease, "remote.echo", json!({})).await.is_error);
    let before = site.books().given;
    site.revoke();
    let calls = (0..6).map(|_| ask(&*lease, "remote.echo", json!({"a": "the-client-secret"})));
    for result in join_all(calls).await {
        assert!(!result.is_error, "{}", result.content);
        assert!(!result.content.contains("the-client-secret"), "{}", result.content);
    }
    assert_eq!(site.books().given, before + 1, "one new token serves all");
    let login = begin(&stack, "remote").await.unwrap_err().to_string();
    assert!(login.contains("needs no login"), "{login}");
    stack.drain().await;
}

#[tokio::test]
async fn the_older_http_has_logins_and_renewals_too() {
    let site = serve_at("/base/sse").await;
    let (_pg, _, vault) = vault().await;
    let options = GatewayOptions {
        servers: site.entry("{}"),
        vault: Some(vault),
        ..GatewayOptions::default()
    };
    let stack = Stack::with(options).await;
    let lease = stack.lease(&["remote"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("tarsy mcp login remote"), "{}", failed.error);
    log_in(&stack, "remote").await;
    let lease = stack.lease(&["remote"]).await;
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    assert!(!ask(&*lease, "remote.echo", json!({})).await.is_error);
    let before = site.books().refreshed;
    site.revoke();
    let echoed = ask(&*lease, "remote.echo", json!({"a": "opaque-access-1-value"})).await;
    assert!(!echoed.is_error && !echoed.content.contains("opaque-access"), "{}", echoed.content);
    assert!(site.books().refreshed > before, "a message that is refused goes out with a new token");
    site.revoke();
    site.books().refresh.clear();
    let refused = ask(&*lease, "remote.echo", json!({})).await;
    assert!(refused.is_error && refused.content.contains("tarsy mcp login"), "{}", refused.content);
    stack.drain().await;
}

#[tokio::test]
async fn the_error_for_wrong_credentials_does_not_contain_them() {
    let site = serve().await;
    let oauth = "{grant: client_credentials, client_id: tarsy, client_secret: another-secret}";
    let stack =
        Stack::with(GatewayOptions { servers: site.entry(oauth), ..GatewayOptions::default() })
            .await;
    let lease = stack.lease(&["remote"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("token"), "{}", failed.error);
    assert!(!failed.error.contains("another-secret"), "{}", failed.error);
    stack.drain().await;
}

#[tokio::test]
async fn a_person_logs_in_once_and_every_gateway_goes_on_with_it() {
    let site = serve().await;
    let (_pg, store, vault) = vault().await;
    let options = GatewayOptions {
        servers: site.entry("{}"),
        vault: Some(vault),
        ..GatewayOptions::default()
    };
    let stack = Stack::with(options).await;
    let lease = stack.lease(&["remote"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("tarsy mcp login remote"), "{}", failed.error);

    log_in(&stack, "remote").await;
    let lease = stack.lease(&["remote"]).await;
    assert!(lease.failed().is_empty(), "{:?}", lease.failed());
    let echoed = ask(&*lease, "remote.echo", json!({"a": "opaque-access-1-value"})).await;
    assert!(echoed.masked > 0 && !echoed.content.contains("opaque-access"), "{}", echoed.content);
    let sealed = store.find_oauth_token("remote").await.unwrap().unwrap();
    assert!(!String::from_utf8_lossy(&sealed).contains("opaque"), "what is kept is sealed");

    // A gateway that comes later needs no login, and both renew at the same time once.
    let other = connect(stack.nats.url(), "mcp-gateway", "gateway-2").await;
    let vault = Vault::new(store.clone(), vec![[9; 32], [1; 32]]);
    let options = GatewayOptions {
        servers: site.entry("{}"),
        vault: Some(vault),
        ..GatewayOptions::default()
    };
    let second = launch(&other, &stack.folder, &options);
    let mut leases = vec![lease];
    while leases.iter().all(|lease| lease.instance() != "gateway-2") {
        leases.push(open(&stack.toolbox, &["remote"], WAIT).await.unwrap());
    }
    assert!(leases.iter().all(|lease| lease.failed().is_empty()));
    let before = site.books().refreshed;
    site.revoke();
    let calls = leases.iter().cycle().take(8).map(|lease| ask(&**lease, "remote.echo", json!({})));
    for result in join_all(calls).await {
        assert!(!result.is_error, "{}", result.content);
    }
    assert_eq!(
        site.books().refreshed,
        before + 1,
        "one renewal serves every call of every gateway"
    );

    // When the authorization server ends the login, people are told what to do, and can.
    site.revoke();
    site.books().refresh.clear();
    let refused = ask(&**leases.first().unwrap(), "remote.echo", json!({})).await;
    assert!(refused.is_error && refused.content.contains("tarsy mcp login"), "{}", refused.content);
    assert_eq!(store.find_oauth_token("remote").await.unwrap(), None);
    log_in(&stack, "remote").await;
    let again = ask(&**leases.first().unwrap(), "remote.echo", json!({})).await;
    assert!(!again.is_error, "{}", again.content);
    second.drain(std::time::Duration::ZERO, tokio_util::sync::CancellationToken::new()).await;
    stack.drain().await;
}

#[tokio::test]
async fn a_login_that_cannot_be_is_refused_with_the_reason() {
    let site = serve().await;
    let (_pg, _, vault) = vault().await;
    let options = GatewayOptions {
        servers: site.entry("{}"),
        vault: Some(vault),
        ..GatewayOptions::default()
    };
    let stack = Stack::with(options).await;
    let unknown = begin(&stack, "remoet").await.unwrap_err().to_string();
    assert!(unknown.contains("remote"), "those that there are: {unknown}");
    let plain = begin(&stack, "peer").await.unwrap_err().to_string();
    assert!(plain.contains("needs no login"), "{plain}");
    let foreign = login_request("remote", "https://evil.example/callback");
    let foreign: Result<LoginStarted, Error> =
        stack.bus.request(subject::MCP_LOGIN.to_owned(), &foreign, WAIT).await;
    assert!(foreign.unwrap_err().to_string().contains("redirect_uri"));

    let began = begin(&stack, "remote").await.unwrap();
    let finish = async |callback: &str| -> Result<Ack, Error> {
        let finish = LoginFinish { login_id: began.login_id, callback_url: callback.to_owned() };
        let subject = subject::mcp_instance(&began.instance, McpVerb::Login);
        stack.bus.request(subject, &finish, WAIT).await
    };
    let denied = finish("http://127.0.0.1:8979/callback?error=access_denied").await.unwrap_err();
    assert!(denied.to_string().contains("access_denied"), "{denied}");
    let again = finish("http://127.0.0.1:8979/callback?code=1&state=2").await.unwrap_err();
    assert!(again.to_string().contains("start again"), "a login ends once: {again}");
    stack.drain().await;
}

/// A server that the operator configured names what its gateway can reach and it cannot.
#[tokio::test]
async fn a_tool_server_sends_no_login_to_an_address_inside() {
    let site = serve().await;
    let (_pg, _, vault) = vault().await;
    let options = GatewayOptions {
        servers: site.entry("{}"),
        vault: Some(vault),
        ..GatewayOptions::default()
    };
    let stack = Stack::with(options).await;
    for (of, address) in [
        ("server", "http://10.255.255.1:8080"),
        ("server", "http://nobody.invalid@10.255.255.1"),
        ("authorization", "http://10.255.255.1/authorize"),
        ("authorization", "file:///etc/passwd"),
        ("registration", "http://10.255.255.1/register"),
        ("registration", "http://169.254.169.254/latest/api/token"),
        ("registration", "http://metadata.google.internal/register"),
        ("registration", "http://[fd12::1]/register"),
    ] {
        site.lie(of, address);
        let refused = begin(&stack, "remote").await.unwrap_err().to_string();
        assert!(refused.contains("which is refused"), "{of} {address}: {refused}");
    }
    assert_eq!(site.books().registered, 2, "only where the login itself is elsewhere");
    stack.drain().await;
}

#[tokio::test]
async fn a_client_sends_its_secret_to_no_address_inside_that_a_tool_server_names() {
    let site = serve().await;
    site.lie("token", "http://10.255.255.1/token");
    let oauth = "{grant: client_credentials, client_id: tarsy, client_secret: the-client-secret}";
    let stack =
        Stack::with(GatewayOptions { servers: site.entry(oauth), ..GatewayOptions::default() })
            .await;
    let lease = stack.lease(&["remote"]).await;
    let [failed] = lease.failed() else { panic!("{:?}", lease.failed()) };
    assert!(failed.error.contains("10.255.255.1"), "{}", failed.error);
    assert!(failed.error.contains("authorization_hosts"), "{}", failed.error);
    stack.drain().await;
}
