//! Measures the product beside the raw primitive that each path stands on, in one run, and prints
//! one table. The numbers are this machine's at this moment; what can be compared is the ratio.

mod calls;
mod chunks;
mod claims;
mod events;
mod facts;
mod intake;
mod lists;
mod masking;
mod memory;
mod output;
mod samples;
mod sessions;
mod table;
mod turns;
mod unfinished;

use std::time::Duration;

use anyhow::Context as _;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tarsy_e2e::{Llm, Stack, StackOptions};

use crate::table::Row;
use crate::turns::Vendor;

/// What is measured, in this order.
const PARTS: [&str; 10] = [
    "memory", "chunks", "viewers", "claims", "intake", "events", "calls", "turns", "sessions",
    "masking",
];
/// Longer than this the bench takes on no machine.
const LIMIT: Duration = Duration::from_mins(10);

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let only = std::env::args().nth(1);
    anyhow::ensure!(
        only.as_deref().is_none_or(|part| PARTS.contains(&part) || part == "lists"),
        "name one of {} or lists to measure it alone",
        PARTS.join(", ")
    );
    // It takes minutes and gigabytes, so it is no part of the whole.
    if only.as_deref() == Some("lists") {
        output::answer(&facts::machine()?);
        return lists::measure(std::env::args().nth(2), std::env::args().nth(3)).await;
    }
    // Masking needs no service: `tarsy-bench masking` measures it alone.
    if only.as_deref() == Some("masking") {
        output::answer(&facts::machine()?);
        output::answer(&table::draw(&masking::measure()?));
        return Ok(());
    }
    // Whatever ends first: leaving the block ends every process of the stack.
    let rows = tokio::select! {
        rows = tokio::time::timeout(LIMIT, Box::pin(measure(only))) => {
            rows.with_context(|| format!("the bench was not over after {LIMIT:?}"))??
        }
        _ = tokio::signal::ctrl_c() => anyhow::bail!("stopped"),
    };
    output::answer(&table::draw(&rows));
    Ok(())
}

async fn measure(only: Option<String>) -> anyhow::Result<Vec<Row>> {
    let machine = facts::machine()?;
    raise_descriptors()?;
    // It has a stack of its own, with a scripted model.
    if only.as_deref() == Some("sessions") {
        output::answer(&machine);
        return sessions::measure().await;
    }
    output::step("starting the product: every service a process, PostgreSQL and NATS with fsync");
    let vendor = Vendor::start().await?;
    let options = StackOptions {
        llm: Llm::Offline(0),
        workers: 8,
        llm_workers: None,
        durable: true,
        intake: intake::SOURCES,
        vendor: Some(vendor.url()),
        ..StackOptions::default()
    };
    let stack = Box::pin(Stack::start(options)).await?;
    output::answer(&format!("{machine}\n{}", facts::disk(stack.path("")).await?));

    let wanted = |part: &str| only.as_deref().is_none_or(|only| only == part);
    let mut rows = Vec::new();
    let mut idle = Vec::new();
    if wanted("memory") {
        idle = memory::measure(&stack).await?;
    }
    if wanted("chunks") {
        rows.extend(chunks::measure(&stack).await?);
    }
    if wanted("viewers") {
        rows.extend(chunks::measure_full_load(&stack).await?);
    }
    if wanted("claims") {
        rows.push(claims::measure(&stack).await?);
    }
    if wanted("intake") {
        rows.push(intake::measure(&stack).await?);
    }
    if wanted("events") {
        rows.extend(events::measure(&stack).await?);
    }
    if wanted("calls") {
        rows.extend(calls::measure(&stack).await?);
    }
    if wanted("turns") {
        rows.extend(turns::measure(&stack, vendor).await?);
    }
    rows.extend(idle);
    drop(stack);
    if wanted("sessions") {
        rows.extend(sessions::measure().await?);
    }
    if wanted("masking") {
        rows.extend(tokio::task::spawn_blocking(masking::measure).await??);
    }
    Ok(rows)
}

/// Each viewer has a connection of its own.
fn raise_descriptors() -> anyhow::Result<()> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)
        .context("could not raise the limit of descriptors")
}
