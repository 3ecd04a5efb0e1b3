//! What the tools share: the readable logs, the mounts that do not answer, and bounded reading of small files.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::error::{ToolError, ToolResult};
use crate::logfiles::AllowList;
use crate::options::Options;

/// The most that is read of one file of the kernel.
const MAX_KERNEL_FILE: u64 = 8 * 1024 * 1024;

/// The machine, as the tools see it.
pub(crate) struct Host {
    /// The log files that may be read.
    pub(crate) logs: AllowList,
    /// The mounts whose answer is outstanding, so that a hung one costs one thread and no more.
    asked_mounts: Arc<Mutex<HashSet<String>>>,
    /// One question at a time: whoever finds a mount in the set knows that it hangs.
    asking: tokio::sync::Mutex<()>,
}

impl Host {
    /// Checks the options.
    pub(crate) fn new(options: &Options) -> Result<Self, ToolError> {
        Ok(Self {
            logs: AllowList::new(&options.log_paths)?,
            asked_mounts: Arc::new(Mutex::new(HashSet::new())),
            asking: tokio::sync::Mutex::new(()),
        })
    }

    /// Runs `work` for a mount on a helper thread; none if the mount does not answer in time.
    pub(crate) async fn ask_mount<T: Send + 'static>(
        &self,
        point: &str,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let _turn = self.asking.lock().await;
        let asked = Arc::clone(&self.asked_mounts);
        if !asked.lock().unwrap_or_else(PoisonError::into_inner).insert(point.to_owned()) {
            return None;
        }
        let point = point.to_owned();
        let task = tokio::task::spawn_blocking(move || {
            let answer = work();
            asked.lock().unwrap_or_else(PoisonError::into_inner).remove(&point);
            answer
        });
        tokio::time::timeout(limit, task).await.ok()?.ok()
    }
}

/// Runs blocking work on a helper thread.
pub(crate) async fn blocking(work: impl FnOnce() -> ToolResult + Send + 'static) -> ToolResult {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(ToolError::failed(
            format!("the reading broke off: {error}"),
            "try again; if it stays, this is a bug of the host inspector",
        ))
    })
}

/// Reads a bounded part of a text file; bytes that are not UTF-8 are replaced.
pub(crate) fn text_of(path: impl AsRef<Path>) -> Option<String> {
    bytes_of(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
}

/// Reads a bounded part of a file.
pub(crate) fn bytes_of(path: impl AsRef<Path>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path).ok()?.take(MAX_KERNEL_FILE).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// Reads a kernel file that must be there, and turns its text into a value.
pub(crate) fn parsed<T>(path: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, ToolError> {
    let text = text_of(path).ok_or_else(|| {
        ToolError::unreadable(
            format!("{path} cannot be read here"),
            "this machine is not Linux, or /proc is hidden from this process; use another tool",
        )
    })?;
    parse(&text).ok_or_else(|| {
        ToolError::failed(
            format!("{path} has a form that is not understood"),
            "use another tool; this is a bug of the host inspector",
        )
    })
}

/// Lists the process numbers under `/proc`, at most as many as asked for.
pub(crate) fn process_ids(limit: usize) -> Vec<u32> {
    std::fs::read_dir("/proc")
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok())
        .take(limit)
        .collect()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_mount_that_hangs_is_not_asked_again_until_it_answers() {
        let host = Host::new(&Options::default()).expect("valid options");
        let (release, gate) = mpsc::channel::<()>();
        let short = Duration::from_millis(20);
        assert_eq!(host.ask_mount("/hung", short, move || gate.recv().is_ok()).await, None);
        assert_eq!(host.ask_mount("/hung", short, || true).await, None);
        assert_eq!(host.ask_mount("/well", Duration::from_mins(1), || true).await, Some(true));
        release.send(()).expect("the first question still waits");
        let again = async {
            while host.ask_mount("/hung", Duration::from_mins(1), || true).await.is_none() {
                tokio::task::yield_now().await;
            }
        };
        assert!(tokio::time::timeout(Duration::from_mins(1), again).await.is_ok());
    }
}
