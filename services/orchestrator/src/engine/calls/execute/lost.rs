//! What became of a call whose answer this owner did not get.

use std::time::Duration;

use tarsy_contracts::mcp::Outcome;
use tarsy_llm::ToolCall;
use tarsy_store::{Op, ReassignCall};

use crate::engine::calls::execute::{CALL_TIMEOUT, Executor};
use crate::engine::calls::result::{CallTarget, ToolResult, requested};
use crate::journal::StopReason;

/// How long a gateway may hold its answer about a call that still runs.
const OUTCOME_WAIT: Duration = Duration::from_secs(20);
/// The pause before a gateway is asked again for an outcome.
const OUTCOME_RETRY: Duration = Duration::from_secs(1);
/// Failed requests after which an outcome is unknown.
const MAX_OUTCOME_FAILURES: u32 = 10;
/// Leases on which a repeatable call is executed again: the current one and a new one.
const MAX_LEASES: usize = 2;

impl Executor<'_> {
    /// Asks a gateway for the result of a call that it executes, or executed.
    pub(super) async fn find_outcome(
        &self,
        call: &ToolCall,
        target: CallTarget,
        instance: &str,
    ) -> Result<ToolResult, StopReason> {
        tracing::info!(tool.name = call.name, %instance, "fetching the outcome of a call");
        let (journal, toolbox) = (&self.ctx.journal, &self.ctx.services.toolbox);
        let mut failures = 0;
        loop {
            let outcome = toolbox.outcome(instance, target.call_id, OUTCOME_WAIT);
            match journal.unless_stopped(outcome).await? {
                Ok(Outcome::Running) => {}
                Ok(Outcome::Result { result }) => return Ok(result.into()),
                Ok(Outcome::Unknown) => return self.repeat(call, target).await,
                Err(error) => {
                    failures += 1;
                    tracing::warn!(error = %tarsy_telemetry::chain(&error), failures, "no outcome");
                    if failures == MAX_OUTCOME_FAILURES {
                        return Ok(ToolResult::unknown());
                    }
                    journal.unless_stopped(tokio::time::sleep(OUTCOME_RETRY)).await?;
                }
            }
        }
    }

    /// Executes a call again whose outcome is unknown, if a second execution does no harm. For any
    /// other the model learns that the outcome is unknown.
    async fn repeat(&self, call: &ToolCall, target: CallTarget) -> Result<ToolResult, StopReason> {
        if !self.tools.may_repeat(requested(call)) {
            return Ok(ToolResult::unknown());
        }
        let Some(mut lease) = self.tools.lease() else {
            return Ok(ToolResult::error(self.no_tools()));
        };
        let journal = &self.ctx.journal;
        for _ in 0..MAX_LEASES {
            let gateway_instance = lease.instance().to_owned();
            let reassign = ReassignCall { call_id: target.call_id, gateway_instance };
            journal.commit(vec![Op::ReassignCall(reassign)]).await?;
            let Some(request) = self.request(call, target) else { return Ok(ToolResult::lost()) };
            match journal.unless_stopped(lease.call(request, CALL_TIMEOUT)).await? {
                Err(error) if error.is_lease_lost() => {
                    let lost = lease.lease_id();
                    lease = match self.tools.replace(lost, self.ctx, self.task).await? {
                        Ok(lease) => lease,
                        Err(error) => return Ok(ToolResult::not_executed(&error)),
                    };
                }
                answer => return Ok(ToolResult::from_lease(answer)),
            }
        }
        Ok(ToolResult::unknown())
    }
}
