//! What the caller may set: the folders whose logs can be read, and the hosts that probes may reach.

/// The variable that replaces the default list of readable logs.
const LOG_PATHS: &str = "HOST_INSPECTOR_LOG_PATHS";
/// The variable with the hosts that every call may reach.
const HOSTS: &str = "HOST_INSPECTOR_HOSTS";

/// The settings of the inspector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Absolute patterns of readable log files; `*` stays within a folder, `**` goes below it.
    pub log_paths: Vec<String>,
    /// Hosts that every call may reach, beside those that come with a call: names, `*.example.com`, addresses,
    /// networks, `*`.
    pub hosts: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { log_paths: vec!["/var/log/**".to_owned()], hosts: Vec::new() }
    }
}

impl Options {
    /// Reads `HOST_INSPECTOR_LOG_PATHS` (colon-separated patterns) and `HOST_INSPECTOR_HOSTS` (comma-separated);
    /// without them, the default.
    #[expect(
        clippy::disallowed_methods,
        reason = "this program stands alone, outside the service shell"
    )]
    pub fn from_env() -> Self {
        let list = |name, divider| {
            std::env::var(name).map(|text| parts(&text, divider)).unwrap_or_default()
        };
        Self { hosts: list(HOSTS, ','), ..Self::with_log_paths(list(LOG_PATHS, ':')) }
    }

    fn with_log_paths(log_paths: Vec<String>) -> Self {
        if log_paths.is_empty() {
            return Self::default();
        }
        Self { log_paths, ..Self::default() }
    }
}

fn parts(text: &str, divider: char) -> Vec<String> {
    text.split(divider).map(str::trim).filter(|part| !part.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_separated_list_becomes_patterns_and_an_empty_one_the_default() {
        let options = Options::with_log_paths(parts("/var/log/**: /srv/app/*.log :", ':'));
        assert_eq!(options.log_paths, ["/var/log/**", "/srv/app/*.log"]);
        assert_eq!(Options::with_log_paths(parts(" : ", ':')), Options::default());
    }
}
