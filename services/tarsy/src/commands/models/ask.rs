//! Requests to one model server.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use reqwest::header::{AUTHORIZATION, HeaderValue};
use reqwest::{RequestBuilder, Response};
use serde_json::Value;
use tarsy_hosts::HostList;
use tarsy_outbound::{AUTHORITIES, Guard, Proxies, describe};
use url::Url;

/// The longest time in which a server lists its models: it reads them from memory.
const LISTING: Duration = Duration::from_secs(5);
/// The most bytes of an answer; a list of a hundred models has some ten thousand.
const MAX_BYTES: usize = 4 * 1024 * 1024;
/// The most characters of a server's message that are shown.
const MAX_MESSAGE: usize = 200;

/// A server at an address.
#[derive(Clone, Debug)]
pub(super) struct Server {
    http: reqwest::Client,
    /// Without the `/v1` of the protocol and without a slash at its end.
    pub(super) address: String,
    key: Option<HeaderValue>,
}

/// An answer.
#[derive(Clone, Debug)]
pub(super) struct Reply {
    pub(super) status: u16,
    /// None if it is not JSON.
    pub(super) body: Option<Value>,
}

impl Reply {
    /// The status and the server's message, in whichever of the usual fields that is.
    pub(super) fn message(&self) -> String {
        let places = ["/error/message", "/error", "/message", "/detail"];
        let body = self.body.as_ref();
        let message = places.into_iter().find_map(|at| body?.pointer(at)?.as_str());
        let message: String = message.unwrap_or_default().chars().take(MAX_MESSAGE).collect();
        let status = self.status;
        if message.is_empty() { status.to_string() } else { format!("{status}: {message}") }
    }
}

impl Server {
    /// The server at an address, which alone is asked: a redirect is not followed.
    pub(super) fn new(address: &Url, key: Option<&str>) -> anyhow::Result<Self> {
        let guard = Arc::new(Guard::new(address, HostList::default(), Proxies::of_environment()));
        if let Some(refusal) = guard.refusal(address) {
            anyhow::bail!("{} cannot be asked: {}", refusal.host, refusal.fault);
        }
        let http = guard.limit(reqwest::Client::builder()).build().context("no HTTP client")?;
        let key = key.map(|key| HeaderValue::from_str(&format!("Bearer {key}"))).transpose();
        let mut key = key.context("the key of --key-env has characters that no header may have")?;
        if let Some(key) = &mut key {
            key.set_sensitive(true);
        }
        let address = address.as_str().trim_end_matches('/');
        let address = address.strip_suffix("/v1").unwrap_or(address).to_owned();
        Ok(Self { http, address, key })
    }

    /// The `base_url` of a provider.
    pub(super) fn base_url(&self) -> String {
        format!("{}/v1", self.address)
    }

    /// What it states about itself; the error says why it does not answer.
    pub(super) async fn get(&self, path: &str) -> Result<Reply, String> {
        self.send(self.http.get(self.url(path)), LISTING).await
    }

    /// What it states about a model.
    pub(super) async fn look_up(&self, path: &str, body: &Value) -> Result<Reply, String> {
        self.send(self.http.post(self.url(path)).json(body), LISTING).await
    }

    /// What a model answers.
    pub(super) async fn chat(&self, body: &Value, wait: Duration) -> Result<Reply, String> {
        self.send(self.http.post(self.url("v1/chat/completions")).json(body), wait).await
    }

    fn url(&self, path: &str) -> String {
        format!("{}/{path}", self.address)
    }

    async fn send(&self, request: RequestBuilder, wait: Duration) -> Result<Reply, String> {
        let request = match &self.key {
            Some(key) => request.header(AUTHORIZATION, key.clone()),
            None => request,
        };
        let answer = async {
            let response = request.send().await.map_err(|error| describe(&error, AUTHORITIES))?;
            let status = response.status().as_u16();
            Ok(Reply { status, body: serde_json::from_slice(&body(response).await?).ok() })
        };
        let late = |_| format!("no answer within {} s", wait.as_secs());
        tokio::time::timeout(wait, answer).await.map_err(late)?
    }
}

async fn body(mut response: Response) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.chunk().await.map_err(|error| describe(&error, AUTHORITIES))? {
        if bytes.len() + chunk.len() > MAX_BYTES {
            return Err(format!("an answer of more than {MAX_BYTES} bytes"));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(bytes)
}
