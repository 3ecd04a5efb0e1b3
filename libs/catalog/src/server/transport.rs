//! How an MCP server is reached.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use schemars::JsonSchema;
use secrecy::{ExposeSecret as _, SecretString};
use serde::{Deserialize, Serialize};
use url::Url;

use super::oauth::OAuth;
use super::sandbox::{ProcessLimits, Sandbox};
use crate::check::Check;
use crate::path::Path;
use crate::rule::{
    AbsolutePath, As, Each, HttpAddress, HttpUrl, NotBlank, Positive, Seconds, VariableName,
    not_empty,
};

/// The command of the built-in `host` server.
///
/// It stands for TARSy's own read-only host inspector: the tool gateway replaces it by the path in its
/// settings (or by its own program) and looks it up on the search path otherwise.
pub const HOST_INSPECTOR_COMMAND: &str = "tarsy-host-inspector";

/// How an MCP server is reached, and how sessions with it are made.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct Transport {
    /// The program or the address.
    #[serde(rename = "*endpoint")]
    #[schemars(flatten)]
    pub endpoint: Endpoint,
    /// Time limit of connecting, with the handshake
    #[serde(default = "init_timeout", with = "As::<Positive>")]
    pub init_timeout: Duration,
    /// Time limit of a tool call
    #[serde(default = "call_timeout", with = "As::<Positive>")]
    pub call_timeout: Duration,
    /// Whether executions share a session; `auto`: those of stateless servers do
    #[serde(default)]
    pub isolation: Isolation,
    /// How the handshake starts; `auto`: `initialize`, then `discover` if that is refused
    #[serde(default)]
    pub lifecycle: Lifecycle,
}

const fn init_timeout() -> Duration {
    Duration::from_secs(30)
}

const fn call_timeout() -> Duration {
    Duration::from_secs(90)
}

/// The program or the address of an MCP server.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename = "server", rename_all = "lowercase")]
#[schemars(tag = "type")]
pub enum Endpoint {
    /// A subprocess with MCP on its standard input and output.
    Stdio(Subprocess),
    /// Streamable HTTP.
    Http(Remote),
    /// The older HTTP with server-sent events.
    Sse(Remote),
}

impl Endpoint {
    /// The variables that a subprocess also gets from the gateway.
    pub(crate) fn inherit_env(&self) -> &[String] {
        match self {
            Self::Stdio(program) => &program.inherit_env,
            Self::Http(_) | Self::Sse(_) => &[],
        }
    }

    /// The value of `transport.type`.
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(_) => "http",
            Self::Sse(_) => "sse",
        }
    }
}

/// A server that the gateway starts as a subprocess.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct Subprocess {
    /// The program to start
    #[serde(with = "As::<NotBlank>")]
    pub command: String,
    /// Its arguments
    #[serde(default)]
    pub args: Vec<String>,
    /// Variables of the subprocess; it sees these, PATH, HOME and the locale, nothing else
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub env: BTreeMap<String, SecretString>,
    /// Names of variables that it also gets from the gateway
    #[serde(default, with = "Each::<VariableName>")]
    pub inherit_env: Vec<String>,
    /// What it may do on the machine
    #[serde(default)]
    pub sandbox: Sandbox,
    /// How much of the machine it may use
    #[serde(default)]
    pub limits: ProcessLimits,
}

impl fmt::Debug for Subprocess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subprocess")
            .field("command", &self.command)
            .field("args", &format_args!("[{} hidden]", self.args.len()))
            .field("env", &self.env.keys())
            .field("inherit_env", &self.inherit_env)
            .field("sandbox", &self.sandbox)
            .field("limits", &self.limits)
            .finish()
    }
}

