//! Streamed text: from the owner's publication to a viewer's socket, beside plain NATS.

mod load;
mod plain;
mod source;
mod timing;
mod viewers;

use std::time::Duration;

use anyhow::Context as _;
use tarsy_e2e::Stack;
use tarsy_testkit::TestNats;

pub(crate) use crate::chunks::source::{connect, event, own};

use crate::chunks::load::Load;
use crate::chunks::source::Source;

use crate::samples::Samples;
use crate::size::Size;
use crate::table::{Measure, Row};
use crate::{facts, output};

/// 33 pieces a second are what an orchestrator sends at most for one text; this is three of them.
const EVERY: Duration = Duration::from_millis(10);
/// The pace at which people read.
const READING: Duration = Duration::from_millis(250);

const WHY: &str = "one process and one hop more: NATS to the relay, which reads each piece, orders it by \
    offset, and writes a frame to each viewer's socket";
const WHY_GATEWAY: &str = "two processes and two hops more: NATS to the relay, which orders pieces by \
    offset and writes a frame for each viewer, and the API gateway, which carries each viewer's \
    frames on so that browsers see one origin";
const WHY_TAIL: &str = "viewers, relay, NATS and this bench share the cores: a piece waits until each of \
    them had its turn";

pub(crate) async fn measure(stack: &Stack, size: Size) -> anyhow::Result<Vec<Row>> {
    let source = Source::start(stack).await?;
    // The paths take turns, so that a busy moment of the machine affects each of them.
    let (rounds, chunks) = size.of((3, 250), (1, 10));
    let mut rows = Vec::new();
    for viewers in [1, size.of(100, 2)] {
        let load = Load { viewers, chunks, every: EVERY };
        let many = many_viewers(viewers);
        let [mut plain, mut direct, mut proxied] = [(); 3].map(|()| Samples::default());
        for round in 1..=rounds {
            output::step(&format!(
                "text to {many}, round {round} of {rounds}: plain NATS, the relay, the API gateway"
            ));
            plain.absorb(plain::measure(&stack.nats_url(), load).await?);
            direct.absorb(viewers::measure(&source, stack.relay(), load).await?);
            proxied.absorb(viewers::measure(&source, &stack.socket(), load).await?);
        }
        for (path, product, why) in
            [("stream-relay", direct, WHY), ("stream-relay and api-gateway", proxied, WHY_GATEWAY)]
        {
            rows.push(Row {
                path: format!("chunk: publish → socket of {many}, through {path}"),
                product: Measure::Latency(product),
                raw: Some(("NATS publish → receive", Measure::Latency(plain.clone()))),
                why: why.to_owned(),
                why_tail: WHY_TAIL.to_owned(),
            });
        }
    }
    source.stop().await?;
    Ok(rows)
}

/// How many viewers, in words.
pub(crate) fn many_viewers(viewers: usize) -> String {
    match viewers {
        1 => "1 viewer".to_owned(),
        count => format!("{count} viewers"),
    }
}

/// The same text to as many viewers as one relay is made for, and what it takes for each of them: every viewer gets a
/// frame of each piece.
pub(crate) async fn measure_full_load(stack: &Stack, size: Size) -> anyhow::Result<Vec<Row>> {
    let (viewers, chunks) = size.of((2000, 40), (4, 2));
    let load = Load { viewers, chunks, every: READING };
    output::step(&format!("text to {viewers} viewers: plain NATS, the relay"));
    let relay = stack.pids().into_iter().find(|(name, _)| name == "stream-relay");
    let (_, relay) = relay.context("no stream-relay runs")?;
    let status = format!("/proc/{relay}/status");
    let source = Source::start(stack).await?;
    // The stack's own server allows fewer connections; the last of two lines of a configuration counts.
    let nats = TestNats::with_access(format!("max_connections: {}\n", 2 * viewers)).await?;
    let plain = plain::measure(nats.url(), load).await?;
    drop(nats);
    let before = facts::field(&status, "VmRSS:")?;
    let product = viewers::measure(&source, stack.relay(), load).await?;
    let most = facts::field(&status, "VmHWM:")?;
    source.stop().await?;
    Ok(vec![
        Row {
            path: format!("chunk: publish → socket of {viewers} viewers, through one stream-relay"),
            product: Measure::Latency(product),
            raw: Some(("NATS publish → receive", Measure::Latency(plain))),
            why: WHY.to_owned(),
            why_tail: WHY_TAIL.to_owned(),
        },
        Row::alone(
            "stream-relay: memory for each viewer, at most".to_owned(),
            Measure::Memory(most.saturating_sub(before) / viewers as u64),
        ),
    ])
}
