//! The section `system.slack` of `tarsy.yaml`: a channel, and who may decide with buttons and give commands there.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;
use tarsy_domain::access::Permission;

use crate::check::Check;
use crate::messengers::ListedUser;
use crate::path::Path;
use crate::rule::{As, Each, NotBlank, TokenAddress, VariableName};

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
    /// Variable of api-gateway with the app-level token; with it, clicks and commands come over Socket Mode,
    /// see [commands.md](notifications/commands.md)
    #[serde(with = "As::<VariableName>")]
    pub app_token_env: Option<String>,
    /// Whether the listed users give commands; api-gateway then needs the bot's token, too
    pub commands: bool,
    /// Ids of workspaces whose commands are accepted, such as `T0123456789`
    #[serde(with = "Each::<NotBlank>")]
    #[schemars(extend("x-default" = "any"))]
    pub workspaces: Vec<String>,
    /// Who may use the buttons and give commands, by member id in Slack, such as `U0123456789`
    pub users: BTreeMap<String, ListedUser>,
}

impl Slack {
    pub(crate) fn check(&self, at: &Path, check: &mut Check<'_>) {
        self.check_users(&at.key("users"), check);
        self.check_commands(at, check);
        let has_channel = self.channel.as_deref().is_some_and(|channel| !channel.trim().is_empty());
        if self.enabled && !has_channel {
            let suggestion =
                "add the channel's id, such as `channel: C0123456789`, or write enabled: false";
            check.problem(&at.key("channel"), "is missing although Slack is enabled", suggestion);
        }
        if (self.enabled || self.commands) && check.env.checks_slack_token() {
            self.check_token(at, check);
        }
    }

    fn check_token(&self, at: &Path, check: &mut Check<'_>) {
        let (at, variable) = (at.key("token_env"), &self.token_env);
        let token = check.env.get(variable).unwrap_or_default();
        if token.trim().is_empty() {
            let (what, key) =
                if self.enabled { ("is", "enabled") } else { ("has commands", "commands") };
            let enabled = if self.enabled { " enabled" } else { "" };
            check.problem(
                &at,
                format!("the variable {variable} is not set although Slack {what}{enabled}"),
                format!("set {variable} to the bot's token, or write {key}: false"),
            );
        } else if token.trim().starts_with("xapp-") {
            let message = format!("{variable} is an app-level token (xapp-)");
            check.problem(&at, message, "set it to the Bot User OAuth Token (xoxb-)");
        }
    }

    fn check_commands(&self, at: &Path, check: &mut Check<'_>) {
        if let Some(variable) = &self.app_token_env
            && check.env.get(variable).is_some_and(|token| token.trim().starts_with("xoxb-"))
        {
            let message = format!("{variable} is a bot's token (xoxb-)");
            let suggestion =
                "set it to an app-level token (xapp-) with the scope connections:write";
            check.problem(&at.key("app_token_env"), message, suggestion);
        }
        if !self.commands {
            return;
        }
        if !self.receives() {
            let suggestion = "add signing_secret_env, or app_token_env for Socket Mode";
            check.problem(&at.key("commands"), "nothing that Slack sends is accepted", suggestion);
        }
        if self.users.is_empty() {
            let suggestion = "list who may give commands in users, by member id; the app needs the scopes app_mentions:read, \
                              im:history and chat:write, and the events app_mention and message.im";
            check.warning(&at.key("commands"), "nobody may give a command", suggestion);
        }
    }

    /// Whether Slack can send clicks and events: over HTTP, or over Socket Mode.
    pub const fn receives(&self) -> bool {
        self.signing_secret_env.is_some() || self.app_token_env.is_some()
    }

    fn check_users(&self, at: &Path, check: &mut Check<'_>) {
        for id in self.users.keys().filter(|id| !is_member_id(id)) {
            let suggestion = "write the id that the member's profile in Slack shows, such as U0123456789, not a name";
            check.problem(&at.key(id), format!("\"{id}\" is not a member id"), suggestion);
        }
        if !self.receives() && !self.users.is_empty() {
            let suggestion = "add signing_secret_env, or remove users";
            check.warning(at, "has no effect without signing_secret_env", suggestion);
        }
    }

    /// The names of those who may approve calls with buttons.
    pub fn approvers(&self) -> impl Iterator<Item = &str> {
        let may = |user: &&ListedUser| user.role.allows(Permission::ApproveCall);
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
    use tarsy_domain::access::Role;

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
        let user = |name: &str, role| ListedUser { name: name.to_owned(), role };
        let users = [("U1", user("vera", Role::Viewer)), ("U2", user("rosa", Role::Responder))];
        let users = users.into_iter().map(|(id, user)| (id.to_owned(), user)).collect();
        let slack = Slack { users, ..Slack::default() };
        assert_eq!(slack.approvers().collect::<Vec<_>>(), ["rosa"]);
    }
}
