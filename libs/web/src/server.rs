//! Serves a router, and bounds what one client can hold: connections, and the time without a whole request.

mod body;
mod connection;
mod limits;
mod permits;

use std::time::Duration;

use axum::Router;
use tokio::net::TcpListener;
use tokio::task::JoinSet;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

pub use self::body::BodyTimeout;
use self::connection::Connection;
pub use self::limits::ServerLimits;
use self::permits::Permits;

/// The pause after the process could not accept, mostly because it has no descriptors left.
const ACCEPT_PAUSE: Duration = Duration::from_secs(1);

/// Serves a router until the stop, and then until the requests that have begun are answered. Dropping the future
/// closes all connections but upgraded ones.
pub async fn serve(
    listener: TcpListener,
    router: Router,
    limits: ServerLimits,
    stop: CancellationToken,
) {
    let permits = Permits::new(&limits);
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
            Some(_) = connections.join_next() => continue,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                pause(&error).await;
                continue;
            }
        };
        match permits.acquire(peer.ip()) {
            Ok(permit) => {
                let connection = Connection { stream, peer, permit };
                connections.spawn(connection.serve(router.clone(), limits.clone(), stop.clone()));
            }
            Err(refusal) => permits::refuse(&stream, refusal),
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Waits after an error that the next attempt would meet again; those of one client are none.
async fn pause(error: &std::io::Error) {
    use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::error!(%error, "could not accept a connection");
        sleep(ACCEPT_PAUSE).await;
    }
}
