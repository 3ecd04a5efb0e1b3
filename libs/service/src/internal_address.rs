//! An HTTP address that is meant for one other service, which identifies itself by a bearer token that both are given.

use std::net::SocketAddr;
use std::sync::Arc;

use anyhow::ensure;
use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use http::HeaderValue;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use tarsy_domain::code::Code;
use tarsy_store::secret;
use tarsy_web::Problem;

/// Who may call an address, and what its operators read if nobody else is kept out.
#[derive(Clone, Copy, Debug)]
pub struct InternalAddress {
    /// The service that calls it.
    pub caller: &'static str,
    /// What anybody else could do, such as "watch every session".
    pub risk: &'static str,
    /// The variable of the token in this process.
    pub variable: &'static str,
    /// Where the caller has the token.
    pub callers_setting: &'static str,
    /// Counts a request that was refused.
    pub count_refused: fn(),
}

impl InternalAddress {
    /// Refuses an address that other machines reach if there is no token.
    pub fn check(
        &self,
        address: SocketAddr,
        token: Option<&str>,
        insecure: bool,
    ) -> anyhow::Result<()> {
        let Self { risk, variable, callers_setting, .. } = self;
        ensure!(
            token.is_some() || insecure || address.ip().is_loopback(),
            "other machines can reach {address}, and whoever does could {risk}: set {variable} to the same secret as \
             {callers_setting} (`openssl rand -hex 32`), listen on 127.0.0.1 (TARSY_HTTP_ADDR), or accept anybody with \
             TARSY_INSECURE=true"
        );
        Ok(())
    }

    /// Lets only requests with this token pass; without one, all.
    pub fn require(self, router: Router, token: Option<String>) -> Router {
        match token {
            Some(token) => {
                let wanted = Arc::from(format!("Bearer {token}"));
                router.layer(middleware::from_fn_with_state(Guard { of: self, wanted }, check))
            }
            None => router,
        }
    }
}

#[derive(Clone)]
struct Guard {
    of: InternalAddress,
    wanted: Arc<str>,
}

async fn check(State(guard): State<Guard>, request: Request, next: Next) -> Response {
    let sent = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
    if sent.is_some_and(|sent| secret::is_same(sent, &guard.wanted)) {
        return next.run(request).await;
    }
    let InternalAddress { caller, variable, callers_setting, count_refused, .. } = guard.of;
    count_refused();
    tracing::warn!(
        is_missing = sent.is_none(),
        caller,
        "a request without the token was refused: {variable} and {callers_setting} have to be the same"
    );
    let detail = format!("this address is for {caller} alone");
    let mut response = Problem::new(Code::Unauthenticated, detail).into_response();
    response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    const RELAY: InternalAddress = InternalAddress {
        caller: "api-gateway",
        risk: "watch every session",
        variable: "TARSY_RELAY_TOKEN",
        callers_setting: "TARSY_RELAY_TOKEN of api-gateway",
        count_refused: || {},
    };

    #[test]
    fn an_address_that_other_machines_reach_needs_a_token() {
        let local = SocketAddr::from(([127, 0, 0, 1], 8080));
        let open = SocketAddr::from(([0, 0, 0, 0], 8080));
        RELAY.check(local, None, false).unwrap();
        RELAY.check(open, Some("token"), false).unwrap();
        RELAY.check(open, None, true).unwrap();
        let error = RELAY.check(open, None, false).unwrap_err().to_string();
        assert!(error.contains("set TARSY_RELAY_TOKEN to"), "{error}");
    }
}
