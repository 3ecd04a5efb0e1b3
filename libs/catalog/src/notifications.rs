//! Where notifications of sessions go: the section `notifications` of `tarsy.yaml`.

mod target;
mod weekly;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use url::Url;

use crate::check::Check;
use crate::cron::is_time_zone;
use crate::path::Path;
use crate::rule::{
    AlertTypeName, As, Each, HttpUrl, NotBlank, TokenAddress, VariableName, at_least, is_short_name,
};
use crate::settings::System;
use crate::slack::{SLACK_API, SLACK_TOKEN_ENV, Slack};

pub use self::weekly::PreventionMessage;

pub use self::target::{
    EmailTarget, GoogleChatTarget, JiraTarget, MailTls, MatrixTarget, MattermostTarget,
    PagerDutyTarget, TeamsTarget,
};

/// The name of the destination that `system.slack` stands for.
pub const SIMPLE_SLACK: &str = "slack";

/// Where notifications of sessions go, beside `system.slack`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Notifications {
    /// Destinations by name
    pub(crate) destinations: BTreeMap<String, Destination>,
    /// The weekly message about what would prevent alerts.
    pub(crate) prevention: PreventionMessage,
}

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
    /// One of its tool calls waits for approval.
    Approval,
}

/// A receiver of notifications.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Destination {
    /// The key in the file.
    #[serde(skip)]
    pub name: String,
    /// Alert types that a chain serves
    #[serde(default, with = "Each::<AlertTypeName, 1>")]
    #[schemars(extend("x-default" = "all"))]
    pub alert_types: Vec<String>,
    /// What it is notified of. Slack is notified of a start only for alerts with a fingerprint; `approval`, a tool call
    /// that waits for approval, is not for webhooks, PagerDuty and Jira
    #[serde(default, deserialize_with = "at_least::<1, _, _>")]
    #[schemars(length(min = 1), extend("x-default" = "all"))]
    pub statuses: Vec<NotificationStatus>,
    /// Where and how it is notified.
    #[serde(rename = "*target")]
    #[schemars(flatten)]
    pub target: Target,
}

/// Where and how a destination is notified.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename = "destination", rename_all = "lowercase")]
#[schemars(tag = "type")]
pub enum Target {
    /// A channel of Slack.
    Slack(SlackTarget),
    /// A signed HTTP request.
    Webhook(WebhookTarget),
    /// A channel of Microsoft Teams.
    Teams(TeamsTarget),
    /// A channel of Mattermost.
    Mattermost(MattermostTarget),
    /// A room of Matrix.
    Matrix(MatrixTarget),
    /// A space of Google Chat.
    GoogleChat(GoogleChatTarget),
    /// Receivers of mail.
    Email(EmailTarget),
    /// Notes on incidents of PagerDuty.
    PagerDuty(PagerDutyTarget),
    /// Comments on issues of Jira.
    Jira(JiraTarget),
}

/// A channel of Slack.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct SlackTarget {
    /// The channel's id, such as `C0123456789`
    #[serde(with = "As::<NotBlank>")]
    pub channel: String,
    /// The variable with the bot's token
    #[serde(default = "slack_token_env", with = "As::<VariableName>")]
    pub token_env: String,
    /// Another address of Slack's API, https
    #[serde(default = "slack_api", with = "As::<TokenAddress>")]
    pub api_url: String,
}

fn slack_token_env() -> String {
    SLACK_TOKEN_ENV.to_owned()
}

fn slack_api() -> String {
    SLACK_API.to_owned()
}

/// The receiver of signed HTTP requests.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct WebhookTarget {
    /// Where requests go
    #[serde(with = "As::<HttpUrl>")]
    pub url: Url,
    /// The variable with the secret that signs requests
    #[serde(with = "As::<VariableName>")]
    pub secret_env: String,
}

impl Notifications {
    pub(crate) fn check(&self, system: &System, check: &mut Check<'_>) {
        self.check_answers(system, check);
        let slack = &system.slack;
        self.check_prevention(slack, check);
        for (name, destination) in &self.destinations {
            let at = Path::of(["notifications", "destinations", name]);
            if !is_short_name(name) {
                let suggestion = "use small letters, digits, `_` and `-`, at most 64 of them";
                let message = format!("\"{name}\" cannot be a destination's name");
                check.problem(&at, message, suggestion);
            }
            if slack.enabled && name == SIMPLE_SLACK {
                let suggestion = "choose another name, or write system.slack.enabled: false";
                check.problem(&at, "is the name of the destination of system.slack", suggestion);
            }
            destination.check(&at, check);
            let Some((key, variable)) = destination.target.secret() else { continue };
            // An empty name stands for one that was not written or is wrong.
            if check.env.checks_slack_token() && !variable.is_empty() && !check.env.has(variable) {
                let suggestion = format!("set {variable}, or remove the destination");
                let message = format!("the variable {variable} is not set");
                check.problem(&at.key(key), message, suggestion);
            }
        }
    }

