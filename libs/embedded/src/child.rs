//! One child process that never outlives its owner.

use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout, Command};

use crate::Error;

/// What to run.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The program.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<String>,
    /// Variables set beside the inherited ones.
    pub env: Vec<(String, String)>,
    /// Where its output goes.
    pub log: PathBuf,
    /// User and group to run as, when we are root and it refuses root.
    pub user: Option<(u32, u32)>,
    /// A folder that goes away when the owner lets go of the program or dies; not when the owner stops or
    /// kills it.
    pub remove: Option<PathBuf>,
}

/// A running program. Dropping it, or the death of this process, stops it.
#[derive(Debug)]
pub struct Child {
    pid: Pid,
    wrapper: tokio::process::Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
}

/// A server's child process, while there is one.
#[derive(Debug)]
pub struct Server {
    child: Option<Child>,
    /// How long it may take to stop in order.
    patience: Duration,
}

impl Server {
    pub(crate) const fn none(patience: Duration) -> Self {
        Self { child: None, patience }
    }

    pub(crate) fn runs(&mut self, child: Child) {
        self.child = Some(child);
    }

    /// Its process id, while it runs.
    pub fn pid(&self) -> Option<i32> {
        self.child.as_ref().map(Child::pid)
    }

    /// Resolves when it has ended by itself; never, while it does not run.
    pub async fn exited(&mut self) -> String {
        match &mut self.child {
            Some(child) => child.exited().await,
            None => std::future::pending().await,
        }
    }

    /// Stops it in order.
    pub async fn stop(&mut self) {
        if let Some(child) = self.child.take() {
            child.stop(self.patience).await;
        }
    }

    /// Kills it at once.
    pub async fn kill(&mut self) {
        if let Some(child) = self.child.take() {
            child.kill().await;
        }
    }

    /// Sends it a signal, such as `SIGSTOP`.
    pub fn signal(&self, signal: Signal) {
        if let Some(child) = &self.child {
            child.signal(signal);
        }
    }
}

/// Starts "$@" in the background, tells its pid, passes on what signals the owner asks for, and tells
/// its end. When standard input closes, the owner is gone: the program is asked to stop, and killed if it
/// has not after a while. What it left in its process group ends with this shell.
const WRAPPER: &str = include_str!("child.sh");
/// How long a program may take to stop when its owner is gone; longer than an owner waits itself.
const PATIENCE: Duration = Duration::from_mins(1);

impl Child {
    /// Starts the program.
    pub async fn start(spec: &Spec) -> Result<Self, Error> {
        Self::start_with(spec, PATIENCE).await
    }

    async fn start_with(spec: &Spec, patience: Duration) -> Result<Self, Error> {
        let spawn = |source| Error::Spawn { program: spec.program.clone(), source };
        let mut command = Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(WRAPPER)
            .arg("tarsy-child")
            .arg(&spec.log)
            .arg(spec.remove.as_deref().unwrap_or(Path::new("")))
            .arg(patience.as_secs().to_string())
            .arg(&spec.program)
            .args(&spec.args)
            .envs(spec.env.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            // Ctrl-C in a terminal reaches the owner alone, which then stops its children in order.
            .process_group(0);
        if let Some((uid, gid)) = spec.user {
            command.uid(uid).gid(gid);
        }
        let mut wrapper = command.spawn().map_err(spawn)?;
        let stdin = wrapper.stdin.take();
        let stdout = wrapper
            .stdout
            .take()
            .ok_or_else(|| spawn(std::io::Error::other("no standard output")))?;
        let mut lines = BufReader::new(stdout).lines();
        let first = lines.next_line().await.map_err(spawn)?.unwrap_or_default();
        let pid = first
            .trim()
            .parse()
            .map(Pid::from_raw)
            .map_err(|_| spawn(std::io::Error::other("the wrapper told no process id")))?;
        Ok(Self { pid, wrapper, stdin, lines })
    }

    /// The program's process id.
    pub fn pid(&self) -> i32 {
        self.pid.as_raw()
    }

    /// Sends the program a signal; a program that is gone is no error.
    pub fn signal(&self, signal: Signal) {
        if let Err(error) = kill(self.pid, signal) {
            tracing::debug!(pid = self.pid.as_raw(), %error, "signal not delivered");
        }
    }

    /// Resolves when the program has ended, with what it ended.
    pub async fn exited(&mut self) -> String {
        while let Ok(Some(line)) = self.lines.next_line().await {
            if line.starts_with("exit ") {
                return line;
            }
        }
        "exit unknown".to_owned()
    }

    /// Asks the program to stop, and kills it if it has not within `patience`.
    pub async fn stop(mut self, patience: Duration) {
        self.ask("INT").await;
        if tokio::time::timeout(patience, self.exited()).await.is_err() {
            self.signal(Signal::SIGKILL);
        }
        self.over().await;
    }

    /// Kills the program at once.
    pub async fn kill(mut self) {
        self.ask("KILL").await;
        self.over().await;
    }

    /// Waits for the end of the program and of its wrapper; the folder stays.
    async fn over(mut self) {
        self.exited().await;
        self.ask("keep").await;
        self.stdin.take();
        if let Err(error) = self.wrapper.wait().await {
            tracing::debug!(%error, "the wrapper could not be waited for");
        }
    }

    /// Gives the wrapper a word: it alone knows whether the program's pid is still the program's.
    async fn ask(&mut self, word: &str) {
        let Some(stdin) = &mut self.stdin else { return };
        if let Err(error) = stdin.write_all(format!("{word}\n").as_bytes()).await {
            tracing::debug!(%error, word, "the wrapper has ended");
        }
    }
}

#[cfg(test)]
mod tests;
