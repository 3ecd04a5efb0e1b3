//! What the caller may set: the folders whose logs can be read.

/// The variable that replaces the default list of readable logs.
const LOG_PATHS: &str = "HOST_INSPECTOR_LOG_PATHS";

/// The settings of the inspector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Absolute patterns of readable log files; `*` stays within a folder, `**` goes below it.
    pub log_paths: Vec<String>,
}

impl Default for Options {
    fn default() -> Self {
        Self { log_paths: vec!["/var/log/**".to_owned()] }
    }
}

impl Options {
    /// Reads `HOST_INSPECTOR_LOG_PATHS` (colon-separated patterns); without it, the default.
    #[expect(
        clippy::disallowed_methods,
        reason = "this program stands alone, outside the service shell"
    )]
    pub fn from_env() -> Self {
        std::env::var(LOG_PATHS).map_or_else(|_| Self::default(), |text| Self::from_list(&text))
    }

    fn from_list(text: &str) -> Self {
        let log_paths: Vec<String> = text
            .split(':')
            .map(str::trim)
            .filter(|part| !part.is_empty())
            .map(str::to_owned)
            .collect();
        if log_paths.is_empty() { Self::default() } else { Self { log_paths } }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colon_separated_list_becomes_patterns_and_an_empty_one_the_default() {
        let options = Options::from_list("/var/log/**: /srv/app/*.log :");
        assert_eq!(options.log_paths, ["/var/log/**", "/srv/app/*.log"]);
        assert_eq!(Options::from_list(" : "), Options::default());
    }
}
