//! Who is told of sessions.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

/// The name of the destination that `system.slack` stands for.
pub const SIMPLE_SLACK: &str = "slack";

/// A moment in the life of a session.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Moment {
    /// An orchestrator began to work on it.
    Started,
    /// It ended well.
    Completed,
    /// It failed.
    Failed,
    /// It ran out of time.
    TimedOut,
    /// A person stopped it.
    Cancelled,
}

/// One that is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// Its name.
    pub name: String,
    /// The alert types that it is told of; empty is all.
    pub alert_types: Vec<String>,
    /// What it is told of; empty is all.
    pub moments: Vec<Moment>,
    /// Where and how.
    pub target: Target,
}

/// Where and how a destination is told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A channel of Slack.
    Slack(SlackTarget),
    /// A signed HTTP request.
    Webhook {
        /// Where it goes.
        url: Url,
        /// The variable that holds the secret.
        secret_env: String,
    },
}

/// A channel of Slack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlackTarget {
    /// The channel's id.
    pub channel: String,
    /// The variable that holds the bot's token.
    pub token_env: String,
    /// The address of Slack's API, without a slash at its end.
    pub api_url: String,
}

impl Destination {
    /// Whether it is told when a session of this alert type comes to this moment.
    pub fn wants(&self, alert_type: Option<&str>, moment: Moment) -> bool {
        let of_type = self.alert_types.is_empty()
            || alert_type.is_some_and(|given| self.alert_types.iter().any(|one| one == given));
        of_type && (self.moments.is_empty() || self.moments.contains(&moment))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_is_told_of_what_it_names_and_without_names_of_all() {
        let mut destination = Destination {
            name: "pager".to_owned(),
            alert_types: Vec::new(),
            moments: Vec::new(),
            target: Target::Webhook {
                url: "https://pager.example".parse().unwrap(),
                secret_env: "PAGER_SECRET".to_owned(),
            },
        };
        assert!(destination.wants(None, Moment::Started));
        destination.alert_types = vec!["host".to_owned()];
        assert!(destination.wants(Some("host"), Moment::Failed));
        assert!(!destination.wants(Some("kubernetes"), Moment::Failed));
        assert!(!destination.wants(None, Moment::Failed));
        destination.moments = vec![Moment::Failed, Moment::TimedOut];
        assert!(destination.wants(Some("host"), Moment::TimedOut));
        assert!(!destination.wants(Some("host"), Moment::Completed));
    }
}
