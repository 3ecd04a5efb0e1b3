//! The sections `system.mattermost` and `system.teams` of `tarsy.yaml`: commands that people give there.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tarsy_domain::access::Role;

use crate::check::Check;
use crate::path::Path;
use crate::rule::{As, Each, NotBlank, RoleName, TokenAddress, VariableName};

/// A person of a messenger as TARSy knows them.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ListedUser {
    /// The name that TARSy shows
    #[serde(with = "As::<NotBlank>")]
    pub name: String,
    /// The role; to begin, ask and approve takes `responder`
    #[serde(with = "As::<RoleName>")]
    pub role: Role,
}

/// Commands in Mattermost, by an outgoing webhook or a slash command.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MattermostCommands {
    /// https; the address of the server
    #[serde(with = "As::<TokenAddress>")]
    pub url: String,
    /// Variable with the bot's token, for notifier and api-gateway
    #[serde(with = "As::<VariableName>")]
    pub token_env: String,
    /// Variables with the tokens of webhooks and slash commands, for api-gateway
    #[serde(with = "Each::<VariableName, 1>")]
    pub command_token_envs: Vec<String>,
    /// Ids of teams whose commands are accepted
    #[serde(default, with = "Each::<NotBlank>")]
    #[schemars(extend("x-default" = "any"))]
    pub workspaces: Vec<String>,
    /// Who may give commands, by user id in Mattermost
    #[serde(default)]
    pub users: BTreeMap<String, ListedUser>,
}

/// Commands in Microsoft Teams, by an outgoing webhook.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TeamsCommands {
    /// Variables with the tokens of outgoing webhooks, one of each team, for api-gateway
    #[serde(with = "Each::<VariableName, 1>")]
    pub token_envs: Vec<String>,
    /// A destination of type `teams`, for results and answers
    #[serde(with = "As::<NotBlank>")]
    pub destination: String,
    /// Ids of tenants whose commands are accepted
    #[serde(default, with = "Each::<NotBlank>")]
    #[schemars(extend("x-default" = "any"))]
    pub workspaces: Vec<String>,
    /// Who may give commands, by object id in Entra
    #[serde(default)]
    pub users: BTreeMap<String, ListedUser>,
}

impl MattermostCommands {
    pub(crate) fn check(&self, at: &Path, check: &mut Check<'_>) {
        let variable = &self.token_env;
        if check.env.checks_slack_token() && !variable.is_empty() && !check.env.has(variable) {
            let message = format!("the variable {variable} is not set");
            let suggestion = format!("set {variable} to the bot's token, or remove the section");
            check.problem(&at.key("token_env"), message, suggestion);
        }
        let is_id =
            |id: &str| id.len() == 26 && id.bytes().all(|byte| byte.is_ascii_alphanumeric());
        let suggestion = "write the id of 26 letters and digits that the profile of the user has in the system console, not a name";
        check_users(&self.users, (is_id, suggestion), at, check);
    }
}

impl TeamsCommands {
    pub(crate) fn check(&self, at: &Path, check: &mut Check<'_>) {
        let is_id = |id: &str| {
            id.len() == 36 && id.bytes().all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        };
        let suggestion = "write the object id that the user has in Entra, not a name or an address";
        check_users(&self.users, (is_id, suggestion), at, check);
    }
}

fn check_users(
    users: &BTreeMap<String, ListedUser>,
    (is_id, suggestion): (fn(&str) -> bool, &str),
    at: &Path,
    check: &mut Check<'_>,
) {
    let at = at.key("users");
    for id in users.keys().filter(|id| !is_id(id)) {
        check.problem(&at.key(id), format!("\"{id}\" is not the id of a user"), suggestion);
    }
    if users.is_empty() {
        check.warning(&at, "nobody may give a command", suggestion);
    }
}
