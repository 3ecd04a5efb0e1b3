//! `system_overview`, `uptime` and `load_average`.

use std::path::Path;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::disk;
use crate::error::ToolResult;
use crate::host::{Host, blocking, parsed, text_of};
use crate::proc::{cpu, load, memory, percent};

/// Everything in one look.
pub(crate) async fn overview(host: Arc<Host>) -> ToolResult {
    let mut answer = blocking(|| Ok(machine())).await?;
    let disks = disk::summary(&host).await;
    if let Some(map) = answer.as_object_mut() {
        map.insert("disks".to_owned(), disks);
    }
    Ok(answer)
}

fn machine() -> Value {
    let line = |path: &str| text_of(path).map(|text| text.trim().to_owned());
    let (cores, model) = processor();
    let uptime = text_of("/proc/uptime").and_then(|text| load::uptime_seconds(&text));
    let memory = text_of("/proc/meminfo").and_then(|text| memory::memory(&text));
    json!({
        "hostname": line("/proc/sys/kernel/hostname"),
        "os": os_name(),
        "kernel": line("/proc/sys/kernel/osrelease"),
        "architecture": std::env::consts::ARCH,
        "inside_container": inside_container(),
        "cpu": { "cores": cores, "model": model },
        "uptime": uptime.map(load::human_duration),
        "uptime_seconds": uptime,
        "load": text_of("/proc/loadavg").and_then(|text| load::load(&text)),
        "memory_used_percent": memory.map(|memory| memory.used_percent),
        "memory_total_bytes": memory.map(|memory| memory.total_bytes),
        "memory_available_bytes": memory.map(|memory| memory.available_bytes),
        "swap_used_percent": memory.map(|memory| memory.swap_used_percent),
        "swap_total_bytes": memory.map(|memory| memory.swap_total_bytes),
    })
}

/// The number of processors and the name of the first.
pub(crate) fn processor() -> (usize, Option<String>) {
    let (counted, model) = text_of("/proc/cpuinfo").map_or((0, None), |text| cpu::model(&text));
    let cores = if counted > 0 {
        counted
    } else {
        std::thread::available_parallelism().map_or(1, std::num::NonZero::get)
    };
    (cores, model)
}

fn os_name() -> Option<String> {
    let text = text_of("/etc/os-release").or_else(|| text_of("/usr/lib/os-release"))?;
    text.lines().find_map(|line| {
        Some(line.strip_prefix("PRETTY_NAME=")?.trim().trim_matches('"').to_owned())
    })
}

fn inside_container() -> bool {
    ["/.dockerenv", "/run/.containerenv", "/var/run/secrets/kubernetes.io"]
        .iter()
        .any(|path| Path::new(path).exists())
}

/// How long the machine runs, and since when.
pub(crate) fn uptime() -> ToolResult {
    let seconds = parsed("/proc/uptime", load::uptime_seconds)?;
    let booted = text_of("/proc/stat")
        .and_then(|text| cpu::boot_time(&text))
        .and_then(|second| Timestamp::from_second(second).ok());
    Ok(json!({
        "uptime": load::human_duration(seconds),
        "uptime_seconds": seconds,
        "booted_at": booted.map(|time| time.to_string()),
    }))
}

/// The load averages against the cores, with the pressure the kernel measures.
pub(crate) fn load_average() -> ToolResult {
    let averages = parsed("/proc/loadavg", load::load)?;
    let (cores, _) = processor();
    let mut pressure = Map::new();
    for name in ["cpu", "memory", "io"] {
        if let Some(text) = text_of(format!("/proc/pressure/{name}")) {
            let (some, full) = load::pressure(&text);
            pressure.insert(name.to_owned(), json!({ "some": some, "full": full }));
        }
    }
    let pressure = if pressure.is_empty() {
        json!("not measured by this kernel (no /proc/pressure)")
    } else {
        Value::Object(pressure)
    };
    Ok(json!({
        "load": averages,
        "cores": cores,
        "load_1m_percent_of_cores": share_of_cores(averages.one, cores),
        "pressure_percent_of_time_waiting": pressure,
    }))
}

/// A load as a percentage of the cores.
fn share_of_cores(load: f64, cores: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "no machine has 2^52 cores")]
    let cores = cores.max(1) as f64;
    crate::proc::round1(load * 100.0 / cores)
}

/// The memory limit of the control group this process is in, if there is one.
pub(crate) fn group_limit() -> Option<Value> {
    let number = |path: &str| text_of(path)?.trim().parse::<u64>().ok();
    let (limit, used) = number("/sys/fs/cgroup/memory.max")
        .zip(number("/sys/fs/cgroup/memory.current"))
        .or_else(|| {
            number("/sys/fs/cgroup/memory/memory.limit_in_bytes")
                .zip(number("/sys/fs/cgroup/memory/memory.usage_in_bytes"))
        })
        // Version 1 writes a number beyond any memory for "no limit".
        .filter(|(limit, _)| *limit < 1 << 60)?;
    Some(json!({ "limit_bytes": limit, "used_bytes": used, "used_percent": percent(used, limit) }))
}
