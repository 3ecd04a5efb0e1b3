//! Runs one of the three programs we know, with fixed arguments, bounded in time and output.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

/// The folders in which programs are looked for; the caller's `PATH` is not used.
const FOLDERS: [&str; 4] = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
/// The longest run.
const TIMEOUT: Duration = Duration::from_secs(5);
/// The most output that is read.
const MAX_OUTPUT: u64 = 512 * 1024;
/// The most diagnostics that are read.
const MAX_ERRORS: u64 = 4 * 1024;

/// The programs that may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Program {
    /// Reads the systemd journal.
    Journalctl,
    /// Asks systemd about units.
    Systemctl,
    /// Reads the kernel's ring buffer.
    Dmesg,
}

impl Program {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Journalctl => "journalctl",
            Self::Systemctl => "systemctl",
            Self::Dmesg => "dmesg",
        }
    }

    fn path(self) -> Option<PathBuf> {
        FOLDERS
            .iter()
            .map(|folder| PathBuf::from(folder).join(self.name()))
            .find(|path| path.is_file())
    }
}

/// What came out of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The program is not installed.
    Missing,
    /// The program did not start, did not end in time, or said no; with its own words.
    Failed(String),
    /// The program ended well; with its output.
    Done(String),
}

/// Runs a program to its end.
pub(crate) async fn run(program: Program, args: &[&str]) -> Outcome {
    let Some(path) = program.path() else { return Outcome::Missing };
    let child = Command::new(path)
        .args(args)
        .env_clear()
        .env("LANG", "C")
        .env("PATH", "/usr/bin:/bin:/usr/sbin:/sbin")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn();
    let mut child = match child {
        Ok(child) => child,
        Err(error) => return Outcome::Failed(format!("{} did not start: {error}", program.name())),
    };
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    let work = async {
        let (output, errors) = tokio::join!(read(stdout, MAX_OUTPUT), read(stderr, MAX_ERRORS));
        (output, errors, child.wait().await)
    };
    match tokio::time::timeout(TIMEOUT, work).await {
        Err(_) => Outcome::Failed(format!(
            "{} did not end within {} s",
            program.name(),
            TIMEOUT.as_secs()
        )),
        Ok((_, _, Err(error))) => Outcome::Failed(format!("{} was lost: {error}", program.name())),
        Ok((output, _, Ok(status))) if status.success() => Outcome::Done(output),
        Ok((_, errors, Ok(status))) => {
            let words = errors.lines().next().unwrap_or("no message");
            Outcome::Failed(format!("{} ended with {status}: {words}", program.name()))
        }
    }
}

/// Reads a bounded part of a stream; the rest is read and thrown away, so that the writer can end.
async fn read(stream: Option<impl AsyncRead + Unpin>, limit: u64) -> String {
    let Some(mut stream) = stream else { return String::new() };
    let mut bytes = Vec::new();
    let kept = (&mut stream).take(limit).read_to_end(&mut bytes).await;
    if kept.is_ok() {
        let rest = tokio::io::copy(&mut stream, &mut tokio::io::sink()).await;
        tracing::trace!(?rest, "read the rest of a stream");
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_program_is_missing_fails_with_its_words_or_gives_its_output() {
        match run(Program::Dmesg, &["--version"]).await {
            Outcome::Done(text) => assert!(text.contains("dmesg"), "{text}"),
            Outcome::Missing => assert!(Program::Dmesg.path().is_none()),
            Outcome::Failed(words) => assert!(words.contains("dmesg"), "{words}"),
        }
    }

    #[tokio::test]
    async fn a_refusal_carries_the_programs_own_words() {
        if let Outcome::Failed(words) = run(Program::Dmesg, &["--no-such-option"]).await {
            assert!(words.contains("no-such-option"), "{words}");
        } else {
            assert!(Program::Dmesg.path().is_none());
        }
    }
}
