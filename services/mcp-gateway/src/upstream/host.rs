//! What this client is to a server: it hears of changes and steps, and declines what an
//! investigation cannot give.
#![expect(deprecated, reason = "servers of older revisions still ask for sampling and roots")]

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rmcp::model::{
    CallToolRequestParams, ClientCapabilities, ClientConfig, CreateMessageRequestParams,
    CreateMessageResult, ElicitRequestParams, ElicitResult, ElicitationAction, ErrorCode,
    ErrorData, Implementation, InputRequest, InputRequiredResult, ListRootsResult, MetaObject,
    ProgressNotificationParam, ProgressToken, ProtocolVersion, ServerNotification,
    SubscriptionFilter,
};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleClient, ServiceError};
use rmcp::{ClientHandler, service};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::failure::Failure;
use crate::limits;
use crate::progress::Step;

const NO_INPUT: &str = "nobody is there to answer during an investigation";
const NO_SAMPLING: &str = "this client lends no model to servers";
const NO_ROOTS: &str = "this client has no folders to show to servers";

/// How soon a subscription that ended is opened again, growing up to the second.
const FIRST_PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// Who waits for the steps of which request.
type Waiting = HashMap<ProgressToken, watch::Sender<Option<Step>>>;

/// The client's side of a session.
#[derive(Clone, Debug, Default)]
pub(super) struct Host {
    tools_changed: Arc<AtomicBool>,
    steps: Arc<Mutex<Waiting>>,
}

impl Host {
    /// Whether the tools changed since this was asked last.
    pub(super) fn take_tools_changed(&self) -> bool {
        self.tools_changed.swap(false, Ordering::Relaxed)
    }

    /// The tools changed.
    pub(super) fn change_tools(&self) {
        self.tools_changed.store(true, Ordering::Relaxed);
    }

    /// Sends the steps of a request there, as long as the guard lives.
    pub(super) fn claim(
        &self,
        token: ProgressToken,
        steps: watch::Sender<Option<Step>>,
    ) -> Claim<'_> {
        self.waiting().insert(token.clone(), steps);
        Claim { host: self, token }
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.steps.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Hears of changed tools from a server that tells of them only to who asks, until the
    /// connection is closed.
    pub(super) async fn subscribe(&self, peer: Peer<RoleClient>) {
        let wanted = SubscriptionFilter::builder().tools_list_changed().build();
        let mut pause = FIRST_PAUSE;
        while !peer.is_transport_closed() {
            match timeout(limits::LIST, peer.listen(wanted.clone())).await {
                Ok(Ok(subscription)) => {
                    pause = FIRST_PAUSE;
                    self.hear(subscription).await;
                    // What happened before the next one is missed.
                    self.change_tools();
                }
                Ok(Err(ServiceError::McpError(error))) => {
                    tracing::debug!(code = error.code.0, "a server takes no subscription");
                    return;
                }
                Ok(Err(error)) => tracing::debug!(%error, "a subscription broke off"),
                Err(_) => tracing::debug!("a server does not answer a subscription"),
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    async fn hear(&self, mut subscription: service::Subscription) {
        while let Ok(Some(told)) = subscription.next().await {
            if matches!(told, ServerNotification::ToolListChangedNotification(_)) {
                self.change_tools();
            }
        }
    }
}

/// A claim on the steps of one request.
pub(super) struct Claim<'a> {
    host: &'a Host,
    token: ProgressToken,
}

impl Drop for Claim<'_> {
    fn drop(&mut self) {
        self.host.waiting().remove(&self.token);
    }
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("tarsy", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.change_tools();
    }

    async fn on_progress(
        &self,
        told: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        if let Some(steps) = self.waiting().get(&told.progress_token) {
            steps.send_replace(Some(told.into()));
        }
    }

    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        let mut declined = ElicitResult::new(ElicitationAction::Decline);
        let mut meta = MetaObject::default();
        meta.0.insert("reason".to_owned(), Value::String(NO_INPUT.to_owned()));
        declined.meta = Some(meta);
        Ok(declined)
    }

    async fn create_message(
        &self,
        _: CreateMessageRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(declined(NO_SAMPLING))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Err(declined(NO_ROOTS))
    }
}

fn declined(reason: &'static str) -> ErrorData {
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, reason, None)
}

/// The call again, with every question of the server's declined.
pub(super) fn declining(
    params: CallToolRequestParams,
    asked: InputRequiredResult,
) -> Result<CallToolRequestParams, Failure> {
    let mut responses = std::collections::BTreeMap::new();
    for (name, request) in asked.input_requests.unwrap_or_default() {
        let reason = match request {
            InputRequest::Elicitation(_) => {
                responses.insert(name, json!({"action": "decline"}));
                continue;
            }
            InputRequest::CreateMessage(_) => NO_SAMPLING,
            InputRequest::ListRoots(_) => NO_ROOTS,
            _ => "it asks for something that is not known here",
        };
        return Err(Failure::Unsupported(format!(
            "the tool needs more than its arguments: {reason}"
        )));
    }
    let params = params.with_input_responses(responses);
    Ok(match asked.request_state {
        Some(state) => params.with_request_state(state),
        None => params,
    })
}
