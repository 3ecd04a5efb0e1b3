use std::net::SocketAddr;

use rcgen::{CertificateParams, KeyPair};
use tarsy_hosts::HostList;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;

use super::*;
use crate::guard::Guard;

/// One proxy for everything but these hosts, as `ALL_PROXY` and `NO_PROXY` name them.
fn through(proxy: &str, no_proxy: &str) -> Proxies {
    Proxies(Some(Arc::new(Matcher::builder().all(proxy).no(no_proxy).build())))
}

#[test]
fn this_machine_and_its_cluster_are_asked_directly_whatever_no_proxy_lists() {
    let proxies = through("http://proxy.corp.example:3128", "internal.example,10.0.0.0/8");
    let proxy = |url: &str| proxies.of(&Url::parse(url).unwrap()).map(String::from);
    let asked = Some("http://proxy.corp.example:3128/".to_owned());
    for outside in ["https://slack.com/api", "http://api.example.com:8080/x", "https://9.9.9.9/"] {
        assert_eq!(proxy(outside), asked, "{outside}");
    }
    for near in [
        "http://127.0.0.1:8080/",
        "http://localhost:8080/",
        "http://a.localhost/",
        "http://[::1]:8080/",
        "http://[fd00::7]/",
        "http://192.168.1.7/",
        "http://api-gateway:8080/",
        "http://llm-service.tarsy.svc:50051/",
        "https://kubernetes.default.svc.cluster.local/",
        "http://169.254.169.254/",
        "https://internal.example/",
        "https://a.internal.example/",
    ] {
        assert_eq!(proxy(near), None, "{near}");
    }
    assert_eq!(Proxies::none().of(&Url::parse("https://slack.com").unwrap()), None);
}

#[test]
fn a_proxy_is_sent_the_name_and_the_password_of_its_address() {
    let proxies = through("http://us%40er:pass%3Aword@proxy.example:3128", "");
    let proxy = proxies.of(&Url::parse("https://slack.com").unwrap()).unwrap();
    assert_eq!((proxy.username(), proxy.password()), ("us%40er", Some("pass%3Aword")));
    assert!(!format!("{proxies:?}").contains("word"), "{proxies:?}");
    assert!(proxies.is_at("proxy.example") && !proxies.is_at("slack.com"));
}

/// A proxy that inspects: it makes a tunnel, and answers inside of it with a certificate of its own.
struct Inspecting {
    tcp: TcpListener,
    tls: TlsAcceptor,
    certificate: reqwest::Certificate,
}

impl Inspecting {
    async fn start() -> Self {
        let key = KeyPair::generate().unwrap();
        let names = CertificateParams::new(vec!["named.invalid".to_owned()]).unwrap();
        let signed = names.self_signed(&key).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(
                vec![signed.der().clone()],
                PrivateKeyDer::Pkcs8(key.serialize_der().into()),
            )
            .unwrap();
        Self {
            tcp: TcpListener::bind("127.0.0.1:0").await.unwrap(),
            tls: TlsAcceptor::from(Arc::new(config)),
            certificate: reqwest::Certificate::from_der(signed.der()).unwrap(),
        }
    }

    fn address(&self) -> SocketAddr {
        self.tcp.local_addr().unwrap()
    }

    /// Answers one request; gives what it was asked, and what was asked inside of the tunnel if there was one.
    async fn answer(&self) -> Vec<String> {
        let (mut stream, _) = self.tcp.accept().await.unwrap();
        let asked = head(&mut stream).await;
        if !asked.starts_with("CONNECT ") {
            stream.write_all(ANSWER).await.unwrap();
            return vec![asked];
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let mut stream = self.tls.accept(stream).await.unwrap();
        let inside = head(&mut stream).await;
        stream.write_all(ANSWER).await.unwrap();
        stream.shutdown().await.unwrap();
        vec![asked, inside]
    }

    /// What the proxy is asked for a request that is answered; nothing if it is not asked.
    async fn asked(&self, client: &reqwest::Client, url: &str) -> Vec<String> {
        tokio::select! {
            asked = self.answer() => asked,
            answer = client.get(url).send() => {
                assert!(answer.is_err_and(|error| error.is_connect()), "{url} was answered by another");
                Vec::new()
            }
        }
    }
}

const ANSWER: &[u8] = b"HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n";

/// The beginning of a request, up to its body.
async fn head(stream: &mut (impl AsyncRead + Unpin)) -> String {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await.unwrap());
    }
    String::from_utf8(bytes).unwrap()
}

