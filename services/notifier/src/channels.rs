//! The channels. A new one is a file here, its line in [`open`], and its settings in `tarsy-catalog`.

mod email;
mod googlechat;
mod jira;
mod matrix;
mod mattermost;
mod pagerduty;
mod slack;
mod teams;
mod webhook;

pub use webhook::schema as webhook_schema;

use tarsy_catalog::Target;
use tarsy_domain::messenger::Messenger;

use crate::channel::{Channel, ChannelContext};

/// Opens the channel of a destination; connects to nothing yet.
pub(crate) fn open(
    target: &Target,
    context: &ChannelContext<'_>,
) -> anyhow::Result<Box<dyn Channel>> {
    Ok(match target {
        Target::Slack(slack) => Box::new(slack::open(slack, context)?),
        Target::Webhook(webhook) => Box::new(webhook::open(webhook, context)?),
        Target::Teams(teams) => Box::new(teams::open(teams, context)?),
        Target::Mattermost(mattermost) => Box::new(mattermost::open(mattermost, context)?),
        Target::Matrix(matrix) => Box::new(matrix::open(matrix, context)?),
        Target::GoogleChat(chat) => Box::new(googlechat::open(chat, context)?),
        Target::Email(email) => Box::new(email::open(email, context)?),
        Target::PagerDuty(pagerduty) => Box::new(pagerduty::open(pagerduty, context)?),
        Target::Jira(jira) => Box::new(jira::open(jira, context)?),
    })
}

/// Opens the threads of a messenger's commands, if the configuration has commands there; connects to nothing yet. Teams has a
/// destination of its own.
pub(crate) fn open_threads(
    messenger: Messenger,
    context: &ChannelContext<'_>,
) -> anyhow::Result<Option<Box<dyn Channel>>> {
    Ok(match messenger {
        Messenger::Slack if context.slack.commands => Some(Box::new(slack::open_threads(context)?)),
        Messenger::Mattermost => match context.mattermost {
            Some(mattermost) => Some(Box::new(mattermost::open_threads(mattermost, context)?)),
            None => None,
        },
        Messenger::Slack | Messenger::Teams => None,
    })
}
