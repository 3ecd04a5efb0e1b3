//! Text as people see it arrive: a model's token from the vendor's stream through llm-service, the orchestrator, the relay
//! and the API gateway until it is in the sockets of viewers, beside the same stream read plainly.

mod viewers;

use std::time::Duration;

use tarsy_e2e::{Gate, Stack, VENDOR};
use tarsy_testkit::Seen;

use crate::chunks::many_viewers;
use crate::output;
use crate::samples::Samples;
use crate::size::Size;
use crate::table::{Measure, Row};
use crate::turns;
use crate::vendor::{Load, Vendor, latencies, read_plainly};

/// The chain of the type `text`: its only agent has the vendor's model and no tools. YAML below `agent_chains`.
pub(crate) const CHAIN: &str = "  text:\n    alert_types: [text]\n    llm_provider: vendor\n    stages:\n      \
     - name: writing\n        agents:\n          - name: Ledger\n            mcp_servers: []\n";
const ALERT: &str = "The disk of db-1 is 97 % full since 02:10; nothing was deployed today.";
/// Twenty tokens a second is a model of ordinary speed.
const EVERY: Duration = Duration::from_millis(50);
/// How long the session may take to end after its text.
const TIMEOUT: Duration = Duration::from_secs(30);

const WHY: &str = "llm-service and the orchestrator join the tokens that come within 10 ms of the last message; \
    besides, six hops more: gRPC, NATS, and the sockets of relay and gateway";
const WHY_TAIL: &str = "five processes, the vendor and the viewers share the cores: a token waits until each had its turn";

pub(crate) async fn measure(
    stack: &Stack,
    vendor: &Vendor,
    size: Size,
) -> anyhow::Result<Vec<Row>> {
    let (rounds, tokens) = size.of((3, 80), (1, 5));
    turns::warm_up(stack, vendor, size).await?;
    let mut rows = Vec::new();
    for (viewers, goal) in [(1, "4 / 10 ms"), (size.of(100, 2), "6 / 15 ms")] {
        let load = Load { streams: viewers, tokens, every: EVERY };
        let many = many_viewers(viewers);
        let (mut plain, mut product) = (Samples::default(), Samples::default());
        // The two sides take turns, so that a busy moment of the machine hits both.
        for round in 1..=rounds {
            output::step(&format!("a model's text to {many}, round {round} of {rounds}"));
            plain.absorb(latencies(read_plainly(vendor, load).await?));
            product.absorb(investigate(stack, vendor, load).await?);
        }
        rows.push(Row {
            path: format!("text: model's token → socket of {many}, 20 tokens / s (goal {goal})"),
            product: Measure::Latency(product),
            raw: Some(("the vendor's stream, read plainly", Measure::Latency(plain))),
            why: WHY.to_owned(),
            why_tail: WHY_TAIL.to_owned(),
        });
    }
    Ok(rows)
}

/// A session whose text begins when every viewer is there.
async fn investigate(stack: &Stack, vendor: &Vendor, load: Load) -> anyhow::Result<Samples> {
    let gate = Gate::default();
    // As the configuration of the stack names the model of its vendor.
    let script = vendor.script_of(format!("gpt-{VENDOR}"), load, gate.clone());
    let session = stack.submit("text", ALERT).await?;
    let viewers = viewers::subscribe(&stack.socket(), &session, load.streams).await?;
    gate.open();
    let samples = viewers::read(viewers, &script).await?;
    stack
        .wait_until("the session of the text is over", TIMEOUT, async |stack| {
            let row = stack.get(&format!("/api/v1/sessions/{session}/status")).await?;
            Ok(Seen::equal(row.get("status"), Some(&"completed".into())))
        })
        .await?;
    Ok(samples)
}
