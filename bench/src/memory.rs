//! What each service takes while it does nothing.

use std::time::Duration;

use tarsy_e2e::Stack;

use crate::size::Size;
use crate::table::{Measure, Row};
use crate::{facts, output};

/// What a start leaves behind is over by then.
const IDLE: Duration = Duration::from_secs(5);

pub(crate) async fn measure(stack: &Stack, size: Size) -> anyhow::Result<Vec<Row>> {
    output::step("idle memory");
    tokio::time::sleep(size.of(IDLE, Duration::ZERO)).await;
    stack
        .pids()
        .into_iter()
        .chain(stack.workers())
        .map(|(name, pid)| {
            Ok(Row::alone(
                format!("idle memory (RSS): {name}"),
                Measure::Memory(facts::field(&format!("/proc/{pid}/status"), "VmRSS:")?),
            ))
        })
        .collect()
}
