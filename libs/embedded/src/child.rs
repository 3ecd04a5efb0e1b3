//! One child process that never outlives its owner.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout, Command};

use crate::Error;

/// What every program may know: where programs, files and zones are, and its language. Everything else in the
/// environment of the owner (keys, passwords) is not for its children.
const INHERITED: [&str; 8] = ["PATH", "HOME", "USER", "LANG", "LANGUAGE", "LC_ALL", "TZ", "TMPDIR"];

#[derive(Clone, Debug)]
pub struct Spec {
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Its variables beside those of `INHERITED`, which are all that it gets of this process's environment.
    pub env: Vec<(String, String)>,
    /// Where its output goes.
    pub log: PathBuf,
    /// User and group to run as, when we are root and it refuses root.
    pub user: Option<(u32, u32)>,
    /// A folder that is deleted when the owner drops the program or dies; not when the owner stops or
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
    stop_timeout: Duration,
}

impl Server {
    pub(crate) const fn none(stop_timeout: Duration) -> Self {
        Self { child: None, stop_timeout }
    }

    pub(crate) fn set_child(&mut self, child: Child) {
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
            child.stop(self.stop_timeout).await;
        }
    }

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

/// Starts "$@" in the background, prints its pid and its exit status, and sends it the signals that the
/// owner requests. When standard input closes, the owner is gone: the program is asked to stop, and
/// killed if it does not in time. The rest of its process group ends with this shell.
const WRAPPER: &str = include_str!("child.sh");
/// How long a program may take to stop when its owner is gone; longer than an owner waits.
const ORPHAN_TIMEOUT: Duration = Duration::from_mins(1);

impl Child {
    pub async fn start(spec: &Spec) -> Result<Self, Error> {
        Self::start_with(spec, ORPHAN_TIMEOUT).await
    }

    async fn start_with(spec: &Spec, stop_timeout: Duration) -> Result<Self, Error> {
        let spawn = |source| Error::Spawn { program: spec.program.clone(), source };
        let mut command = Command::new("/bin/sh");
        command
            .arg("-c")
            .arg(WRAPPER)
            .arg("tarsy-child")
            .arg(&spec.log)
            .arg(spec.remove.as_deref().unwrap_or(Path::new("")))
            .arg(stop_timeout.as_secs().to_string())
            .arg(&spec.program)
            .args(&spec.args)
            .env_clear()
            .envs(inherited())
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
            .map_err(|_| spawn(std::io::Error::other("the wrapper printed no process id")))?;
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

    /// Asks the program to stop, and kills it if it has not within `stop_timeout`.
    pub async fn stop(mut self, stop_timeout: Duration) {
        self.send("INT").await;
        if tokio::time::timeout(stop_timeout, self.exited()).await.is_err() {
            self.signal(Signal::SIGKILL);
        }
        self.wait().await;
    }

    /// Kills the program at once.
    pub async fn kill(mut self) {
        self.send("KILL").await;
        self.wait().await;
    }

    /// Waits for the end of the program and of its wrapper; the folder stays.
    async fn wait(mut self) {
        self.exited().await;
        self.send("keep").await;
        self.stdin.take();
        if let Err(error) = self.wrapper.wait().await {
            tracing::debug!(%error, "the wrapper could not be waited for");
        }
    }

    /// Sends the wrapper a command: only it knows whether the pid still belongs to the program.
    async fn send(&mut self, command: &str) {
        let Some(stdin) = &mut self.stdin else { return };
        if let Err(error) = stdin.write_all(format!("{command}\n").as_bytes()).await {
            tracing::debug!(%error, command, "the wrapper has ended");
        }
    }
}

/// The variables that a child gets of the environment of this process.
pub(crate) fn inherited() -> impl Iterator<Item = (&'static str, OsString)> {
    INHERITED.into_iter().filter_map(|name| Some((name, std::env::var_os(name)?)))
}

#[cfg(test)]
mod tests;
