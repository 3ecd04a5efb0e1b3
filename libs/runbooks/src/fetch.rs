//! One text over HTTP: hop by hop, each looked at anew, within a size.

use std::error::Error as StdError;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, LOCATION};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use tarsy_hosts::Network;
use tarsy_outbound::{NoAddress, NotPermitted, Proxies, Resolver};
use url::Url;

use crate::error::Error;
use crate::rules::{Rules, host_of};

/// How often a redirect is followed.
const HOPS: usize = 5;
const CONNECT: Duration = Duration::from_secs(5);

/// What asks.
#[derive(Clone, Debug)]
pub(crate) struct Fetcher {
    client: Client,
    rules: Arc<Rules>,
}

impl Fetcher {
    pub(crate) fn new(rules: Arc<Rules>, proxies: &Proxies) -> Result<Self, Error> {
        let known = Arc::clone(&rules);
        let at = proxies.clone();
        let resolver = Resolver::new(move |host, address| {
            Network::of(address).may_be_named(known.may_be_private(host)) || at.is_at(host)
        });
        let listed = Arc::clone(&rules);
        let client = proxies
            // A proxy resolves names itself, where nobody looks: those that an alert chooses are asked directly.
            .apply_where(Client::builder(), move |url| listed.is_listed(url))
            .user_agent(concat!("tarsy/", env!("CARGO_PKG_VERSION")))
            .redirect(Policy::none())
            .referer(false)
            .connect_timeout(CONNECT)
            .pool_max_idle_per_host(0)
            .no_gzip()
            .no_brotli()
            .no_deflate()
            .no_zstd()
            .dns_resolver(Arc::new(resolver))
            .build()
            .map_err(Error::Client)?;
        Ok(Self { client, rules })
    }

    /// The text at an address that was looked at before, of at most `limit` bytes.
    pub(crate) async fn text(
        &self,
        url: Url,
        accept: &'static str,
        limit: usize,
    ) -> Result<String, Error> {
        let whole = self.follow(url, accept, limit);
        match tokio::time::timeout(self.rules.deadline, whole).await {
            Ok(text) => text,
            Err(_) => Err(Error::Timeout { seconds: self.rules.deadline.as_secs() }),
        }
    }

    async fn follow(
        &self,
        mut url: Url,
        accept: &'static str,
        limit: usize,
    ) -> Result<String, Error> {
        for _ in 0..=HOPS {
            let answer = self.ask(&url, accept).await?;
            let status = answer.status();
            if status.is_redirection() {
                let next = target(&url, &answer).ok_or(Error::RedirectTarget)?;
                if next.origin() != url.origin() {
                    let looked_at = self.rules.remote(&next);
                    looked_at.map_err(|error| Error::RedirectRefused(Box::new(error)))?;
                }
                url = next;
                continue;
            }
            if !status.is_success() {
                return Err(Error::Status { status: status.as_u16() });
            }
            return body(answer, &url, limit).await;
        }
        Err(Error::Redirects)
    }

    async fn ask(&self, url: &Url, accept: &'static str) -> Result<Response, Error> {
        let request = self.client.get(url.clone());
        let request = request.header(ACCEPT, accept).header(ACCEPT_ENCODING, "identity");
        let request = match self.rules.token_for(url) {
            Some(token) => request.bearer_auth(token),
            None => request,
        };
        request.send().await.map_err(|error| unreachable(url, error))
    }
}

fn target(url: &Url, answer: &Response) -> Option<Url> {
    let location = answer.headers().get(LOCATION)?.to_str().ok()?;
    url.join(location).ok()
}

async fn body(mut answer: Response, url: &Url, limit: usize) -> Result<String, Error> {
    let encoding = answer.headers().get(CONTENT_ENCODING);
    if let Some(encoding) = encoding.filter(|encoding| *encoding != "identity") {
        let encoding = String::from_utf8_lossy(encoding.as_bytes()).chars().take(40).collect();
        return Err(Error::Packed { encoding });
    }
    if answer.content_length().is_some_and(|length| length > limit as u64) {
        return Err(Error::TooLarge { limit });
    }
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| unreachable(url, error))? {
        if bytes.len() + chunk.len() > limit {
            return Err(Error::TooLarge { limit });
        }
        bytes.extend_from_slice(&chunk);
    }
    text_of(bytes)
}

/// The bytes as text, without a mark of byte order.
pub(crate) fn text_of(bytes: Vec<u8>) -> Result<String, Error> {
    let text = String::from_utf8(bytes).map_err(|_| Error::NotText)?;
    if text.contains('\0') {
        return Err(Error::NotText);
    }
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

fn unreachable(url: &Url, error: reqwest::Error) -> Error {
    let host = host_of(url);
    let mut cause: Option<&(dyn StdError + 'static)> = Some(&error);
    while let Some(one) = cause {
        if one.is::<NotPermitted>() {
            return Error::Private { host };
        }
        if one.is::<NoAddress>() {
            return Error::Unresolved { host };
        }
        cause = one.source();
    }
    // The address may carry a token of its own.
    Error::Unreachable { host, source: error.without_url() }
}
