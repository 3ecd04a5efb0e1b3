//! The settings of this process as people read them.

use std::fmt::Display;

use url::Url;

use super::{Settings, hidden};

/// A setting of this process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProcessSetting {
    pub variable: &'static str,
    /// Its value, or the default; none if it is a secret or has neither.
    pub value: Option<String>,
    pub is_set: bool,
}

impl Settings {
    /// The settings, with those that services share first. Of secrets only whether they are set, and of addresses no
    /// password.
    pub fn described(&self) -> Vec<ProcessSetting> {
        let text = |value: &dyn Display| Some(value.to_string());
        let paths = |path: &Option<std::path::PathBuf>| {
            path.as_ref().map(|path| path.display().to_string())
        };
        let networks: Vec<String> = self.trusted_proxies.iter().map(ToString::to_string).collect();
        let rows = [
            ("DATABASE_URL", Some(hidden(&self.database_url)).filter(|url| !url.is_empty())),
            ("TARSY_DATABASE_CONNECTIONS", text(&self.database_connections)),
            ("NATS_URL", Some(hidden(&self.nats_url))),
            ("NATS_REPLICAS", text(&self.nats_replicas)),
            ("LLM_SERVICE_ADDR", self.plain("LLM_SERVICE_ADDR")),
            ("LLM_SERVICE_TOKEN", None),
            ("OFFLINE_TOKENS_PER_SECOND", text(&self.offline_tokens_per_second)),
            ("TARSY_HTTP_ADDR", text(&self.http_addr)),
            ("TARSY_PUBLISHED_ADDR", self.published_addr.map(|address| address.to_string())),
            ("TARSY_LOCAL_TOKEN", None),
            ("TARSY_ADMIN_ADDR", self.admin_addr.map(|address| address.to_string())),
            ("TARSY_CONFIG_DIR", paths(&self.config_dir)),
            ("TARSY_DASHBOARD_DIR", paths(&self.dashboard_dir)),
            ("TARSY_RELAY_URL", self.relay_url.as_ref().map(Url::as_str).map(hidden)),
            ("TARSY_TOOL_SERVERS_URL", self.tool_servers_url.as_ref().map(Url::as_str).map(hidden)),
            ("TARSY_RELAY_TOKEN", None),
            ("TARSY_TRUSTED_PROXIES", Some(networks.join(",")).filter(|text| !text.is_empty())),
            ("TARSY_MAX_CONNECTIONS", self.max_connections.map(|most| most.to_string())),
            ("TARSY_MAX_CONNECTIONS_PER_ADDRESS", text(&self.max_connections_per_address)),
            ("TARSY_INSECURE", text(&self.insecure)),
            ("TARSY_DEBUGGABLE", text(&self.debuggable)),
            ("TARSY_INSTANCE", text(&self.instance)),
            ("TARSY_GRACE_SECONDS", text(&self.grace.as_secs())),
            ("TARSY_TOKEN_KEYS", None),
            ("RUST_LOG", text(&self.log_filter)),
            ("LOG_FORMAT", self.plain("LOG_FORMAT")),
            ("OTEL_EXPORTER_OTLP_ENDPOINT", self.otlp_endpoint.as_deref().map(hidden)),
        ];
        rows.into_iter()
            .map(|(variable, value)| ProcessSetting {
                variable,
                value,
                is_set: self
                    .environment
                    .get(variable)
                    .is_some_and(|value| !value.trim().is_empty()),
            })
            .collect()
    }

    fn plain(&self, variable: &str) -> Option<String> {
        self.environment.get(variable).map(|value| value.trim().to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_described_without_their_secrets() {
        let pairs = [
            ("DATABASE_URL", "postgres://tarsy:password1@db/tarsy"),
            ("TARSY_RELAY_TOKEN", "0123456789abcdef0123456789abcdef"),
            ("TARSY_GRACE_SECONDS", "7"),
        ];
        let map = pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
        let described = Settings::from_map(map).unwrap().described();
        let find = |name: &str| described.iter().find(|one| one.variable == name).unwrap().clone();
        let grace = find("TARSY_GRACE_SECONDS");
        assert_eq!((grace.value.as_deref(), grace.is_set), (Some("7"), true));
        let address = find("TARSY_HTTP_ADDR");
        assert_eq!((address.value.as_deref(), address.is_set), (Some("127.0.0.1:8080"), false));
        let token = find("TARSY_RELAY_TOKEN");
        assert_eq!((token.value, token.is_set), (None, true));
        let text = format!("{described:?}");
        assert!(!text.contains("password1") && !text.contains("0123456789"), "{text}");
    }
}
