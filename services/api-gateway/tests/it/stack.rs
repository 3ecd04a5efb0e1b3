//! A gateway with its servers.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::ops::Deref;
use std::time::Duration;

use reqwest::header::{AUTHORIZATION, HeaderMap};
use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tarsy_service::{ServiceContext, Settings};
use tarsy_testkit::{TestNats, TestPg, TestStack, WAIT};

/// The token of the start, which counts in mode `local`.
pub(crate) const LOCAL_TOKEN: &str = "the-token-of-the-start-of-a-test";

pub(crate) struct Stack {
    servers: TestStack,
    pub(crate) service: ServiceContext,
    pub(crate) address: SocketAddr,
    /// Shows the token of the start in mode `local`.
    pub(crate) client: Client,
}

#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Answer {
    /// The fields that a problem names.
    pub(crate) fn fields(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array().map(Vec::as_slice).unwrap_or_default();
        errors.iter().filter_map(|error| error["field"].as_str()).collect()
    }

    pub(crate) fn session_id(&self) -> tarsy_domain::id::SessionId {
        assert_eq!(self.status, 202, "{self:?}");
        self.body["session_id"].as_str().unwrap().parse().unwrap()
    }
}

impl Stack {
    pub(crate) async fn start() -> Self {
        Self::with_settings(TestStack::start().await.unwrap(), &[]).await
    }

    /// On servers that may be stopped.
    pub(crate) async fn dedicated() -> Self {
        Self::with_settings(TestStack::dedicated().await.unwrap(), &[]).await
    }

    pub(crate) async fn with_settings(servers: TestStack, settings: &[(&str, &str)]) -> Self {
        let mut variables = servers.environment("api-gateway", "gateway-1");
        variables.extend(settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        let (service, address) = Box::pin(serve(variables)).await;
        let client = client(is_local(settings));
        Self { servers, service, address, client }
    }

    /// With exactly these variables, at an address of the machine.
    pub(crate) async fn at(
        servers: TestStack,
        variables: BTreeMap<String, String>,
        address: SocketAddr,
    ) -> Self {
        let (service, address) = Box::pin(serve_at(variables, address)).await;
        Self { servers, service, address, client: client(true) }
    }

    /// A request of a sender who shows nothing.
    pub(crate) fn anonymous(&self, method: Method, path: &str) -> RequestBuilder {
        let client = Client::builder().timeout(WAIT).build().unwrap();
        client.request(method, format!("http://{}{path}", self.address))
    }

    /// The address of a second gateway on the same servers.
    pub(crate) async fn another_gateway(&self, settings: &[(&str, &str)]) -> SocketAddr {
        let mut variables = self.servers.environment("api-gateway", "gateway-2");
        variables.extend(settings.iter().map(|&(name, value)| (name.to_owned(), value.to_owned())));
        serve(variables).await.1
    }

    pub(crate) fn pg(&mut self) -> &mut TestPg {
        &mut self.servers.pg
    }

    pub(crate) fn nats(&mut self) -> &mut TestNats {
        &mut self.servers.nats
    }

    pub(crate) fn request(&self, method: Method, path: &str) -> RequestBuilder {
        self.client.request(method, format!("http://{}{path}", self.address))
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        send(self.request(Method::GET, path)).await
    }

    pub(crate) async fn post(&self, path: &str) -> Answer {
        send(self.request(Method::POST, path)).await
    }

    pub(crate) async fn submit(&self, alert: &Value) -> Answer {
        send(self.request(Method::POST, "/api/v1/alerts").json(alert)).await
    }

    /// A session that waits.
    /// Waits until an alert can be searched, which is soon after its first event was published.
    pub(crate) async fn can_be_searched(&self, session: &str) {
        let look = async {
            loop {
                let found = self.get(&format!("/api/v1/search?q={session}")).await;
                if found.body["hits"].as_array().is_some_and(|hits| !hits.is_empty()) {
                    return;
                }
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        tokio::time::timeout(WAIT, look).await.unwrap();
    }

    pub(crate) async fn pending(&self) -> tarsy_domain::id::SessionId {
        self.submit(&json!({"data": "the disk is full"})).await.session_id()
    }
}

/// Whether nobody signs in, by the configuration.
fn is_local(settings: &[(&str, &str)]) -> bool {
    let folder = settings.iter().find(|(name, _)| *name == "TARSY_CONFIG_DIR");
    let path = folder.map(|(_, folder)| std::path::Path::new(folder).join("tarsy.yaml"));
    let text = path.and_then(|path| std::fs::read_to_string(path).ok()).unwrap_or_default();
    !["mode: proxy", "mode: oidc"].iter().any(|mode| text.contains(mode))
}

fn client(is_local: bool) -> Client {
    let client = Client::builder().timeout(WAIT);
    if !is_local {
        return client.build().unwrap();
    }
    let token = format!("Bearer {LOCAL_TOKEN}").parse().unwrap();
    client.default_headers(HeaderMap::from_iter([(AUTHORIZATION, token)])).build().unwrap()
}

async fn serve(variables: BTreeMap<String, String>) -> (ServiceContext, SocketAddr) {
    serve_at(variables, SocketAddr::from(([127, 0, 0, 1], 0))).await
}

async fn serve_at(
    mut variables: BTreeMap<String, String>,
    address: SocketAddr,
) -> (ServiceContext, SocketAddr) {
    let token = || LOCAL_TOKEN.to_owned();
    variables.entry("TARSY_LOCAL_TOKEN".to_owned()).or_insert_with(token);
    let settings = Settings::from_map(variables).unwrap();
    let limits = tarsy_service::server_limits(&settings).unwrap();
    let service = ServiceContext::default().with_server_limits(limits);
    let router = tarsy_api_gateway::build(&settings, &service, None).await.unwrap();
    let address = service.serve_http("http", address, router).await.unwrap();
    (service, address)
}

impl Deref for Stack {
    type Target = TestStack;

    fn deref(&self) -> &TestStack {
        &self.servers
    }
}

pub(crate) async fn send(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer { status, headers, body }
}
