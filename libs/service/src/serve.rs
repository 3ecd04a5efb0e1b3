//! HTTP listeners.

use std::net::SocketAddr;

use anyhow::Context as _;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use axum::routing::get;
use axum::serve::ListenerExt as _;
use axum::{Json, Router};
use tokio::net::TcpListener;

use crate::context::ServiceContext;

impl ServiceContext {
    /// Serves a router until the stop; the address it got is returned.
    pub async fn serve_http(
        &self,
        name: &'static str,
        address: SocketAddr,
        router: Router,
    ) -> anyhow::Result<SocketAddr> {
        let listener = TcpListener::bind(address)
            .await
            .with_context(|| format!("{name}: could not listen on {address}; is it in use?"))?;
        let bound = listener.local_addr()?;
        let listener = listener.tap_io(|stream| {
            // Without it, small answers wait 40 ms for the peer's acknowledgement.
            if let Err(error) = stream.set_nodelay(true) {
                tracing::debug!(%error, "TCP_NODELAY could not be set");
            }
        });
        let stopping = self.stopping();
        let hard = self.hard_stop();
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        self.spawn(name, async move {
            let served = axum::serve(listener, service)
                .with_graceful_shutdown(stopping.clone().cancelled_owned());
            tokio::select! {
                result = served => result.context("the listener failed"),
                () = hard.cancelled() => Ok(()),
            }
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
