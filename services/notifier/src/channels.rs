//! Where notifications go, and what comes of a try.

mod http;
mod message;
pub(crate) mod slack;
mod slack_api;
pub(crate) mod webhook;

use std::time::Duration;

use anyhow::Context as _;
use secrecy::SecretString;
use tarsy_catalog::{Destination, Env, Target};
use tarsy_domain::clock::Clock;
use tarsy_store::{Notification, SendAttempt, Store};

use self::slack::Slack;
use self::webhook::Webhook;

/// What came of a try to send.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// It was sent, now or by an earlier try; its own name there.
    Sent(Option<String>),
    /// The destination asks for a rest.
    Busy {
        /// How long.
        pause: Duration,
        /// In words.
        error: String,
    },
    /// It may work later.
    Failed(String),
    /// It will never work.
    Refused(String),
    /// There is nothing to tell any more.
    Senseless,
    /// Another has it by now.
    Superseded,
}

impl Outcome {
    /// What comes of a try that is not to be made.
    fn instead(of: SendAttempt) -> Option<Self> {
        match of {
            SendAttempt::Allowed => None,
            SendAttempt::Superseded => Some(Self::Superseded),
            SendAttempt::Obsolete => Some(Self::Senseless),
        }
    }

    /// The word for a metric.
    pub(crate) const fn word(&self) -> &'static str {
        match self {
            Self::Sent(_) => "sent",
            Self::Busy { .. } => "busy",
            Self::Failed(_) => "failed",
            Self::Refused(_) => "refused",
            Self::Senseless => "senseless",
            Self::Superseded => "superseded",
        }
    }
}

/// Where notifications go.
#[derive(Debug)]
pub(crate) enum Channel {
    Slack(Slack),
    Webhook(Webhook),
}

impl Channel {
    /// Prepares a destination, with its secret.
    pub(crate) fn new(
        destination: &Destination,
        dashboard: &str,
        env: &Env,
    ) -> anyhow::Result<Self> {
        let secret = |variable: &str| {
            let value = env.get(variable).map(|value| value.trim().to_owned());
            let value = value.filter(|value| !value.is_empty());
            value.map(SecretString::from).with_context(|| format!("{variable} is not set"))
        };
        Ok(match &destination.target {
            Target::Slack(target) => {
                Self::Slack(Slack::new(target, secret(&target.token_env)?, dashboard)?)
            }
            Target::Webhook(target) => {
                let signing = secret(&target.secret_env)?;
                Self::Webhook(Webhook::new(target.url.clone(), signing, dashboard)?)
            }
        })
    }

    /// Tries to send.
    pub(crate) async fn deliver(
        &self,
        store: &Store,
        clock: &dyn Clock,
        note: &Notification,
    ) -> Outcome {
        let tried = match self {
            Self::Slack(slack) => slack.deliver(store, clock, note).await,
            Self::Webhook(webhook) => webhook.deliver(store, clock, note).await,
        };
        tried.unwrap_or_else(Outcome::from)
    }
}

/// Why a try failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Trouble {
    /// Too many requests; when to come back.
    Limited(Duration),
    /// It may pass.
    Passing(String),
    /// What was sent is refused as such.
    Lasting(String),
}

impl From<Trouble> for Outcome {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Limited(pause) => {
                Self::Busy { pause, error: "asked to come back later".to_owned() }
            }
            Trouble::Passing(error) => Self::Failed(error),
            Trouble::Lasting(error) => Self::Refused(error),
        }
    }
}

impl From<tarsy_store::Error> for Trouble {
    fn from(error: tarsy_store::Error) -> Self {
        Self::Passing(error.to_string())
    }
}

/// The page of a session.
fn page(dashboard: &str, note: &Notification) -> String {
    format!("{dashboard}/sessions/{}", note.session_id)
}