/// A server behind an address.
#[derive(Clone, Deserialize, JsonSchema)]
pub struct Remote {
    /// Its http(s) address
    #[serde(with = "As::<HttpUrl>")]
    pub url: Url,
    /// The token of the `Authorization` header; write it as `"{{.NAME}}"`
    #[serde(default, deserialize_with = "not_empty")]
    #[schemars(with = "String")]
    pub bearer_token: Option<SecretString>,
    /// Whether its certificate is checked; if not, whoever is on the way can read and answer
    #[serde(default = "yes")]
    pub verify_ssl: bool,
    /// PEM file (absolute path) with authorities beside the system's, also for the authorization server
    #[serde(default, with = "As::<AbsolutePath>")]
    pub ca_file: Option<PathBuf>,
    /// Time limit of a request
    #[serde(default, with = "As::<Seconds>")]
    pub timeout: Option<Duration>,
    /// Further headers; `{{.SESSION_ID}}` stands for the execution, see *Headers of an execution*
    #[serde(default)]
    #[schemars(with = "BTreeMap<String, String>")]
    pub custom_headers: BTreeMap<String, SecretString>,
    /// Address that is sent a DELETE at the end of an execution, see *Headers of an execution*
    #[serde(default, with = "As::<HttpAddress>")]
    pub session_cleanup_url: Option<String>,
    /// For a server that requires OAuth; `{}` is enough where people log in
    pub oauth: Option<OAuth>,
    /// Whether connections are kept open for the next request
    #[serde(default)]
    pub pooling: bool,
}

const fn yes() -> bool {
    true
}

impl fmt::Debug for Remote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Remote")
            .field("origin", &self.url.origin().ascii_serialization())
            .field("bearer_token", &self.bearer_token)
            .field("verify_ssl", &self.verify_ssl)
            .field("ca_file", &self.ca_file)
            .field("timeout", &self.timeout)
            .field("custom_headers", &self.custom_headers.keys())
            .finish_non_exhaustive()
    }
}

/// Whether executions share a session with a server.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Isolation {
    /// One session, or one process, for each agent execution.
    PerExecution,
    /// One session for all.
    Shared,
    /// Per execution for session-based servers, shared for stateless ones.
    #[default]
    Auto,
}

/// How the handshake with a server starts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lifecycle {
    /// With `initialize`, as session-based servers want it.
    Initialize,
    /// With `server/discover`, as stateless servers want it.
    Discover,
    /// With `initialize`, then `server/discover` if that is refused.
    #[default]
    Auto,
}

impl Transport {
    pub(super) fn check(&self, at: &Path, check: &mut Check<'_>) {
        match &self.endpoint {
            Endpoint::Stdio(child) => child.check(at, check),
            Endpoint::Http(remote) | Endpoint::Sse(remote) => remote.check(at, check),
        }
    }
}

impl Subprocess {
    fn check(&self, at: &Path, check: &mut Check<'_>) {
        for name in self.env.keys().filter(|name| name.is_empty() || name.contains(['=', '\0'])) {
            let path = at.key("env").key(name);
            check.problem(&path, "is not the name of a variable", "write a name without `=`");
        }
        self.sandbox.check(&at.key("sandbox"), check);
    }
}

impl Remote {
    fn check(&self, at: &Path, check: &mut Check<'_>) {
        if check.has_text(&at.key("ca_file")) && !self.verify_ssl {
            let suggestion = "remove ca_file, or `verify_ssl: false`";
            let message = "has no meaning where no certificate is checked";
            check.problem(&at.key("ca_file"), message, suggestion);
        }
        if let Some(oauth) = &self.oauth {
            let path = at.key("bearer_token");
            if check.has_text(&path) {
                let suggestion = "remove bearer_token or oauth: a request carries one token";
                check.problem(&path, "does not go with oauth", suggestion);
            }
            oauth.check(&at.key("oauth"), check);
        }
        for (name, value) in &self.custom_headers {
            let token = !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte));
            if !token || value.expose_secret().contains(['\n', '\r', '\0']) {
                let suggestion = "write a name such as X-Api-Key and a value on one line";
                let path = at.key("custom_headers").key(name);
                check.problem(&path, "is not an HTTP header", suggestion);
            }
        }
    }
}
