//! Kills the subprocesses when this process ends, even by SIGKILL.
//!
//! Every subprocess leads a process group and has a mark in its environment, which its descendants
//! inherit. A small shell reads a pipe that only this process writes to. When the pipe closes, the shell
//! kills the remaining groups and every process with the mark.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tarsy_domain::backoff::Backoff;
use tarsy_domain::id::LeaseId;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::limits;

/// The environment variable that marks a subprocess and its descendants.
pub(crate) const MARK: &str = "TARSY_TOOL_SERVER";

const SCRIPT: &str = include_str!("guard.sh");
/// The delays before a shell that ended is started again.
const BACKOFF: Backoff = Backoff::new(Duration::from_millis(200), Duration::from_secs(10));
/// The searches for processes of one mark: one may start another while it is killed.
const MAX_SEARCHES: usize = 5;

#[derive(Clone, Debug)]
pub(crate) struct Guard {
    mark_prefix: Arc<str>,
    started: Arc<AtomicU64>,
    groups: watch::Sender<BTreeSet<i32>>,
}

impl Guard {
    pub(crate) fn new() -> Self {
        let mark_prefix = LeaseId::new().to_string().into();
        Self { mark_prefix, started: Arc::default(), groups: watch::Sender::default() }
    }

    /// A mark for one subprocess.
    pub(super) fn new_mark(&self) -> String {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        format!("{}.{number}.", self.mark_prefix)
    }

    pub(super) fn add(&self, group: Pid) {
        self.groups.send_modify(|groups| {
            groups.insert(group.as_raw());
        });
    }

    pub(super) fn remove(&self, group: Pid) {
        self.groups.send_modify(|groups| {
            groups.remove(&group.as_raw());
        });
    }

    /// Runs the shell from the first subprocess until `stop`.
    pub(crate) async fn run(self, path: Option<String>, stop: CancellationToken) {
        let mut groups = self.groups.subscribe();
        tokio::select! {
            _ = groups.wait_for(|groups| !groups.is_empty()) => {}
            () = stop.cancelled() => return,
        }
        let mut failures = 0;
        while !stop.is_cancelled() {
            match self.start_shell(path.as_deref()) {
                Ok((mut shell, mut input)) => {
                    tokio::select! {
                        ended = shell.wait() => {
                            tracing::warn!(?ended, "the guard of tool servers ended; restarting it");
                        }
                        Err(error) = send_changes(&mut groups, &mut input) => {
                            tracing::warn!(%error, "the guard of tool servers does not read its input; restarting it");
                        }
                        () = stop.cancelled() => {
                            drop(input);
                            let _exited = tokio::time::timeout(limits::EXIT, shell.wait()).await;
                            return;
                        }
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "could not start the guard of tool servers; they may outlive a kill of this process");
                }
            }
            failures += 1;
            tokio::select! {
                () = tokio::time::sleep(BACKOFF.pause(failures)) => {}
                () = stop.cancelled() => {}
            }
        }
    }

    fn start_shell(&self, path: Option<&str>) -> std::io::Result<(Child, ChildStdin)> {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "tarsy-guard", &format!("{MARK}={}", self.mark_prefix)])
            .env_clear()
            .env("PATH", path.unwrap_or("/usr/local/bin:/usr/bin:/bin"))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()?;
        let input = shell.stdin.take();
        Ok((shell, input.ok_or_else(|| std::io::Error::other("it has no standard input"))?))
    }
}

/// Sends added and removed groups to the shell until its input is closed.
async fn send_changes(
    groups: &mut watch::Receiver<BTreeSet<i32>>,
    input: &mut ChildStdin,
) -> std::io::Result<()> {
    let mut sent = BTreeSet::new();
    loop {
        let current = groups.borrow_and_update().clone();
        let added = current.difference(&sent).map(|group| format!("+ {group}\n"));
        let removed = sent.difference(&current).map(|group| format!("- {group}\n"));
        let lines: String = added.chain(removed).collect();
        input.write_all(lines.as_bytes()).await?;
        input.flush().await?;
        sent = current;
        if groups.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Kills every process with this mark. Without `/proc` it finds none.
pub(super) fn kill_marked(mark: &str) {
    let marked = format!("{MARK}={mark}");
    for _ in 0..MAX_SEARCHES {
        let found = processes_with(marked.as_bytes());
        if found.is_empty() {
            return;
        }
        for process in found {
            // A process that has exited already is no error.
            let _exited = kill(process, Signal::SIGKILL);
        }
    }
}

fn processes_with(marked: &[u8]) -> Vec<Pid> {
    let Ok(entries) = std::fs::read_dir("/proc") else { return Vec::new() };
    let marked = |path: &Path| {
        let environment = std::fs::read(path.join("environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == marked)
    };
    let process = |entry: std::fs::DirEntry| {
        let id: i32 = entry.file_name().to_str()?.parse().ok()?;
        marked(&entry.path()).then(|| Pid::from_raw(id))
    };
    entries.flatten().filter_map(process).collect()
}
