//! A reverse proxy that serves one server below a path of a host, as ingresses do.

use std::net::SocketAddr;

use anyhow::Context as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// The longest head of a request, in bytes.
const MAX_HEAD: usize = 64 * 1024;
const ELSEWHERE: &[u8] =
    b"HTTP/1.1 404 Not Found\r\ncontent-length: 19\r\nconnection: close\r\n\r\nanother server here";

/// What the proxy does with the path below which it serves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathOfProxy {
    /// The server is asked without it.
    Stripped,
    /// The server is asked with it.
    Kept,
}

/// A port that is known before the server behind it is.
#[derive(Debug)]
pub struct TestReverseProxy {
    listener: Option<TcpListener>,
    address: SocketAddr,
    path: &'static str,
    connections: JoinSet<()>,
}

impl TestReverseProxy {
    /// Takes a port for a path such as `/tarsy`; everything else of the host is another server's.
    pub async fn bind(path: &'static str) -> anyhow::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        Ok(Self { listener: Some(listener), address, path, connections: JoinSet::new() })
    }

    /// The address that people use, without a slash at its end.
    pub fn url(&self) -> String {
        format!("http://{}{}", self.address, self.path)
    }

    pub fn serve(&mut self, server: SocketAddr, mode: PathOfProxy) -> anyhow::Result<()> {
        let listener = self.listener.take().context("it serves a server already")?;
        let path = self.path;
        self.connections.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                open.spawn(async move {
                    // Who goes away in the middle is no failure of the proxy.
                    pass(client, server, path, mode).await.ok();
                });
            }
        });
        Ok(())
    }
}

/// One request; what follows on the connection, such as the frames of a WebSocket, passes unread.
async fn pass(
    mut client: TcpStream,
    server: SocketAddr,
    path: &str,
    mode: PathOfProxy,
) -> anyhow::Result<()> {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        anyhow::ensure!(head.len() < MAX_HEAD, "the head is too long");
        head.push(client.read_u8().await?);
    }
    let head = String::from_utf8(head)?;
    let (first, headers) = head.split_once("\r\n").context("no line")?;
    let mut words = first.split(' ');
    let (method, asked) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let below = asked.strip_prefix(path).filter(|rest| rest.is_empty() || rest.starts_with('/'));
    let Some(below) = below else {
        client.write_all(ELSEWHERE).await?;
        return Ok(());
    };
    let asked = match mode {
        PathOfProxy::Kept => asked,
        PathOfProxy::Stripped if below.is_empty() => "/",
        PathOfProxy::Stripped => below,
    };
    let is_upgrade = headers.to_ascii_lowercase().contains("\r\nupgrade:");
    let headers: Vec<&str> = headers
        .split("\r\n")
        .filter(|line| is_upgrade || !line.to_ascii_lowercase().starts_with("connection:"))
        .collect();
    let close = if is_upgrade { "" } else { "connection: close\r\n" };
    let mut upstream = TcpStream::connect(server).await?;
    let head = format!("{method} {asked} HTTP/1.1\r\n{close}{}", headers.join("\r\n"));
    upstream.write_all(head.as_bytes()).await?;
    tokio::io::copy_bidirectional(&mut client, &mut upstream).await?;
    Ok(())
}
