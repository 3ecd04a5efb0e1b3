//! Every route and the WebSocket, for every kind of sender, in every mode: who may what follows from the table of routes.

use std::time::Duration;

use futures::{SinkExt as _, StreamExt as _};
use reqwest::Method;
use serde_json::json;
use strum::IntoEnumIterator as _;
use tarsy_api_gateway::{DeclaredRoute, Requirement, declared_routes};
use tarsy_domain::access::{Grant, Permission, Role, SocketAction};
use tarsy_service::ServiceContext;
use tarsy_store::{NewApiToken, secret};
use tarsy_testkit::{CLIENT_ID, CLIENT_SECRET, TestIssuer, TestStack};
use tempfile::TempDir;
use tokio_tungstenite::tungstenite;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;

use crate::browser::{Browser, ROLES, USERS};
use crate::stack::{LOCAL_TOKEN, Stack, send};
use crate::websocket::relay;

/// Who shows no token of the start in mode `local`.
const UNLOCKED_BY_NOTHING: &str = "nobody";
const WEBSOCKET: &str = "/api/v1/ws";
const WITHOUT_TYPE: [&str; 2] = ["/api/v1/changes", "/api/v1/topology"];
/// The type of the alert that is submitted; the source has another one.
const ALERT_TYPE: &str = "host";
const OTHER_TYPE: &str = "kubernetes";
/// The user of each role at the issuer, and their group.
const PEOPLE: [(Role, &str, &str); 4] = [
    (Role::Viewer, "vera", "viewers"),
    (Role::Responder, "rosa", "responders"),
    (Role::Operator, "otto", "operators"),
    (Role::Admin, "ada", "admins"),
];

/// A kind of sender: what its requests carry, and what it is granted, if it is identified.
struct Sender {
    name: String,
    headers: Vec<(&'static str, String)>,
    grant: Option<Grant>,
}

impl Sender {
    fn new(name: impl Into<String>, grant: Option<Grant>) -> Self {
        Self { name: name.into(), headers: Vec::new(), grant }
    }

    fn with(mut self, header: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((header, value.into()));
        self
    }

    fn bearer(name: impl Into<String>, token: &str, grant: Option<Grant>) -> Self {
        Self::new(name, grant).with("authorization", format!("Bearer {token}"))
    }
}

/// The status of a refusal; none if the request gets through to its handler.
fn refusal(route: &DeclaredRoute, sender: &Sender) -> Option<u16> {
    match (route.requires, sender.grant.as_ref()) {
        (Requirement::Permission(permission), Some(_))
            if sender.name == UNLOCKED_BY_NOTHING && !permission.is_open_locally() =>
        {
            Some(403)
        }
        (Requirement::Nothing, _) | (Requirement::Sender, Some(_)) => None,
        // No sender of the matrix is a messenger, or a configured source.
        (Requirement::SlackSignature | Requirement::SourceVerification, _) | (_, None) => Some(401),
        (Requirement::Permission(permission), Some(grant)) => {
            // A change has no type: whoever submits alerts of any reports changes and dependencies.
            let is_typed = !WITHOUT_TYPE.contains(&route.path);
            let has_type = permission == Permission::SubmitAlert && is_typed;
            let fits = !has_type || grant.allows_alert_type(ALERT_TYPE);
            (!grant.allows(permission) || !fits).then_some(403)
        }
    }
}

async fn gateway(mode: &str, issuer: &TestIssuer, relay: &str) -> (Stack, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "system:\n  access:\n    mode: {mode}\n    roles: {ROLES}\n    oidc: {{issuer: '{}', \
         client_id: {CLIENT_ID}, client_secret_env: OIDC_SECRET}}\n  \
         slack: {{signing_secret_env: SLACK_SIGNING_SECRET, commands: true}}\n  mattermost: {{url: 'https://m.example', \
         token_env: MESSENGER_TOKEN, command_token_envs: [MESSENGER_TOKEN]}}\n  teams: {{token_envs: [MESSENGER_TOKEN], \
         destination: team}}\nnotifications:\n  destinations: {{team: {{type: teams, url_env: TEAMS_URL}}}}\n",
        issuer.url()
    );
    std::fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
    let path = folder.path().display().to_string();
    let settings = [
        ("TARSY_CONFIG_DIR", path.as_str()),
        ("OIDC_SECRET", CLIENT_SECRET),
        ("SLACK_SIGNING_SECRET", "a secret to sign with"),
        ("SLACK_BOT_TOKEN", "xoxb-1"),
        ("MESSENGER_TOKEN", "c2VjcmV0"),
        ("TARSY_TRUSTED_PROXIES", "127.0.0.0/8"),
        ("TARSY_RELAY_URL", relay),
    ];
    (Stack::with_settings(TestStack::start().await.unwrap(), &settings).await, folder)
}

pub(crate) async fn api_token(stack: &Stack, name: &str, grant: &Grant) -> String {
    let text = secret::new_token().unwrap();
    let new = NewApiToken {
        name: name.to_owned(),
        hash: secret::hash(&text),
        grant: grant.clone(),
        created_by: "test".to_owned(),
        lifetime: Duration::from_hours(1),
    };
    stack.store.insert_api_token(new).await.unwrap();
    text
}

