//! Each obstacle as a real server, port or name makes it.

use std::net::SocketAddr;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::rustls::server::WebPkiClientVerifier;
use tokio_rustls::rustls::{RootCertStore, ServerConfig};

use super::*;

struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: rcgen::Certificate,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let certificate = params.self_signed(&key).unwrap();
        Self { issuer: Issuer::new(params, key), certificate }
    }

    fn known(&self) -> reqwest::Client {
        let own = reqwest::Certificate::from_der(self.certificate.der()).unwrap();
        reqwest::Client::builder().no_proxy().tls_certs_merge([own]).build().unwrap()
    }

    fn acceptor(
        &self,
        names: &[&str],
        years: (i32, i32),
        wants_a_certificate: bool,
    ) -> TlsAcceptor {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let mut params = CertificateParams::new(names).unwrap();
        params.not_before = date_time_ymd(years.0, 1, 1);
        params.not_after = date_time_ymd(years.1, 1, 1);
        let key = KeyPair::generate().unwrap();
        let signed = params.signed_by(&key, &self.issuer).unwrap();
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = if wants_a_certificate {
            let mut roots = RootCertStore::empty();
            roots.add(self.certificate.der().clone()).unwrap();
            let verifier =
                WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider).build();
            builder.with_client_cert_verifier(verifier.unwrap())
        } else {
            builder.with_no_client_auth()
        };
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        TlsAcceptor::from(Arc::new(
            builder.with_single_cert(vec![signed.der().clone()], key).unwrap(),
        ))
    }
}

/// What a client says of a server that accepts one connection.
async fn met(client: &reqwest::Client, acceptor: TlsAcceptor) -> Obstacle {
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = tcp.local_addr().unwrap();
    let serve = async {
        let (stream, _) = tcp.accept().await.unwrap();
        if let Ok(mut stream) = acceptor.accept(stream).await {
            stream.shutdown().await.ok();
        }
        std::future::pending::<()>().await;
    };
    let url = format!("https://localhost:{}/", at.port());
    tokio::select! {
        () = serve => unreachable!("it goes on"),
        found = asked(client, &url, at) => found,
    }
}

async fn asked(client: &reqwest::Client, url: &str, at: SocketAddr) -> Obstacle {
    let error = client.get(url).send().await.unwrap_err();
    let found = obstacle(&error);
    found.unwrap_or_else(|| panic!("nothing of {at} is known from {error:?}"))
}

const NOW: (i32, i32) = (2020, 2900);

#[tokio::test]
async fn a_certificate_that_is_refused_is_named_with_what_to_do() {
    let (own, other) = (Authority::new(), Authority::new());
    let client = own.known();
    let unknown = met(&client, other.acceptor(&["localhost"], NOW, false)).await;
    assert_eq!(unknown, Obstacle::UnknownAuthority);
    let text = unknown.explain("transport.ca_file");
    assert!(
        text.contains("authority is not known") && text.ends_with("transport.ca_file"),
        "{text}"
    );

    let expired = met(&client, own.acceptor(&["localhost"], (2020, 2021), false)).await;
    let text = expired.explain(AUTHORITIES);
    assert!(text.contains("it expired at 2021-01-01T00:00:00Z"), "{text}");
    let early = met(&client, own.acceptor(&["localhost"], (2899, 2900), false)).await;
    let text = early.explain(AUTHORITIES);
    assert!(text.contains("from 2899-01-01T00:00:00Z; set the clock"), "{text}");

    let wrong = met(&client, own.acceptor(&["a.example", "b.example"], NOW, false)).await;
    let text = wrong.explain(AUTHORITIES);
    assert!(text.contains("not for localhost, but for a.example, b.example;"), "{text}");
    for refused in [&unknown, &expired, &early, &wrong] {
        assert!(refused.is_of_certificate(), "{refused:?}");
    }
}

#[tokio::test]
async fn a_server_that_wants_a_certificate_and_one_without_tls_are_named() {
    let own = Authority::new();
    let client = own.known();
    let wants = met(&client, own.acceptor(&["localhost"], NOW, true)).await;
    assert_eq!(wants, Obstacle::ClientCertificate);
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = tcp.local_addr().unwrap();
    let plain = async {
        let (mut stream, _) = tcp.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    };
    let url = format!("https://localhost:{}/", at.port());
    tokio::select! {
        () = plain => unreachable!("it goes on"),
        found = asked(&client, &url, at) => {
            assert_eq!(found, Obstacle::NoTls);
        }
    }
}

#[tokio::test]
async fn a_closed_port_and_an_unknown_name_are_named() {
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = tcp.local_addr().unwrap();
    drop(tcp);
    assert_eq!(asked(&client, &format!("http://{at}/"), at).await, Obstacle::Refused);
    let unknown = asked(&client, "https://nobody.invalid/", at).await;
    assert_eq!(unknown, Obstacle::Unresolved);
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let at = tcp.local_addr().unwrap();
    let closes = async { drop(tcp.accept().await.unwrap()) };
    let url = format!("http://{at}/");
    let ((), found) = tokio::join!(closes, asked(&client, &url, at));
    assert_eq!(found, Obstacle::Closed);
}

#[test]
fn an_error_of_something_else_is_no_obstacle() {
    assert_eq!(obstacle(&io::Error::other("the disk is full")), None);
    let refused = io::Error::from(io::ErrorKind::ConnectionRefused);
    assert_eq!(obstacle(&io::Error::other(refused)), Some(Obstacle::Refused));
}
