//! Which subject is answered by what.

use std::time::Duration;

use serde::Serialize;
use serde::de::DeserializeOwned;
use tarsy_contracts::reply::Refusal;
use tarsy_contracts::subject::{self, McpVerb};
use tokio_util::sync::CancellationToken;

use crate::hub::Hub;
use crate::limits;

/// How long to wait before listening again after that failed.
const PAUSE: Duration = Duration::from_secs(1);

/// Answers everything that a gateway is asked.
pub(crate) fn answer_all(hub: &Hub) {
    let own = |verb| subject::mcp_instance(hub.bus.instance(), verb);
    let over = || hub.over.clone();
    answer(hub, own(McpVerb::Call), None, limits::CALLS, over(), Hub::call);
    answer(hub, own(McpVerb::Outcome), None, limits::QUESTIONS, over(), Hub::outcome);
    answer(hub, own(McpVerb::Cancel), None, limits::SHORT, over(), Hub::cancel);
    answer(hub, own(McpVerb::Renew), None, limits::QUESTIONS, over(), Hub::renew);
    answer(hub, own(McpVerb::List), None, limits::SHORT, over(), Hub::list);
    answer(hub, own(McpVerb::Login), None, limits::SHORT, over(), Hub::finish_login);
    answer(hub, own(McpVerb::Close), None, limits::QUESTIONS, over(), Hub::close);
    let stop = hub.draining.clone();
    answer(hub, own(McpVerb::Open), None, limits::OPENS, stop, Hub::open_here);
    let (probe, stop) = (subject::MCP_PROBE.to_owned(), hub.draining.clone());
    answer(hub, probe, Some(subject::MCP_QUEUE), limits::SHORT, stop, Hub::probe);
    let (login, stop) = (subject::MCP_LOGIN.to_owned(), hub.draining.clone());
    answer(hub, login, Some(subject::MCP_QUEUE), limits::SHORT, stop, Hub::login);
    hub.tasks.spawn(answer_opens(hub.clone()));
}

/// Answers opens while there is room; a full gateway leaves the queue group.
async fn answer_opens(hub: Hub) {
    while !hub.draining.is_cancelled() {
        tokio::select! {
            () = hub.room.free() => {}
            () = hub.draining.cancelled() => return,
        }
        let leave = hub.draining.child_token();
        let (open, queue) = (subject::MCP_OPEN.to_owned(), Some(subject::MCP_QUEUE));
        answer(&hub, open, queue, limits::OPENS, leave.clone(), Hub::open);
        tokio::select! {
            () = hub.room.full() => {}
            () = hub.draining.cancelled() => {}
        }
        leave.cancel();
    }
}

/// Answers one subject until `stop`, and begins again if that ends before.
fn answer<Req, Rep, F, Fut>(
    hub: &Hub,
    subject: String,
    queue: Option<&'static str>,
    concurrency: usize,
    stop: CancellationToken,
    handler: F,
) where
    Req: DeserializeOwned + Send + 'static,
    Rep: Serialize + Send + 'static,
    F: Fn(Hub, Req) -> Fut + Copy + Send + Sync + 'static,
    Fut: Future<Output = Result<Rep, Refusal>> + Send + 'static,
{
    let asked = hub.clone();
    hub.tasks.spawn(async move {
        while !stop.is_cancelled() {
            let hub = asked.clone();
            let handle = move |request: Req| handler(hub.clone(), request);
            let answered =
                asked.bus.respond(subject.as_str(), queue, concurrency, stop.clone(), handle).await;
            if let Err(error) = answered {
                tracing::warn!(subject, %error, "cannot listen for requests; trying again");
            }
            tokio::select! {
                () = stop.cancelled() => {}
                () = tokio::time::sleep(PAUSE) => {}
            }
        }
    });
}
