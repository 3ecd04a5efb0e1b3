//! What a channel does: it renders a notification and sends it. When and how often is the dispatcher's.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use async_trait::async_trait;
use jiff::Timestamp;
use secrecy::SecretString;
use tarsy_catalog::{CallMasks, Env, Intake, MattermostCommands, Slack, TeamsCommands};
use tarsy_store::Notification;
use uuid::Uuid;

use crate::report::Report;
pub(crate) use crate::reported::{reported_status, session_page};

/// What channels are opened with.
pub(crate) struct ChannelContext<'a> {
    pub(crate) dashboard_url: &'a str,
    pub(crate) env: &'a Env,
    /// Whose app has buttons, and who may use them.
    pub(crate) slack: &'a Slack,
    pub(crate) mattermost: Option<&'a MattermostCommands>,
    pub(crate) teams: Option<&'a TeamsCommands>,
    pub(crate) masks: Arc<CallMasks>,
    pub(crate) intake: &'a Intake,
}

impl ChannelContext<'_> {
    /// The secret in an environment variable; an empty one is an error.
    pub(crate) fn secret(&self, variable: &str) -> anyhow::Result<SecretString> {
        let value = self.env.get(variable).map(|value| value.trim().to_owned());
        let value = value.filter(|value| !value.is_empty());
        value.map(SecretString::from).with_context(|| format!("{variable} is not set"))
    }
}

/// Which starts a channel reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Starts {
    All,
    /// Only those of alerts with a fingerprint: the report is a reply to the alert's own message.
    Threaded,
}

/// What a channel does with tool calls that wait for approval, and with reviews.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Approvals {
    /// What becomes of them changes messages that were sent, as reviews do.
    Reported,
    /// The request is sent, with a link.
    Announced,
    Ignored,
}

/// A message that is about no session.
pub(crate) struct Letter {
    /// The same when it is sent again.
    pub(crate) id: Uuid,
    pub(crate) report: Report,
    /// When an earlier attempt may have sent it.
    pub(crate) attempted_at: Option<Timestamp>,
}

/// A service that notifications are sent to.
#[async_trait]
pub(crate) trait Channel: Send + Sync {
    fn starts(&self) -> Starts {
        Starts::All
    }

    fn approvals(&self) -> Approvals {
        Approvals::Announced
    }

    /// The id of the message that an earlier attempt sent, whose answer was lost. None also where the
    /// channel cannot be searched: then a message may be sent twice.
    async fn find_sent(&self, _: &Notification) -> Result<Option<String>, SendError> {
        Ok(None)
    }

    /// The thread that the notification belongs to; none sends it outside of threads.
    async fn find_thread(&self, _: &Notification) -> Result<Option<String>, SendError> {
        Ok(None)
    }

    /// Sends a message that is about no session, unless an earlier attempt is found to have done so.
    async fn send_letter(&self, _: &Letter) -> Result<Option<String>, SendError> {
        Err(SendError::Inapplicable("it takes messages about sessions alone"))
    }

    /// Sends the notification and returns the message's id in the channel, if it has one.
    async fn send(
        &self,
        notification: &Notification,
        thread: Option<&str>,
    ) -> Result<Option<String>, SendError>;
}

/// Why a notification was not sent. The texts are for operators and carry neither addresses nor
/// secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SendError {
    /// Too many requests.
    RateLimited { retry_after: Duration },
    /// A later attempt may succeed.
    Transient(String),
    /// The request may have been received and may still be carried out.
    Unanswered(String),
    /// The thread takes no replies, and nothing was posted there.
    ThreadClosed(String),
    /// The message itself is refused; another attempt would be, too.
    Permanent(String),
    /// The destination has nothing that the notification belongs to, such as an incident; it is skipped.
    Inapplicable(&'static str),
}

/// The last line of a text in which an earlier attempt is recognized, where a service has no better place for an id.
pub(crate) fn marker(notification: &Notification) -> String {
    format!("TARSy notification {}", notification.mark())
}
