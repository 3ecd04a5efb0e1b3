//! The product that most parts share: every service a process, PostgreSQL and NATS with fsync.

use tarsy_e2e::{Llm, Stack, StackOptions};

use crate::part::Part;
use crate::size::Size;
use crate::table::Row;
use crate::vendor::Vendor;
use crate::{calls, chunks, claims, events, facts, intake, memory, output, text, turns};

/// Dropping it ends every process.
pub(crate) struct Product {
    stack: Stack,
    vendor: Vendor,
}

impl Product {
    pub(crate) async fn start(size: Size) -> anyhow::Result<Self> {
        output::step(
            "starting the product: every service a process, PostgreSQL and NATS with fsync",
        );
        let vendor = Vendor::start().await?;
        let options = StackOptions {
            llm: Llm::Offline(0),
            workers: 8,
            llm_workers: size.of(None, Some(1)),
            durable: true,
            intake: intake::SOURCES,
            chains: text::CHAIN,
            vendor: Some(vendor.url()),
            ..StackOptions::default()
        };
        let stack = Box::pin(Stack::start(options)).await?;
        output::answer(&facts::disk(stack.path("")).await?);
        Ok(Self { stack, vendor })
    }

    /// The rows of a part; none of one that does not use the shared product.
    pub(crate) async fn measure(&self, part: Part, size: Size) -> anyhow::Result<Vec<Row>> {
        let Self { stack, vendor } = self;
        match part {
            Part::Memory => memory::measure(stack, size).await,
            Part::Chunks => chunks::measure(stack, size).await,
            Part::Viewers => chunks::measure_full_load(stack, size).await,
            Part::Text => text::measure(stack, vendor, size).await,
            Part::Claims => Ok(vec![claims::measure(stack, size).await?]),
            Part::Intake => Ok(vec![intake::measure(stack, size).await?]),
            Part::Events => events::measure(stack, size).await,
            Part::Calls => calls::measure(stack, size).await,
            Part::Turns => turns::measure(stack, vendor, size).await,
            Part::Session | Part::Sessions | Part::Pages | Part::Masking => Ok(Vec::new()),
        }
    }
}
