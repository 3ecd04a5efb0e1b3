//! Disks: space, inodes, faults.

use super::pattern::{Pattern, both};
use crate::facts::{Facts, Measure};
use crate::signal::Signal;
use crate::verdict::Category::Disk;
use crate::verdict::Target;

/// Percent in use from which on a filesystem is full.
const FULL_PERCENT: f64 = 92.0;

pub(super) const PATTERNS: &[Pattern] = &[
    both(
        Disk,
        90.0,
        "a disk is full",
        r"no space left on device|\benospc\b|disk full|could not extend file|not enough (?:disk )?space|out of disk space|insufficient disk space|disk is full|(?:ran|running) out of storage|out of storage space|insufficient storage|storage[- ](?:is )?full|storage is critically low|the table .{1,80} is full",
    ),
    both(
        Disk,
        88.0,
        "a quota of the filesystem is used up",
        r"disk quota exceeded|edquot",
    ),
    both(
        Disk,
        88.0,
        "a pod was evicted: it used more ephemeral storage than its limit",
        r"exceeds the (?:total )?limit of (?:containers|ephemeral)|ephemeral local storage usage exceeds|usage of emptydir volume .{0,60} exceeds",
    ),
    both(
        Disk,
        89.0,
        "a disk or its filesystem is faulty",
        r"\bi/o error|buffer i/o|blk_update_request|medium error|ext4-fs error|xfs.{0,20}corrupt|remounting filesystem read-only|[1-9]\d* (?:offline |reported )?uncorrectable (?:errors?|sectors?)|uncorrectable (?:\w+ )?error (?:at|on|in|detected|reading|writing)|unrecovered read error|failed smart|input/output error",
    ),
    both(
        Disk,
        90.0,
        "a disk fails its own tests",
        r"self-assessment test result: failed|drive failure expected|\bfailing_now\b|status of drive: failed",
    ),
    both(
        Disk,
        90.0,
        "an array has lost a disk",
        r"\bmd\d+ : active .*\(f\)|\[\d+/\d+\] \[u*_[u_]*\]",
    ),
    both(
        Disk,
        89.0,
        "a directory of a file server is mounted that is no longer there (stale handle)",
        r"stale (?:nfs )?file handle|\bestale\b",
    ),
    both(
        Disk,
        88.0,
        "the file server `${server}` does not answer",
        r"nfs: server (?P<server>\S+) not responding",
    ),
    both(
        Disk,
        89.0,
        "a disk that is to be mounted is not there",
        r"timed out waiting for device \S+",
    ),
    both(
        Disk,
        91.0,
        "a node of the search cluster has almost no disk space left, and its indices accept no writes",
        r"flood[- ]stage (?:disk )?watermark|index has read-only-allow-delete block|index read-only / allow delete",
    ),
    both(
        Disk,
        91.0,
        "the search cluster puts shards on no node whose disk is above the watermark, and a node is",
        r"node is above the (?:high|low) (?:disk )?watermark|disk usage exceeded (?:the )?(?:high|low)",
    ),
    both(
        Disk,
        90.0,
        "a disk does not answer its controller in time",
        r"nvme\d*\b.{0,20}i/o \S+ (?:\S+ )?qid \d+ timeout|nvme nvme\d+: (?:controller is down|device not ready|removing after probe failure)",
    ),
    both(Disk, 86.0, "a filesystem is read-only", r"read-only file ?system|erofs",
    )
    .beside(&["read-only", "readonly", "write", "disk", "file", "volume", "crash", "restart", "start"]),
    both(
        Disk,
        80.0,
        "reads and writes of the disk are slow",
        r"fsync .{0,40}took|slow fdatasync|wal: sync duration|slow disk|i/o is (?:slow|stalled)|task .{1,40} blocked for more than",
    )
    .beside(&["slow", "latency", "disk", "i/o", "io", "etcd", "fsync", "stuck", "hang", "timeout"]),
    both(
        Disk,
        89.0,
        "a device of the storage pool is missing or faulty",
        r"^state: (?:degraded|faulted|unavail|suspended)$|^\S+\s+(?:faulted|unavail|removed)(?:\s+\d+){3}\b",
    ),
    both(
        Disk,
        90.0,
        "the space behind a thin pool is used up",
        r"switching pool to (?:out-of-data-space|read-only)|thin pool .{0,40}\bfull\b",
    ),
    both(
        Disk,
        91.0,
        "the storage cluster is full: it accepts no more writes",
        r"\b\d+ full osd\(s\)|\bosd\.\d+ is full\b|pool\(s\) full\b",
    ),
    both(
        Disk,
        88.0,
        "a segment of an array has failed",
        r"md/raid.{0,60}disk failure|degraded (?:array|raid)|array .{0,30}degraded",
    ),
    both(
        Disk,
        92.0,
        "two sides of a replicated disk were written to without each other (split brain)",
        r"split-brain detected",
    ),
    both(
        Disk,
        91.0,
        "a pool of disks does not answer any more, and is suspended",
        r"pool '?\S+'? .{0,60}(?:is|been) suspended|pool i/o is currently suspended",
    ),
    both(
        Disk,
        90.0,
        "an array has lost a disk",
        r"fail ?event (?:had been |has been )?detected on md",
    ),
    both(
        Disk,
        84.0,
        "a disk has sectors that cannot be read",
        r"currently unreadable \(pending\) sectors|offline uncorrectable sectors",
    )
    .beside(&["disk", "smart", "drive", "sector", "i/o", "read", "storage"]),
    both(
        Disk,
        86.0,
        "a disk does not carry out what its controller asks",
        r"\bata\d+(?:\.\d+)?: (?:failed command|exception emask)",
    )
    .beside(&["disk", "drive", "i/o", "slow", "storage", "hang", "read", "write", "latency"]),
    both(
        Disk,
        91.0,
        "no path leads to a disk any more",
        r"remaining active paths: 0\b|\ball paths down\b",
    ),
    both(
        Disk,
        84.0,
        "a disk of the storage cluster is down",
        r"\b[1-9]\d* osds? down\b",
    )
    .beside(&["ceph", "osd", "storage", "volume", "slow", "degraded", "disk"]),
    both(
        Disk,
        91.0,
        "the object store has too few disks, or too little space on them",
        r"insufficient number of drives online|xminiostoragefull|minimum free drive threshold|read quorum could not be established on pool",
    ),
];

