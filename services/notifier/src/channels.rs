//! The channels. A new one is a file here, its line in [`open`], and its settings in `tarsy-catalog`.

mod slack;
mod webhook;

pub use webhook::schema as webhook_schema;

use tarsy_catalog::Target;

use crate::channel::{Channel, ChannelContext};

/// Opens the channel of a destination; connects to nothing yet.
pub(crate) fn open(
    target: &Target,
    context: &ChannelContext<'_>,
) -> anyhow::Result<Box<dyn Channel>> {
    Ok(match target {
        Target::Slack(slack) => Box::new(slack::open(slack, context)?),
        Target::Webhook(webhook) => Box::new(webhook::open(webhook, context)?),
    })
}
