//! `BusToolbox` over a real bus, with a stub gateway.

#![expect(clippy::unwrap_used, reason = "a helper that cannot go on fails its test")]

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use tarsy_bus::Bus;
use tarsy_contracts::mcp::{
    Ack, CallRequest, CallResult, LeaseRequest, OpenRequest, OpenState, OpenedLease, Outcome,
    OutcomeRequest,
};
use tarsy_contracts::reply::Refusal;
use tarsy_contracts::subject::{self, McpVerb};
use tarsy_domain::id::{CallId, ExecutionId, LeaseId, SessionId};
use tarsy_testkit::{TestNats, WAIT};
use tarsy_tools::{
    BusToolbox, Caller, OpenToolbox, ToolCallRequest, ToolError, ToolLease, Toolbox as _,
};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

const GATEWAY: &str = "gateway-1";

async fn open(request: OpenRequest) -> Result<OpenState, Refusal> {
    assert!(request.servers.is_empty());
    let (lease_id, instance) = (request.lease_id, GATEWAY.to_owned());
    let (tools, failed) = (Vec::new(), Vec::new());
    let lease = OpenedLease { lease_id, instance, ttl_ms: 60_000, tools, failed };
    Ok(OpenState::Open { lease })
}

async fn renew(_: LeaseRequest) -> Result<Ack, Refusal> {
    Ok(Ack {})
}

async fn never<Req, Rep>(_: Req) -> Result<Rep, Refusal> {
    std::future::pending().await
}

fn open_request() -> OpenToolbox {
    OpenToolbox {
        session_id: SessionId::new(),
        execution_id: ExecutionId::new(),
        servers: Vec::new(),
        caller: Caller::default(),
        timeout: WAIT * 60,
    }
}

fn a_call() -> ToolCallRequest {
    ToolCallRequest {
        call_id: CallId::new(),
        name: "host.load".to_owned(),
        arguments: "{}".to_owned(),
        display: None,
        permit: None,
    }
}

/// Never answers the first request for a call, or none.
#[derive(Clone, Default)]
struct Gateway {
    answers_none: bool,
    requests: Arc<AtomicUsize>,
    received: Arc<Notify>,
}

impl Gateway {
    async fn call(self, request: CallRequest) -> Result<CallResult, Refusal> {
        if self.requests.fetch_add(1, Ordering::SeqCst) == 0 || self.answers_none {
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
    let lease = toolbox.open(open_request()).await.unwrap();
    // The reply arrives only if the call is sent again long before its timeout.
    let call = lease.call(a_call(), WAIT * 60);
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

/// Calls a gateway whose own connection lost packets while the caller's was whole; this is the outcome that it has.
async fn call_with_lost_reply(gateway: Gateway, outcome: Outcome) -> CallResult {
    let nats = TestNats::dedicated().await.unwrap();
    let bus = nats.connect("mcp-gateway", GATEWAY).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(gateway.answer(bus.clone()));
    tasks.spawn(async move {
        let own = subject::mcp_instance(GATEWAY, McpVerb::Outcome);
        let known = move |_: OutcomeRequest| {
            let outcome = outcome.clone();
            async move { Ok::<_, Refusal>(outcome) }
        };
        bus.respond(own, None, 9, CancellationToken::new(), known).await.unwrap();
    });
    let toolbox = BusToolbox::new(nats.connect("orchestrator", "orchestrator-1").await.unwrap());
    let lease = toolbox.open(open_request()).await.unwrap();
    let call = tokio::time::timeout(WAIT, lease.call(a_call(), WAIT * 60)).await;
    call.unwrap().unwrap()
}

#[tokio::test]
async fn a_result_whose_reply_only_the_gateway_lost_is_fetched() {
    let result = CallResult::success(CallId::new(), "load 41".to_owned());
    let gateway = Gateway { answers_none: true, ..Gateway::default() };
    let result = call_with_lost_reply(gateway, Outcome::Result { result }).await;
    assert_eq!(result.content, "load 41");
}

#[tokio::test]
async fn a_call_that_only_the_gateway_lost_is_sent_again() {
    let gateway = Gateway::default();
    let result = call_with_lost_reply(gateway.clone(), Outcome::Unknown).await;
    assert_eq!(result.content, "load 40");
    assert!(gateway.requests.load(Ordering::SeqCst) > 1);
}

/// Answers a request to open a lease, but not the first one.
#[derive(Clone, Default)]
struct Forgetful(Arc<Mutex<Vec<LeaseId>>>);

impl Forgetful {
    async fn open(self, request: OpenRequest) -> Result<OpenState, Refusal> {
        let first = {
            let mut asked = self.0.lock().unwrap();
            asked.push(request.lease_id);
            asked.len() == 1
        };
        if first { std::future::pending().await } else { open(request).await }
    }
}

#[tokio::test]
async fn a_lease_is_opened_although_the_first_answer_is_lost() {
    let nats = TestNats::dedicated().await.unwrap();
    let bus = nats.connect("mcp-gateway", GATEWAY).await.unwrap();
    let gateway = Forgetful::default();
    let answering = gateway.clone();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        let open = move |request| answering.clone().open(request);
        bus.respond(subject::MCP_OPEN, None, 9, CancellationToken::new(), open).await.unwrap();
    });
    let toolbox = BusToolbox::new(nats.connect("orchestrator", "orchestrator-1").await.unwrap());
    let lease = tokio::time::timeout(WAIT, opened(&toolbox)).await.expect("asked again");
    let asked = gateway.0.lock().unwrap().clone();
    assert!(asked.len() > 1 && asked.iter().all(|id| *id == lease.lease_id()), "{asked:?}");
}

/// Opens a lease, as soon as a gateway has subscribed.
async fn opened(toolbox: &BusToolbox) -> Box<dyn ToolLease> {
    toolbox.open(open_request()).await.unwrap()
}

#[tokio::test]
async fn a_gateway_that_answers_nothing_counts_as_lost() {
    let nats = TestNats::dedicated().await.unwrap();
    let bus = nats.connect("mcp-gateway", GATEWAY).await.unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        // It has its subscriptions, as a frozen process has.
        let own = |verb| subject::mcp_instance(GATEWAY, verb);
        let stop = CancellationToken::new;
        let (opens, ..) = tokio::join!(
            bus.respond(subject::MCP_OPEN, None, 1, stop(), open),
            bus.respond(own(McpVerb::Renew), None, 99, stop(), never::<LeaseRequest, Ack>),
            bus.respond(own(McpVerb::Call), None, 99, stop(), never::<CallRequest, CallResult>),
            bus.respond(own(McpVerb::Outcome), None, 99, stop(), never::<OutcomeRequest, Outcome>),
        );
        opens.unwrap();
    });
    let toolbox = BusToolbox::new(nats.connect("orchestrator", "orchestrator-1").await.unwrap());
    let lease = opened(&toolbox).await;
    // Each finds it out by itself.
    let call = tokio::time::timeout(WAIT, lease.call(a_call(), WAIT * 60));
    let outcome = toolbox.outcome(GATEWAY, CallId::new(), WAIT * 60);
    let (call, outcome) = tokio::join!(call, tokio::time::timeout(WAIT, outcome));
    assert!(matches!(call, Ok(Err(ToolError::GatewayLost))), "{call:?}");
    assert!(matches!(outcome, Ok(Ok(Outcome::Unknown))), "{outcome:?}");
}
