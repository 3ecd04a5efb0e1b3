//! A TCP proxy in front of a server, whose packets can be delayed or lost.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// How long a server keeps a connection whose packets are lost: until its keepalive gives the other host up, with the settings that
/// the store asks for. Without an end, the losses of a long run would use up the server's connections.
const SERVER_KEEPALIVE: Duration = Duration::from_secs(25);
/// How much is read at once, in bytes.
const CHUNK: usize = 16 * 1024;

/// What the link does with what it is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Traffic {
    /// Passes it on after a delay.
    Passes(Duration),
    /// Takes it and passes nothing on, as a host that was lost: no end and no reset.
    Lost,
}

/// A link to a server. A connection that was open while packets were lost hangs for ever, as one to a host that
/// was replaced; connections made after [`TestLink::restore`] work.
#[derive(Debug)]
pub struct TestLink {
    address: SocketAddr,
    server: SocketAddr,
    traffic: Arc<watch::Sender<Traffic>>,
    _connections: JoinSet<()>,
}

impl TestLink {
    /// Listens on a free port for the server of a URL.
    pub async fn to(url: &str) -> anyhow::Result<Self> {
        Self::on(TcpListener::bind("127.0.0.1:0").await?, url).await
    }

    /// Serves a listener, which may belong to another network, for the server of a URL.
    pub async fn on(listener: TcpListener, url: &str) -> anyhow::Result<Self> {
        let (_, rest) = url.split_once("://").context("a URL has a scheme")?;
        let authority = rest.split(['/', '?']).next().unwrap_or(rest);
        let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
        let server = tokio::net::lookup_host(host).await?.next().context("no such host")?;
        let address = listener.local_addr()?;
        let traffic = Arc::new(watch::Sender::new(Traffic::Passes(Duration::ZERO)));
        let mut connections = JoinSet::new();
        connections.spawn(accept(listener, server, Arc::clone(&traffic)));
        Ok(Self { address, server, traffic, _connections: connections })
    }

    /// A URL of the server, by way of this link.
    pub fn url(&self, url: &str) -> String {
        url.replacen(&self.server.to_string(), &self.address.to_string(), 1).replacen(
            &format!("localhost:{}", self.server.port()),
            &self.address.to_string(),
            1,
        )
    }

    /// Loses every packet from now on.
    pub fn lose(&self) {
        self.traffic.send_replace(Traffic::Lost);
    }

    /// Serves new connections again.
    pub fn restore(&self) {
        self.delay(Duration::ZERO);
    }

    /// Delays what passes, in each direction.
    pub fn delay(&self, delay: Duration) {
        self.traffic.send_replace(Traffic::Passes(delay));
    }
}

async fn accept(listener: TcpListener, server: SocketAddr, traffic: Arc<watch::Sender<Traffic>>) {
    let mut connections = JoinSet::new();
    while let Ok((client, _)) = listener.accept().await {
        while connections.try_join_next().is_some() {}
        connections.spawn(connect(client, server, traffic.subscribe()));
    }
}

async fn connect(client: TcpStream, server: SocketAddr, traffic: watch::Receiver<Traffic>) {
    let lost = *traffic.borrow() == Traffic::Lost;
    if lost {
        // Accepted by the kernel in front of the lost host, and never answered.
        return hold_open(client).await;
    }
    let Ok(server) = TcpStream::connect(server).await else { return };
    let _ = client.set_nodelay(true);
    let _ = server.set_nodelay(true);
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let end = tokio::select! {
        end = copy(&mut from_client, &mut to_server, traffic.clone()) => end,
        end = copy(&mut from_server, &mut to_client, traffic) => end,
    };
    if end == End::Lost {
        tokio::time::sleep(SERVER_KEEPALIVE).await;
        drop((from_server, to_server));
        hold_open((from_client, to_client)).await;
    }
}

/// Why nothing more is copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// One side closed the connection.
    Closed,
    Lost,
}

/// Holds a connection open without sending anything.
async fn hold_open<T>(_connection: T) {
    std::future::pending::<()>().await;
}

async fn until_lost(traffic: &mut watch::Receiver<Traffic>) {
    if traffic.wait_for(|traffic| *traffic == Traffic::Lost).await.is_err() {
        // The link is dropped, and its connections with it.
        std::future::pending::<()>().await;
    }
}

async fn copy(
    from: &mut OwnedReadHalf,
    to: &mut OwnedWriteHalf,
    mut traffic: watch::Receiver<Traffic>,
) -> End {
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = tokio::select! {
            biased;
            () = until_lost(&mut traffic) => return End::Lost,
            read = from.read(&mut buffer) => read,
        };
        let Ok(length @ 1..) = read else { return End::Closed };
        let delay = match *traffic.borrow() {
            Traffic::Passes(delay) => delay,
            Traffic::Lost => Duration::ZERO,
        };
        if !delay.is_zero() {
            tokio::time::sleep(delay).await;
        }
        let lost = *traffic.borrow() == Traffic::Lost;
        if lost {
            return End::Lost;
        }
        let Some(chunk) = buffer.get(..length) else { return End::Closed };
        if to.write_all(chunk).await.is_err() {
            return End::Closed;
        }
    }
}

#[cfg(test)]
mod tests {
    use sqlx::{Connection as _, PgConnection};
    use tokio::time::timeout;

    use super::*;
    use crate::TestPg;

    #[tokio::test]
    async fn a_lost_connection_hangs_and_a_new_one_works() {
        let pg = TestPg::start().await.unwrap();
        let link = TestLink::to(pg.url()).await.unwrap();
        let url = link.url(pg.url());
        assert_ne!(url, pg.url());
        let mut connection = PgConnection::connect(&url).await.unwrap();
        connection.ping().await.unwrap();
        link.lose();
        let second = Duration::from_secs(1);
        assert!(timeout(second, connection.ping()).await.is_err());
        assert!(timeout(second, PgConnection::connect(&url)).await.is_err());
        link.restore();
        PgConnection::connect(&url).await.unwrap().ping().await.unwrap();
    }
    #[tokio::test(start_paused = true)]
    async fn a_server_gives_a_lost_connection_up_and_the_client_does_not_learn_of_it() {
        let server = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("tcp://{}", server.local_addr().unwrap());
        let link = TestLink::to(&url).await.unwrap();
        let mut client = TcpStream::connect(link.address).await.unwrap();
        let (mut accepted, _) = server.accept().await.unwrap();
        link.lose();
        assert_eq!(accepted.read(&mut [0]).await.unwrap(), 0, "its keepalive ends the connection");
        assert!(timeout(SERVER_KEEPALIVE, client.read(&mut [0])).await.is_err());
    }
}
