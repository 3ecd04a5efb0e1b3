//! The rules for notifications.

use url::{Host, Url};

use super::Checker;
use crate::convert::SLACK_TOKEN_ENV;
use crate::file::{DestinationFile, DestinationKind, NotificationsFile};
use crate::notifications::SIMPLE_SLACK;
use crate::path::Path;

/// The most characters of a destination's name.
const LONGEST_NAME: usize = 64;

impl Checker<'_> {
    /// With `simple`, `system.slack` is a destination, too.
    pub(super) fn notifications(&mut self, file: &NotificationsFile, simple: bool) {
        for (name, destination) in file.destinations.iter().flatten() {
            let at = Path::of(["notifications", "destinations", name]);
            if !well_named(name) {
                let fix = "use small letters, digits, `_` and `-`, at most 64 of them";
                self.problem(&at, format!("\"{name}\" cannot be a destination's name"), fix);
            }
            if simple && name == SIMPLE_SLACK {
                let fix = "choose another name, or write system.slack.enabled: false";
                self.problem(&at, "is the name of the destination of system.slack", fix);
            }
            self.destination(&at, destination);
        }
    }

    fn destination(&mut self, at: &Path, destination: &DestinationFile) {
        let names = self.names;
        let known: Vec<&str> = names.alert_types.keys().copied().collect();
        for (index, alert_type) in destination.alert_types.iter().flatten().enumerate() {
            let path = at.key("alert_types").index(index);
            self.reference(&path, "alert type", Some(alert_type), &known);
        }
        match destination.kind {
            Some(DestinationKind::Slack) => self.slack_destination(at, destination),
            Some(DestinationKind::Webhook) => self.webhook(at, destination),
            None => {}
        }
    }

    fn slack_destination(&mut self, at: &Path, destination: &DestinationFile) {
        if destination.channel.as_deref().is_none_or(|channel| channel.trim().is_empty()) {
            let fix = "add the channel's id, such as `channel: C0123456789`";
            self.problem(&at.key("channel"), "is missing for a destination of type slack", fix);
        }
        if let Some(url) = &destination.api_url {
            self.slack_api(&at.key("api_url"), url);
        }
        let variable = destination.token_env.as_deref().unwrap_or(SLACK_TOKEN_ENV);
        self.secret(at, "token_env", destination.token_env.as_deref(), variable);
        let foreign =
            [("url", destination.url.is_some()), ("secret_env", destination.secret_env.is_some())];
        self.no_meaning(at, &foreign, "slack", "webhook");
    }

    fn webhook(&mut self, at: &Path, destination: &DestinationFile) {
        if let Some(url) = &destination.url {
            self.http_url(&at.key("url"), url);
        } else {
            let fix = "add `url:` with the address that takes the requests";
            self.problem(&at.key("url"), "is missing for a destination of type webhook", fix);
        }
        if let Some(variable) = destination.secret_env.as_deref() {
            self.secret(at, "secret_env", Some(variable), variable);
        } else {
            let fix = "add `secret_env:` with the name of the variable that holds the secret";
            let path = at.key("secret_env");
            self.problem(&path, "is missing for a destination of type webhook", fix);
        }
        let foreign = [
            ("channel", destination.channel.is_some()),
            ("token_env", destination.token_env.is_some()),
            ("api_url", destination.api_url.is_some()),
        ];
        self.no_meaning(at, &foreign, "webhook", "slack");
    }

    fn secret(&mut self, at: &Path, key: &str, written: Option<&str>, variable: &str) {
        self.variable(&at.key(key), written);
        if self.env.checks_slack_token() && !self.env.has(variable) {
            let fix = format!("set {variable}, or remove the destination");
            self.problem(&at.key(key), format!("the variable {variable} is not set"), fix);
        }
    }

    fn no_meaning(&mut self, at: &Path, keys: &[(&str, bool)], word: &str, other: &str) {
        for (key, _) in keys.iter().filter(|(_, set)| *set) {
            let message = format!("has no meaning for a destination of type {word}");
            self.problem(&at.key(key), message, format!("remove it, or write `type: {other}`"));
        }
    }

    /// The address of Slack's API gets the token, so it is https, unless it is this machine.
    pub(super) fn slack_api(&mut self, path: &Path, text: &str) {
        let Some(host) = self.http_url(path, text) else { return };
        let local = match Host::parse(&host) {
            Ok(Host::Ipv4(address)) => address.is_loopback(),
            Ok(Host::Ipv6(address)) => address.is_loopback(),
            _ => host == "localhost",
        };
        if !local && !Url::parse(text).is_ok_and(|url| url.scheme() == "https") {
            self.problem(path, "would send the token unencrypted", "write https://");
        }
    }
}

fn well_named(name: &str) -> bool {
    !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b"_-".contains(&b))
}
