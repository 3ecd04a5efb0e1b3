//! Poolers between a program and PostgreSQL, which do not keep what a connection has.

use std::net::SocketAddr;
use std::sync::Arc;

use tarsy_domain::code::{Code, Coded};
use tarsy_store::{Error, Store};
use tarsy_testkit::TestPg;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinSet;

/// A client's request for TLS, without its length.
const TLS_REQUEST: [u8; 4] = [4, 210, 22, 47];
/// What a client that need not sign in is answered: that it is signed in, and that the server waits.
const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";
const END: u8 = b'X';

/// Gives all clients, one after the other, the same connection to the server, as it was left.
struct Pooler {
    address: SocketAddr,
    _serving: JoinSet<()>,
}

impl Pooler {
    /// `drops_options` leaves out what the first client asks for its connection.
    async fn start(backend: String, drops_options: bool) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = Arc::new(Mutex::new(None));
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut open = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                let (server, backend) = (Arc::clone(&server), backend.clone());
                open.spawn(async move {
                    // A client that goes away is none of the pooler's business.
                    drop(serve(client, &mut *server.lock().await, &backend, drops_options).await);
                });
            }
        });
        Self { address, _serving: serving }
    }

    fn url(&self, pg: &TestPg) -> String {
        let (start, rest) = pg.url().split_once('@').unwrap();
        let (_, database) = rest.split_once('/').unwrap();
        format!("{start}@{}/{database}", self.address)
    }
}

async fn serve(
    mut client: TcpStream,
    server: &mut Option<TcpStream>,
    backend: &str,
    drops_options: bool,
) -> std::io::Result<()> {
    let mut start = start_of(&mut client).await?;
    if drops_options {
        start = without_options(&start);
    }
    let stream = if let Some(stream) = server {
        client.write_all(WELCOME).await?;
        stream
    } else {
        let mut stream = TcpStream::connect(backend).await?;
        stream.write_u32(u32::try_from(start.len()).unwrap() + 4).await?;
        stream.write_all(&start).await?;
        server.insert(stream)
    };
    let (mut from_client, mut to_client) = client.split();
    let (mut from_server, mut to_server) = stream.split();
    let requests = async {
        loop {
            let kind = from_client.read_u8().await?;
            let length = from_client.read_u32().await?;
            if kind == END {
                return Ok(());
            }
            let mut body = vec![0; length as usize - 4];
            from_client.read_exact(&mut body).await?;
            to_server.write_u8(kind).await?;
            to_server.write_u32(length).await?;
            to_server.write_all(&body).await?;
        }
    };
    tokio::select! {
        ended = requests => ended,
        ended = copy(&mut from_server, &mut to_client) => ended.map(drop),
    }
}

/// The message that begins a connection, without its length.
async fn start_of(client: &mut TcpStream) -> std::io::Result<Vec<u8>> {
    loop {
        let length = client.read_u32().await?;
        let mut start = vec![0; length as usize - 4];
        client.read_exact(&mut start).await?;
        if start != TLS_REQUEST {
            return Ok(start);
        }
        client.write_all(b"N").await?;
    }
}

/// The same message without the parameter `options`; each parameter is a name and a value that end with a zero.
fn without_options(start: &[u8]) -> Vec<u8> {
    let (version, parameters) = start.split_at(4);
    let texts: Vec<&[u8]> = parameters.split(|byte| *byte == 0).collect();
    let pairs = texts.chunks_exact(2).filter(|pair| pair[0] != b"options" && !pair[0].is_empty());
    let kept = pairs.flat_map(|pair| [pair[0], b"\0", pair[1], b"\0"].concat());
    version.iter().copied().chain(kept).chain([0]).collect()
}

fn backend(pg: &TestPg) -> String {
    let (_, rest) = pg.url().split_once('@').unwrap();
    rest.split('/').next().unwrap().to_owned()
}

#[tokio::test]
async fn a_pooler_that_drops_the_settings_of_connections_is_refused_by_name() {
    let pg = TestPg::migrated().await.unwrap();
    let pooler = Pooler::start(backend(&pg), true).await;
    let store = Store::connect(&pooler.url(&pg), 1).await.unwrap();
    for refused in [store.schema_check().await, store.migrate().await] {
        let error = refused.unwrap_err();
        assert!(matches!(error, Error::Pooler { .. }), "{error:?}");
        assert!(error.to_string().contains("drops the settings"), "{error}");
        assert_eq!(error.code(), Code::Unavailable);
    }
}

#[tokio::test]
async fn a_pooler_whose_clients_share_prepared_statements_is_refused_by_name() {
    let pg = TestPg::migrated().await.unwrap();
    let pooler = Pooler::start(backend(&pg), false).await;
    let first = Store::connect(&pooler.url(&pg), 1).await.unwrap();
    first.schema_check().await.unwrap();
    first.close();
    let second = Store::connect(&pooler.url(&pg), 1).await.unwrap();
    let error = second.schema_check().await.unwrap_err();
    assert!(matches!(error, Error::Pooler { .. }), "{error:?}");
    assert!(error.to_string().contains("prepared statements"), "{error}");
}

#[tokio::test]
async fn settings_of_the_database_take_the_place_of_those_that_a_pooler_drops() {
    let pg = TestPg::dedicated().await.unwrap();
    pg.execute("alter role all set statement_timeout = '14s'").await.unwrap();
    pg.execute("alter role all set idle_in_transaction_session_timeout = '30s'").await.unwrap();
    let pooler = Pooler::start(backend(&pg), true).await;
    let store = Store::connect(&pooler.url(&pg), 1).await.unwrap();
    assert!(matches!(store.schema_check().await.unwrap_err(), Error::Schema { .. }));
}