    /// The weekly message goes to destinations that people read.
    fn check_prevention(&self, slack: &Slack, check: &mut Check<'_>) {
        let PreventionMessage { destinations, time_zone, .. } = &self.prevention;
        let at = Path::of(["notifications", "prevention"]);
        if !is_time_zone(time_zone) {
            let message = format!("\"{time_zone}\" is not a name of the IANA database");
            check.problem(&at.key("time_zone"), message, "write a name such as Europe/Berlin");
        }
        for name in destinations {
            let at = at.key("destinations");
            match self.destinations.get(name) {
                None if slack.enabled && name == SIMPLE_SLACK => {}
                None => {
                    let message = format!("\"{name}\" is no destination");
                    check.problem(&at, message, "add it to notifications.destinations");
                }
                Some(one) if !one.target.is_read_by_people() => {
                    let message = format!("\"{name}\" is sent messages about sessions alone");
                    check.problem(&at, message, "name a channel, or receivers of mail");
                }
                Some(_) => {}
            }
        }
    }

    /// Results of commands in Teams need a destination there.
    fn check_answers(&self, system: &System, check: &mut Check<'_>) {
        let Some(teams) = system.teams.as_ref().filter(|teams| !teams.destination.is_empty())
        else {
            return;
        };
        let named = self.destinations.get(&teams.destination);
        if !named.is_some_and(|named| matches!(named.target, Target::Teams(_))) {
            let message = format!("\"{}\" is no destination of type teams", teams.destination);
            let suggestion =
                "add it to notifications.destinations, with the workflow of the channel";
            check.problem(&Path::of(["system", "teams", "destination"]), message, suggestion);
        }
    }

    /// All destinations, that of `system.slack` first.
    pub(crate) fn all(self, slack: &Slack) -> Vec<Destination> {
        let simple = slack.channel.clone().filter(|_| slack.enabled).map(|channel| Destination {
            name: SIMPLE_SLACK.to_owned(),
            alert_types: Vec::new(),
            statuses: Vec::new(),
            target: Target::Slack(SlackTarget {
                channel,
                token_env: slack.token_env.clone(),
                api_url: slack.api_url.clone(),
            }),
        });
        let named = self.destinations.into_iter().map(|(name, one)| Destination { name, ..one });
        simple.into_iter().chain(named).collect()
    }
}

impl Target {
    /// Whether it takes a message that is about no session, and requests for approval.
    pub const fn is_read_by_people(&self) -> bool {
        match self {
            Self::Slack(_)
            | Self::Teams(_)
            | Self::Mattermost(_)
            | Self::Matrix(_)
            | Self::GoogleChat(_)
            | Self::Email(_) => true,
            Self::Webhook(_) | Self::PagerDuty(_) | Self::Jira(_) => false,
        }
    }

    /// The key that names the variable with its secret, and the variable; none for a mail server without a password.
    fn secret(&self) -> Option<(&'static str, &str)> {
        Some(match self {
            Self::Slack(target) => ("token_env", &target.token_env),
            Self::Webhook(target) => ("secret_env", &target.secret_env),
            Self::Teams(target) => ("url_env", &target.url_env),
            Self::Mattermost(target) => ("token_env", &target.token_env),
            Self::Matrix(target) => ("token_env", &target.token_env),
            Self::GoogleChat(target) => ("url_env", &target.url_env),
            Self::Email(target) => ("password_env", target.password_env.as_deref()?),
            Self::PagerDuty(target) => ("token_env", &target.token_env),
            Self::Jira(target) => ("token_env", &target.token_env),
        })
    }
}

impl Destination {
    fn check(&self, at: &Path, check: &mut Check<'_>) {
        if !self.target.is_read_by_people() && self.statuses.contains(&NotificationStatus::Approval)
        {
            let message =
                "webhooks, PagerDuty and Jira are not notified of calls that wait for approval";
            check.problem(
                &at.key("statuses"),
                message,
                "remove approval, or add another destination",
            );
        }
        match &self.target {
            Target::Mattermost(target) => target.check(at, check),
            Target::Matrix(target) => target.check(at, check),
            Target::Email(target) => target.check(at, check),
            Target::PagerDuty(target) => target.check(at, check),
            Target::Jira(target) => target.check(at, check),
            Target::Slack(_) | Target::Webhook(_) | Target::Teams(_) | Target::GoogleChat(_) => {}
        }
    }

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