#[tokio::test]
async fn requests_go_through_the_proxy_and_those_that_no_proxy_lists_do_not() {
    let proxy = Inspecting::start().await;
    let at = format!("http://me:secret@{}", proxy.address());
    let client = |proxies: &Proxies| {
        let builder = proxies.apply(reqwest::Client::builder());
        builder.tls_certs_merge([proxy.certificate.clone()]).build().unwrap()
    };
    let through_it = client(&through(&at, "listed.invalid"));
    let tunnel = proxy.asked(&through_it, "https://named.invalid/path?q=1").await;
    assert!(tunnel[0].starts_with("CONNECT named.invalid:443 HTTP/1.1\r\n"), "{tunnel:?}");
    assert!(tunnel[0].to_lowercase().contains("proxy-authorization: basic bwu6c2vjcmv0\r\n"));
    assert!(tunnel[1].starts_with("GET /path?q=1 HTTP/1.1\r\n"), "{tunnel:?}");
    assert!(!tunnel[1].to_lowercase().contains("proxy-authorization"), "{tunnel:?}");
    let plain = proxy.asked(&through_it, "http://named.invalid/path").await;
    assert!(plain[0].starts_with("GET http://named.invalid/path HTTP/1.1\r\n"), "{plain:?}");
    for direct in ["https://listed.invalid/", "http://a.listed.invalid/", "http://127.0.0.1:1/"] {
        assert!(proxy.asked(&through_it, direct).await.is_empty(), "{direct}");
    }
    let without = client(&Proxies::none());
    assert!(proxy.asked(&without, "https://named.invalid/").await.is_empty());
}

#[tokio::test]
async fn a_server_that_somebody_outside_names_is_not_looked_up_by_a_proxy_unless_it_is_listed() {
    let proxy = Inspecting::start().await;
    let own = Url::parse("http://own.invalid/mcp").unwrap();
    let listed = HostList::parse(["listed.invalid"]).unwrap();
    let proxies = through(&format!("http://{}", proxy.address()), "");
    let guard = |guard: Guard| {
        let guard = Arc::new(guard);
        let client = guard.limit(reqwest::Client::builder()).build().unwrap();
        (guard, client)
    };
    let (_, named) = guard(Guard::new(&own, listed.clone(), proxies.clone()).proxied_if_named());
    let (_, every) = guard(Guard::new(&own, listed, proxies));
    for (url, is_of_operator) in [
        ("http://own.invalid/token", true),
        ("http://listed.invalid/token", true),
        ("http://chosen.invalid/token", false),
    ] {
        assert_eq!(proxy.asked(&named, url).await.len(), usize::from(is_of_operator), "{url}");
        assert_eq!(proxy.asked(&every, url).await.len(), 1, "{url}");
    }
    for inside in ["http://10.0.0.7/token", "http://169.254.169.254/", "http://localhost/token"] {
        assert!(proxy.asked(&named, inside).await.is_empty(), "{inside}");
        assert!(proxy.asked(&every, inside).await.is_empty(), "{inside}");
    }
}

#[test]
fn a_proxy_of_socks_is_sent_its_name_and_password_too() {
    let proxies = through("socks5h://me:secret@proxy.example:1080", "");
    let proxy = proxies.of(&Url::parse("https://slack.com").unwrap()).unwrap();
    assert_eq!(proxy.as_str(), "socks5h://me:secret@proxy.example:1080/");
}
