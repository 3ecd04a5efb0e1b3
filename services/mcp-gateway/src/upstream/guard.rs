//! Sees to it that no subprocess outlives this process, not even when it is killed.
//!
//! Every subprocess leads a process group and has a mark in its environment, which all that it starts
//! inherits. A small shell waits for the end of a pipe that only we hold: when it comes, it kills the
//! groups that are left, and whatever has the mark.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tarsy_domain::id::LeaseId;
use tokio::io::AsyncWriteExt as _;
use tokio::process::{Child, ChildStdin, Command};
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::limits;

/// The variable that marks a subprocess, and all that it starts.
pub(crate) const MARK: &str = "TARSY_TOOL_SERVER";

const SCRIPT: &str = include_str!("guard.sh");
/// How long to wait before a shell that ended is started again.
const PAUSE: Duration = Duration::from_millis(200);
/// How often processes of one mark are looked for: one may start another while it is killed.
const ROUNDS: usize = 5;

/// What is guarded.
#[derive(Clone, Debug)]
pub(crate) struct Guard {
    ours: Arc<str>,
    started: Arc<AtomicU64>,
    groups: watch::Sender<BTreeSet<i32>>,
}

impl Guard {
    /// Guards nothing yet.
    pub(crate) fn new() -> Self {
        let ours = LeaseId::new().to_string().into();
        Self { ours, started: Arc::default(), groups: watch::Sender::default() }
    }

    /// A mark for one subprocess.
    pub(super) fn mark(&self) -> String {
        let number = self.started.fetch_add(1, Ordering::Relaxed);
        format!("{}.{number}.", self.ours)
    }

    /// Guards a process group.
    pub(super) fn add(&self, group: Pid) {
        self.groups.send_modify(|groups| {
            groups.insert(group.as_raw());
        });
    }

    /// A process group is no more.
    pub(super) fn remove(&self, group: Pid) {
        self.groups.send_modify(|groups| {
            groups.remove(&group.as_raw());
        });
    }

    /// Keeps the shell that guards, as soon as there is anything to guard, until `over`.
    pub(crate) async fn keep(self, path: Option<String>, over: CancellationToken) {
        let mut groups = self.groups.subscribe();
        tokio::select! {
            _ = groups.wait_for(|groups| !groups.is_empty()) => {}
            () = over.cancelled() => return,
        }
        while !over.is_cancelled() {
            match self.shell(path.as_deref()) {
                Ok((mut shell, mut input)) => {
                    tokio::select! {
                        ended = shell.wait() => {
                            tracing::warn!(?ended, "the guard of tool servers ended; it is started again");
                        }
                        Err(error) = tell(&mut groups, &mut input) => {
                            tracing::warn!(%error, "the guard of tool servers does not listen; it is started again");
                        }
                        () = over.cancelled() => {
                            drop(input);
                            let _left = tokio::time::timeout(limits::LEAVE, shell.wait()).await;
                            return;
                        }
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "no guard of tool servers can be started; they may outlive a kill of this process");
                }
            }
            tokio::select! {
                () = tokio::time::sleep(PAUSE) => {}
                () = over.cancelled() => {}
            }
        }
    }

    fn shell(&self, path: Option<&str>) -> std::io::Result<(Child, ChildStdin)> {
        let mut shell = Command::new("/bin/sh")
            .args(["-c", SCRIPT, "tarsy-guard", &format!("{MARK}={}", self.ours)])
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

/// Tells the shell which groups come and go, as long as it listens.
async fn tell(
    groups: &mut watch::Receiver<BTreeSet<i32>>,
    input: &mut ChildStdin,
) -> std::io::Result<()> {
    let mut told = BTreeSet::new();
    loop {
        let now = groups.borrow_and_update().clone();
        let came = now.difference(&told).map(|group| format!("+ {group}\n"));
        let went = told.difference(&now).map(|group| format!("- {group}\n"));
        let lines: String = came.chain(went).collect();
        input.write_all(lines.as_bytes()).await?;
        input.flush().await?;
        told = now;
        if groups.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Kills every process with this mark, where processes can be looked at.
pub(super) fn kill_marked(mark: &str) {
    let marked = format!("{MARK}={mark}");
    for _ in 0..ROUNDS {
        let found = processes_with(marked.as_bytes());
        if found.is_empty() {
            return;
        }
        for process in found {
            // One that is gone by now is just as well.
            let _gone = kill(process, Signal::SIGKILL);
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
