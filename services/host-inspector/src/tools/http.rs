//! `http_probe`: does an address answer, how fast, and is its certificate good.

use std::error::Error;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use tarsy_hosts::{Host, Reach};
use url::Url;

use crate::args::{HttpProbeArgs, Method, bounded};
use crate::error::{ToolError, ToolResult};
use crate::resolve::resolve;

/// How much of a body is read; its text is not shown.
const MAX_BODY: u64 = 64 * 1024;

/// Asks an address once; a failure to reach it is an answer, not an error.
pub(crate) async fn probe(args: HttpProbeArgs, hosts: &Reach) -> ToolResult {
    let limit = Duration::from_millis(bounded("timeout_ms", args.timeout_ms, 100, 10_000)?);
    let (url, host) = checked_url(&args.url, hosts)?;
    let started = Instant::now();
    let addresses = match tokio::time::timeout(limit, resolve(&url)).await {
        Ok(Ok(addresses)) => addresses,
        Ok(Err(error)) => {
            return Ok(unreachable(&url, started, &format!("the name does not resolve: {error}")));
        }
        Err(_) => return Ok(unreachable(&url, started, "the name was not resolved in time")),
    };
    if let Some(address) = addresses.iter().find(|address| !hosts.permits(&host, address.ip())) {
        return Err(ToolError::refused(
            format!(
                "{} leads to {}, an address of this machine, link-local or a cloud's metadata service",
                url.as_str(),
                address.ip()
            ),
            "probe a service address instead",
        ));
    }
    let client = client(&addresses, limit.saturating_sub(started.elapsed()))?;
    let request = match args.method {
        Method::Get => client.get(url.clone()),
        Method::Head => client.head(url.clone()),
    };
    match request.send().await {
        Ok(response) => Ok(answered(&url, started, response).await),
        Err(error) => Ok(unreachable(&url, started, &chain(&error))),
    }
}

fn checked_url(text: &str, hosts: &Reach) -> Result<(Url, Host), ToolError> {
    let fix = "use an address such as https://example.com/healthz";
    if text.len() > 2048 {
        return Err(ToolError::invalid("url is longer than 2048 bytes", fix));
    }
    let url = Url::parse(text.trim())
        .map_err(|error| ToolError::invalid(format!("url cannot be read: {error}"), fix))?;
    if !matches!(url.scheme(), "http" | "https") {
        return Err(ToolError::refused(
            format!("the scheme {:?} is not allowed", url.scheme()),
            "use http or https",
        ));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(ToolError::refused(
            "url carries a user name or password",
            "leave credentials out of the url",
        ));
    }
    let host = Host::of_url(&url);
    let host = host.ok_or_else(|| ToolError::invalid("url has no host", fix))?;
    if !hosts.contains(&host) {
        return Err(ToolError::not_allowed(&host));
    }
    Ok((url, host))
}

/// A client that connects to the checked addresses alone, without proxies and redirects.
fn client(addresses: &[SocketAddr], limit: Duration) -> Result<Client, ToolError> {
    let builder = Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .timeout(limit.max(Duration::from_millis(1)))
        .user_agent(concat!("tarsy-host-inspector/", env!("CARGO_PKG_VERSION")))
        .pool_max_idle_per_host(0)
        // Nothing is resolved again: the answer may be another one by then.
        .dns_resolver(Arc::new(Checked(addresses.to_vec())));
    builder.build().map_err(|error| {
        ToolError::failed(
            format!("no HTTP client could be made: {}", chain(&error)),
            "use dns_lookup instead",
        )
    })
}

/// Resolves every name to addresses that were checked.
struct Checked(Vec<SocketAddr>);

impl Resolve for Checked {
    fn resolve(&self, _: Name) -> Resolving {
        let addresses: Addrs = Box::new(self.0.clone().into_iter());
        Box::pin(std::future::ready(Ok(addresses)))
    }
}

async fn answered(url: &Url, started: Instant, mut response: Response) -> Value {
    let latency = millis(started);
    let header = |name: &str| {
        let text = response.headers().get(name)?.to_str().ok()?;
        Some(text.chars().take(500).collect::<String>())
    };
    let mut answer = json!({
        "url": url.as_str(),
        "reachable": true,
        "status": response.status().as_u16(),
        "status_text": response.status().canonical_reason(),
        "latency_ms": latency,
        "http_version": format!("{:?}", response.version()),
        "remote_address": response.remote_addr().map(|address| address.to_string()),
        "tls_ok": (url.scheme() == "https").then_some(true),
        "content_type": header("content-type"),
        "server": header("server"),
        "redirects_to": header("location"),
    });
    let (mut bytes, mut whole) = (0_u64, false);
    while bytes < MAX_BODY {
        match response.chunk().await {
            Ok(Some(chunk)) => bytes += u64::try_from(chunk.len()).unwrap_or(u64::MAX),
            Ok(None) => {
                whole = true;
                break;
            }
            Err(error) => {
                set(&mut answer, "body_error", json!(chain(&error)));
                break;
            }
        }
    }
    set(&mut answer, "body_bytes_read", json!(bytes));
    set(&mut answer, "body_whole", json!(whole));
    set(&mut answer, "total_ms", json!(millis(started)));
    answer
}

