//! Lists the tools of servers without a lease.

use futures::future::join_all;
use tarsy_contracts::mcp::{FailedServer, ProbeRequest, ToolList};
use tarsy_contracts::reply::Refusal;
use tarsy_domain::code::Code;
use tokio::time::Instant;

use crate::deadline::{REPLY_MARGIN, time_left};
use crate::health_checks::HealthChecks;
use crate::message_size::fit_tools;
use crate::servers::ServerRuntime;

#[derive(Clone)]
pub(crate) struct ProbeService {
    pub(crate) checks: HealthChecks,
}

impl ProbeService {
    pub(crate) async fn probe(self, request: ProbeRequest) -> Result<ToolList, Refusal> {
        let left = time_left(request.timeout_ms)?;
        let deadline = Instant::now() + left.saturating_sub(REPLY_MARGIN);
        let servers = &self.checks.servers;
        let requested: Vec<&ServerRuntime> = match &request.server {
            None => servers.iter().collect(),
            Some(id) => vec![servers.get(id).ok_or_else(|| {
                let known = servers.known_ids();
                let message = format!("server: no server '{id}' is configured; there are: {known}");
                Refusal::new(Code::NotFound, message)
            })?],
        };
        let listed =
            join_all(requested.iter().map(|runtime| self.checks.tools(runtime, deadline))).await;
        let (mut tools, mut failed) = (Vec::new(), Vec::new());
        for (runtime, listed) in requested.iter().zip(listed) {
            match listed {
                Ok(listed) => tools.extend(listed.iter().cloned()),
                Err(error) => {
                    failed.push(FailedServer { server: runtime.server.id.clone(), error });
                }
            }
        }
        Ok(fit_tools(tools, failed))
    }
}
