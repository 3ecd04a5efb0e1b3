//! Where notifications of sessions go.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

/// The name of the destination that `system.slack` stands for.
pub const SIMPLE_SLACK: &str = "slack";

/// A status of a session that notifications report.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum NotificationStatus {
    /// An orchestrator started it.
    Started,
    /// It completed.
    Completed,
    /// It failed.
    Failed,
    /// It ran out of time.
    TimedOut,
    /// A user cancelled it.
    Cancelled,
}

/// A receiver of notifications.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// Its name.
    pub name: String,
    /// The alert types that it is notified of; empty is all.
    pub alert_types: Vec<String>,
    /// What it is notified of; empty is all.
    pub statuses: Vec<NotificationStatus>,
    /// Where and how.
    pub target: Target,
}

/// Where and how a destination is notified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A channel of Slack.
    Slack(SlackTarget),
    /// A signed HTTP request.
    Webhook(WebhookTarget),
}

/// The receiver of signed HTTP requests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WebhookTarget {
    /// Where the requests go.
    pub url: Url,
    /// The variable that holds the secret which signs them.
    pub secret_env: String,
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
    /// Whether it is notified when a session of this alert type reaches this status.
    pub fn subscribes_to(&self, alert_type: Option<&str>, status: NotificationStatus) -> bool {
        let of_type = self.alert_types.is_empty()
            || alert_type.is_some_and(|given| self.alert_types.iter().any(|one| one == given));
        of_type && (self.statuses.is_empty() || self.statuses.contains(&status))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_destination_is_notified_of_what_it_names_and_without_names_of_all() {
        let mut destination = Destination {
            name: "pager".to_owned(),
            alert_types: Vec::new(),
            statuses: Vec::new(),
            target: Target::Webhook(WebhookTarget {
                url: "https://pager.example".parse().unwrap(),
                secret_env: "PAGER_SECRET".to_owned(),
            }),
        };
        assert!(destination.subscribes_to(None, NotificationStatus::Started));
        destination.alert_types = vec!["host".to_owned()];
        assert!(destination.subscribes_to(Some("host"), NotificationStatus::Failed));
        assert!(!destination.subscribes_to(Some("kubernetes"), NotificationStatus::Failed));
        assert!(!destination.subscribes_to(None, NotificationStatus::Failed));
        destination.statuses = vec![NotificationStatus::Failed, NotificationStatus::TimedOut];
        assert!(destination.subscribes_to(Some("host"), NotificationStatus::TimedOut));
        assert!(!destination.subscribes_to(Some("host"), NotificationStatus::Completed));
    }
}
