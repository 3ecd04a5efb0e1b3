//! The environment, handed in as a value.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

type Lookup = dyn Fn(&str) -> Option<String> + Send + Sync;

/// A look-up of environment variables; the catalog never reads the process's own.
#[derive(Clone)]
pub struct Env {
    lookup: Arc<Lookup>,
    llm_credentials: bool,
    slack_token: bool,
    tool_secrets: bool,
}

impl Env {
    /// An environment that answers through `lookup`.
    pub fn new(lookup: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        Self {
            lookup: Arc::new(lookup),
            llm_credentials: true,
            slack_token: true,
            tool_secrets: true,
        }
    }

    /// An environment without variables.
    pub fn empty() -> Self {
        Self::new(|_| None)
    }

    /// An environment of these variables.
    pub fn of<K: Into<String>, V: Into<String>>(vars: impl IntoIterator<Item = (K, V)>) -> Self {
        let vars: BTreeMap<String, String> =
            vars.into_iter().map(|(name, value)| (name.into(), value.into())).collect();
        Self::new(move |name| vars.get(name).cloned())
    }

    /// The same environment, but loading does not require the keys of the providers that chains name.
    ///
    /// For a service that resolves no chain (a tool gateway, a notifier) and so need not hold them.
    #[must_use]
    pub fn without_llm_credentials(self) -> Self {
        Self { llm_credentials: false, ..self }
    }

    /// The same environment, but loading does not require Slack's token, the secrets of webhooks, or the
    /// variables that a destination of notifications names; their values are left open.
    ///
    /// For every service but the notifier.
    #[must_use]
    pub fn without_slack_token(self) -> Self {
        Self { slack_token: false, ..self }
    }

    /// The same environment, but loading does not require the variables that the transports of MCP
    /// servers name; their values are left open.
    ///
    /// For every service but the tool gateway: no other needs the credentials of tool servers.
    #[must_use]
    pub fn without_tool_secrets(self) -> Self {
        Self { tool_secrets: false, ..self }
    }

    /// The value of a variable, when it is set.
    pub fn get(&self, name: &str) -> Option<String> {
        (self.lookup)(name)
    }

    /// Whether a variable is set to something.
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !value.trim().is_empty())
    }

    pub(crate) fn checks_llm_credentials(&self) -> bool {
        self.llm_credentials
    }

    pub(crate) fn checks_slack_token(&self) -> bool {
        self.slack_token
    }

    pub(crate) fn checks_tool_secrets(&self) -> bool {
        self.tool_secrets
    }
}

impl Default for Env {
    fn default() -> Self {
        Self::empty()
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env")
            .field("llm_credentials", &self.llm_credentials)
            .field("slack_token", &self.slack_token)
            .field("tool_secrets", &self.tool_secrets)
            .finish_non_exhaustive()
    }
}
