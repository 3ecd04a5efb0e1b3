//! Destinations other than Slack and webhooks, one structure each.

use schemars::JsonSchema;
use serde::Deserialize;

use crate::check::Check;
use crate::path::Path;
use crate::rule::{As, Between, Each, HostName, NotBlank, TokenAddress, VariableName};

/// A channel of Microsoft Teams.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct TeamsTarget {
    /// The variable with the workflow's address, a secret
    #[serde(with = "As::<VariableName>")]
    pub url_env: String,
}

/// A channel of Mattermost.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct MattermostTarget {
    /// Address of the server, https
    #[serde(with = "As::<TokenAddress>")]
    pub url: String,
    /// The channel's id, 26 letters and digits
    #[serde(with = "As::<NotBlank>")]
    pub channel: String,
    /// The variable with the bot's token
    #[serde(with = "As::<VariableName>")]
    pub token_env: String,
}

/// A room of Matrix.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct MatrixTarget {
    /// Address of the homeserver, https
    #[serde(with = "As::<TokenAddress>")]
    pub url: String,
    /// The room's id, such as `!abc:example.com`, not an alias
    #[serde(with = "As::<NotBlank>")]
    pub room_id: String,
    /// The variable with the access token
    #[serde(with = "As::<VariableName>")]
    pub token_env: String,
}

/// A space of Google Chat.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct GoogleChatTarget {
    /// The variable with the webhook's address, a secret
    #[serde(with = "As::<VariableName>")]
    pub url_env: String,
}

/// How a connection to a mail server is encrypted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MailTls {
    /// Before anything is said; port 465.
    Implicit,
    /// By STARTTLS, which the server must offer; port 587.
    #[default]
    StartTls,
    /// Not at all, for a relay on this machine or in this pod; port 25.
    None,
}

/// Receivers of mail.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct EmailTarget {
    /// The name of the mail server
    #[serde(with = "As::<HostName>")]
    pub host: String,
    /// Its port
    #[serde(default, with = "As::<Between<1, 65_535>>")]
    #[schemars(extend("x-default" = "that of `tls`"))]
    pub port: Option<u32>,
    /// Encryption, at port 465, 587 or 25
    #[serde(default)]
    #[schemars(extend("x-default" = "`starttls`"))]
    pub tls: MailTls,
    /// The user, with `password_env`
    #[serde(default, with = "As::<NotBlank>")]
    pub user: Option<String>,
    /// The variable with the password
    #[serde(default, with = "As::<VariableName>")]
    pub password_env: Option<String>,
    /// The sender, such as `TARSy <tarsy@example.com>`
    #[serde(with = "As::<NotBlank>")]
    pub from: String,
    /// The receivers
    #[serde(with = "Each::<NotBlank, 1>")]
    pub to: Vec<String>,
}

/// The incidents of PagerDuty.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct PagerDutyTarget {
    /// The variable with the key of the REST API
    #[serde(with = "As::<VariableName>")]
    pub token_env: String,
    /// E-mail address of the user in whose name notes are written
    #[serde(with = "As::<NotBlank>")]
    pub from: String,
    /// Another address of the API, such as `https://api.eu.pagerduty.com`
    #[serde(default = "pagerduty_api", with = "As::<TokenAddress>")]
    pub api_url: String,
}

fn pagerduty_api() -> String {
    "https://api.pagerduty.com".to_owned()
}

/// The issues of Jira.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
pub struct JiraTarget {
    /// Address of the site, https
    #[serde(with = "As::<TokenAddress>")]
    pub url: String,
    /// Jira Cloud: e-mail address of the token's user; without it, Jira Data Center
    #[serde(default, with = "As::<NotBlank>")]
    pub user: Option<String>,
    /// The variable with the token
    #[serde(with = "As::<VariableName>")]
    pub token_env: String,
    /// The label of an alert that holds the key of its issue
    #[serde(default, with = "As::<NotBlank>")]
    pub issue_label: Option<String>,
    /// Search for an alert's issue; `{fingerprint}` and `{title}` are filled in as strings
    #[serde(default, with = "As::<NotBlank>")]
    pub jql: Option<String>,
    /// Project in which a missing issue is created; without it only existing ones get comments
    #[serde(default, with = "As::<NotBlank>")]
    pub project: Option<String>,
    /// The type of an issue that is created
    #[serde(default = "issue_type", with = "As::<NotBlank>")]
    pub issue_type: String,
}

