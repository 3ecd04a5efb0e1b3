//! A tool gateway that is lost while a session uses it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use tarsy_domain::id::{CallId, LeaseId};
use tarsy_domain::status::SessionStatus;
use tarsy_tools::{
    CallResult, FailedServer, OpenToolbox, Outcome, ScriptedToolbox, Tool, ToolCallRequest,
    ToolError, ToolLease, Toolbox,
};

use crate::stack::{Stack, answer, answer_with, calls, chain, read_only};

/// Tools whose first gateway dies with its first call, and took the memory of it along.
#[derive(Clone)]
struct Dying {
    tools: ScriptedToolbox,
    died: Arc<AtomicBool>,
}

struct DyingLease {
    lease: Box<dyn ToolLease>,
    died: Arc<AtomicBool>,
    lost: AtomicBool,
}

#[async_trait]
impl Toolbox for Dying {
    async fn open(&self, request: OpenToolbox) -> Result<Box<dyn ToolLease>, ToolError> {
        let lease = self.tools.open(request).await?;
        Ok(Box::new(DyingLease {
            lease,
            died: Arc::clone(&self.died),
            lost: AtomicBool::new(false),
        }))
    }

    async fn outcome(&self, _: &str, _: CallId, _: Duration) -> Result<Outcome, ToolError> {
        Ok(Outcome::Unknown)
    }

    async fn cancel(&self, instance: &str, call: CallId, reason: &str) -> Result<(), ToolError> {
        self.tools.cancel(instance, call, reason).await
    }
}

#[async_trait]
impl ToolLease for DyingLease {
    fn instance(&self) -> &str {
        self.lease.instance()
    }

    fn lease_id(&self) -> LeaseId {
        self.lease.lease_id()
    }

    fn tools(&self) -> &[Tool] {
        self.lease.tools()
    }

    fn failed(&self) -> &[FailedServer] {
        self.lease.failed()
    }

    async fn call(
        &self,
        call: ToolCallRequest,
        timeout: Duration,
    ) -> Result<CallResult, ToolError> {
        if !self.died.swap(true, Ordering::SeqCst) {
            self.lost.store(true, Ordering::SeqCst);
        }
        if self.lost.load(Ordering::SeqCst) {
            return Err(ToolError::GatewayLost);
        }
        self.lease.call(call, timeout).await
    }

    async fn cancel(&self, call_id: CallId, reason: &str) {
        self.lease.cancel(call_id, reason).await;
    }

    async fn close(&self) {
        self.lease.close().await;
    }
}

async fn loses_its_gateway(tools: ScriptedToolbox) -> Stack {
    let turns =
        [calls("host.load"), calls("host.load"), answer_with("Found."), answer_with("Short.")];
    let stack = Stack::with(turns, tools.answers("host.load", "load 40")).await;
    let dying = Dying { tools: stack.toolbox.clone(), died: Arc::default() };
    stack.worker_with("one", dying).await;
    let mut submitted = stack.submit(&chain()).await;
    submitted.ends(SessionStatus::Completed).await;
    stack.check_end(&submitted, SessionStatus::Completed).await;
    assert_eq!(stack.toolbox.opens().len(), 2, "a new lease stands in for the lost one");
    stack
}

#[tokio::test]
async fn a_harmless_call_whose_gateway_is_lost_is_made_on_a_new_lease() {
    let tools = ScriptedToolbox::new().with_tool(read_only("host", "load"));
    let stack = loses_its_gateway(tools).await;
    assert_eq!(stack.prompt(1), answer(1, "load 40"));
    assert_eq!(stack.prompt(2), answer(2, "load 40"));
    let calls = stack.toolbox.calls();
    assert_eq!(calls.len(), 2);
    // The server's `call_timeout`, of whatever length, decides, and not the caller.
    assert!(calls.iter().all(|call| call.timeout > Duration::from_hours(24)), "{calls:?}");
}

#[tokio::test]
async fn another_call_whose_gateway_is_lost_is_unknown_and_the_next_one_works() {
    let stack = loses_its_gateway(ScriptedToolbox::new().tool("host.load")).await;
    assert!(stack.prompt(1).contains("The outcome of this call is unknown"));
    assert_eq!(stack.prompt(2), answer(2, "load 40"));
    assert_eq!(stack.toolbox.calls().len(), 1);
}
