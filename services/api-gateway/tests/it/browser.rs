//! A browser in front of a gateway: it keeps cookies, and goes where it is sent.

use std::collections::BTreeMap;

use reqwest::{Client, Method, RequestBuilder};
use serde_json::Value;
use tarsy_testkit::{CLIENT_ID, CLIENT_SECRET, TestIssuer, TestStack, WAIT};
use tempfile::TempDir;
use url::Url;

use crate::stack::{Answer, Stack, send};

/// The users of the issuer, each in the group of one role; mallory is in none.
pub(crate) const USERS: &[(&str, &[&str])] = &[
    ("vera", &["viewers"]),
    ("rosa", &["responders"]),
    ("otto", &["operators"]),
    ("ada", &["admins"]),
    ("mallory", &["strangers"]),
];
pub(crate) const ROLES: &str =
    "{viewer: [viewers], responder: [responders], operator: [operators], admin: [admins]}";

/// A gateway of which the dashboard is at this address, with more lines for `system.access.oidc`.
pub(crate) async fn gateway(
    issuer: &str,
    more: &str,
    settings: &[(&str, &str)],
) -> (Stack, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let text = format!(
        "system:\n  access:\n    mode: oidc\n    roles: {ROLES}\n    oidc:\n      issuer: {issuer}\n      \
         client_id: {CLIENT_ID}\n      client_secret_env: OIDC_SECRET\n{more}"
    );
    std::fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
    let path = folder.path().display().to_string();
    let mut all = vec![("TARSY_CONFIG_DIR", path.as_str()), ("OIDC_SECRET", CLIENT_SECRET)];
    all.extend(settings);
    (Stack::with_settings(TestStack::start().await.unwrap(), &all).await, folder)
}

/// The same with an issuer that runs.
pub(crate) async fn with_issuer() -> (Stack, TestIssuer, TempDir) {
    let issuer = TestIssuer::start(USERS).await.unwrap();
    let (stack, folder) = gateway(issuer.url(), "", &[]).await;
    (stack, issuer, folder)
}

pub(crate) struct Browser<'a> {
    stack: &'a Stack,
    client: Client,
    pub(crate) cookies: BTreeMap<String, String>,
}

impl<'a> Browser<'a> {
    pub(crate) fn new(stack: &'a Stack) -> Self {
        let client = Client::builder().timeout(WAIT).redirect(reqwest::redirect::Policy::none());
        Self { stack, client: client.build().unwrap(), cookies: BTreeMap::new() }
    }

    /// A request with the cookies.
    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.client.request(method, format!("http://{}{path}", self.stack.address));
        let cookies: Vec<String> =
            self.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
        if cookies.is_empty() { request } else { request.header("cookie", cookies.join("; ")) }
    }

    pub(crate) async fn send(&mut self, request: RequestBuilder) -> Answer {
        let answer = send(request).await;
        for set in answer.headers.get_all("set-cookie") {
            let (pair, attributes) = set.to_str().unwrap().split_once("; ").unwrap();
            let (name, value) = pair.split_once('=').unwrap();
            assert!(attributes.contains("HttpOnly; SameSite=Lax"), "{attributes}");
            if attributes.contains("Max-Age=0") {
                self.cookies.remove(name);
            } else {
                self.cookies.insert(name.to_owned(), value.to_owned());
            }
        }
        answer
    }

    pub(crate) async fn get(&mut self, path: &str) -> Answer {
        let request = self.request(Method::GET, path);
        self.send(request).await
    }

    /// Begins to sign in, and has the issuer approve; the path that the issuer sends the browser to.
    pub(crate) async fn approved(&mut self, user: &str, return_to: &str) -> String {
        let begun = self.get(&format!("/api/v1/sign-in?return_to={return_to}")).await;
        assert_eq!(begun.status, 303, "{begun:?}");
        let mut url: Url = location(&begun).parse().unwrap();
        assert_eq!(url.path(), "/authorize");
        url.set_path("/approve");
        url.query_pairs_mut().append_pair("user", user);
        let approved = send(self.client.get(url)).await;
        assert_eq!(approved.status, 303, "{approved:?}");
        let back = location(&approved);
        back.strip_prefix("http://localhost:8080").unwrap().to_owned()
    }

    /// Signs in; where the browser ends.
    pub(crate) async fn sign_in(&mut self, user: &str) -> String {
        let back = self.approved(user, "/sessions").await;
        location(&self.get(&back).await)
    }

    pub(crate) fn is_signed_in(&self) -> bool {
        self.cookies.contains_key("tarsy_sign_in")
    }

    /// What changes must carry.
    pub(crate) async fn csrf_token(&mut self) -> String {
        let me = self.get("/api/v1/me").await.body;
        me["csrf_token"].as_str().unwrap().to_owned()
    }

    /// Sends a change as a page of the dashboard does.
    pub(crate) async fn change(&mut self, method: Method, path: &str, body: &Value) -> Answer {
        let token = self.csrf_token().await;
        let request = self.request(method, path).header("X-CSRF-Token", token).json(body);
        self.send(request).await
    }
}

pub(crate) fn location(answer: &Answer) -> String {
    answer.headers["location"].to_str().unwrap().to_owned()
}
