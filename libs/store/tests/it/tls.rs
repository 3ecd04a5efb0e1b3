//! Connections that verify the server's certificate.

use std::net::SocketAddr;
use std::sync::Arc;

use tarsy_store::Store;
use tarsy_testkit::{TestAuthority, TestCertificate, TestPg};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

/// A client's first message, by which it asks for TLS: its length, and a number that is no version.
const TLS_REQUEST: [u8; 8] = [0, 0, 0, 8, 4, 210, 22, 47];

/// A server with TLS: PostgreSQL of the tests, which is built without it, behind a proxy that answers the request for TLS.
struct TlsServer {
    address: SocketAddr,
    _connections: JoinSet<()>,
}

impl TlsServer {
    async fn start(backend: String, certificate: &TestCertificate) -> Self {
        let chain = CertificateDer::from_pem_slice(certificate.certificate.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(certificate.key.as_bytes()).unwrap();
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![chain], key)
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let mut connections = JoinSet::new();
        connections.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                open.spawn(serve(client, acceptor.clone(), backend.clone()));
            }
        });
        Self { address, _connections: connections }
    }
}

async fn serve(
    mut client: TcpStream,
    acceptor: TlsAcceptor,
    backend: String,
) -> std::io::Result<()> {
    let mut request = [0; 8];
    client.read_exact(&mut request).await?;
    assert_eq!(request, TLS_REQUEST);
    client.write_all(b"S").await?;
    // Who does not trust the certificate goes away.
    let mut client = acceptor.accept(client).await?;
    let mut server = TcpStream::connect(backend).await?;
    tokio::io::copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

#[tokio::test]
async fn a_server_is_verified_by_its_authority_and_its_name() {
    let pg = TestPg::start().await.unwrap();
    let authority = TestAuthority::new().unwrap();
    let backend = pg.url().rsplit_once('@').unwrap().1.split('/').next().unwrap();
    let certificate = authority.certify("127.0.0.1").unwrap();
    let server = TlsServer::start(backend.to_owned(), &certificate).await;
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, authority: &TestAuthority| {
        let path = folder.path().join(name);
        std::fs::write(&path, authority.pem()).unwrap();
        path.display().to_string()
    };
    let verified = |authority: &str| {
        let url = pg.url().replace(backend, &server.address.to_string());
        format!("{url}?sslmode=verify-full&sslrootcert={authority}")
    };

    let known = verified(&file("ca.pem", &authority));
    Store::connect(&known, 1).await.unwrap().migrate().await.unwrap();

    let unknown = verified(&file("other.pem", &TestAuthority::new().unwrap()));
    let refused = async |url: &str| Store::connect(url, 1).await.unwrap_err().to_string();
    let text = refused(&unknown).await;
    assert!(text.contains("authority is not known") && text.contains("sslrootcert"), "{text}");
    let misnamed = known.replace("127.0.0.1", "localhost");
    let text = refused(&misnamed).await;
    assert!(text.contains("it is not for localhost, but for 127.0.0.1"), "{text}");
    let plain = known.replace(&server.address.to_string(), backend);
    assert!(Store::connect(&plain, 1).await.is_err(), "the server has no TLS");
}
