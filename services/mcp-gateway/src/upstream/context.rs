//! What all sessions share, and the environment of subprocesses.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use tarsy_catalog::{HOST_INSPECTOR_COMMAND, McpServer, PolicyMode, Subprocess, ToolPolicy};

use super::guard::Guard;
use super::process::Launch;
use super::stdio_host::StdioHost;
use crate::failure::Failure;
use crate::masks::Masks;
use crate::oauth::Account;
use crate::sandbox::{LAUNCH, Plan, find_program};
use crate::tool_warnings::ToolWarnings;

/// The variables that every subprocess inherits; none of them holds a secret.
const INHERITED: [&str; 5] = ["PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR"];

/// Where programs are searched without `PATH`.
const DEFAULT_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// What all sessions and their subprocesses share.
#[derive(Debug)]
pub(crate) struct Context {
    /// The environment of the gateway, of which subprocesses inherit few variables.
    pub(crate) variables: BTreeMap<String, String>,
    /// The program of the built-in host server, and its arguments.
    pub(crate) host_inspector: Vec<String>,
    /// The program that becomes each subprocess.
    pub(crate) launcher: PathBuf,
    /// What the sandbox of subprocesses does not reach.
    pub(crate) hidden_paths: Vec<PathBuf>,
    /// Kills subprocesses when the gateway is killed.
    pub(crate) guard: Guard,
    pub(crate) tool_warnings: ToolWarnings,
    /// Where stdio servers run; none runs them as processes of this one.
    pub(crate) stdio_host: Option<StdioHost>,
    /// The accounts at servers that use OAuth.
    pub(crate) accounts: ByServer<Account>,
    pub(crate) masks: ByServer<Masks>,
    pub(crate) policies: ByServer<ToolPolicy>,
    /// Which addresses sessions over HTTP connect to; none where the operator's file names them.
    pub(crate) reach: Option<Arc<tarsy_outbound::Guard>>,
}

/// Values by the id of a server. Its `Debug` shows the ids only.
pub(crate) struct ByServer<T>(pub(crate) BTreeMap<String, Arc<T>>);

impl<T> fmt::Debug for ByServer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Context {
    /// For one session with a server that is not configured: it has nothing of the gateway's.
    pub(crate) fn of_trial(server: &McpServer, reach: Arc<tarsy_outbound::Guard>) -> Self {
        let variables = BTreeMap::new();
        let masks = Arc::new(Masks::of(server, None, &variables));
        Self {
            variables,
            host_inspector: Vec::new(),
            launcher: PathBuf::new(),
            hidden_paths: Vec::new(),
            guard: Guard::new(),
            tool_warnings: ToolWarnings::default(),
            stdio_host: None,
            accounts: ByServer(BTreeMap::new()),
            masks: ByServer(BTreeMap::from([(server.id.clone(), masks)])),
            policies: ByServer(BTreeMap::new()),
            reach: Some(reach),
        }
    }

    /// The account at a server; none if it does not use OAuth.
    pub(crate) fn account(&self, server: &str) -> Option<Arc<Account>> {
        self.accounts.0.get(server).cloned()
    }

    /// The masks of a server; masks that withhold everything if it is unknown.
    pub(crate) fn masks(&self, server: &str) -> Arc<Masks> {
        self.masks.0.get(server).cloned().unwrap_or_else(|| Arc::new(Masks::withholding()))
    }

    /// The whole environment of a server's subprocess.
    fn child_environment(
        &self,
        configured: &BTreeMap<String, SecretString>,
        inherit_env: &[String],
    ) -> BTreeMap<String, String> {
        let inherited = self.variables.iter().filter(|(name, _)| {
            INHERITED.contains(&name.as_str())
                || name.starts_with("LC_")
                || inherit_env.contains(name)
        });
        let mut child: BTreeMap<String, String> =
            inherited.map(|(name, value)| (name.clone(), value.clone())).collect();
        for (name, value) in configured {
            child.insert(name.clone(), value.expose_secret().to_owned());
        }
        child
    }

    /// Whether a variable of the gateway is set.
    pub(crate) fn has_variable(&self, name: &str) -> bool {
        self.variables.contains_key(name)
    }

    /// The policy of a server; one that allows what only reads if it is unknown.
    pub(super) fn policy(&self, server: &str) -> Arc<ToolPolicy> {
        let strict = || ToolPolicy { mode: PolicyMode::Enforce, ..ToolPolicy::default() };
        self.policies.0.get(server).cloned().unwrap_or_else(|| Arc::new(strict()))
    }

    /// How the subprocess of a server is started.
    pub(crate) fn launch(&self, child: &Subprocess) -> Result<Launch, Failure> {
        let (program, args) = self.program(&child.command, &child.args);
        let environment = self.child_environment(&child.env, &child.inherit_env);
        let failed = |source| Failure::Spawn { program: program.display().to_string(), source };
        let search = environment.get("PATH").map_or(DEFAULT_PATH, String::as_str);
        let found = find_program(&program, search)
            .ok_or_else(|| failed(std::io::ErrorKind::NotFound.into()))?;
        let is_hidden = |hidden: &PathBuf| found.starts_with(hidden);
        if child.sandbox.enabled && self.hidden_paths.iter().any(is_hidden) {
            return Err(failed(std::io::Error::other(
                "it lies where tool servers reach nothing (TARSY_HOME, TARSY_HIDDEN_PATHS); install it elsewhere",
            )));
        }
        let plan = serde_json::to_string(&Plan::of(child, &found, &self.hidden_paths))
            .map_err(|error| failed(error.into()))?;
        let own = [LAUNCH.to_owned(), plan, program.display().to_string()];
        let args = own.into_iter().chain(args).collect();
        Ok(Launch { launcher: self.launcher.clone(), args, environment })
    }

    /// The program to start for a configured command, with its arguments.
    fn program(&self, command: &str, args: &[String]) -> (PathBuf, Vec<String>) {
        match self.host_inspector.split_first() {
            Some((program, own)) if command == HOST_INSPECTOR_COMMAND => {
                (PathBuf::from(program), own.iter().chain(args).cloned().collect())
            }
            _ => (PathBuf::from(command), args.to_vec()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn context() -> Context {
        let variables = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("DATABASE_URL", "postgres://u:p@h/d"),
            ("GITHUB_TOKEN", "t"),
        ];
        Context {
            accounts: ByServer(BTreeMap::new()),
            masks: ByServer(BTreeMap::new()),
            policies: ByServer(BTreeMap::new()),
            variables: variables.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            guard: Guard::new(),
            tool_warnings: ToolWarnings::default(),
            stdio_host: None,
            launcher: PathBuf::from("/proc/self/exe"),
            host_inspector: vec!["/opt/tarsy".to_owned(), "host-inspector".to_owned()],
            hidden_paths: Vec::new(),
            reach: None,
        }
    }

    #[test]
    fn a_child_gets_basic_configured_and_inherited_variables() {
        let configured = BTreeMap::from([("KUBECONFIG".to_owned(), SecretString::from("/k"))]);
        let child = context().child_environment(&configured, &["GITHUB_TOKEN".to_owned()]);
        let names: Vec<&str> = child.keys().map(String::as_str).collect();
        assert_eq!(names, ["GITHUB_TOKEN", "KUBECONFIG", "LC_ALL", "PATH"]);
    }

    #[test]
    fn the_host_server_is_the_configured_program() {
        let (program, args) = context().program(HOST_INSPECTOR_COMMAND, &["--x".to_owned()]);
        assert_eq!(program, PathBuf::from("/opt/tarsy"));
        assert_eq!(args, ["host-inspector", "--x"]);
    }
}
