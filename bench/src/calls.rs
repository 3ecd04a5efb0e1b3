//! A tool call through the gateway, compared with a client that calls the same program directly.

mod stdio;

use std::time::{Duration, Instant};

use anyhow::Context as _;
use tarsy_bus::Bus;
use tarsy_domain::id::{CallId, ExecutionId, SessionId};
use tarsy_e2e::Stack;
use tarsy_tools::{
    BusToolbox, Caller, OpenToolbox, ServerGrant, ToolCallRequest, ToolLease, Toolbox as _,
};
use tokio_util::sync::CancellationToken;

use crate::calls::stdio::Server;
use crate::chunks::connect;
use crate::output;
use crate::samples::Samples;
use crate::size::Size;
use crate::table::{Measure, Row, millis};

const TIMEOUT: Duration = Duration::from_secs(10);
const ECHO: &str = "bench.echo";
const ARGUMENTS: &str = r#"{"what":"bench"}"#;

pub(crate) async fn measure(stack: &Stack, size: Size) -> anyhow::Result<Vec<Row>> {
    output::step("a tool call through the gateway, beside a direct one");
    let bus = connect(&stack.nats_url()).await?;
    // The two sides take turns.
    let (rounds, each) = size.of((6, 60), (1, 3));
    let echo = echo(&bus, rounds * each).await?;
    let toolbox = BusToolbox::new(bus);
    let lease = toolbox
        .open(OpenToolbox {
            session_id: SessionId::new(),
            execution_id: ExecutionId::new(),
            servers: vec![ServerGrant { server: "ledger".to_owned(), tools: None }],
            caller: Caller::default(),
            timeout: TIMEOUT,
        })
        .await?;
    let mut server = Server::start(&stack.path("plain-ledger.txt")).await?;
    let (mut product, mut raw) = (Samples::default(), Samples::default());
    for round in 0..=rounds {
        for _ in 0..each {
            let start = Instant::now();
            call(&*lease).await?;
            // The first round warms up.
            if round > 0 {
                product.push(start.elapsed());
            }
        }
        for _ in 0..each {
            let start = Instant::now();
            server.call("look", ARGUMENTS).await.context("the direct call")?;
            if round > 0 {
                raw.push(start.elapsed());
            }
        }
    }
    lease.close().await;
    let added = Row::alone(
        "what mcp-gateway adds to a call".to_owned(),
        Measure::Latency(product.beyond(&raw)),
    );
    let whole = Row {
        path: "tool call through mcp-gateway".to_owned(),
        product: Measure::Latency(product),
        raw: Some(("the same program over stdio", Measure::Latency(raw))),
        why: format!(
            "two processes more: a request and its answer over NATS ({} ms p50 with an empty one), the \
             call noted so that it is never made twice, a full MCP client, and the answer masked before it \
             leaves the gateway",
            millis(echo.percentile(50))
        ),
        why_tail: "four processes take turns on the cores for one call".to_owned(),
    };
    Ok(vec![whole, added])
}

/// A request and its answer over the bus, and nothing else.
async fn echo(bus: &Bus, requests: usize) -> anyhow::Result<Samples> {
    let stop = CancellationToken::new();
    let answering = bus.respond(ECHO, None, 1, stop.clone(), async |(): ()| Ok(()));
    let asking = async {
        let _stop = stop.clone().drop_guard();
        let mut samples = Samples::default();
        let end = Instant::now() + TIMEOUT;
        while samples.len() < requests {
            let start = Instant::now();
            match bus.request::<(), ()>(ECHO.to_owned(), &(), TIMEOUT).await {
                Ok(()) => samples.push(start.elapsed()),
                // Nobody listens yet.
                Err(tarsy_bus::Error::NoResponders { .. }) if start < end => {}
                Err(error) => return Err(error.into()),
            }
        }
        anyhow::Ok(samples)
    };
    let (answered, samples) = tokio::join!(answering, asking);
    answered?;
    samples
}

async fn call(lease: &dyn ToolLease) -> anyhow::Result<()> {
    let request = ToolCallRequest {
        call_id: CallId::new(),
        name: "ledger.look".to_owned(),
        arguments: ARGUMENTS.to_owned(),
        display: None,
        permit: None,
    };
    let result = lease.call(request, TIMEOUT).await?;
    anyhow::ensure!(!result.is_error, "the tool failed: {}", result.content);
    Ok(())
}
