//! A server's subprocess and its descendants: one process group, which never outlives its session.
//!
//! Closing its standard input asks a server to exit, then SIGTERM. The whole group is killed in every
//! case, because a descendant may outlive the server. Descendants outside the group are found by a mark
//! in their environment. The guard does the same when the gateway itself is killed.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};

use nix::errno::Errno;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::runtime::Handle;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::guard::{self, Guard, MARK};
use crate::failure::Failure;
use crate::limits;

/// The first [`limits::STDERR_BYTES`] of a server's standard error.
#[derive(Clone, Debug, Default)]
pub(crate) struct StderrOutput {
    bytes: Arc<Mutex<Vec<u8>>>,
    complete: CancellationToken,
}

impl StderrOutput {
    /// The text after the server has ended.
    pub(crate) async fn read_all(&self) -> String {
        if timeout(limits::STDERR_WAIT, self.complete.cancelled()).await.is_err() {
            tracing::debug!("the standard error of a tool server stays open after its end");
        }
        self.text()
    }

    /// The text so far. A truncated last line is omitted: masking does not recognise half a secret.
    fn text(&self) -> String {
        let bytes = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        if bytes.len() < limits::STDERR_BYTES {
            return text.into_owned();
        }
        text.rsplit_once('\n').map_or_else(String::new, |(lines, _)| lines.to_owned())
    }

    fn add(&self, bytes: &[u8]) {
        let mut stored = self.bytes.lock().unwrap_or_else(PoisonError::into_inner);
        let capacity = limits::STDERR_BYTES.saturating_sub(stored.len());
        stored.extend(bytes.iter().take(capacity));
    }

    async fn collect(self, mut stderr: ChildStderr) {
        let _complete = self.complete.clone().drop_guard();
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
            self.add(buffer.get(..read).unwrap_or_default());
        }
    }
}

/// A subprocess that leads a process group.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    group: Option<Pid>,
    mark: String,
    guard: Guard,
    tasks: TaskTracker,
    pub(crate) stderr: StderrOutput,
}

/// How a subprocess is started: the launcher becomes the server that its arguments name.
pub(crate) struct Launch {
    pub(super) launcher: PathBuf,
    pub(super) args: Vec<String>,
    pub(super) environment: BTreeMap<String, String>,
}

/// The standard streams that carry the protocol.
pub(crate) struct Pipes {
    pub(super) output: ChildStdout,
    pub(super) input: ChildStdin,
}

impl Process {
    /// Starts a launcher with the environment of its server and no other.
    pub(crate) fn start(
        launch: &Launch,
        guard: &Guard,
        tasks: &TaskTracker,
    ) -> Result<(Self, Pipes), Failure> {
        let program = || launch.launcher.display().to_string();
        let failed = |source| Failure::Spawn { program: program(), source };
        let mark = guard.new_mark();
        let mut child = Command::new(&launch.launcher)
            .args(&launch.args)
            .env_clear()
            .envs(&launch.environment)
            .env(MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        let streams = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        if let Some(group) = group {
            guard.add(group);
        }
        let output = StderrOutput::default();
        let (guard, tasks) = (guard.clone(), tasks.clone());
        let process = Self { child, group, mark, guard, tasks, stderr: output };
        let (Some(output), Some(input), Some(stderr)) = streams else {
            return Err(failed(std::io::Error::other("it has no standard streams")));
        };
        process.tasks.spawn(process.stderr.clone().collect(stderr));
        Ok((process, Pipes { output, input }))
    }

    /// Whether the program itself has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the program to exit after its input was closed, and kills the whole group.
    pub(crate) async fn end(&mut self) {
        if timeout(limits::EXIT, self.child.wait()).await.is_err() {
            self.signal(Signal::SIGTERM);
            // The group is killed next in either case.
            let _exited = timeout(limits::TERMINATE, self.child.wait()).await;
        }
        self.kill();
        if timeout(limits::EXIT, self.child.wait()).await.is_err() {
            tracing::warn!(process.group = ?self.group, "a killed tool server does not exit");
        }
    }

    /// Kills the group, and then the marked processes outside it.
    fn kill(&mut self) {
        if self.group.is_none() {
            return;
        }
        self.signal(Signal::SIGKILL);
        if let (Some(group), Ok(runtime)) = (self.group.take(), Handle::try_current()) {
            let (mark, guard) = (std::mem::take(&mut self.mark), self.guard.clone());
            let killing = move || {
                guard::kill_marked(&mark);
                guard.remove(group);
            };
            self.tasks.spawn_blocking_on(killing, &runtime);
        }
    }

    fn signal(&self, signal: Signal) {
        let Some(group) = self.group else { return };
        match killpg(group, signal) {
            Ok(()) | Err(Errno::ESRCH) => {}
            Err(error) => {
                tracing::warn!(process.group = %group, %signal, %error, "could not signal a tool server");
            }
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}
