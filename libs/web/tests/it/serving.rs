use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::extract::ws::{WebSocket, WebSocketUpgrade};
use axum::routing::{any, get, post};
use futures::StreamExt as _;
use nix::sys::resource::{Resource, getrlimit};
use serde_json::Value;
use tarsy_web::{Json, ServerLimits};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Notify;
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

/// The most time until something that must happen has happened.
const WAIT: Duration = Duration::from_secs(30);
/// The pause between two bytes of an attacker.
const TRICKLE: Duration = Duration::from_millis(20);

/// A server that stops with the test.
struct Server {
    address: SocketAddr,
    stop: CancellationToken,
    tasks: TaskTracker,
    /// A request for `/slow` has begun.
    begun: Arc<Notify>,
}

impl Server {
    async fn start(limits: ServerLimits) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
        let begun = Arc::new(Notify::new());
        let begins = Arc::clone(&begun);
        let router = Router::new()
            .route("/", get(async || "here"))
            .route("/slow", get(async move || slow(&begins).await))
            .route("/body", post(async |Json(body): Json<Value>| Json(body)))
            .route("/ws", any(async |socket: WebSocketUpgrade| socket.on_upgrade(until_closed)));
        tasks.spawn(tarsy_web::serve(listener, router, limits, stop.clone()));
        Self { address, stop, tasks, begun }
    }

    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }
}

async fn slow(begun: &Notify) -> &'static str {
    begun.notify_one();
    sleep(Duration::from_millis(200)).await;
    "at last"
}

async fn until_closed(mut socket: WebSocket) {
    while let Some(Ok(_)) = socket.next().await {}
}

fn short() -> ServerLimits {
    ServerLimits {
        first_headers: Duration::from_millis(300),
        next_headers: Duration::from_millis(300),
        body_idle: Duration::from_millis(300),
        body_total: Duration::from_millis(900),
        ..ServerLimits::default()
    }
}

/// All that the server sends until it closes.
async fn rest(stream: &mut TcpStream) -> String {
    let mut answer = Vec::new();
    let read = timeout(WAIT, stream.read_to_end(&mut answer));
    // A reset is an end, too.
    drop(read.await.expect("the server did not close the connection"));
    String::from_utf8(answer).unwrap()
}

/// Sends a byte at a time until the server closes; the answer.
async fn trickle(stream: &mut TcpStream, bytes: &[u8]) -> String {
    let (mut reader, mut writer) = stream.split();
    let mut answer = String::new();
    let write = async {
        for byte in bytes.iter().cycle() {
            if writer.write_all(&[*byte]).await.is_err() {
                break;
            }
            sleep(TRICKLE).await;
        }
    };
    let ended = async {
        tokio::select! {
            () = write => {}
            _ = reader.read_to_string(&mut answer) => {}
        }
    };
    timeout(WAIT, ended).await.expect("the server did not end the connection");
    answer
}

async fn get_once(stream: &mut TcpStream) -> Option<String> {
    let request = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream.write_all(request).await.ok()?;
    let mut head = vec![0; 1024];
    let count = timeout(WAIT, stream.read(&mut head)).await.expect("no answer").ok()?;
    let head = String::from_utf8_lossy(&head[..count]).into_owned();
    head.get(9..12).map(str::to_owned)
}

#[tokio::test]
async fn slow_headers_end_the_connection() {
    let server = Server::start(short()).await;
    let mut attacker = server.connect().await;
    attacker.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n").await.unwrap();
    assert_eq!(trickle(&mut attacker, b"x-header: 1\r\n").await, "");
    // … also after an answer, for which a busy machine has time.
    let next_headers = short().next_headers;
    let server = Server::start(ServerLimits { next_headers, ..ServerLimits::default() }).await;
    let mut attacker = server.connect().await;
    assert_eq!(get_once(&mut attacker).await.unwrap(), "200");
    assert_eq!(trickle(&mut attacker, b"x-header: 1\r\n").await, "");
}

#[tokio::test]
async fn a_connection_without_a_request_is_closed() {
    let server = Server::start(short()).await;
    for begin in ["", "PRI * HTTP/2.0\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"] {
        let mut attacker = server.connect().await;
        attacker.write_all(begin.as_bytes()).await.unwrap();
        let mut answer = Vec::new();
        let end = timeout(WAIT, attacker.read_to_end(&mut answer)).await;
        assert!(end.is_ok(), "{begin:?} stays open");
    }
}

