//! A server's subprocess and all that it starts: one process group, which never outlives its session.
//!
//! The end of its input tells a server to leave; one that stays is asked to, and the whole group is
//! killed in every case, because what a server started may stay when the server itself leaves. What
//! left the group is known by its mark. When the gateway itself is killed, its guard does the same.

use std::collections::BTreeMap;
use std::path::Path;
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

/// What a server wrote to its error output: the first part of it.
#[derive(Clone, Debug, Default)]
pub(super) struct Complaints {
    kept: Arc<Mutex<Vec<u8>>>,
    whole: CancellationToken,
}

impl Complaints {
    /// All of the text, once the server has ended.
    pub(super) async fn all(&self) -> String {
        if timeout(limits::LAST_COMPLAINTS, self.whole.cancelled()).await.is_err() {
            tracing::debug!("the error output of a tool server stays open after its end");
        }
        self.text()
    }

    /// The text so far; a line that was cut is left out, for half a secret is not recognised.
    fn text(&self) -> String {
        let bytes = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&bytes);
        if bytes.len() < limits::STDERR_BYTES {
            return text.into_owned();
        }
        text.rsplit_once('\n').map_or_else(String::new, |(whole, _)| whole.to_owned())
    }

    fn add(&self, bytes: &[u8]) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = limits::STDERR_BYTES.saturating_sub(kept.len());
        kept.extend(bytes.iter().take(room));
    }

    async fn collect(self, mut stderr: ChildStderr) {
        let _whole = self.whole.clone().drop_guard();
        let mut buffer = [0; 4096];
        while let Ok(read @ 1..) = stderr.read(&mut buffer).await {
            self.add(buffer.get(..read).unwrap_or_default());
        }
    }
}

/// A subprocess that leads a process group.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    group: Option<Pid>,
    mark: String,
    guard: Guard,
    tasks: TaskTracker,
    /// What it wrote to its error output.
    pub(super) complaints: Complaints,
}

/// The two ends that the protocol is spoken over.
pub(super) struct Pipes {
    pub(super) output: ChildStdout,
    pub(super) input: ChildStdin,
}

impl Process {
    /// Starts a program with this environment and no other.
    pub(super) fn start(
        program: &Path,
        args: &[String],
        environment: &BTreeMap<String, String>,
        guard: &Guard,
        tasks: &TaskTracker,
    ) -> Result<(Self, Pipes), Failure> {
        let failed = |source| Failure::Spawn { program: program.display().to_string(), source };
        let mark = guard.mark();
        let mut child = Command::new(program)
            .args(args)
            .env_clear()
            .envs(environment)
            .env(MARK, &mark)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .kill_on_drop(true)
            .spawn()
            .map_err(failed)?;
        let group = child.id().and_then(|id| i32::try_from(id).ok()).map(Pid::from_raw);
        let pipes = (child.stdout.take(), child.stdin.take(), child.stderr.take());
        if let Some(group) = group {
            guard.add(group);
        }
        let complaints = Complaints::default();
        let (guard, tasks) = (guard.clone(), tasks.clone());
        let process = Self { child, group, mark, guard, tasks, complaints };
        let (Some(output), Some(input), Some(stderr)) = pipes else {
            return Err(failed(std::io::Error::other("it has no standard streams")));
        };
        process.tasks.spawn(process.complaints.clone().collect(stderr));
        Ok((process, Pipes { output, input }))
    }

    /// Whether the program itself has ended.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    /// Waits for the program to leave, its input being closed, and kills the whole group.
    pub(super) async fn end(&mut self) {
        if timeout(limits::LEAVE, self.child.wait()).await.is_err() {
            self.signal(Signal::SIGTERM);
            // Whether it obeys or not, the group is killed next.
            let _obeyed = timeout(limits::TERMINATE, self.child.wait()).await;
        }
        self.kill();
        if timeout(limits::LEAVE, self.child.wait()).await.is_err() {
            tracing::warn!(process.group = ?self.group, "a killed tool server does not end");
        }
    }

    /// Kills the group, and then whatever left it.
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