fn issue_type() -> String {
    "Task".to_owned()
}

impl MattermostTarget {
    pub(super) fn check(&self, at: &Path, check: &mut Check<'_>) {
        let is_id = self.channel.len() == 26
            && self.channel.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
        if !self.channel.is_empty() && !is_id {
            let suggestion =
                "copy the id from the channel's menu, View Info: 26 small letters and digits";
            let message = format!("\"{}\" is not a channel's id", self.channel);
            check.problem(&at.key("channel"), message, suggestion);
        }
    }
}

impl MatrixTarget {
    pub(super) fn check(&self, at: &Path, check: &mut Check<'_>) {
        if !self.room_id.is_empty() && !self.room_id.starts_with('!') {
            let suggestion =
                "write the id of the room's settings, Advanced, such as !abc:example.com";
            let message = format!("\"{}\" is not a room's id", self.room_id);
            check.problem(&at.key("room_id"), message, suggestion);
        }
    }
}

impl EmailTarget {
    pub(super) fn check(&self, at: &Path, check: &mut Check<'_>) {
        match (&self.user, &self.password_env) {
            (Some(_), None) => {
                let suggestion = "add the name of the variable with the password";
                check.problem(&at.key("password_env"), "is missing beside user", suggestion);
            }
            (None, Some(_)) => {
                check.problem(&at.key("user"), "is missing beside password_env", "add the user");
            }
            (Some(_), Some(_)) if self.tls == MailTls::None && !is_local(&self.host) => {
                let suggestion = "write starttls or implicit, or remove user and password_env";
                check.problem(&at.key("tls"), "would send the password unencrypted", suggestion);
            }
            _ => {}
        }
        let senders = std::iter::once((at.key("from"), &self.from));
        let receivers = self.to.iter().enumerate();
        let receivers = receivers.map(|(index, to)| (at.key("to").index(index), to));
        for (at, address) in senders.chain(receivers) {
            if !address.is_empty() && !is_mailbox(address) {
                let suggestion =
                    "write one such as ops@example.com or `Operators <ops@example.com>`";
                check.problem(&at, format!("\"{address}\" is not an e-mail address"), suggestion);
            }
        }
    }
}

impl PagerDutyTarget {
    pub(super) fn check(&self, at: &Path, check: &mut Check<'_>) {
        if !self.from.is_empty() && !is_mailbox(&self.from) {
            let message = format!("\"{}\" is not an e-mail address", self.from);
            check.problem(&at.key("from"), message, "write that of a user of PagerDuty");
        }
    }
}

impl JiraTarget {
    pub(super) fn check(&self, at: &Path, check: &mut Check<'_>) {
        if self.issue_label.is_none() && self.jql.is_none() && self.project.is_none() {
            let suggestion =
                "add issue_label, jql or project, so that an issue is found or created";
            check.problem(at, "has no issues to comment on", suggestion);
        }
    }
}

fn is_local(host: &str) -> bool {
    matches!(host, "localhost" | "127.0.0.1" | "::1")
}

/// Whether a text is an address of mail, with or without a name; the notifier parses it whole.
fn is_mailbox(text: &str) -> bool {
    let address = match text.rsplit_once('<') {
        Some((_, rest)) => rest.strip_suffix('>').unwrap_or_default(),
        None => text,
    };
    let parts = address.rsplit_once('@');
    parts.is_some_and(|(local, domain)| {
        !local.is_empty() && !domain.is_empty() && !address.contains(char::is_whitespace)
    })
}
