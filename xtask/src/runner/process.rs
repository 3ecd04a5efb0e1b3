//! Runs one program to its end.

use std::io::{BufRead as _, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

use nix::sys::wait::{Id, WaitPidFlag, WaitStatus, waitid};
use nix::unistd::{Pid, SysconfVar, sysconf};

use super::events::Events;
use super::job::{Job, Outcome, Output};
use super::plan;

/// Longer than the longest program takes on a busy machine.
const LIMIT: Duration = Duration::from_mins(25);
/// What an ended program has written is read by then, unless a process that it left behind keeps its output open.
const REST: Duration = Duration::from_secs(10);
/// Lines that wait to be read; a program that writes faster waits, too.
const LINES: usize = 1024;

enum Line {
    Output(String),
    Error(String),
}

/// Runs a job; what goes wrong is its outcome.
pub(super) fn run(job: Job, filters: &[String]) -> Outcome {
    let begun = Instant::now();
    let mut events = Events::default();
    let mut processor = Duration::ZERO;
    let ended = start(&job, filters).and_then(|(child, lines)| {
        follow(child, &lines, &job, &mut events).and_then(|child| end(child, &mut processor))
    });
    let time = begun.elapsed();
    let running: Vec<String> = events.running().map(str::to_owned).collect();
    let failure = match ended {
        Ok(Some(status)) if status.success() => None,
        Ok(Some(status)) => Some(format!("{status}")),
        Ok(None) => Some(format!("it was stopped after {} minutes", LIMIT.as_secs() / 60)),
        Err(error) => Some(format!("{} could not be run: {error}", job.program.display())),
    };
    let failure = failure.map(|failure| {
        if running.is_empty() {
            return failure;
        }
        format!("{failure}, while these ran: {}", running.join(", "))
    });
    let (tests, printed) = events.into_parts();
    Outcome { job, time, processor, tests, failure, printed }
}

fn start(job: &Job, filters: &[String]) -> std::io::Result<(Child, Receiver<Line>)> {
    let mut command = Command::new(&job.program);
    command.args(&job.arguments).current_dir(&job.folder).env("CARGO_MANIFEST_DIR", &job.folder);
    if job.output == Output::Events {
        // A backtrace of an asynchronous test is two screens of its runtime, below the reason.
        command.env("RUST_BACKTRACE", "0");
        // libtest has JSON and times for nightly toolchains only, or with this variable.
        command.env("RUSTC_BOOTSTRAP", "1").args([
            "-Zunstable-options",
            "--report-time",
            "--format=json",
        ]);
        command.args(filters);
        if let Some(threads) = plan::threads(&job.name) {
            command.env("RUST_TEST_THREADS", threads.to_string());
        }
    }
    let mut child =
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (sender, lines) = mpsc::sync_channel(LINES);
    if let Some(output) = child.stdout.take() {
        read(output, sender.clone(), Line::Output);
    }
    if let Some(errors) = child.stderr.take() {
        read(errors, sender, Line::Error);
    }
    Ok((child, lines))
}

/// Sends the lines of a stream, whatever bytes they have.
fn read(
    stream: impl Read + Send + 'static,
    lines: mpsc::SyncSender<Line>,
    kind: fn(String) -> Line,
) {
    std::thread::spawn(move || {
        let mut stream = BufReader::new(stream);
        let mut bytes = Vec::new();
        while stream.read_until(b'\n', &mut bytes).is_ok_and(|length| length > 0) {
            let line = String::from_utf8_lossy(&bytes).trim_end_matches('\n').to_owned();
            if lines.send(kind(line)).is_err() {
                return;
            }
            bytes.clear();
        }
    });
}

/// A program whose output is over.
enum Over {
    Ended(Child),
    /// Its limit is over, too.
    Late(Child),
}

/// Reads the lines of a program until it has ended, or has to be stopped.
fn follow(
    child: Child,
    lines: &Receiver<Line>,
    job: &Job,
    events: &mut Events,
) -> std::io::Result<Over> {
    let limit = Instant::now() + LIMIT;
    let mut last = None;
    loop {
        let until = last.unwrap_or(limit);
        match lines.recv_timeout(
            until.saturating_duration_since(Instant::now()).min(Duration::from_secs(1)),
        ) {
            Ok(Line::Output(line)) if job.output == Output::Events => events.read(&line),
            Ok(Line::Output(line) | Line::Error(line)) => events.print(&line),
            Err(RecvTimeoutError::Disconnected) => return Ok(Over::Ended(child)),
            Err(RecvTimeoutError::Timeout) if Instant::now() < until => {
                // Its output stays open if something that it started goes on.
                if last.is_none() && has_ended(&child, WaitPidFlag::WNOHANG)? {
                    last = Some(Instant::now() + REST);
                }
            }
            Err(RecvTimeoutError::Timeout) if last.is_some() => return Ok(Over::Ended(child)),
            Err(RecvTimeoutError::Timeout) => return Ok(Over::Late(child)),
        }
    }
}

/// Awaits the end; no status if the program had to be stopped. Sets the time of all processors.
fn end(over: Over, processor: &mut Duration) -> std::io::Result<Option<ExitStatus>> {
    match over {
        Over::Ended(mut child) => {
            has_ended(&child, WaitPidFlag::empty())?;
            *processor = processor_time(&child)?;
            child.wait().map(Some)
        }
        Over::Late(mut child) => {
            child.kill()?;
            child.wait().map(|_| None)
        }
    }
}

/// Whether a program has ended; it can still be awaited.
fn has_ended(child: &Child, flag: WaitPidFlag) -> std::io::Result<bool> {
    let flags = WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT | flag;
    let status = waitid(Id::Pid(Pid::from_raw(child.id().cast_signed())), flags)?;
    Ok(status != WaitStatus::StillAlive)
}

/// Of an ended program and of those that it started and awaited.
fn processor_time(child: &Child) -> std::io::Result<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{}/stat", child.id()))?;
    let each =
        sysconf(SysconfVar::CLK_TCK)?.and_then(|each| u64::try_from(each).ok()).unwrap_or(100);
    Ok(Duration::from_millis(ticks_of(&stat) * 1000 / each))
}

/// The fields 14 to 17 of `proc_pid_stat(5)`. The name before them, in brackets, may hold blanks.
fn ticks_of(stat: &str) -> u64 {
    let fields = stat.rsplit_once(')').map_or("", |(_, fields)| fields);
    fields.split_whitespace().skip(11).take(4).filter_map(|ticks| ticks.parse::<u64>().ok()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processor_time_is_that_of_a_process_and_of_those_it_awaited() {
        let stat = "7 (a b) c) S 1 2 3 4 5 6 7 8 9 10 100 20 3000 400 5 6 7";
        assert_eq!(ticks_of(stat), 3520);
        assert_eq!(ticks_of(""), 0);
    }
}
