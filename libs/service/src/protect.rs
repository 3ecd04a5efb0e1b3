//! Keeps the secrets of this process from other programs of its user.

use anyhow::Context as _;
use nix::sys::prctl::set_dumpable;
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::settings::Settings;

/// Closes this process to other programs of the same user: its memory and its environment
/// (`/proc/PID/environ`) cannot be read, and it writes no core dump.
///
/// Removing variables would not hide them: `/proc/PID/environ` shows the memory that the process was
/// started with, which stays as it is.
pub fn protect(settings: &Settings) -> anyhow::Result<()> {
    if settings.debuggable {
        return Ok(());
    }
    set_dumpable(false).context("could not close this process to debuggers")?;
    let (_, hard) =
        getrlimit(Resource::RLIMIT_CORE).context("could not read the limit of core dumps")?;
    setrlimit(Resource::RLIMIT_CORE, 0, hard).context("could not forbid core dumps")
}
