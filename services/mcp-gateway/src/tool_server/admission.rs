//! How many sessions are open at once: each is a subprocess.

use std::cell::Cell;
use std::sync::Arc;

use axum::Router;
use axum::extract::{Request, State};
use axum::middleware::{self, Next};
use axum::response::{IntoResponse as _, Response};
use http::Method;
use tarsy_domain::code::Code;
use tarsy_web::Problem;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::metrics;

/// The header that names the session of a request.
const SESSION: &str = "mcp-session-id";

tokio::task_local! {
    /// What the request that is being answered may open. The library creates the session within that request, and
    /// hands nothing of the request over.
    static PERMIT: Cell<Option<SessionPermit>>;
}

/// The permit for one session; dropping it releases it.
pub(super) type SessionPermit = OwnedSemaphorePermit;

#[derive(Clone)]
pub(super) struct Admission(Arc<Semaphore>);

impl Admission {
    pub(super) fn new(sessions: usize) -> Self {
        Self(Arc::new(Semaphore::new(sessions.min(Semaphore::MAX_PERMITS))))
    }

    /// Admits no further session.
    pub(super) fn close(&self) {
        self.0.close();
    }

    /// Answers requests that open a session with 503 while all are in use.
    pub(super) fn limit(&self, router: Router) -> Router {
        router.layer(middleware::from_fn_with_state(self.clone(), admit))
    }
}

/// The permit of the request that is being answered.
pub(super) fn take_permit() -> Option<SessionPermit> {
    PERMIT.try_with(Cell::take).ok().flatten()
}

async fn admit(State(admission): State<Admission>, request: Request, next: Next) -> Response {
    let opens = request.method() == Method::POST && !request.headers().contains_key(SESSION);
    if !opens {
        return next.run(request).await;
    }
    if let Ok(permit) = Arc::clone(&admission.0).try_acquire_owned() {
        return PERMIT.scope(Cell::new(Some(permit)), next.run(request)).await;
    }
    metrics::serving_refused("full");
    let text = if admission.0.is_closed() {
        "this process is stopping; try again"
    } else {
        "all sessions of this server are in use (TARSY_MCP_CAPACITY); try again soon"
    };
    Problem::new(Code::Unavailable, text).into_response()
}
