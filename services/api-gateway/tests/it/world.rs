//! A gateway with its servers.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::time::Duration;

use reqwest::{Client, Method, RequestBuilder, StatusCode};
use serde_json::{Value, json};
use tarsy_bus::{Bus, BusOptions};
use tarsy_service::{ServiceContext, Settings};
use tarsy_store::Store;
use tarsy_testkit::{TestNats, TestPg};

pub(crate) struct World {
    pub(crate) store: Store,
    pub(crate) bus: Bus,
    pub(crate) pg: TestPg,
    pub(crate) nats: TestNats,
    pub(crate) service: ServiceContext,
    pub(crate) address: SocketAddr,
    pub(crate) client: Client,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: reqwest::header::HeaderMap,
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

impl World {
    pub(crate) async fn start() -> Self {
        Self::with(TestPg::start().await.unwrap(), &[]).await
    }

    pub(crate) async fn with(pg: TestPg, settings: &[(&str, &str)]) -> Self {
        let nats = TestNats::start().await.unwrap();
        let store = Store::connect(pg.url(), 4).await.unwrap();
        store.migrate().await.unwrap();
        let basic =
            [("DATABASE_URL", pg.url()), ("NATS_URL", nats.url()), ("TARSY_INSTANCE", "gateway-1")];
        let variables: BTreeMap<String, String> = basic
            .iter()
            .chain(settings)
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let settings = Settings::from_map(variables).unwrap();
        let service = ServiceContext::default();
        let router = tarsy_api_gateway::build(&settings, &service).await.unwrap();
        let anywhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let address = service.serve_http("http", anywhere, router).await.unwrap();
        let bus = Bus::connect(BusOptions {
            url: nats.url().to_owned(),
            service: "test",
            instance: "test-1".to_owned(),
            credentials: None,
        })
        .await
        .unwrap();
        let mut connection = bus.connection();
        connection.wait_for(|state| state.connected).await.unwrap();
        let client = Client::builder().timeout(Duration::from_mins(1)).build().unwrap();
        Self { store, bus, pg, nats, service, address, client }
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
    pub(crate) async fn pending(&self) -> tarsy_domain::id::SessionId {
        self.submit(&json!({"data": "the disk is full"})).await.session_id()
    }
}

/// Looks again and again, for what nobody announces.
pub(crate) async fn until(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let looking = async {
        while !holds().await {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_mins(1), looking).await.is_ok(), "{what}: never");
}

pub(crate) async fn send(request: RequestBuilder) -> Answer {
    let response = request.send().await.unwrap();
    let (status, headers) = (response.status(), response.headers().clone());
    let text = response.text().await.unwrap();
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Answer { status, headers, body }
}
