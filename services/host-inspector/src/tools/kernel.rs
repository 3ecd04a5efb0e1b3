//! `kernel_log`.

use std::collections::VecDeque;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Read};
use std::os::unix::fs::OpenOptionsExt;

use jiff::{Timestamp, Unit};
use nix::fcntl::OFlag;
use serde_json::{Value, json};

use super::lines::newest;
use crate::args::{KernelLogArgs, bounded};
use crate::error::{ToolError, ToolResult};
use crate::exec::{Outcome, Program, run};
use crate::host::text_of;
use crate::proc::cpu::boot_time;
use crate::proc::kmsg::{LEVELS, Record, dmesg_line, level, record};

/// How many records of the ring buffer are read.
const MAX_RECORDS: usize = 100_000;
/// The size of a read; the kernel refuses one that is smaller than the record.
const RECORD_BYTES: usize = 16 * 1024;

/// The newest messages of the kernel, from the first source that can be read.
pub(crate) async fn log(args: KernelLogArgs) -> ToolResult {
    let lines = bounded("lines", args.lines, 1, 500)?;
    let least = match args.min_level.as_deref().map(str::trim) {
        None | Some("") => 7,
        Some(name) => level(name).ok_or_else(|| {
            ToolError::invalid(
                format!("min_level {name:?} is unknown"),
                format!("use one of {}", LEVELS.join(", ")),
            )
        })?,
    };
    let mut tried = Vec::new();
    let records = tokio::task::spawn_blocking(move || ring_buffer(lines, least)).await;
    match records {
        Ok(Ok(records)) => return Ok(answer("/dev/kmsg", &records)),
        Ok(Err(error)) => tried.push(format!("/dev/kmsg: {error}")),
        Err(error) => tried.push(format!("/dev/kmsg: {error}")),
    }
    match run(Program::Dmesg, &["--raw"]).await {
        Outcome::Done(text) if !text.trim().is_empty() => {
            let all: Vec<Record> =
                text.lines().filter_map(dmesg_line).filter(|one| one.level <= least).collect();
            let newest: Vec<Record> = all.into_iter().rev().take(lines).rev().collect();
            return Ok(answer("dmesg", &newest));
        }
        outcome => tried.push(explain(Program::Dmesg, outcome)),
    }
    let (count, priority) = (format!("--lines={lines}"), format!("--priority={least}"));
    let args = [
        "--dmesg",
        "--no-pager",
        "--quiet",
        "--output=short-iso",
        count.as_str(),
        priority.as_str(),
    ];
    match run(Program::Journalctl, &args).await {
        Outcome::Done(text) if !text.trim().is_empty() => {
            let found = newest(&text, lines, |_| true);
            return Ok(
                json!({ "available": true, "source": "journalctl", "messages": found.lines }),
            );
        }
        outcome => tried.push(explain(Program::Journalctl, outcome)),
    }
    Ok(json!({
        "available": false,
        "reason": "the kernel's log is not readable here (it needs root or CAP_SYSLOG, and is often hidden from containers)",
        "tried": tried,
    }))
}

/// Why a program gave nothing.
pub(crate) fn explain(program: Program, outcome: Outcome) -> String {
    match outcome {
        Outcome::Missing => format!("{} is not installed", program.name()),
        Outcome::Failed(words) => words,
        Outcome::Done(_) => format!("{} had nothing to show", program.name()),
    }
}

fn ring_buffer(lines: usize, least: u8) -> std::io::Result<Vec<Record>> {
    let mut device =
        OpenOptions::new().read(true).custom_flags(OFlag::O_NONBLOCK.bits()).open("/dev/kmsg")?;
    let mut buffer = vec![0; RECORD_BYTES];
    let mut kept = VecDeque::new();
    for _ in 0..MAX_RECORDS {
        let count = match device.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            // The record was overwritten while we read: the next read goes on after it.
            Err(error)
                if matches!(error.kind(), ErrorKind::BrokenPipe | ErrorKind::Interrupted) =>
            {
                continue;
            }
            Err(error) => return Err(error),
        };
        let text = String::from_utf8_lossy(buffer.get(..count).unwrap_or_default());
        if let Some(found) = record(&text).filter(|found| found.level <= least) {
            if kept.len() == lines {
                kept.pop_front();
            }
            kept.push_back(found);
        }
    }
    Ok(kept.into())
}

fn answer(source: &str, records: &[Record]) -> Value {
    let booted = text_of("/proc/stat").and_then(|text| boot_time(&text));
    let text: Vec<String> = records.iter().map(|record| line(record, booted)).collect();
    let found = newest(&text.join("\n"), records.len(), |_| true);
    json!({ "available": true, "source": source, "count": found.lines.len(), "messages": found.lines })
}

/// A line with the time of day, as far as the time of boot is known.
fn line(record: &Record, booted: Option<i64>) -> String {
    let seconds = record.micros_since_boot / 1_000_000;
    let time = booted
        .zip(i64::try_from(seconds).ok())
        .and_then(|(booted, seconds)| Timestamp::from_second(booted.checked_add(seconds)?).ok())
        .and_then(|time| time.round(Unit::Second).ok());
    let message = record.message.replace('\n', " ");
    match time {
        Some(time) => format!("{time} {}: {message}", record.level_name()),
        None => format!("[{seconds}s after boot] {}: {message}", record.level_name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_time_level_and_message() {
        let record = Record { level: 3, micros_since_boot: 5_000_000, message: "oom".to_owned() };
        assert_eq!(line(&record, Some(1_700_000_000)), "2023-11-14T22:13:25Z err: oom");
        assert_eq!(line(&record, None), "[5s after boot] err: oom");
    }
}
