//! `BusToolbox` over a real bus, with a stub gateway.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tarsy_bus::Bus;
use tarsy_contracts::mcp::{Ack, CallRequest, CallResult, LeaseRequest, OpenRequest, OpenedLease};
use tarsy_contracts::reply::Refusal;
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_domain::id::{CallId, ExecutionId, LeaseId, SessionId};
use tarsy_testkit::{TestNats, WAIT};
use tarsy_tools::{BusToolbox, OpenToolbox, ToolCallRequest, Toolbox as _};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const GATEWAY: &str = "gateway-1";

async fn open(request: OpenRequest) -> Result<OpenedLease, Refusal> {
    assert!(request.servers.is_empty());
    let (lease_id, instance) = (LeaseId::new(), GATEWAY.to_owned());
    Ok(OpenedLease { lease_id, instance, ttl_ms: 60_000, tools: Vec::new(), failed: Vec::new() })
}

async fn renew(_: LeaseRequest) -> Result<Ack, Refusal> {
    Ok(Ack {})
}

/// Never answers the first request for a call.
#[derive(Clone, Default)]
struct Gateway {
    requests: Arc<AtomicUsize>,
    received: Arc<Notify>,
}

impl Gateway {
    async fn call(self, request: CallRequest) -> Result<CallResult, Refusal> {
        if self.requests.fetch_add(1, Ordering::SeqCst) == 0 {
            self.received.notify_one();
            return std::future::pending().await;
        }
        Ok(CallResult::success(request.call.call_id, "load 40".to_owned()))
    }

    /// Answers as long as it is polled.
    async fn answer(self, bus: Bus) {
        let own = |verb| subject::mcp_instance(GATEWAY, verb);
        let stop = CancellationToken::new;
        let call = move |request| self.clone().call(request);
        let (opens, renewals, calls) = tokio::join!(
            bus.respond(subject::MCP_OPEN, None, 1, stop(), open),
            bus.respond(own(McpVerb::Renew), None, 1, stop(), renew),
            bus.respond(own(McpVerb::Call), None, 10, stop(), call),
        );
        opens.and(renewals).and(calls).unwrap();
    }
}

#[tokio::test]
async fn a_call_is_sent_again_when_an_outage_loses_its_reply() {
    let mut nats = TestNats::dedicated().await.unwrap();
    let gateway = Gateway::default();
    let answers = gateway.clone().answer(nats.connect("mcp-gateway", GATEWAY).await.unwrap());
    let mut tasks = JoinSet::new();
    tasks.spawn(answers);
    let toolbox = BusToolbox::new(nats.connect("orchestrator", "orchestrator-1").await.unwrap());
    let lease = toolbox
        .open(OpenToolbox {
            session_id: SessionId::new(),
            execution_id: ExecutionId::new(),
            servers: Vec::new(),
            timeout: WAIT,
        })
        .await
        .unwrap();
    // The reply arrives only if the call is sent again long before its timeout.
    let request = ToolCallRequest {
        call_id: CallId::new(),
        name: "host.load".to_owned(),
        arguments: "{}".to_owned(),
        display: None,
    };
    let call = lease.call(request, WAIT * 60);
    let outage = async {
        gateway.received.notified().await;
        nats.server().unwrap().kill().await;
        nats.server().unwrap().launch().await.unwrap();
    };
    let both = async { tokio::join!(call, outage).0 };
    let result = tokio::time::timeout(WAIT, both).await.expect("sent again").unwrap();
    assert_eq!(result.content, "load 40");
    assert!(gateway.requests.load(Ordering::SeqCst) > 1);
}
