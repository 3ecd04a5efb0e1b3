//! Records of the kernel's log, as `/dev/kmsg` gives them.

/// The names of the eight levels, the gravest first.
pub(crate) const LEVELS: [&str; 8] =
    ["emerg", "alert", "crit", "err", "warning", "notice", "info", "debug"];

/// One message of the kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) level: u8,
    pub(crate) micros_since_boot: u64,
    pub(crate) message: String,
}

impl Record {
    pub(crate) fn level_name(&self) -> &'static str {
        LEVELS.get(usize::from(self.level)).copied().unwrap_or("unknown")
    }
}

/// Reads one record: `priority,sequence,microseconds,flags;message`, then lines of properties.
pub(crate) fn record(text: &str) -> Option<Record> {
    let (head, body) = text.split_once(';')?;
    let mut fields = head.split(',');
    let priority: u32 = fields.next()?.parse().ok()?;
    let micros_since_boot = fields.nth(1)?.parse().ok()?;
    let message = body.lines().next().unwrap_or("").to_owned();
    Some(Record { level: u8::try_from(priority & 7).ok()?, micros_since_boot, message })
}

/// Reads a line of `dmesg --raw`: `<6>[    5.140900] message`.
pub(crate) fn dmesg_line(line: &str) -> Option<Record> {
    let (priority, rest) = line.strip_prefix('<')?.split_once('>')?;
    let (seconds, message) = rest.trim_start().strip_prefix('[')?.split_once("] ")?;
    let (whole, fraction) = seconds.trim().split_once('.')?;
    let micros = whole.parse::<u64>().ok()?.checked_mul(1_000_000)?;
    Some(Record {
        level: u8::try_from(priority.parse::<u32>().ok()? & 7).ok()?,
        micros_since_boot: micros.checked_add(fraction.parse().ok()?)?,
        message: message.to_owned(),
    })
}

/// The number of a level's name; common other spellings are understood.
pub(crate) fn level(name: &str) -> Option<u8> {
    let name = name.trim().to_ascii_lowercase();
    let name = match name.as_str() {
        "error" => "err",
        "warn" => "warning",
        "critical" => "crit",
        "emergency" => "emerg",
        other => other,
    };
    LEVELS.iter().position(|level| *level == name).and_then(|index| u8::try_from(index).ok())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_record_has_level_time_and_message() {
        let text = "3,339,5140900,-;Out of memory: Killed process 12 (java); total-vm:1kB\n SUBSYSTEM=x\n DEVICE=y\n";
        let record = record(text).expect("readable");
        assert_eq!((record.level_name(), record.micros_since_boot), ("err", 5_140_900));
        assert_eq!(record.message, "Out of memory: Killed process 12 (java); total-vm:1kB");
    }

    #[test]
    fn a_facility_does_not_change_the_level() {
        assert_eq!(record("30,1,2,-;systemd").map(|record| record.level), Some(6));
    }

    #[test]
    fn raw_lines_of_dmesg_are_the_same_records() {
        let found = dmesg_line("<4>[    5.140900] usb 1-1: reset").expect("readable");
        assert_eq!(
            (found.level, found.micros_since_boot, found.message.as_str()),
            (4, 5_140_900, "usb 1-1: reset")
        );
    }

    #[test]
    fn levels_are_understood_in_common_spellings() {
        assert_eq!(level("Error"), Some(3));
        assert_eq!(level("warn"), level("warning"));
        assert_eq!(level("loud"), None);
    }

    proptest! {
        #[test]
        fn no_text_makes_the_readers_panic(text in ".{0,200}") {
            let _ = record(&text);
            let _ = dmesg_line(&text);
        }
    }
}
