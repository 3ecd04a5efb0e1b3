//! The section `system.slack` of `tarsy.yaml`: a channel, and who may decide with buttons there.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;
use tarsy_domain::access::{Permission, Role};

use crate::check::Check;
use crate::path::Path;
use crate::rule::{As, NotBlank, RoleName, TokenAddress, VariableName};

/// The variable with the token of Slack's bot where none is named.
pub(crate) const SLACK_TOKEN_ENV: &str = "SLACK_BOT_TOKEN";
/// The address of Slack's API.
pub(crate) const SLACK_API: &str = "https://slack.com/api";

/// One channel of Slack that is notified of every session.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Slack {
    /// Whether anything is posted
    pub enabled: bool,
    /// Variable with the bot's token
    #[default(SLACK_TOKEN_ENV.to_owned())]
    #[serde(with = "As::<VariableName>")]
    pub token_env: String,
    /// The channel's id; needed when enabled
    pub channel: Option<String>,
    /// Another address of Slack's API, https
    #[default(SLACK_API.to_owned())]
    #[serde(with = "As::<TokenAddress>")]
    pub api_url: String,
    /// Variable of api-gateway with the app's signing secret; with it, requests for approval have buttons, see *Approval in
    /// Slack*
    #[serde(with = "As::<VariableName>")]
    pub signing_secret_env: Option<String>,
    /// Who may use the buttons, by member id in Slack, such as `U0123456789`
    pub users: BTreeMap<String, SlackUser>,
}

/// A person of Slack as TARSy knows them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SlackUser {
    /// Name in decisions and the audit log
    #[serde(with = "As::<NotBlank>")]
    pub name: String,
    /// The person's role; approval takes `responder`
    #[serde(with = "As::<RoleName>")]
    pub role: Role,
}

impl Slack {
    pub(crate) fn check(&self, at: &Path, check: &mut Check<'_>) {
        self.check_users(&at.key("users"), check);
        if !self.enabled {
            return;
        }
        if self.channel.as_deref().is_none_or(|channel| channel.trim().is_empty()) {
            let suggestion =
                "add the channel's id, such as `channel: C0123456789`, or write enabled: false";
            check.problem(&at.key("channel"), "is missing although Slack is enabled", suggestion);
        }
        let variable = &self.token_env;
        if check.env.checks_slack_token() && !check.env.has(variable) {
            check.problem(
                &at.key("token_env"),
                format!("the variable {variable} is not set although Slack is enabled"),
                format!("set {variable} to the bot's token, or write enabled: false"),
            );
        }
    }

    fn check_users(&self, at: &Path, check: &mut Check<'_>) {
        for id in self.users.keys().filter(|id| !is_member_id(id)) {
            let suggestion = "write the id that the member's profile in Slack shows, such as U0123456789, not a name";
            check.problem(&at.key(id), format!("\"{id}\" is not a member id"), suggestion);
        }
        if self.signing_secret_env.is_none() && !self.users.is_empty() {
            let suggestion = "add signing_secret_env, or remove users";
            check.warning(at, "has no effect without signing_secret_env", suggestion);
        }
    }

    /// The names of those who may approve calls with buttons.
    pub fn approvers(&self) -> impl Iterator<Item = &str> {
        let may = |user: &&SlackUser| user.role.allows(Permission::ApproveCall);
        self.users.values().filter(may).map(|user| user.name.as_str())
    }
}

fn is_member_id(text: &str) -> bool {
    text.len() >= 2
        && text.starts_with(['U', 'W'])
        && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_id_is_not_a_name() {
        for id in ["U0123456789", "W0ABC"] {
            assert!(is_member_id(id), "{id}");
        }
        for text in ["", "U", "anna", "@anna", "C0123456789", "u0123456789"] {
            assert!(!is_member_id(text), "{text}");
        }
    }

    #[test]
    fn those_who_approve_are_responders_and_above() {
        let user = |name: &str, role| SlackUser { name: name.to_owned(), role };
        let users = [("U1", user("vera", Role::Viewer)), ("U2", user("rosa", Role::Responder))];
        let users = users.into_iter().map(|(id, user)| (id.to_owned(), user)).collect();
        let slack = Slack { users, ..Slack::default() };
        assert_eq!(slack.approvers().collect::<Vec<_>>(), ["rosa"]);
    }
}