/// Filesystems that are almost full, by space or inodes.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for volume in facts.host.volumes.iter().filter(|one| one.percent >= FULL_PERCENT) {
        let what = if volume.of_inodes { "inodes" } else { "space" };
        let target = Target::new("filesystem", &volume.path, "");
        let quote = facts.quote(volume.place.result, volume.place.line, &volume.text);
        let cause = format!("the filesystem has almost no {what} left");
        found.push(Signal::of_values((Disk, 84.0), cause, target, vec![quote]));
    }
    of_measures(facts, found);
}

fn of_measures(facts: &Facts, found: &mut Vec<Signal>) {
    let is_listed = |one: &&Measure| facts.host.listed.contains(&(one.result, one.line));
    for measure in facts.measures.iter().filter(|one| !is_listed(one)) {
        let field = measure.field.to_ascii_lowercase();
        let object = measure.object.join(" ");
        let is_share = field.contains("used_percent")
            || field.contains("use%")
            || field == "capacity" && measure.text.ends_with('%');
        let is_disk = field.contains("use%")
            || field.contains("inode")
            || measure.object.iter().any(|name| name.starts_with('/'))
            || object.contains("dev");
        if !(is_share && is_disk && measure.value >= FULL_PERCENT) {
            continue;
        }
        // Images of read-only formats are always full.
        if ["loop", "snap", "squashfs"].iter().any(|name| object.contains(name)) {
            continue;
        }
        let what =
            if field.contains("inode") || field.contains("iuse") { "inodes" } else { "space" };
        let mount = measure
            .object
            .iter()
            .rev()
            .find(|name| name.starts_with('/'))
            .cloned()
            .or_else(|| mount_of_line(facts, measure))
            .unwrap_or_default();
        found.push(Signal {
            category: Disk,
            cause: format!("the filesystem has almost no {what} left"),
            target: Target::new("filesystem", &mount, ""),
            weight: 84.0,
            is_event: false,
            age: None,
            is_line: false,
            side: None,
            takes: None,
            detail: None,
            accused: None,
            quotes: vec![facts.quote(measure.result, measure.line, &measure.text)],
        });
    }
}

/// The mount point on the line of a measure.
fn mount_of_line(facts: &Facts, measure: &Measure) -> Option<String> {
    let line = facts.results.get(measure.result)?.lines.get(measure.line.checked_sub(1)?)?;
    let words = line.split(|c: char| c.is_whitespace() || matches!(c, '"' | ',' | ':' | '='));
    let mut paths = words.filter(|word| word.starts_with('/') && !word.starts_with("/dev/"));
    paths.next().map(str::to_owned)
}
