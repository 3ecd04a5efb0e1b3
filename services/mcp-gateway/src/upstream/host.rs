//! The client side of a session: receives notifications, and declines the server's requests.
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
use tarsy_domain::backoff::Backoff;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::failure::Failure;
use crate::limits;
use crate::progress::Step;

const NO_INPUT: &str = "nobody answers questions during an investigation";
const NO_SAMPLING: &str = "this client offers no sampling";
const NO_ROOTS: &str = "this client has no roots";

/// The delays before a subscription that ended is opened again.
const BACKOFF: Backoff = Backoff::new(Duration::from_secs(1), Duration::from_secs(30));

/// The receivers of progress notifications by the token of their request.
type Receivers = HashMap<ProgressToken, watch::Sender<Option<Step>>>;

#[derive(Clone, Debug, Default)]
pub(super) struct Host {
    tools_changed: Arc<AtomicBool>,
    receivers: Arc<Mutex<Receivers>>,
}

impl Host {
    /// Whether the tools have changed since the last call.
    pub(super) fn take_tools_changed(&self) -> bool {
        self.tools_changed.swap(false, Ordering::Relaxed)
    }

    pub(super) fn set_tools_changed(&self) {
        self.tools_changed.store(true, Ordering::Relaxed);
    }

    /// Sends the progress of a request to `receiver` until the guard is dropped.
    pub(super) fn route_progress(
        &self,
        token: ProgressToken,
        receiver: watch::Sender<Option<Step>>,
    ) -> ProgressRoute<'_> {
        self.receivers().insert(token.clone(), receiver);
        ProgressRoute { host: self, token }
    }

    fn receivers(&self) -> MutexGuard<'_, Receivers> {
        self.receivers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Subscribes to changes of the tools until the connection is closed.
    pub(super) async fn subscribe(&self, peer: Peer<RoleClient>) {
        let wanted = SubscriptionFilter::builder().tools_list_changed().build();
        let mut failures = 0;
        while !peer.is_transport_closed() {
            match timeout(limits::LIST, peer.listen(wanted.clone())).await {
                Ok(Ok(subscription)) => {
                    failures = 0;
                    self.receive_changes(subscription).await;
                    // Changes before the next subscription are missed.
                    self.set_tools_changed();
                }
                Ok(Err(ServiceError::McpError(error))) => {
                    tracing::debug!(code = error.code.0, "a server rejects subscriptions");
                    return;
                }
                Ok(Err(error)) => tracing::debug!(%error, "a subscription failed"),
                Err(_) => tracing::debug!("no response to a subscription in time"),
            }
            failures += 1;
            tokio::time::sleep(BACKOFF.pause(failures)).await;
        }
    }

    async fn receive_changes(&self, mut subscription: service::Subscription) {
        while let Ok(Some(notification)) = subscription.next().await {
            if matches!(notification, ServerNotification::ToolListChangedNotification(_)) {
                self.set_tools_changed();
            }
        }
    }
}

pub(super) struct ProgressRoute<'a> {
    host: &'a Host,
    token: ProgressToken,
}

impl Drop for ProgressRoute<'_> {
    fn drop(&mut self) {
        self.host.receivers().remove(&self.token);
    }
}

impl ClientHandler for Host {
    fn get_info(&self) -> ClientConfig {
        let name = Implementation::new("tarsy", env!("CARGO_PKG_VERSION"));
        ClientConfig::new(ClientCapabilities::default(), name)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
    }

    async fn on_tool_list_changed(&self, _: NotificationContext<RoleClient>) {
        self.set_tools_changed();
    }

    async fn on_progress(
        &self,
        progress: ProgressNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        if let Some(receiver) = self.receivers().get(&progress.progress_token) {
            receiver.send_replace(Some(progress.into()));
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

/// The parameters of the call's next round, which declines every request for input.
pub(super) fn decline_input(
    params: CallToolRequestParams,
    input: InputRequiredResult,
) -> Result<CallToolRequestParams, Failure> {
    let mut responses = std::collections::BTreeMap::new();
    for (name, request) in input.input_requests.unwrap_or_default() {
        let reason = match request {
            InputRequest::Elicitation(_) => {
                responses.insert(name, json!({"action": "decline"}));
                continue;
            }
            InputRequest::CreateMessage(_) => NO_SAMPLING,
            InputRequest::ListRoots(_) => NO_ROOTS,
            _ => "an unknown kind of input",
        };
        return Err(Failure::Unsupported(format!(
            "the tool requires more than its arguments: {reason}"
        )));
    }
    let params = params.with_input_responses(responses);
    Ok(match input.request_state {
        Some(state) => params.with_request_state(state),
        None => params,
    })
}
