//! What changed on this machine: packages, units of systemd, and the kernel that it started with. For those who report it;
//! it is read from files alone.

mod change;
mod packages;
mod units;

use std::path::Path;

use jiff::Timestamp;
use jiff::tz::TimeZone;

pub use self::change::{HostChange, HostChangeKind};

use crate::host::text_of;
use crate::proc::cpu::boot_time;

/// The most changes that are returned, the newest.
const MAX: usize = 100;

/// What changed on this machine since a time, the oldest first.
pub fn host_changes(since: Timestamp) -> Vec<HostChange> {
    changes_below(Path::new("/"), since, &TimeZone::system())
}

/// The same below another root, whose logs have times of this zone.
fn changes_below(root: &Path, since: Timestamp, zone: &TimeZone) -> Vec<HostChange> {
    let mut all = packages::changed(root, zone);
    all.extend(units::changed(root));
    all.extend(started(root));
    all.retain(|change| change.at >= since);
    all.sort_by(|one, other| (one.at, &one.id).cmp(&(other.at, &other.id)));
    all.split_off(all.len().saturating_sub(MAX))
}

/// The start of the machine, with its kernel.
fn started(root: &Path) -> Option<HostChange> {
    let line = |path: &str| text_of(root.join(path)).map(|text| text.trim().to_owned());
    let second = boot_time(&text_of(root.join("proc/stat"))?)?;
    let (kernel, boot) =
        (line("proc/sys/kernel/osrelease")?, line("proc/sys/kernel/random/boot_id"));
    Some(HostChange {
        id: format!("boot:{}", boot.unwrap_or_else(|| second.to_string())),
        at: Timestamp::from_second(second).ok()?,
        kind: HostChangeKind::Kernel,
        object: None,
        text: format!("the host was started with kernel {kernel}"),
    })
}

#[cfg(test)]
mod tests;
