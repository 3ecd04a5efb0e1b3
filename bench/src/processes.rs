//! What the processes of a stack take.

use std::time::Duration;

use anyhow::Context as _;
use tarsy_e2e::Stack;

use crate::facts;

/// Of the times in `/proc/PID/stat`; Linux reports them to programs in hundredths of a second on every machine.
const TICK: Duration = Duration::from_millis(10);

/// KiB of all services and of NATS; what processes share is divided among them.
pub(crate) fn memory(stack: &Stack) -> anyhow::Result<u64> {
    stack
        .all_pids()
        .into_iter()
        .filter(|(name, _)| name != "postgres")
        .map(|(_, pid)| facts::field(&format!("/proc/{pid}/smaps_rollup"), "Pss:"))
        .sum()
}

/// What the services have taken of the processors so far.
pub(crate) fn processor_time(stack: &Stack) -> anyhow::Result<Duration> {
    stack.pids().into_iter().chain(stack.workers()).map(|(_, pid)| taken(pid)).sum()
}

fn taken(pid: i32) -> anyhow::Result<Duration> {
    let path = format!("/proc/{pid}/stat");
    let text = std::fs::read_to_string(&path).with_context(|| path.clone())?;
    ticks(&text).map(|ticks| TICK * ticks).with_context(|| path)
}

/// What PostgreSQL has taken of them: its first process, whose time has that of those that ended, and its children.
pub(crate) fn processor_time_of_postgresql(stack: &Stack) -> anyhow::Result<Duration> {
    let (_, pid) = stack
        .all_pids()
        .into_iter()
        .find(|(name, _)| name == "postgres")
        .context("PostgreSQL does not run")?;
    let path = format!("/proc/{pid}/task/{pid}/children");
    let children = std::fs::read_to_string(&path).with_context(|| path)?;
    // One that ended meanwhile is counted the next time.
    let living = children.split_whitespace().filter_map(|child| taken(child.parse().ok()?).ok());
    let path = format!("/proc/{pid}/stat");
    let text = std::fs::read_to_string(&path).with_context(|| path.clone())?;
    let own = times(&text, 4).map(|ticks| TICK * ticks).with_context(|| path)?;
    Ok(own + living.sum::<Duration>())
}

/// User and system time: fields 14 and 15. The name of the program, field 2, may have blanks and parentheses.
fn ticks(stat: &str) -> Option<u32> {
    times(stat, 2)
}

/// So many times from field 14 on: the third and fourth are those of children that ended.
fn times(stat: &str, count: usize) -> Option<u32> {
    let (_, rest) = stat.rsplit_once(')')?;
    let times = rest.split_whitespace().skip(11).take(count).map(str::parse::<u32>);
    times.sum::<Result<u32, _>>().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_a_process_are_found_behind_its_name() {
        let stat = "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 25 17 18 19 20";
        assert_eq!(ticks(stat), Some(42));
        assert_eq!(times(stat, 4), Some(79));
    }
}
