//! `top_processes`, and the owners of memory.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

use serde_json::{Value, json};

use super::system;
use crate::args::{SortBy, TopArgs, bounded};
use crate::error::{ToolError, ToolResult};
use crate::host::{blocking, bytes_of, parsed, process_ids, text_of};
use crate::proc::cpu::{Ticks, ticks};
use crate::proc::memory::memory;
use crate::proc::process::{Stat, command_line, stat, user_name};
use crate::proc::{percent, round1};

/// The interval over which processor time is measured.
const INTERVAL: Duration = Duration::from_millis(400);
/// The most processes that are read.
const MAX_PROCESSES: usize = 32_768;
/// The longest command line, in characters.
const COMMAND_CHARS: usize = 160;

/// One reading of all processes.
struct Reading {
    ticks: Ticks,
    processes: Vec<Stat>,
}

/// The processes that use most processor time or memory.
pub(crate) async fn top(args: TopArgs) -> ToolResult {
    let limit = bounded("limit", args.limit, 1, 50)?;
    let total = parsed("/proc/meminfo", memory)?.total_bytes;
    if args.sort_by == SortBy::Memory {
        return blocking(move || {
            Ok(json!({ "sorted_by": "memory", "processes": by_memory(limit, total) }))
        })
        .await;
    }
    let before = read_all().await?;
    tokio::time::sleep(INTERVAL).await;
    let after = read_all().await?;
    blocking(move || Ok(by_cpu(&before, &after, limit, total))).await
}

async fn read_all() -> Result<Reading, ToolError> {
    tokio::task::spawn_blocking(|| {
        Ok(Reading { ticks: parsed("/proc/stat", ticks)?, processes: all() })
    })
    .await
    .unwrap_or_else(|error| Err(ToolError::failed(format!("reading failed: {error}"), "try again")))
}

fn all() -> Vec<Stat> {
    process_ids(MAX_PROCESSES)
        .into_iter()
        .filter_map(|pid| stat(&text_of(format!("/proc/{pid}/stat"))?))
        .collect()
}

fn by_cpu(before: &Reading, after: &Reading, limit: usize, total_memory: u64) -> Value {
    let (cores, _) = system::processor();
    let elapsed = after.ticks.since(before.ticks).max(1);
    let earlier: HashMap<(u32, u64), u64> =
        before.processes.iter().map(|one| ((one.pid, one.started_ticks), one.cpu_ticks)).collect();
    let used = |one: &Stat| {
        let base = earlier.get(&(one.pid, one.started_ticks)).copied().unwrap_or(0);
        one.cpu_ticks.saturating_sub(base)
    };
    let mut sorted: Vec<(u64, &Stat)> =
        after.processes.iter().map(|one| (used(one), one)).collect();
    sorted.sort_by_key(|(ticks, one)| {
        (std::cmp::Reverse(*ticks), std::cmp::Reverse(one.cpu_ticks), one.pid)
    });
    let passwd = text_of("/etc/passwd").unwrap_or_default();
    let listed: Vec<Value> = sorted
        .into_iter()
        .take(limit)
        .map(|(ticks, one)| {
            describe(one, Some(of_one_core(ticks, elapsed, cores)), total_memory, &passwd)
        })
        .collect();
    json!({
        "sorted_by": "cpu",
        "measured_ms": u64::try_from(INTERVAL.as_millis()).unwrap_or(u64::MAX),
        "cores": cores,
        "machine_cpu_percent": after.ticks.usage_since(before.ticks),
        "process_count": after.processes.len(),
        "cpu_percent_means": "100 is one whole core",
        "processes": listed,
    })
}

/// The share of one core: the ticks that passed are those of all cores together.
#[expect(clippy::cast_precision_loss, reason = "a percentage needs no more than 53 bits")]
fn of_one_core(ticks: u64, passed: u64, cores: usize) -> f64 {
    round1(ticks as f64 * 100.0 * cores as f64 / passed as f64)
}

/// The processes with the largest resident memory.
pub(crate) fn by_memory(limit: usize, total_memory: u64) -> Vec<Value> {
    let mut processes = all();
    processes.sort_by_key(|one| (std::cmp::Reverse(one.resident_pages), one.pid));
    let passwd = text_of("/etc/passwd").unwrap_or_default();
    processes.iter().take(limit).map(|one| describe(one, None, total_memory, &passwd)).collect()
}

fn describe(one: &Stat, cpu_percent: Option<f64>, total_memory: u64, passwd: &str) -> Value {
    let resident = text_of(format!("/proc/{}/status", one.pid))
        .and_then(|text| resident_bytes(&text))
        .unwrap_or(0);
    let command = bytes_of(format!("/proc/{}/cmdline", one.pid)).unwrap_or_default();
    // The command, which is long, comes last: quotations of a line begin at its beginning.
    let mut value = json!({ "pid": one.pid, "name": one.name });
    let Some(map) = value.as_object_mut() else { return value };
    map.extend(cpu_percent.map(|cpu| ("cpu_percent".to_owned(), json!(cpu))));
    let rest = [
        ("memory_bytes", json!(resident)),
        ("memory_percent", json!(percent(resident, total_memory))),
        ("user", json!(owner(one.pid, passwd))),
        ("state", json!(state_name(one.state))),
        ("threads", json!(one.threads)),
        ("parent", json!(one.parent)),
        ("command", json!(command_line(&command, COMMAND_CHARS))),
    ];
    map.extend(rest.map(|(name, member)| (name.to_owned(), member)));
    value
}

/// The owner of a process: a name, or the number where the name is unknown.
pub(crate) fn owner(pid: u32, passwd: &str) -> Option<String> {
    let uid = std::fs::metadata(format!("/proc/{pid}")).ok()?.uid();
    Some(user_name(passwd, uid).map_or_else(|| uid.to_string(), str::to_owned))
}

fn resident_bytes(status: &str) -> Option<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    line.split_ascii_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

fn state_name(state: char) -> &'static str {
    match state {
        'R' => "running",
        'S' => "sleeping",
        'D' => "waiting for disk (uninterruptible)",
        'Z' => "zombie",
        'T' | 't' => "stopped",
        'I' => "idle",
        'X' | 'x' => "dead",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_processes_include_this_one() {
        let me = std::process::id();
        assert!(all().iter().any(|one| one.pid == me));
    }

    #[test]
    #[expect(clippy::float_cmp, reason = "the values are rounded to one decimal")]
    fn a_busy_core_of_two_is_a_hundred_percent() {
        assert_eq!(of_one_core(40, 80, 2), 100.0);
    }

    #[test]
    fn resident_memory_comes_from_the_status() {
        assert_eq!(resident_bytes("Name:\tx\nVmRSS:\t    12 kB\n"), Some(12 * 1024));
        assert_eq!(resident_bytes("Name:\tkthread\n"), None);
    }
}
