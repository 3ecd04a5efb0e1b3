//! Shared by the tools: the readable logs, queries of mounts that may hang, and bounded reading of small files.

use std::collections::HashSet;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tarsy_hosts::HostList;

use crate::error::{ToolError, ToolResult};
use crate::logfiles::AllowList;
use crate::options::Options;

/// The most bytes that are read of one file under `/proc`.
const MAX_KERNEL_FILE: u64 = 8 * 1024 * 1024;

pub(crate) struct Host {
    /// The log files that may be read.
    pub(crate) logs: AllowList,
    /// The hosts that every call may reach.
    pub(crate) hosts: HostList,
    /// The mounts with a pending query: a hanging mount blocks one thread only.
    pending_mounts: Arc<Mutex<HashSet<String>>>,
    /// Held during a query: a mount that is pending at the next one hangs.
    query_lock: tokio::sync::Mutex<()>,
}

impl Host {
    pub(crate) fn new(options: &Options) -> Result<Self, ToolError> {
        Ok(Self {
            logs: AllowList::new(&options.log_paths)?,
            hosts: HostList::parse(&options.hosts).map_err(|error| {
                let fix = "list names, *.example.com, addresses or networks, comma-separated";
                ToolError::invalid(format!("HOST_INSPECTOR_HOSTS: {error}"), fix)
            })?,
            pending_mounts: Arc::new(Mutex::new(HashSet::new())),
            query_lock: tokio::sync::Mutex::new(()),
        })
    }

    /// Runs `work` for a mount on a thread for blocking work; none if it takes longer than `limit`.
    pub(crate) async fn query_mount<T: Send + 'static>(
        &self,
        point: &str,
        limit: Duration,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Option<T> {
        let _turn = self.query_lock.lock().await;
        let asked = Arc::clone(&self.pending_mounts);
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

/// Runs blocking work on a thread for it.
pub(crate) async fn blocking(work: impl FnOnce() -> ToolResult + Send + 'static) -> ToolResult {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| {
        Err(ToolError::failed(
            format!("reading failed: {error}"),
            "retry; if it fails again, this is a bug of the host inspector",
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

/// Reads and parses a required file under `/proc`.
pub(crate) fn parsed<T>(path: &str, parse: impl FnOnce(&str) -> Option<T>) -> Result<T, ToolError> {
    let text = text_of(path).ok_or_else(|| {
        ToolError::unreadable(
            format!("{path} cannot be read here"),
            "this machine is not Linux, or /proc is hidden from this process; use another tool",
        )
    })?;
    parse(&text).ok_or_else(|| {
        ToolError::failed(
            format!("{path} has an unknown format"),
            "use another tool; this is a bug of the host inspector",
        )
    })
}

/// The process ids under `/proc`, at most `limit`.
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
    async fn a_hanging_mount_is_not_queried_again_until_it_answers() {
        let host = Host::new(&Options::default()).expect("valid options");
        let (release, gate) = mpsc::channel::<()>();
        let short = Duration::from_millis(20);
        assert_eq!(host.query_mount("/hung", short, move || gate.recv().is_ok()).await, None);
        assert_eq!(host.query_mount("/hung", short, || true).await, None);
        assert_eq!(host.query_mount("/well", Duration::from_mins(1), || true).await, Some(true));
        release.send(()).expect("the first query is pending");
        let again = async {
            while host.query_mount("/hung", Duration::from_mins(1), || true).await.is_none() {
                tokio::task::yield_now().await;
            }
        };
        assert!(tokio::time::timeout(Duration::from_mins(1), again).await.is_ok());
    }
}
