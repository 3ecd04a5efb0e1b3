//! The rules for queue, system and defaults.

use std::path::Path as FilePath;

use url::{Host, Url};

use super::Checker;
use crate::convert::{
    DEFAULT_ALERT_TYPE, HEARTBEAT_INTERVAL, ORPHAN_THRESHOLD, POLL_INTERVAL, POLL_INTERVAL_JITTER,
    SLACK_TOKEN_ENV,
};
use crate::file::{DefaultsFile, QueueFile, RunbooksFile, SlackFile, SystemFile, TarsyFile};
use crate::limits::ITERATION_TIMEOUT;
use crate::path::Path;

impl Checker<'_> {
    pub(super) fn settings(&mut self, file: &TarsyFile) {
        if let Some(queue) = &file.queue {
            self.queue(queue);
        }
        if let Some(system) = &file.system {
            self.system(system);
        }
        if let Some(defaults) = &file.defaults {
            self.defaults(defaults);
        }
        if let Some(notifications) = &file.notifications {
            let slack = file.system.as_ref().and_then(|system| system.slack.as_ref());
            let simple = slack.is_some_and(|slack| slack.enabled == Some(true));
            self.notifications(notifications, simple);
        }
    }

    fn queue(&mut self, queue: &QueueFile) {
        let at = Path::of(["queue"]);
        for (key, value) in [
            ("session_timeout", queue.session_timeout),
            ("graceful_shutdown_timeout", queue.graceful_shutdown_timeout),
            ("heartbeat_interval", queue.heartbeat_interval),
            ("orphan_threshold", queue.orphan_threshold),
            ("poll_interval", queue.poll_interval),
            ("orphan_detection_interval", queue.orphan_detection_interval),
        ] {
            self.positive(&at.key(key), value);
        }
        let interval = queue.heartbeat_interval.map_or(HEARTBEAT_INTERVAL, |span| span.0);
        let threshold = queue.orphan_threshold.map_or(ORPHAN_THRESHOLD, |span| span.0);
        if threshold < interval * 2 && !threshold.is_zero() {
            self.problem(
                &at.key("orphan_threshold"),
                format!("{threshold:?} is less than twice heartbeat_interval ({interval:?})"),
                format!("write at least {:?}, or a shorter heartbeat_interval", interval * 2),
            );
        }
        let pace = queue.poll_interval.map_or(POLL_INTERVAL, |span| span.0);
        let jitter = queue.poll_interval_jitter.map_or(POLL_INTERVAL_JITTER, |span| span.0);
        let either = queue.poll_interval.is_some() && queue.poll_interval_jitter.is_some();
        if either && jitter > pace {
            self.problem(
                &at.key("poll_interval_jitter"),
                format!("{jitter:?} is more than poll_interval ({pace:?})"),
                format!("write at most {pace:?}"),
            );
        }
    }

    fn system(&mut self, system: &SystemFile) {
        let at = Path::of(["system"]);
        if let Some(url) = &system.dashboard_url {
            self.http_url(&at.key("dashboard_url"), url);
        }
        let origins = system.allowed_ws_origins.as_deref().unwrap_or_default();
        for (index, origin) in origins.iter().enumerate() {
            let path = at.key("allowed_ws_origins").index(index);
            let wrong = origin.trim().is_empty() || origin.contains(char::is_whitespace);
            if wrong && self.doc.has_text(&path) {
                let fix = "write a host pattern such as *.example.com";
                self.problem(&path, "is not a host pattern", fix);
            }
        }
        let github = system.github.as_ref().and_then(|github| github.token_env.as_deref());
        self.variable(&at.key("github").key("token_env"), github);
        if let Some(runbooks) = &system.runbooks {
            self.runbooks(&at.key("runbooks"), runbooks);
        }
        if let Some(slack) = &system.slack {
            self.slack(&at.key("slack"), slack);
        }
        if let Some(retention) = &system.retention {
            let at = at.key("retention");
            self.positive(&at.key("event_ttl"), retention.event_ttl);
            self.positive(&at.key("cleanup_interval"), retention.cleanup_interval);
        }
    }

    fn runbooks(&mut self, at: &Path, runbooks: &RunbooksFile) {
        let domains = runbooks.allowed_domains.as_deref();
        let private = runbooks.private_domains.as_deref().unwrap_or_default();
        for (key, list) in
            [("allowed_domains", domains.unwrap_or_default()), ("private_domains", private)]
        {
            for (index, domain) in list.iter().enumerate() {
                let path = at.key(key).index(index);
                if Host::parse(domain).is_err() && self.doc.has_text(&path) {
                    let fix = "write the host alone, such as github.com, without scheme or path";
                    self.problem(&path, format!("\"{domain}\" is not a host name"), fix);
                }
            }
        }
        let folder = runbooks.folder.as_deref().map(FilePath::new);
        if folder.is_some_and(|folder| !folder.is_absolute()) {
            let fix = "write it from the root, such as /etc/tarsy/runbooks";
            self.problem(&at.key("folder"), "is not an absolute path", fix);
        }
        let Some(url) = &runbooks.repo_url else { return };
        let path = at.key("repo_url");
        let Some(host) = self.http_url(&path, url) else { return };
        let allowed = match domains {
            Some(domains) => domains.is_empty() || domains.contains(&host),
            None => matches!(host.as_str(), "github.com" | "raw.githubusercontent.com"),
        };
        if !allowed {
            let fix = format!("add {host} to system.runbooks.allowed_domains");
            self.problem(&path, format!("the host {host} is not allowed"), fix);
        }
    }

    fn slack(&mut self, at: &Path, slack: &SlackFile) {
        self.variable(&at.key("token_env"), slack.token_env.as_deref());
        if let Some(url) = &slack.api_url {
            self.slack_api(&at.key("api_url"), url);
        }
        if slack.enabled != Some(true) {
            return;
        }
        if slack.channel.as_deref().is_none_or(|channel| channel.trim().is_empty()) {
            let fix =
                "add the channel's id, such as `channel: C0123456789`, or write enabled: false";
            self.problem(&at.key("channel"), "is missing although Slack is enabled", fix);
        }
        let variable = slack.token_env.as_deref().unwrap_or(SLACK_TOKEN_ENV);
        if self.env.checks_slack_token() && !self.env.has(variable) {
            self.problem(
                &at.key("token_env"),
                format!("the variable {variable} is not set although Slack is enabled"),
                format!("set {variable} to the bot's token, or write enabled: false"),
            );
        }
    }

    fn defaults(&mut self, defaults: &DefaultsFile) {
        let at = Path::of(["defaults"]);
        self.provider(&at.key("llm_provider"), defaults.llm_provider.as_deref());
        let summarizer = defaults.summarization.as_ref();
        self.provider(
            &at.key("summarization").key("llm_provider"),
            summarizer.and_then(|summarizer| summarizer.llm_provider.as_deref()),
        );
        let first = defaults.llm_provider.as_deref();
        self.fallbacks(&at, defaults.fallback_providers.as_ref(), first);
        let timeouts = defaults.llm_timeouts.unwrap_or_default();
        for (key, value) in [("first_token", timeouts.first_token), ("stall", timeouts.stall)] {
            let path = at.key("llm_timeouts").key(key);
            self.positive(&path, value);
            if value.is_some_and(|span| span.0 >= ITERATION_TIMEOUT) {
                let message =
                    format!("must be less than the {ITERATION_TIMEOUT:?} of an iteration");
                self.problem(&path, message, "write a duration such as 90s");
            }
        }
        let group =
            defaults.alert_masking.as_ref().and_then(|masking| masking.pattern_group.as_deref());
        let path = at.key("alert_masking").key("pattern_group");
        let known: Vec<&str> = tarsy_masking::known_groups().collect();
        self.reference(&path, "masking group", group, &known);
    }

    /// The type of an alert that names none must belong to a chain.
    pub(super) fn default_alert_type(&mut self, file: &TarsyFile) {
        let written = file.defaults.as_ref().and_then(|defaults| defaults.alert_type.as_deref());
        let alert_type = written.unwrap_or(DEFAULT_ALERT_TYPE);
        if self.names.alert_types.contains_key(alert_type) {
            return;
        }
        let known: Vec<&str> = self.names.alert_types.keys().copied().collect();
        let path = Path::of(["defaults", "alert_type"]);
        if written.is_some() {
            self.unknown(&path, "alert type", alert_type, &known);
        } else {
            let fix = format!("add defaults.alert_type with one of: {}", known.join(", "));
            let message = format!("no chain serves the default alert type \"{alert_type}\"");
            self.problem(&path, message, fix);
        }
    }

    /// An http(s) address with a host; its host.
    pub(super) fn http_url(&mut self, path: &Path, text: &str) -> Option<String> {
        let fix = "write an address such as https://host.example.com";
        match Url::parse(text) {
            Ok(url) if matches!(url.scheme(), "http" | "https") => {
                url.host_str().map(str::to_owned)
            }
            Ok(url) => {
                let message = format!("must be http or https, not {}", url.scheme());
                self.problem(path, message, fix);
                None
            }
            Err(error) => {
                self.problem(path, format!("is not a URL ({error})"), fix);
                None
            }
        }
    }
}
