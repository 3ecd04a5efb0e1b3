//! What the numbers depend on.

use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use anyhow::Context as _;

use crate::samples::Samples;
use crate::table::millis;

const WRITES: usize = 100;

/// The machine and how busy it is, before anything is started.
pub(crate) fn machine() -> anyhow::Result<String> {
    let cores = std::thread::available_parallelism()?;
    let load = std::fs::read_to_string("/proc/loadavg").context("/proc/loadavg")?;
    let load: Vec<&str> = load.split_whitespace().take(3).collect();
    let memory = field("/proc/meminfo", "MemTotal:")? / 1024;
    let build = if cfg!(debug_assertions) { "dev, not optimised" } else { "release" };
    Ok(format!("cores {cores} · load {} · memory {memory} MiB · build {build}", load.join(" ")))
}

/// How long the disk under the servers takes to keep something.
pub(crate) async fn disk(folder: PathBuf) -> anyhow::Result<String> {
    let samples = tokio::task::spawn_blocking(move || {
        let mut file = std::fs::File::create(folder.join("fsync"))?;
        let mut samples = Samples::default();
        for _ in 0..WRITES {
            let start = Instant::now();
            file.write_all(&[7; 4096])?;
            file.sync_data()?;
            samples.push(start.elapsed());
        }
        anyhow::Ok(samples)
    })
    .await??;
    let (p50, p99) = (millis(samples.percentile(50)), millis(samples.percentile(99)));
    Ok(format!("disk: 4 KiB written and synced in {p50} / {p99} ms (p50 / p99)"))
}

/// A number in KiB from a file of `/proc`.
pub(crate) fn field(path: &str, name: &str) -> anyhow::Result<u64> {
    let text = std::fs::read_to_string(path).with_context(|| path.to_owned())?;
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .with_context(|| format!("{path} has no {name}"))?
        .parse()
        .with_context(|| path.to_owned())
}
