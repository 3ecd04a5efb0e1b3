//! What is around sessions, and what a subprocess sees of our environment: next to nothing.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use secrecy::{ExposeSecret as _, SecretString};
use tarsy_catalog::HOST_INSPECTOR_COMMAND;

use super::guard::Guard;
use crate::masks::Masks;
use crate::oauth::Account;
use crate::oddities::Oddities;

/// Variables that every program may need, and that hold no secret.
const PASSED: [&str; 5] = ["PATH", "HOME", "LANG", "LANGUAGE", "TMPDIR"];

/// What sessions and their subprocesses get from the process they are opened by.
#[derive(Debug)]
pub(crate) struct Surroundings {
    /// Our own variables, of which few are passed on.
    pub(crate) variables: BTreeMap<String, String>,
    /// The program of the built-in host server, and its arguments.
    pub(crate) host_inspector: Vec<String>,
    /// Ends them when this process is gone.
    pub(crate) guard: Guard,
    /// Where is noted what is odd about the lists of servers.
    pub(crate) oddities: Oddities,
    /// The accounts at servers that want OAuth.
    pub(crate) accounts: ByServer<Account>,
    /// What is masked in the words of each server.
    pub(crate) masks: ByServer<Masks>,
}

/// What belongs to servers, by their ids.
pub(crate) struct ByServer<T>(pub(crate) BTreeMap<String, Arc<T>>);

impl<T> fmt::Debug for ByServer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Surroundings {
    /// The account at a server, if it wants OAuth.
    pub(crate) fn account(&self, server: &str) -> Option<Arc<Account>> {
        self.accounts.0.get(server).cloned()
    }

    /// What is masked in the words of a server; of one that is not known, everything.
    pub(crate) fn masks(&self, server: &str) -> Arc<Masks> {
        self.masks.0.get(server).cloned().unwrap_or_else(|| Arc::new(Masks::withholding()))
    }

    /// The whole environment of a server's subprocess.
    pub(crate) fn of_child(
        &self,
        configured: &BTreeMap<String, SecretString>,
        inherited: &[String],
    ) -> BTreeMap<String, String> {
        let passed = self.variables.iter().filter(|(name, _)| {
            PASSED.contains(&name.as_str()) || name.starts_with("LC_") || inherited.contains(name)
        });
        let mut child: BTreeMap<String, String> =
            passed.map(|(name, value)| (name.clone(), value.clone())).collect();
        for (name, value) in configured {
            child.insert(name.clone(), value.expose_secret().to_owned());
        }
        child
    }

    /// The program to start for a configured command, with its arguments.
    pub(crate) fn program(&self, command: &str, args: &[String]) -> (PathBuf, Vec<String>) {
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

    fn surroundings() -> Surroundings {
        let ours = [
            ("PATH", "/bin"),
            ("LC_ALL", "C"),
            ("DATABASE_URL", "postgres://u:p@h/d"),
            ("GITHUB_TOKEN", "t"),
        ];
        Surroundings {
            accounts: ByServer(BTreeMap::new()),
            masks: ByServer(BTreeMap::new()),
            variables: ours.map(|(name, value)| (name.to_owned(), value.to_owned())).into(),
            guard: Guard::new(),
            oddities: Oddities::default(),
            host_inspector: vec!["/opt/tarsy".to_owned(), "host-inspector".to_owned()],
        }
    }

    #[test]
    fn a_child_gets_what_programs_need_what_is_configured_and_what_is_named() {
        let configured = BTreeMap::from([("KUBECONFIG".to_owned(), SecretString::from("/k"))]);
        let child = surroundings().of_child(&configured, &["GITHUB_TOKEN".to_owned()]);
        let names: Vec<&str> = child.keys().map(String::as_str).collect();
        assert_eq!(names, ["GITHUB_TOKEN", "KUBECONFIG", "LC_ALL", "PATH"]);
    }

    #[test]
    fn the_host_server_is_our_own_program() {
        let (program, args) = surroundings().program(HOST_INSPECTOR_COMMAND, &["--x".to_owned()]);
        assert_eq!(program, PathBuf::from("/opt/tarsy"));
        assert_eq!(args, ["host-inspector", "--x"]);
    }
}
