//! A model's tokens: from a vendor's stream through llm-service to its caller, beside the same
//! stream read plainly.

mod caller;

use std::time::Duration;

use tarsy_e2e::Stack;
use tarsy_llm::GrpcLlm;

use crate::output;
use crate::size::Size;
use crate::table::{Measure, Row};
use crate::vendor::{Load, Read, Vendor, latencies, read_plainly};

/// Twenty tokens a second is a model of ordinary speed.
const EVERY: Duration = Duration::from_millis(50);

const WHY_RATE: &str = "Python: a token's way through the HTTP client and gRPC is a tenth of a \
    millisecond, and the beginning of a turn some four; workers and replicas scale it";
const WHY: &str = "two more hops, and in Python: the HTTP client hands the token's event on before gRPC takes \
    it";
const WHY_TAIL: &str = "a worker is one Python process, which takes all its streams through: a token waits for its \
    turn, most of all while other turns begin";

/// Opens the connections of each worker of the stack's llm-service, by the first turns.
pub(crate) async fn warm_up(stack: &Stack, vendor: &Vendor, size: Size) -> anyhow::Result<()> {
    output::step("tokens of a model: the first turns, which open connections");
    let load = Load { streams: size.of(16, 2), tokens: 20, every: Duration::ZERO };
    caller::read(vendor, &GrpcLlm::new(&stack.llm_service())?, load).await?;
    Ok(())
}

/// The stack's llm-service has the vendor as a provider.
pub(crate) async fn measure(
    stack: &Stack,
    vendor: &Vendor,
    size: Size,
) -> anyhow::Result<Vec<Row>> {
    let llm = GrpcLlm::new(&stack.llm_service())?;
    let streams: &[usize] = size.of(&[1, 10, 50], &[1, 2]);
    // Of a flood, in all streams together; and of each stream at an ordinary speed.
    let (flood, paced) = size.of((3000, 60), (20, 4));
    warm_up(stack, vendor, size).await?;
    let mut rows = Vec::new();
    for &streams in streams {
        let load = Load { streams, tokens: flood / streams, every: Duration::ZERO };
        output::step(&format!("tokens as fast as they go, {}", many(streams)));
        let raw = rate(load, &read_plainly(vendor, load).await?);
        let product = rate(load, &caller::read(vendor, &llm, load).await?);
        rows.push(Row {
            path: format!("model: tokens through llm-service, {}", many(streams)),
            product: Measure::Rate(product),
            raw: Some(("the vendor's stream, read plainly", Measure::Rate(raw))),
            why: WHY_RATE.to_owned(),
            why_tail: String::new(),
        });
    }
    for &streams in streams {
        let load = Load { streams, tokens: paced, every: EVERY };
        output::step(&format!("twenty tokens a second, {}", many(streams)));
        let raw = latencies(read_plainly(vendor, load).await?);
        let product = latencies(caller::read(vendor, &llm, load).await?);
        rows.push(Row {
            path: format!("model: a token, vendor → caller, {} of 20 tokens / s", many(streams)),
            product: Measure::Latency(product),
            raw: Some(("the vendor's stream, read plainly", Measure::Latency(raw))),
            why: WHY.to_owned(),
            why_tail: WHY_TAIL.to_owned(),
        });
    }
    Ok(rows)
}

/// Tokens a second, from the first that came to the last.
fn rate(load: Load, read: &[Read]) -> f64 {
    let first = read.iter().map(|one| one.first).min();
    let last = read.iter().map(|one| one.last).max();
    let took = first.zip(last).map_or(Duration::ZERO, |(first, last)| last.duration_since(first));
    let tokens = u32::try_from(load.streams * load.tokens).unwrap_or(u32::MAX);
    f64::from(tokens) / took.as_secs_f64().max(f64::EPSILON)
}

fn many(streams: usize) -> String {
    match streams {
        1 => "1 stream".to_owned(),
        count => format!("{count} streams"),
    }
}
