//! `http_probe`: does an address answer, how fast, and is its certificate good.

use std::error::Error;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::{Duration, Instant};

use reqwest::redirect::Policy;
use reqwest::{Client, Response};
use serde_json::{Value, json};
use url::{Host, Url};

use crate::args::{HttpProbeArgs, Method, bounded};
use crate::error::{ToolError, ToolResult};

/// How much of a body is read; its text is not shown.
const MAX_BODY: u64 = 64 * 1024;

/// Asks an address once; a failure to reach it is an answer, not an error.
pub(crate) async fn probe(args: HttpProbeArgs) -> ToolResult {
    let limit = Duration::from_millis(bounded("timeout_ms", args.timeout_ms, 100, 10_000)?);
    let url = checked_url(&args.url)?;
    let started = Instant::now();
    let addresses = match tokio::time::timeout(limit, resolve(&url)).await {
        Ok(Ok(addresses)) => addresses,
        Ok(Err(error)) => {
            return Ok(unreachable(&url, started, &format!("the name does not resolve: {error}")));
        }
        Err(_) => return Ok(unreachable(&url, started, "the name was not resolved in time")),
    };
    if let Some(address) = addresses.iter().find(|address| is_forbidden(address.ip())) {
        return Err(ToolError::refused(
            format!(
                "{} leads to {}, an address of link-local or cloud metadata services",
                url.as_str(),
                address.ip()
            ),
            "probe a service address instead",
        ));
    }
    let client = client(&url, &addresses, limit.saturating_sub(started.elapsed()))?;
    let request = match args.method {
        Method::Get => client.get(url.clone()),
        Method::Head => client.head(url.clone()),
    };
    match request.send().await {
        Ok(response) => Ok(answered(&url, started, response).await),
        Err(error) => Ok(unreachable(&url, started, &chain(&error))),
    }
}

fn checked_url(text: &str) -> Result<Url, ToolError> {
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
    if url.host().is_none() {
        return Err(ToolError::invalid("url has no host", fix));
    }
    Ok(url)
}

async fn resolve(url: &Url) -> std::io::Result<Vec<SocketAddr>> {
    let port = url.port_or_known_default().unwrap_or(80);
    match url.host() {
        Some(Host::Ipv4(ip)) => Ok(vec![SocketAddr::new(IpAddr::V4(ip), port)]),
        Some(Host::Ipv6(ip)) => Ok(vec![SocketAddr::new(IpAddr::V6(ip), port)]),
        Some(Host::Domain(name)) => Ok(tokio::net::lookup_host((name, port)).await?.collect()),
        None => Ok(Vec::new()),
    }
}

/// Link-local addresses and the metadata services of clouds, however they are written.
fn is_forbidden(ip: IpAddr) -> bool {
    match ip {
        IpAddr::V4(four) => is_forbidden_v4(four),
        IpAddr::V6(six) => is_forbidden_v6(six),
    }
}

fn is_forbidden_v4(ip: Ipv4Addr) -> bool {
    // The last two are the metadata addresses of Alibaba and Oracle clouds.
    ip.is_link_local()
        || ip == Ipv4Addr::new(100, 100, 100, 200)
        || ip == Ipv4Addr::new(192, 0, 0, 192)
}

fn is_forbidden_v6(ip: Ipv6Addr) -> bool {
    let embedded = match ip.segments() {
        // IPv4-mapped, IPv4-compatible and NAT64 addresses carry an IPv4 address at their end.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] | [0x64, 0xff9b, 0, 0, 0, 0, high, low] => {
            Some((high, low))
        }
        // 6to4 carries it after the prefix.
        [0x2002, high, low, ..] => Some((high, low)),
        _ => None,
    };
    let metadata = Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254);
    ip.is_unicast_link_local()
        || ip == metadata
        || embedded.is_some_and(|(high, low)| {
            let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
            is_forbidden_v4(Ipv4Addr::new(a, b, c, d))
        })
}

/// A client that connects to the checked addresses alone, without proxies and redirects.
fn client(url: &Url, addresses: &[SocketAddr], limit: Duration) -> Result<Client, ToolError> {
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .no_proxy()
        .timeout(limit.max(Duration::from_millis(1)))
        .user_agent(concat!("tarsy-host-inspector/", env!("CARGO_PKG_VERSION")))
        .pool_max_idle_per_host(0);
    if let Some(name) = url.domain() {
        builder = builder.resolve_to_addrs(name, addresses);
    }
    builder.build().map_err(|error| {
        ToolError::failed(
            format!("no HTTP client could be made: {}", chain(&error)),
            "use dns_lookup instead",
        )
    })
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
    use super::*;

    #[test]
    fn metadata_addresses_are_forbidden_however_they_are_written() {
        for text in [
            "169.254.169.254",
            "169.254.0.1",
            "fe80::1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:a9fe:a9fe::1",
            "fd00:ec2::254",
            "100.100.100.200",
        ] {
            assert!(is_forbidden(text.parse().expect(text)), "{text}");
        }
        for text in ["127.0.0.1", "10.0.0.1", "::1", "2606:4700::1111", "192.168.1.1"] {
            assert!(!is_forbidden(text.parse().expect(text)), "{text}");
        }
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
            assert!(checked_url(text).is_err(), "{text}");
        }
        assert!(checked_url(" https://example.com/healthz?x=1 ").is_ok());
    }

    #[tokio::test]
    async fn a_number_that_hides_a_metadata_address_is_refused() {
        for text in ["http://0xA9FEA9FE/", "http://2852039166/", "http://[::ffff:a9fe:a9fe]/"] {
            let args = HttpProbeArgs { url: text.to_owned(), timeout_ms: 500, method: Method::Get };
            let error = probe(args).await.expect_err(text);
            assert!(error.to_json().to_string().contains("metadata"), "{text}: {error}");
        }
    }
}
