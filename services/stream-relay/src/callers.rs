//! Who may open a WebSocket here: api-gateway, which has identified the viewer.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::ensure;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use http::header::AUTHORIZATION;
use tarsy_domain::code::Code;
use tarsy_store::secret;
use tarsy_web::Problem;

use crate::metrics;

/// Refuses an address that other machines reach if nothing identifies api-gateway.
pub(crate) fn check_address(
    address: SocketAddr,
    token: Option<&str>,
    insecure: bool,
) -> anyhow::Result<()> {
    ensure!(
        token.is_some() || insecure || address.ip().is_loopback(),
        "other machines can reach {address}, and whoever does could watch every session: set TARSY_RELAY_TOKEN, \
         here and for api-gateway, to the same secret (`openssl rand -hex 32`), listen on 127.0.0.1 \
         (TARSY_HTTP_ADDR), or accept anybody with TARSY_INSECURE=true"
    );
    Ok(())
}

/// Lets only requests with this token pass; without one, all.
pub(crate) fn require(router: Router, token: Option<String>) -> Router {
    match token {
        Some(token) => router.layer(middleware::from_fn_with_state(
            Arc::<str>::from(format!("Bearer {token}")),
            check,
        )),
        None => router,
    }
}

async fn check(State(wanted): State<Arc<str>>, request: Request, next: Next) -> Response {
    let sent = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if sent.is_some_and(|sent| secret::is_same(sent, &wanted)) {
        return next.run(request).await;
    }
    metrics::refused("token");
    tracing::warn!(
        is_missing = sent.is_none(),
        "a WebSocket without the token was refused; api-gateway and stream-relay need the same TARSY_RELAY_TOKEN"
    );
    Problem::new(Code::Unauthenticated, "this address is for api-gateway; open the dashboard there")
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_other_machines_reach_needs_a_token() {
        let local = SocketAddr::from(([127, 0, 0, 1], 8080));
        let open = SocketAddr::from(([0, 0, 0, 0], 8080));
        check_address(local, None, false).unwrap();
        check_address(open, Some("token"), false).unwrap();
        check_address(open, None, true).unwrap();
        let error = check_address(open, None, false).unwrap_err().to_string();
        assert!(error.contains("TARSY_RELAY_TOKEN"), "{error}");
    }
}
