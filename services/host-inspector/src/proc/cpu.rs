//! `/proc/stat` and `/proc/cpuinfo`.

use serde::Serialize;

use super::percent;

/// The time counters of all processors together, in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Ticks {
    pub(crate) user: u64,
    pub(crate) system: u64,
    pub(crate) idle: u64,
    pub(crate) iowait: u64,
    pub(crate) steal: u64,
}

impl Ticks {
    fn total(self) -> u64 {
        self.user + self.system + self.idle + self.iowait + self.steal
    }

    /// The ticks that passed since an earlier reading.
    pub(crate) fn since(self, earlier: Self) -> u64 {
        self.total().saturating_sub(earlier.total())
    }

    /// How the time since an earlier reading was spent.
    pub(crate) fn usage_since(self, earlier: Self) -> Usage {
        let all = self.since(earlier);
        let share = |now: u64, before: u64| percent(now.saturating_sub(before), all);
        Usage {
            busy: percent(
                all.saturating_sub(
                    (self.idle + self.iowait).saturating_sub(earlier.idle + earlier.iowait),
                ),
                all,
            ),
            user: share(self.user, earlier.user),
            system: share(self.system, earlier.system),
            iowait: share(self.iowait, earlier.iowait),
            steal: share(self.steal, earlier.steal),
        }
    }
}

/// The shares of processor time over an interval, of all processors together, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Usage {
    pub(crate) busy: f64,
    pub(crate) user: f64,
    pub(crate) system: f64,
    pub(crate) iowait: f64,
    pub(crate) steal: f64,
}

/// Reads the first line of `/proc/stat`.
pub(crate) fn ticks(text: &str) -> Option<Ticks> {
    let rest = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let numbers: Vec<u64> =
        rest.split_ascii_whitespace().map_while(|part| part.parse().ok()).collect();
    let at = |index: usize| numbers.get(index).copied().unwrap_or(0);
    (numbers.len() >= 4).then(|| Ticks {
        user: at(0) + at(1),
        system: at(2) + at(5) + at(6),
        idle: at(3),
        iowait: at(4),
        steal: at(7),
    })
}

/// Reads the time of boot (seconds since the epoch) from `/proc/stat`.
pub(crate) fn boot_time(text: &str) -> Option<i64> {
    text.lines().find_map(|line| line.strip_prefix("btime ")?.trim().parse().ok())
}

/// Reads the number of processors and the name of the first from `/proc/cpuinfo`.
pub(crate) fn model(text: &str) -> (usize, Option<String>) {
    let value = |line: &str, name: &str| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then(|| value.trim().to_owned())
    };
    let count = text.lines().filter(|line| value(line, "processor").is_some()).count();
    let name =
        text.lines().find_map(|line| value(line, "model name").or_else(|| value(line, "Model")));
    (count, name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEFORE: &str = "cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3 4\nbtime 1700000000\n";
    const AFTER: &str = "cpu  140 10 70 820 70 5 5 10 0 0\n";

    #[test]
    #[expect(clippy::float_cmp, reason = "the values are rounded to one decimal")]
    fn usage_is_the_difference_of_two_readings() {
        let (before, after) = (ticks(BEFORE).expect("readable"), ticks(AFTER).expect("readable"));
        assert_eq!(after.since(before), 130);
        let usage = after.usage_since(before);
        assert_eq!(usage.user, 38.5);
        assert_eq!(usage.system, 23.1);
        assert_eq!(usage.iowait, 15.4);
        assert_eq!(usage.busy, 69.2);
    }

    #[test]
    fn the_boot_time_and_the_model_are_found() {
        assert_eq!(boot_time(BEFORE), Some(1_700_000_000));
        let text = "processor\t: 0\nmodel name\t: Xeon(R) 2.5GHz\n\nprocessor\t: 1\nmodel name\t: Xeon(R) 2.5GHz\n";
        assert_eq!(model(text), (2, Some("Xeon(R) 2.5GHz".to_owned())));
        assert_eq!(ticks("cpu0 1 2 3 4"), None);
    }
}
