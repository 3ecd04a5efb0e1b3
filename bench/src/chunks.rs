//! Streamed text: from the owner's publication to a viewer's socket, beside plain NATS.

mod plain;
mod source;
mod timing;
mod viewers;

use std::time::Duration;

use tarsy_e2e::Stack;

pub(crate) use crate::chunks::source::{connect, event, own};

use crate::chunks::source::Source;

use crate::say;
use crate::table::{Measure, Row};

/// How text flows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Load {
    /// How many read it.
    viewers: usize,
    /// How many pieces there are.
    pieces: usize,
    /// One piece each.
    every: Duration,
}

const ONE: Load = Load { viewers: 1, pieces: 600, every: Duration::from_millis(10) };
/// 33 pieces a second are what an orchestrator sends at most for one text; this is three of them.
const MANY: Load = Load { viewers: 100, pieces: 600, every: Duration::from_millis(10) };

const WHY: &str = "one process and one hop more: NATS to the relay, which reads each piece, orders it by \
    offset, and writes a frame to each viewer's socket";
const WHY_GATEWAY: &str = "two processes and two hops more: NATS to the relay, which orders pieces by \
    offset and writes a frame for each viewer, and the API gateway, which carries each viewer's \
    frames on so that browsers see one origin";
const WHY_TAIL: &str = "viewers, relay, NATS and this bench share the cores: a piece waits until each of \
    them had its turn";

pub(crate) async fn measure(stack: &Stack) -> anyhow::Result<Vec<Row>> {
    let source = Source::start(stack).await?;
    let gateway = format!("{}/api/v1/ws", stack.url().replacen("http", "ws", 1));
    let mut rows = Vec::new();
    for load in [ONE, MANY] {
        let count = load.viewers;
        let many = if count == 1 { "1 viewer".to_owned() } else { format!("{count} viewers") };
        say::step(&format!("a piece of text to {many}: plain NATS"));
        let plain = plain::measure(&stack.nats_url(), load).await?;
        for (socket, door, why) in [
            (stack.relay(), "stream-relay", WHY),
            (&gateway, "api-gateway, stream-relay", WHY_GATEWAY),
        ] {
            say::step(&format!("a piece of text to {many}: {door}"));
            let product = viewers::measure(&source, socket, load).await?;
            rows.push(Row {
                path: format!("chunk: publish → socket of {many}, through {door}"),
                product: Measure::Latency(product),
                raw: Some(("NATS publish → receive", Measure::Latency(plain.clone()))),
                why: why.to_owned(),
                why_tail: WHY_TAIL,
            });
        }
    }
    source.stop().await;
    Ok(rows)
}
