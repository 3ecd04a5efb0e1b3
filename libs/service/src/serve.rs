//! HTTP listeners.

use std::net::SocketAddr;

use anyhow::Context as _;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::{Json, Router};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tarsy_web::{ServerLimits, TrustedProxies};
use tokio::net::TcpListener;

use crate::context::ServiceContext;
use crate::settings::Settings;

/// The descriptors that are kept for everything but connections of clients: PostgreSQL, NATS, files, tool servers.
const RESERVED_DESCRIPTORS: usize = 256;
/// The connections of clients if `TARSY_MAX_CONNECTIONS` is not set; fewer where the process may have fewer descriptors.
const MAX_CONNECTIONS: usize = 10_000;
/// The descriptors of one connection: a WebSocket that is passed on has another one to the stream-relay.
const DESCRIPTORS_OF_CONNECTION: usize = 2;

/// What the clients of this process may hold, by its settings and its limit of descriptors, which is raised as far as
/// the process may.
pub fn server_limits(settings: &Settings) -> anyhow::Result<ServerLimits> {
    let (_, hard) =
        getrlimit(Resource::RLIMIT_NOFILE).context("could not read the limit of descriptors")?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)
        .context("could not raise the limit of descriptors")?;
    Ok(limits_within(settings, usize::try_from(hard).unwrap_or(usize::MAX)))
}

/// What clients may hold if the process may have so many descriptors.
fn limits_within(settings: &Settings, descriptors: usize) -> ServerLimits {
    let possible = descriptors.saturating_sub(RESERVED_DESCRIPTORS) / DESCRIPTORS_OF_CONNECTION;
    let connections = settings.max_connections.unwrap_or(MAX_CONNECTIONS).min(possible.max(1));
    if settings.max_connections.is_some_and(|wanted| connections < wanted) {
        tracing::warn!(
            descriptors,
            connections,
            "the limit of open files of this process allows fewer connections than TARSY_MAX_CONNECTIONS"
        );
    }
    let of_address = settings.max_connections_per_address;
    ServerLimits {
        connections,
        connections_per_address: (of_address > 0).then_some(of_address),
        proxies: TrustedProxies::new(&settings.trusted_proxies),
        ..ServerLimits::default()
    }
}

impl ServiceContext {
    /// Serves a router until the stop; the address it got is returned.
    pub async fn serve_http(
        &self,
        name: &'static str,
        address: SocketAddr,
        router: Router,
    ) -> anyhow::Result<SocketAddr> {
        let listener = self
            .listeners()
            .open(name, address)
            .await
            .with_context(|| format!("{name}: could not listen on {address}; is it in use?"))?;
        let listener = TcpListener::from_std(listener)?;
        let bound = listener.local_addr()?;
        let served = tarsy_web::serve(listener, router, self.server_limits(), self.stopping());
        let hard = self.hard_stop();
        self.spawn(name, async move {
            tokio::select! {
                () = served => {}
                () = hard.cancelled() => {}
            }
            Ok(())
        });
        Ok(bound)
    }
}

/// `/livez`, `/readyz` and `/metrics`: for the platform, not for people.
pub fn admin_router(service: &ServiceContext) -> Router {
    Router::new()
        .route("/livez", get(async || "alive"))
        .route("/readyz", get(ready))
        .route("/metrics", get(async |State(service): State<ServiceContext>| service.metrics()))
        .with_state(service.clone())
}

async fn ready(State(service): State<ServiceContext>) -> Response {
    let stopping = service.stopping().is_cancelled();
    let status = if service.health().ready() && !stopping {
        StatusCode::OK
    } else {
        StatusCode::SERVICE_UNAVAILABLE
    };
    (status, Json(service.health().parts())).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_descriptors_for_everything_else() {
        let settings = |variables: &[(&str, &str)]| {
            let variables =
                variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
            Settings::from_map(variables.collect()).unwrap()
        };
        assert_eq!(limits_within(&settings(&[]), 1_000_000).connections, 10_000);
        let few = limits_within(&settings(&[]), 1_024);
        assert_eq!(few.connections, 384);
        assert_eq!(few.connections_per_address, Some(1_000));
        let off = settings(&[("TARSY_MAX_CONNECTIONS_PER_ADDRESS", "0")]);
        assert_eq!(limits_within(&off, 1_024).connections_per_address, None);
    }
}
