//! Servers behind TLS, with an authority that no system knows.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::serve::Listener;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::PrivateKeyDer;
use tokio_rustls::server::TlsStream;
use tokio_util::task::TaskTracker;

use crate::scripted::Scripted;
use crate::stack::{GatewayOptions, Stack, ask};

struct Guarded {
    tcp: TcpListener,
    acceptor: TlsAcceptor,
}

impl Listener for Guarded {
    type Io = TlsStream<TcpStream>;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (Self::Io, SocketAddr) {
        loop {
            let (stream, address) = self.tcp.accept().await.unwrap();
            // Who does not trust the certificate goes away.
            if let Ok(stream) = self.acceptor.accept(stream).await {
                return (stream, address);
            }
        }
    }

    fn local_addr(&self) -> std::io::Result<SocketAddr> {
        self.tcp.local_addr()
    }
}

/// Serves with a certificate of an authority of its own; gives the authority, too.
async fn serve() -> (SocketAddr, String) {
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority_key = KeyPair::generate().unwrap();
    let pem = authority.self_signed(&authority_key).unwrap().pem();
    let issuer = Issuer::new(authority, authority_key);
    let key = KeyPair::generate().unwrap();
    let certificate = CertificateParams::new(vec!["127.0.0.1".to_owned()]).unwrap();
    let certificate = certificate.signed_by(&key, &issuer).unwrap();
    let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
    let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.der().clone()], key)
        .unwrap();
    let tcp = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = tcp.local_addr().unwrap();
    let listener = Guarded { tcp, acceptor: TlsAcceptor::from(Arc::new(config)) };
    let router = Scripted::default().router();
    TaskTracker::new().spawn(async move { axum::serve(listener, router).await.unwrap() });
    (address, pem)
}

#[tokio::test]
async fn a_certificate_is_believed_only_from_an_authority_that_is_known_or_where_none_is_asked_for()
{
    let (address, authority) = serve().await;
    let files = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = files.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.display().to_string()
    };
    let entry = |name: &str, more: &str| {
        format!(
            "  {name}:\n    transport: {{type: http, url: 'https://{address}/mcp', init_timeout: 10s{more}}}\n"
        )
    };
    let ways = [
        ("strict", String::new()),
        ("lax", ", verify_ssl: false".to_owned()),
        ("known", format!(", ca_file: '{}'", file("ca.pem", &authority))),
        ("empty", format!(", ca_file: '{}'", file("empty.pem", "no certificate"))),
        ("absent", format!(", ca_file: '{}/absent.pem'", files.path().display())),
    ];
    let servers = ways.iter().map(|(name, more)| entry(name, more)).collect::<Vec<_>>().concat();
    let stack = Stack::with(GatewayOptions { servers, ..GatewayOptions::default() }).await;
    let lease = stack.lease(&ways.each_ref().map(|(name, _)| *name)).await;
    let error = |server: &str| {
        let failed = lease.failed().iter().find(|failed| failed.server == server);
        failed.map(|failed| failed.error.clone())
    };
    let strict = error("strict").unwrap();
    assert!(strict.contains("its authority is not known here"), "{strict}");
    assert!(strict.contains("transport.ca_file"), "{strict}");
    assert!(error("empty").unwrap().contains("holds no certificates"), "{:?}", error("empty"));
    assert!(error("absent").unwrap().contains("absent.pem"), "{:?}", error("absent"));
    for server in ["lax", "known"] {
        assert_eq!(error(server), None);
        let result =
            ask(&*lease, &format!("{server}.count_pods"), json!({"pods": 1, "ready": 1})).await;
        assert!(result.content.starts_with("three pods"), "{}", result.content);
    }
    stack.drain().await;
}
