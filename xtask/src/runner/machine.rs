//! What the machine has left, from `/proc`.

use anyhow::Context as _;

use super::plan::Spare;

/// The machine since the last look.
#[derive(Debug, Default)]
pub(super) struct Machine {
    last: Processors,
}

impl Machine {
    /// What was left since the last look; at the first one, since the machine started.
    pub(super) fn look(&mut self) -> anyhow::Result<Spare> {
        let now = processors(&std::fs::read_to_string("/proc/stat")?);
        let now = now.context("/proc/stat has no line of all processors")?;
        let memory = available(&std::fs::read_to_string("/proc/meminfo")?);
        let memory = memory.context("/proc/meminfo has no MemAvailable")?;
        let idle = now.idle_since(self.last);
        self.last = now;
        Ok(Spare { idle, memory })
    }
}

/// Time of all processors since the machine started, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Processors {
    idle: u64,
    all: u64,
}

impl Processors {
    /// The part of the time that was idle, 0 to 1.
    fn idle_since(self, earlier: Self) -> f64 {
        let all = self.all.saturating_sub(earlier.all).max(1);
        #[expect(clippy::cast_precision_loss, reason = "ticks of some seconds")]
        let part = self.idle.saturating_sub(earlier.idle) as f64 / all as f64;
        part
    }
}

/// The first line of `/proc/stat`: user, nice, system, idle, iowait, irq, softirq, steal, guest and `guest_nice`, of which the
/// last two are in the first two.
fn processors(stat: &str) -> Option<Processors> {
    let line = stat.lines().next()?.strip_prefix("cpu ")?;
    let ticks: Vec<u64> =
        line.split_whitespace().take(8).map_while(|each| each.parse().ok()).collect();
    Some(Processors { idle: ticks.get(3)? + ticks.get(4)?, all: ticks.iter().sum() })
}

/// `MemAvailable` of `/proc/meminfo`, in bytes.
fn available(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kib| kib * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_idle_part_is_that_since_the_last_look() {
        let first = processors("cpu  100 0 50 800 50 0 0 0 10 0\ncpu0 1 2 3 4").unwrap();
        assert_eq!(first, Processors { idle: 850, all: 1000 });
        let second = processors("cpu  160 0 90 850 50 0 0 50 10 0\n").unwrap();
        assert!((second.idle_since(first) - 0.25).abs() < 1e-9);
        assert_eq!(processors("intr 1 2"), None);
    }

    #[test]
    fn memory_is_what_programs_can_take() {
        let text = "MemTotal:       24600000 kB\nMemFree: 1 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(available(text), Some(2 << 20));
        assert_eq!(available("MemTotal: 5 kB"), None);
    }
}
