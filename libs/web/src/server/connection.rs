//! One connection: its bytes, its requests, and its end.

use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use metrics::counter;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::body::TimedBody;
use super::limits::ServerLimits;
use super::permits::Permit;

/// How often a connection of HTTP/2 is checked, and how long the client may take to answer.
const PING_INTERVAL: Duration = Duration::from_secs(20);

/// How long a client that connected just before the stop may take to send its first request: it could not know.
const FIRST_REQUEST: Duration = Duration::from_millis(500);

#[derive(Debug)]
pub(super) struct Connection {
    pub(super) stream: TcpStream,
    pub(super) peer: SocketAddr,
    pub(super) permit: Permit,
}

impl Connection {
    /// Answers its requests; a WebSocket goes on after that.
    pub(super) async fn serve(self, router: Router, limits: ServerLimits, stop: CancellationToken) {
        let Self { stream, peer, permit } = self;
        // Without it, small answers wait 40 ms for the peer's acknowledgement.
        if let Err(error) = stream.set_nodelay(true) {
            tracing::debug!(%error, "TCP_NODELAY could not be set");
        }
        let requested = CancellationToken::new();
        let (idle, total) = (limits.body_idle, limits.body_total);
        let service = service_fn(|request: hyper::Request<Incoming>| {
            requested.cancel();
            let timed = |body| Body::new(TimedBody::new(Body::new(body), idle, total));
            let mut request = request.map(timed);
            request.extensions_mut().insert(ConnectInfo(peer));
            router.clone().oneshot(request)
        });
        let builder = builder(&limits);
        let io = TokioIo::new(Counted { stream, _permit: permit });
        let mut connection = pin!(builder.serve_connection_with_upgrades(io, service));
        let mut late = pin!(async {
            tokio::time::sleep(limits.first_headers).await;
            if requested.is_cancelled() {
                std::future::pending::<()>().await;
            }
        });
        let mut closing = pin!(async {
            stop.cancelled().await;
            // What has begun is still answered, and then the connection is closed.
            let _begun = tokio::time::timeout(FIRST_REQUEST, requested.cancelled()).await;
        });
        let mut stopping = false;
        loop {
            tokio::select! {
                result = connection.as_mut() => {
                    if let Err(error) = result {
                        tracing::debug!(error, "a connection broke");
                    }
                    return;
                }
                () = late.as_mut() => {
                    counter!("tarsy_http_timeouts_total", "part" => "headers").increment(1);
                    return;
                }
                () = closing.as_mut(), if !stopping => {
                    stopping = true;
                    connection.as_mut().graceful_shutdown();
                }
            }
        }
    }
}

fn builder(limits: &ServerLimits) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(limits.next_headers);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(PING_INTERVAL)
        .keep_alive_timeout(PING_INTERVAL)
        // WebSockets over HTTP/2.
        .enable_connect_protocol();
    builder
}

/// A stream that frees its place among the connections when it closes, also as a WebSocket.
struct Counted {
    stream: TcpStream,
    _permit: Permit,
}

impl AsyncRead for Counted {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Counted {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(cx, parts)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}
