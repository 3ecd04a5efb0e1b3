//! What the launcher gives up, as the gateway decides it from the configuration.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tarsy_catalog::{FileAccess, HOST_INSPECTOR_COMMAND, Subprocess};

/// Where Kubernetes puts the token of a pod's service account.
const SERVICE_ACCOUNT: &str = "/var/run/secrets/kubernetes.io/serviceaccount";

/// What a server may still do. It contains no secret: it is an argument of the launcher.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(super) memory_bytes: u64,
    pub(super) processes: u64,
    pub(super) open_files: u64,
    pub(super) confinement: Confinement,
    /// The number of the user and of the group.
    pub(super) run_as: Option<u32>,
}

/// What is kept from a server beside the limits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub(super) enum Confinement {
    /// Nothing; the configuration switches it off.
    Nothing,
    /// It gains no privileges. TARSy's own host inspector reports which process listens on which port.
    Privileges,
    /// It gains no privileges, and reaches no process but its own.
    Processes { hidden: Vec<PathBuf> },
    /// It also reaches few files.
    Files { read: Vec<PathBuf>, write: Vec<PathBuf>, hidden: Vec<PathBuf> },
}

impl Plan {
    /// The plan for a configured server; `program` is the path of its program where it is known. Its sandbox never
    /// reaches what is hidden.
    pub(crate) fn of(child: &Subprocess, program: &Path, hidden: &[PathBuf]) -> Self {
        let limits = child.limits;
        Self {
            memory_bytes: u64::from(limits.memory_mib) * 1024 * 1024,
            processes: limits.processes.into(),
            open_files: limits.open_files.into(),
            confinement: confinement(child, program, hidden),
            run_as: child.sandbox.run_as,
        }
    }
}

impl Confinement {
    /// What it keeps out of reach wherever the rest of the files is open.
    pub(super) fn hidden(&self) -> &[PathBuf] {
        match self {
            Self::Nothing | Self::Privileges => &[],
            Self::Processes { hidden } | Self::Files { hidden, .. } => hidden,
        }
    }

    /// Keeps these out of reach, and nothing else.
    pub(super) fn hide(&mut self, paths: Vec<PathBuf>) {
        match self {
            Self::Nothing | Self::Privileges => {}
            Self::Processes { hidden } | Self::Files { hidden, .. } => *hidden = paths,
        }
    }
}

fn confinement(child: &Subprocess, program: &Path, hidden: &[PathBuf]) -> Confinement {
    let sandbox = &child.sandbox;
    if !sandbox.enabled {
        return Confinement::Nothing;
    }
    if child.command == HOST_INSPECTOR_COMMAND {
        return Confinement::Privileges;
    }
    let account = if sandbox.service_account_token { None } else { service_account() };
    let hidden = hidden.iter().map(|path| path.canonicalize().unwrap_or_else(|_| path.clone()));
    let hidden = hidden.chain(account).collect();
    match sandbox.files {
        FileAccess::Open => Confinement::Processes { hidden },
        FileAccess::Restricted => {
            let folder = program.parent().filter(|folder| folder.is_absolute());
            let read = sandbox.read.iter().cloned().chain(folder.map(Path::to_owned)).collect();
            Confinement::Files { read, write: sandbox.write.clone(), hidden }
        }
    }
}

/// The folder of the pod's service account without links in its path; none outside of a pod.
fn service_account() -> Option<PathBuf> {
    std::fs::canonicalize(SERVICE_ACCOUNT).ok()
}