#[tokio::test]
async fn a_trickled_body_is_answered_with_a_timeout() {
    let server = Server::start(short()).await;
    let head = b"POST /body HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                 content-length: 100000\r\n\r\n";
    let mut attacker = server.connect().await;
    attacker.write_all(head).await.unwrap();
    let answer = trickle(&mut attacker, b" ").await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
    assert!(answer.contains("/problems/body-timeout"), "{answer}");
    // … and a body that stops.
    let mut attacker = server.connect().await;
    attacker.write_all(head).await.unwrap();
    attacker.write_all(b"{").await.unwrap();
    let answer = rest(&mut attacker).await;
    assert!(answer.starts_with("HTTP/1.1 408 "), "{answer}");
}

#[tokio::test]
async fn a_body_in_parts_arrives() {
    let server = Server::start(ServerLimits::default()).await;
    let mut client = server.connect().await;
    client
        .write_all(
            b"POST /body HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
              connection: close\r\ncontent-length: 7\r\n\r\n",
        )
        .await
        .unwrap();
    for piece in ["{\"a\"", ":1", "}"] {
        client.write_all(piece.as_bytes()).await.unwrap();
        sleep(TRICKLE).await;
    }
    let answer = rest(&mut client).await;
    assert!(answer.ends_with("{\"a\":1}"), "{answer}");
}

#[tokio::test]
async fn ten_thousand_sockets_from_one_client_leave_capacity_for_others() {
    // Both ends are in this process.
    let (files, _) = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
    let sockets = usize::try_from(files / 2).unwrap().min(10_500) - 300;
    let limit = sockets / 10;
    let limits = ServerLimits {
        connections: sockets,
        connections_per_address: Some(limit),
        ..ServerLimits::default()
    };
    let server = Server::start(limits).await;
    let (mut held, mut refused) = (Vec::new(), 0);
    for _ in 0..sockets {
        let mut socket = server.connect().await;
        match get_once(&mut socket).await.as_deref() {
            Some("200") => held.push(socket),
            // A reset: the answer was lost.
            None | Some("" | "429") => refused += 1,
            Some(other) => panic!("{other}"),
        }
    }
    assert_eq!((held.len(), refused), (limit, sockets - limit));
    let other = TcpSocket::new_v4().unwrap();
    other.bind("127.0.0.2:0".parse().unwrap()).unwrap();
    let mut other = other.connect(server.address).await.unwrap();
    assert_eq!(get_once(&mut other).await.unwrap(), "200");
    // A place that is free is given again.
    held.pop();
    let again = async {
        while get_once(&mut server.connect().await).await.as_deref() != Some("200") {
            sleep(TRICKLE).await;
        }
    };
    timeout(WAIT, again).await.unwrap();
}

#[tokio::test]
async fn a_websocket_keeps_its_place_until_it_is_closed() {
    let next_headers = short().next_headers;
    let one = ServerLimits { connections_per_address: Some(1), ..ServerLimits::default() };
    let limits = ServerLimits { next_headers, ..one };
    let server = Server::start(limits).await;
    let url = format!("ws://{}/ws", server.address);
    let (mut socket, _) = tokio_tungstenite::connect_async(&url).await.unwrap();
    assert_ne!(get_once(&mut server.connect().await).await.as_deref(), Some("200"));
    // It is open after the time for the headers of a next request.
    sleep(Duration::from_millis(600)).await;
    assert_ne!(get_once(&mut server.connect().await).await.as_deref(), Some("200"));
    socket.close(None).await.unwrap();
    let again = async {
        while get_once(&mut server.connect().await).await.as_deref() != Some("200") {
            sleep(TRICKLE).await;
        }
    };
    timeout(WAIT, again).await.unwrap();
}

#[tokio::test]
async fn a_request_that_has_begun_is_answered_before_the_end() {
    let server = Server::start(short()).await;
    let mut client = server.connect().await;
    client.write_all(b"GET /slow HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    timeout(WAIT, server.begun.notified()).await.unwrap();
    server.stop.cancel();
    let answer = rest(&mut client).await;
    assert!(answer.ends_with("at last"), "{answer}");
    server.tasks.close();
    timeout(WAIT, server.tasks.wait()).await.unwrap();
}

#[tokio::test]
async fn who_connected_just_before_the_end_is_answered_and_who_asks_nothing_does_not_delay_it() {
    let first_headers = WAIT * 10;
    let server = Server::start(ServerLimits { first_headers, ..ServerLimits::default() }).await;
    let (mut client, idle) = (server.connect().await, server.connect().await);
    sleep(TRICKLE).await;
    server.stop.cancel();
    sleep(TRICKLE).await;
    client.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let answer = rest(&mut client).await;
    assert!(answer.ends_with("here"), "{answer}");
    server.tasks.close();
    timeout(WAIT, server.tasks.wait()).await.unwrap();
    drop(idle);
}
