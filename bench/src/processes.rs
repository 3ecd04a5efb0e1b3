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

/// User and system time: fields 14 and 15. The name of the program, field 2, may have blanks and parentheses.
fn ticks(stat: &str) -> Option<u32> {
    let (_, rest) = stat.rsplit_once(')')?;
    let mut times = rest.split_whitespace().skip(11);
    let mut time = || times.next()?.parse::<u32>().ok();
    Some(time()? + time()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_times_of_a_process_are_found_behind_its_name() {
        let stat = "7 (a (b) c) S 1 2 3 4 5 6 7 8 9 10 25 17 18 19 20";
        assert_eq!(ticks(stat), Some(42));
    }
}