fn set(answer: &mut Value, key: &str, value: Value) {
    if let Some(map) = answer.as_object_mut() {
        map.insert(key.to_owned(), value);
    }
}

fn unreachable(url: &Url, started: Instant, error: &str) -> Value {
    let lower = error.to_lowercase();
    let tls_failed = url.scheme() == "https"
        && ["certificate", "tls", "handshake"].iter().any(|word| lower.contains(word));
    json!({
        "url": url.as_str(),
        "reachable": false,
        "tls_ok": tls_failed.then_some(false),
        "error": error,
        "total_ms": millis(started),
    })
}

fn millis(started: Instant) -> u64 {
    u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// An error with its causes, on one line.
fn chain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text.push_str(": ");
        text.push_str(&error.to_string());
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use tarsy_hosts::HostList;

    use super::*;

    fn listed(entries: &[&str]) -> Reach {
        Reach::new(HostList::parse(entries).expect("hosts"), [])
    }

    #[test]
    fn only_plain_web_addresses_are_probed() {
        for text in [
            "ftp://example.com",
            "file:///etc/passwd",
            "gopher://x",
            "http://user:pw@host/",
            "not a url",
        ] {
            assert!(checked_url(text, &listed(&["*"])).is_err(), "{text}");
        }
        let hosts = listed(&["example.com"]);
        assert!(checked_url(" https://example.com/healthz?x=1 ", &hosts).is_ok());
    }

    fn probed(url: &str) -> HttpProbeArgs {
        HttpProbeArgs { url: url.to_owned(), timeout_ms: 5_000, method: Method::Get }
    }

    #[tokio::test]
    async fn other_hosts_are_refused_however_they_are_written() {
        let hosts = listed(&["127.0.0.1", "shop.example"]);
        for url in [
            "http://evil.example/",
            "http://shop.example.evil.example/",
            "http://localhost/",
            "http://127.0.0.2/",
            "http://0x7f000002/",
            "http://2130706434/",
            "http://[::ffff:127.0.0.2]/",
            "http://[::1]/",
            "http://0xA9FEA9FE/",
            "http://2852039166/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://[fd00:ec2::254]/",
        ] {
            let error = probe(probed(url), &hosts).await.expect_err(url).to_json().to_string();
            assert!(error.contains("refused"), "{url}: {error}");
        }
    }

    #[test]
    fn a_metadata_address_is_probed_only_if_it_is_listed() {
        for hosts in [&["*"][..], &["169.254.0.0/16"], &["*", "0.0.0.0/0"]] {
            assert!(checked_url("http://169.254.169.254/", &listed(hosts)).is_err(), "{hosts:?}");
        }
        assert!(checked_url("http://169.254.169.254/", &listed(&["169.254.169.254"])).is_ok());
    }

    /// `localhost` is known by its name; whatever else this machine calls itself leads there as well.
    #[tokio::test]
    async fn a_name_of_the_alert_that_leads_to_this_machine_is_refused() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let port = listener.local_addr().expect("its address").port();
        // A name below `localhost` is resolved here to loopback, or not at all.
        for name in ["localhost", "127.0.0.1", "0.0.0.0", "a.localhost", "[::ffff:127.0.0.1]"] {
            let named = Host::parse(name).expect("a host");
            let of_alert = Reach::new(HostList::default(), [named]);
            let url = format!("http://{name}:{port}/");
            let error = probe(probed(&url), &of_alert).await.expect_err(&url).to_json().to_string();
            assert!(error.contains("refused"), "{url}: {error}");
        }
    }

    #[tokio::test]
    async fn a_request_goes_to_the_addresses_that_were_checked() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        for name in ["rebound.invalid", "rebound.invalid.", "REBOUND.invalid"] {
            let client = client(&[address], Duration::from_secs(5)).expect("a client");
            let url = format!("http://{name}:{}/", address.port());
            let (connected, _) = tokio::join!(
                tokio::time::timeout(Duration::from_secs(5), listener.accept()),
                tokio::time::timeout(Duration::from_millis(500), client.get(url).send()),
            );
            assert!(connected.is_ok(), "{name} has no address of its own");
        }
    }
}