/// Senders that exist in every mode.
async fn everywhere(stack: &Stack, issuer: &TestIssuer, other: &TestIssuer) -> Vec<Sender> {
    let mut senders = Vec::new();
    for role in Role::ALL {
        let grant = Grant::Role(role);
        let token = api_token(stack, role.as_str(), &grant).await;
        senders.push(Sender::bearer(format!("API token, {role}"), &token, Some(grant)));
    }
    let source = Grant::Source { alert_types: vec![OTHER_TYPE.to_owned()] };
    let token = api_token(stack, "source", &source).await;
    senders.push(Sender::bearer("source of another type", &token, Some(source)));
    let expired = api_token(stack, "expired", &Grant::Role(Role::Admin)).await;
    let expire = "with changed as (update api_tokens set expires_at = now() where name = 'expired' \
                  returning 1) select count(*) from changed";
    assert_eq!(stack.count(expire).await.unwrap(), 1);
    senders.push(Sender::bearer("expired API token", &expired, None));
    let foreign = other.sign(&other.claims("ada")).unwrap();
    senders.push(Sender::bearer("token of another issuer", &foreign, None));
    let mut claims = issuer.claims("ada");
    claims["exp"] = json!(1_700_000_000);
    senders.push(Sender::bearer("expired token", &issuer.sign(&claims).unwrap(), None));
    senders
}

async fn people(mode: &str, stack: &Stack, issuer: &TestIssuer) -> Vec<Sender> {
    let local = (mode == "local").then_some(Grant::Role(Role::Admin));
    let mut senders = vec![Sender::new(UNLOCKED_BY_NOTHING, local.clone())];
    senders.push(Sender::bearer("token of the start", LOCAL_TOKEN, local));
    for (role, user, group) in PEOPLE {
        let grant = Some(Grant::Role(role));
        match mode {
            "proxy" => senders.push(
                Sender::new(format!("proxy, {role}"), grant)
                    .with("x-forwarded-user", user)
                    .with("x-forwarded-groups", group),
            ),
            "oidc" => {
                let token = issuer.sign(&issuer.claims(user)).unwrap();
                senders.push(Sender::bearer(format!("token, {role}"), &token, grant.clone()));
                let mut browser = Browser::new(stack);
                browser.sign_in(user).await;
                let cookie = format!("tarsy_sign_in={}", browser.cookies["tarsy_sign_in"]);
                let signed_in = Sender::new(format!("sign-in, {role}"), grant);
                let csrf = browser.csrf_token().await;
                senders.push(signed_in.with("cookie", cookie).with("x-csrf-token", csrf));
            }
            _ => {}
        }
    }
    senders
}

async fn check_route(stack: &Stack, route: &DeclaredRoute, sender: &Sender) {
    let id = "0198f2a0-0000-7000-8000-00000000a11a";
    let path = route.path.replace("{id}", id).replace("{interaction_id}", id);
    let mut request = stack.anonymous(route.method.clone(), &path);
    for (name, value) in &sender.headers {
        request = request.header(*name, value);
    }
    if route.method == Method::POST {
        request = request.json(&json!({"data": "x", "alert_type": ALERT_TYPE}));
    }
    let answer = send(request).await;
    let refused = [401, 403].contains(&answer.status.as_u16()).then_some(answer.status.as_u16());
    let expected = refusal(route, sender);
    assert_eq!(refused, expected, "{}: {} {path}: {answer:?}", sender.name, route.method);
}

async fn check_websocket(stack: &Stack, route: &DeclaredRoute, sender: &Sender) {
    let url = format!("ws://{}{WEBSOCKET}", stack.address);
    let mut request = url.into_client_request().unwrap();
    request.headers_mut().insert("origin", "http://localhost:8080".parse().unwrap());
    for (name, value) in &sender.headers {
        request.headers_mut().insert(*name, value.parse().unwrap());
    }
    let expected = refusal(route, sender);
    match tokio_tungstenite::connect_async(request).await {
        Ok((mut socket, _)) => {
            assert_eq!(expected, None, "{}: a WebSocket", sender.name);
            for action in SocketAction::iter() {
                let granted =
                    sender.grant.as_ref().is_some_and(|grant| grant.allows(action.permission()));
                assert!(granted, "{}: {action}", sender.name);
                let text = tungstenite::Message::text(json!({"action": action}).to_string());
                socket.send(text.clone()).await.unwrap();
                assert_eq!(socket.next().await.unwrap().unwrap(), text, "{}", sender.name);
            }
        }
        Err(tungstenite::Error::Http(answer)) => {
            assert_eq!(Some(answer.status().as_u16()), expected, "{}: a WebSocket", sender.name);
        }
        Err(other) => assert_eq!(other.to_string(), "", "{}", sender.name),
    }
}

async fn check_mode(mode: &str) {
    let issuer = TestIssuer::start(USERS).await.unwrap();
    let other = TestIssuer::start(USERS).await.unwrap();
    let service = ServiceContext::default();
    let relay = format!("http://{}", relay(&service).await);
    let (stack, _folder) = gateway(mode, &issuer, &relay).await;
    let mut senders = people(mode, &stack, &issuer).await;
    senders.extend(everywhere(&stack, &issuer, &other).await);
    let mut routes: Vec<DeclaredRoute> = declared_routes().collect();
    // Whoever signed out is nobody afterwards.
    routes.sort_by_key(|route| route.path == "/api/v1/sign-out");
    assert!(routes.len() > 30 && senders.len() > 8);
    for route in &routes {
        let checks = senders.iter().map(|sender| async {
            if route.path == WEBSOCKET {
                check_websocket(&stack, route, sender).await;
            } else {
                check_route(&stack, route, sender).await;
            }
        });
        // All senders at once: a request waits for PostgreSQL more than it computes.
        futures::future::join_all(checks).await;
    }
}

#[tokio::test]
async fn in_mode_local_every_sender_may_do_what_the_routes_declare() {
    Box::pin(check_mode("local")).await;
}

#[tokio::test]
async fn in_mode_proxy_every_sender_may_do_what_the_routes_declare() {
    Box::pin(check_mode("proxy")).await;
}

#[tokio::test]
async fn in_mode_oidc_every_sender_may_do_what_the_routes_declare() {
    Box::pin(check_mode("oidc")).await;
}
