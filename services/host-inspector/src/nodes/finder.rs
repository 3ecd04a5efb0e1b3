//! Asks every inspector which node it runs on.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures::future::join_all;
use futures::stream::{self, StreamExt as _};
use reqwest::{Client, Response, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use tarsy_hosts::Host;
use tokio::time::{Instant, timeout_at};
use url::Url;

use super::directory::{Directory, Missing, Node};
use super::endpoint::Endpoint;

const MAX_INSPECTORS: usize = 1_000;
/// How many are asked at once.
const AT_ONCE: usize = 32;
/// How long one may take to answer.
const ANSWER: Duration = Duration::from_secs(2);
/// How long all of them may take; whoever has not answered by then is missing.
const LOOKUP: Duration = Duration::from_secs(8);
/// The longest answer, in bytes.
const MAX_ANSWER: usize = 4 * 1024;
/// Where an inspector says it, beside its address for MCP.
const PATH: &str = "node";

pub(super) struct Finder {
    pub(super) endpoints: Vec<Endpoint>,
    pub(super) client: Client,
    pub(super) token: Option<SecretString>,
}

/// What an inspector says of its node.
#[derive(Debug, Deserialize)]
struct Described {
    node: String,
    #[serde(default)]
    address: Option<String>,
}

enum NoNode {
    Refused,
    Unanswered,
    Nameless,
}

impl Finder {
    /// The nodes whose inspectors answer.
    pub(super) async fn find(&self) -> Directory {
        let until = Instant::now() + LOOKUP;
        let urls = self.addresses().await;
        let mut unasked = urls.len();
        let mut asking = stream::iter(urls).map(|url| self.ask(url)).buffer_unordered(AT_ONCE);
        let (mut nodes, mut missing) = (BTreeMap::new(), Missing::default());
        while let Ok(Some(answer)) = timeout_at(until, asking.next()).await {
            unasked = unasked.saturating_sub(1);
            match answer {
                // A pod that is replaced may have two addresses for a moment.
                Ok(node) => drop(nodes.entry(node.name.clone()).or_insert(node)),
                Err(NoNode::Refused) => missing.refused += 1,
                Err(NoNode::Unanswered) => missing.unanswered += 1,
                Err(NoNode::Nameless) => missing.nameless += 1,
            }
        }
        missing.unanswered += unasked;
        Directory::new(nodes.into_values().collect(), missing)
    }

    async fn addresses(&self) -> Vec<Url> {
        let found = join_all(self.endpoints.iter().map(Endpoint::addresses)).await;
        let mut urls: BTreeSet<Url> = found.into_iter().flatten().collect();
        if urls.len() > MAX_INSPECTORS {
            tracing::warn!(addresses = urls.len(), limit = MAX_INSPECTORS, "too many inspectors");
        }
        std::iter::from_fn(|| urls.pop_first()).take(MAX_INSPECTORS).collect()
    }

    async fn ask(&self, url: Url) -> Result<Node, NoNode> {
        let place = url.join(PATH).map_err(|_| NoNode::Unanswered)?;
        let mut request = self.client.get(place).timeout(ANSWER);
        if let Some(token) = &self.token {
            request = request.bearer_auth(token.expose_secret());
        }
        let response = request.send().await.map_err(|error| {
            tracing::warn!(%url, %error, "the inspector of a node does not answer");
            NoNode::Unanswered
        })?;
        match response.status() {
            StatusCode::OK => {}
            StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => return Err(NoNode::Refused),
            StatusCode::NOT_FOUND => return Err(NoNode::Nameless),
            _ => return Err(NoNode::Unanswered),
        }
        let body = bounded(response).await.ok_or(NoNode::Unanswered)?;
        let described = serde_json::from_slice::<Described>(&body).ok();
        let described = described.filter(|one| Host::parse(&one.node).is_some());
        let Described { node: name, address } = described.ok_or(NoNode::Nameless)?;
        Ok(Node { name, address: address.and_then(|text| Host::parse(&text)), url })
    }
}

/// The body of an answer; none if it is too long or breaks off.
async fn bounded(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        if body.len() + chunk.len() > MAX_ANSWER {
            return None;
        }
        body.extend_from_slice(&chunk);
    }
    Some(body)
}
