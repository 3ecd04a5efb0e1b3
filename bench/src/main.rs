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
mod pages;
mod part;
mod processes;
mod product;
mod report;
mod samples;
mod session;
mod sessions;
mod size;
mod table;
mod text;
mod turns;
mod unfinished;
mod vendor;

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::time::{Instant, timeout};

use crate::part::Part;
use crate::product::Product;
use crate::report::Report;
use crate::size::Size;
use crate::table::Row;

// That of `tarsy`, so that what is measured in this process is measured as it runs there.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// When the last part is stopped, so that the bench ends within ten minutes: half a minute is enough for the end of its
/// processes.
const LIMIT: Duration = Duration::from_secs(570);
/// Longer than any part takes whose waits come to their ends; what hangs leaves the others most of [`LIMIT`].
const PART_LIMIT: Duration = Duration::from_mins(3);

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let mut arguments = std::env::args().skip(1).peekable();
    if arguments.next_if(|argument| argument == "--help" || argument == "-h").is_some() {
        output::answer(&part::usage());
        return Ok(ExitCode::SUCCESS);
    }
    let tiny = arguments.next_if(|argument| argument == "--tiny").is_some();
    let size = if tiny { Size::Tiny } else { Size::Whole };
    // It takes minutes and gigabytes, so it is no part of the whole.
    if arguments.next_if(|argument| argument == "lists").is_some() {
        output::answer(&facts::machine()?);
        lists::measure(arguments.next(), arguments.next()).await?;
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.next_if(|argument| argument == "stored").is_some() {
        output::answer(&facts::machine()?);
        raise_descriptors()?;
        let mut report = Report::default();
        Box::pin(sessions::measure_stored(arguments.next(), &mut report)).await;
        output::answer(&report.text());
        return Ok(if report.is_whole() { ExitCode::SUCCESS } else { ExitCode::FAILURE });
    }
    let names: Vec<String> = arguments.collect();
    let parts = Part::named(&names)?;
    output::answer(&facts::machine()?);
    raise_descriptors()?;
    let mut report = Report::default();
    // Whatever ends first: leaving the block ends every process of the product.
    tokio::select! {
        () = Box::pin(measure(&parts, size, &mut report)) => {}
        _ = tokio::signal::ctrl_c() => report.add("the run", Err(anyhow::anyhow!("stopped"))),
    }
    output::answer(&report.text());
    Ok(if report.is_whole() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Measures one part after the other. One that fails may leave anything behind: the next has a new product.
async fn measure(parts: &[Part], size: Size, report: &mut Report) {
    let deadline = Instant::now() + LIMIT;
    let mut product = None;
    for part in parts {
        let measured = Box::pin(measure_part(*part, size, &mut product, deadline)).await;
        if measured.is_err() {
            product = None;
        }
        report.add(part.name(), measured);
    }
}

async fn measure_part(
    part: Part,
    size: Size,
    product: &mut Option<Product>,
    deadline: Instant,
) -> anyhow::Result<Vec<Row>> {
    match part {
        Part::Session => {
            *product = None;
            within(PART_LIMIT, deadline, Box::pin(session::measure(size))).await
        }
        Part::Sessions => {
            // It has a stack of its own, and the machine to itself.
            *product = None;
            within(PART_LIMIT, deadline, Box::pin(sessions::measure(size))).await
        }
        Part::Pages => {
            *product = None;
            within(PART_LIMIT, deadline, Box::pin(pages::measure(size))).await
        }
        Part::Masking => {
            let measuring =
                async { tokio::task::spawn_blocking(move || masking::measure(size)).await? };
            within(PART_LIMIT, deadline, measuring).await
        }
        part => {
            let product = match product {
                Some(product) => product,
                None => {
                    product.insert(within(LIMIT, deadline, Box::pin(Product::start(size))).await?)
                }
            };
            within(PART_LIMIT, deadline, Box::pin(product.measure(part, size))).await
        }
    }
}

/// The result of some work, unless it takes longer than the limit, or than the whole bench may.
async fn within<T>(
    limit: Duration,
    deadline: Instant,
    work: impl Future<Output = anyhow::Result<T>>,
) -> anyhow::Result<T> {
    let limit = limit.min(deadline.saturating_duration_since(Instant::now()));
    anyhow::ensure!(!limit.is_zero(), "the bench was stopped after {LIMIT:?}, before this part");
    let Ok(result) = timeout(limit, work).await else {
        let step = output::last_step();
        anyhow::bail!("waited {limit:.1?} in vain until it was over; last seen: {step}")
    };
    result
}

/// Each viewer has a connection of its own.
fn raise_descriptors() -> anyhow::Result<()> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard)
        .context("could not raise the limit of descriptors")
}
