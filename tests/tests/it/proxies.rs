//! A proxy of the environment that inspects: it answers in the place of servers, with certificates of an authority of its own.

use std::path::Path;
use std::process::Output;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tarsy_testkit::TestAuthority;
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::aws_lc_rs;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

use crate::command_line::{problem, tarsy};

const HOST: &str = "tarsy.invalid";
const WAIT: Duration = Duration::from_secs(30);
const ANSWER: &[u8] =
    b"HTTP/1.1 418 I'm a teapot\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

struct Proxy {
    tcp: TcpListener,
    tls: TlsAcceptor,
}

impl Proxy {
    async fn start(authority: &TestAuthority) -> anyhow::Result<Self> {
        let signed = authority.certify(HOST)?;
        let chain = vec![CertificateDer::from_pem_slice(signed.certificate.as_bytes())?];
        let key = PrivateKeyDer::from_pem_slice(signed.key.as_bytes())?;
        let config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
            .with_safe_default_protocol_versions()?
            .with_no_client_auth()
            .with_single_cert(chain, key)?;
        let tcp = TcpListener::bind("127.0.0.1:0").await?;
        Ok(Self { tcp, tls: TlsAcceptor::from(Arc::new(config)) })
    }

    /// Answers requests; keeps what each of them asked, also inside of a tunnel.
    async fn serve(&self, asked: &mut Vec<String>) -> anyhow::Result<()> {
        loop {
            let (mut stream, _) = self.tcp.accept().await?;
            let line = first_line(&mut stream).await?;
            let is_tunnel = line.starts_with("CONNECT ");
            asked.push(line);
            if !is_tunnel {
                stream.write_all(ANSWER).await?;
                continue;
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            // Who does not trust the certificate goes away.
            let Ok(mut stream) = self.tls.accept(stream).await else { continue };
            asked.push(first_line(&mut stream).await?);
            stream.write_all(ANSWER).await?;
            stream.shutdown().await?;
        }
    }

    /// Runs a command that asks a server, and gives what the proxy was asked meanwhile.
    async fn asked(
        &self,
        home: &Path,
        url: &str,
        variables: &[(&str, &str)],
    ) -> anyhow::Result<(Vec<String>, Output)> {
        let at = format!("http://{}", self.tcp.local_addr()?);
        let mut command = tarsy(home);
        for name in [
            "HTTP_PROXY",
            "http_proxy",
            "https_proxy",
            "ALL_PROXY",
            "all_proxy",
            "NO_PROXY",
            "no_proxy",
        ] {
            command.env_remove(name);
        }
        command.env("HTTPS_PROXY", &at).env("http_proxy", &at).envs(variables.iter().copied());
        command.args(["--url", url, "sessions"]);
        let mut asked = Vec::new();
        let output = tokio::select! {
            ended = self.serve(&mut asked) => { ended?; anyhow::bail!("the proxy ended") }
            output = tokio::time::timeout(WAIT, command.output()) => output.context("it does not end")??,
        };
        Ok((asked, output))
    }
}

/// The first line of a request, of which the headers are read, too.
async fn first_line(stream: &mut (impl AsyncRead + Unpin)) -> anyhow::Result<String> {
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        bytes.push(stream.read_u8().await?);
    }
    let text = String::from_utf8(bytes)?;
    Ok(text.lines().next().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn requests_go_through_the_proxy_of_the_environment_with_its_authority() -> anyhow::Result<()>
{
    let home = tempfile::tempdir()?;
    let authority = TestAuthority::new()?;
    let file = home.path().join("authority.pem");
    std::fs::write(&file, authority.pem())?;
    let trusted = [("SSL_CERT_FILE", file.to_str().context("a path")?)];
    let proxy = Proxy::start(&authority).await?;
    let url = format!("https://{HOST}");

    let (asked, output) = proxy.asked(home.path(), &url, &trusted).await?;
    let tunnel = format!("CONNECT {HOST}:443 HTTP/1.1");
    assert_eq!(asked.first(), Some(&tunnel), "{asked:?} {}", problem(&output));
    assert!(asked.get(1).is_some_and(|line| line.starts_with("GET /api/v1/sessions")), "{asked:?}");
    assert!(problem(&output).contains("418"), "{}", problem(&output));

    let (asked, _) = proxy.asked(home.path(), &format!("http://{HOST}"), &[]).await?;
    assert!(
        asked.first().is_some_and(|line| line.starts_with(&format!("GET http://{HOST}/api/"))),
        "{asked:?}"
    );

    let (asked, output) = proxy.asked(home.path(), &url, &[]).await?;
    assert_eq!(asked, [tunnel], "its authority is not known");
    assert!(!output.status.success());

    let listed = [("NO_PROXY", "other.example, .invalid")];
    let (asked, output) = proxy.asked(home.path(), &url, &listed).await?;
    assert!(asked.is_empty() && !output.status.success(), "{asked:?}");
    let (asked, output) = proxy.asked(home.path(), "http://127.0.0.1:9", &[]).await?;
    assert!(asked.is_empty() && !output.status.success(), "{asked:?}");
    Ok(())
}
