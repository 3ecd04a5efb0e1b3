//! What the subprocess of an MCP server may do on the machine, and how much of it it may use.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use smart_default::SmartDefault;

use crate::check::Check;
use crate::path::Path;
use crate::rule::{AbsolutePath, As, AtLeast, Each};

/// What a subprocess may do on the machine. The kernel enforces it; what it cannot enforce is reported at the start.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Sandbox {
    /// `false` for a server that must gain privileges, mount, or examine others' processes: it can then read secrets of its
    /// user's programs
    #[default = true]
    pub enabled: bool,
    /// `open`: all files of its user; `restricted`: reads the system's folders and its program's, beside `read` and `write`
    pub files: FileAccess,
    /// Absolute paths that a restricted server also reads
    #[serde(with = "Each::<AbsolutePath>")]
    pub read: Vec<PathBuf>,
    /// Absolute paths that it also writes, such as `HOME` and `TMPDIR` of `env`
    #[serde(with = "Each::<AbsolutePath>")]
    pub write: Vec<PathBuf>,
    /// Number of its user and group; needs a gateway that runs as root
    #[serde(with = "As::<AtLeast<1>>")]
    #[schemars(extend("x-default" = "the gateway's user"))]
    pub run_as: Option<u32>,
    /// Whether it sees the token of the gateway's Kubernetes service account
    pub service_account_token: bool,
}

/// Which files a subprocess reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileAccess {
    /// All that its user reaches.
    #[default]
    Open,
    /// The system's folders and those that are listed.
    Restricted,
}

/// How much of the machine a subprocess may use; its own subprocesses have the same limits, each for itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct ProcessLimits {
    /// Memory (data segment) of each process, in MiB
    #[default = 8192]
    #[serde(with = "As::<AtLeast<64>>")]
    pub memory_mib: u32,
    /// Processes and threads of its user, of all programs; does not bind root
    #[default = 16384]
    #[serde(with = "As::<AtLeast<16>>")]
    pub processes: u32,
    /// Open files of each process
    #[default = 65536]
    #[serde(with = "As::<AtLeast<64>>")]
    pub open_files: u32,
}

impl Sandbox {
    pub(super) fn check(&self, at: &Path, check: &mut Check<'_>) {
        let restricted = self.enabled && self.files == FileAccess::Restricted;
        for (key, is_empty) in [("read", self.read.is_empty()), ("write", self.write.is_empty())] {
            if !is_empty && !restricted {
                let message = "has no meaning where all files are open";
                check.problem(&at.key(key), message, "write `files: restricted`, or remove it");
            }
        }
    }
}
