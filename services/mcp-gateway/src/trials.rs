//! Tries the address of a tool server that is not configured.
//!
//! Only streamable HTTP is tried: starting a program that a browser names would hand it the machine. The server gets no
//! credentials, and its health is not reported. Link-local addresses and metadata services are never connected to.

use std::sync::Arc;

use tarsy_catalog::server_at;
use tarsy_contracts::mcp::{FailedServer, ToolList, TrialRequest};
use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::Code;
use tarsy_outbound::{Guard, Proxies};
use tokio::time::{Instant, timeout_at};
use tokio_util::task::TaskTracker;

use crate::deadline::{REPLY_MARGIN, time_left};
use crate::failure::Failure;
use crate::message_size::fit_tools;
use crate::upstream::{Connector, Context};

/// What to do about a server that wants credentials: none are sent to an address that the configuration does not have.
const WANTS_TOKEN: &str = "the server answers, but wants credentials, and an address that is not configured gets none: write the \
                           lines with the variable of its token, and test the connection then";

/// What to say of an answer that is none of an MCP server, instead of quoting it: it may be a page inside the network.
const NO_SERVER: &str = "something answers there, but not MCP over streamable HTTP: check the port, and the path, which is /mcp for many \
                         servers";

#[derive(Clone)]
pub(crate) struct TrialService {
    pub(crate) tasks: TaskTracker,
}

impl TrialService {
    pub(crate) async fn try_address(self, request: TrialRequest) -> Result<ToolList, Refusal> {
        let left = time_left(request.timeout_ms)?;
        let deadline = Instant::now() + left.saturating_sub(REPLY_MARGIN);
        let server = server_at(&request.url).map_err(|faults| {
            let all: Vec<String> =
                faults.iter().map(|fault| format!("{}: {}", fault.field, fault.message)).collect();
            Refusal::new(Code::Invalid, all.join("; "))
        })?;
        let guard = Arc::new(Guard::of_trial(Proxies::of_environment()));
        let context = Arc::new(Context::of_trial(&server, Arc::clone(&guard)));
        let (id, masks) = (server.id.clone(), context.masks(&server.id));
        let connector = Connector { server: Arc::new(server), context, tasks: self.tasks };
        let error = match timeout_at(deadline, Box::pin(connector.connect())).await {
            Ok(Ok(session)) => {
                let tools = session.tools();
                session.close().await;
                return Ok(fit_tools(tools.to_vec(), Vec::new()));
            }
            Ok(Err(failure)) => reason(&guard, &failure, masks.reason(&failure)),
            Err(_) => "it did not answer in time".to_owned(),
        };
        Ok(ToolList { tools: Vec::new(), failed: vec![FailedServer { server: id, error }] })
    }
}

/// Why there is no connection; `masked` is what the failure says.
fn reason(guard: &Guard, failure: &Failure, masked: String) -> String {
    if let Some(refusal) = guard.take_refusal() {
        return format!(
            "{} leads to a link-local address, the metadata service of a cloud or no single machine: that is not tried",
            refusal.host
        );
    }
    if failure.wants_credentials() {
        WANTS_TOKEN.to_owned()
    } else if failure.is_answered_otherwise() {
        NO_SERVER.to_owned()
    } else {
        masked
    }
}
