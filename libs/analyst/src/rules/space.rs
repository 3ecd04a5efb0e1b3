//! What takes the space of a file system that is full: the largest file or folder that was listed.

use std::sync::LazyLock;

use regex::Regex;

use crate::facts::{Facts, Mount};
use crate::signal::Signal;
use crate::text::regex;
use crate::verdict::Category::Disk;

/// The share of what is in use from which on something is what fills a file system.
const MOST: f64 = 0.5;
/// How much more a full file system weighs if it is known what fills it.
const KNOWN: f64 = 4.0;

/// A file or folder with its size, as a result lists it.
struct Listed {
    path: String,
    size: String,
    bytes: f64,
    is_file: bool,
    result: usize,
    line: usize,
}

/// Names what fills the file systems that were found to be full.
pub(super) fn find(facts: &Facts, found: &mut [Signal]) {
    let listed = listed(facts);
    for mount in &facts.host.mounts {
        let Some((used, bytes)) = used(facts, mount) else { continue };
        let is_large = |one: &&Listed| {
            let is_inside = one.is_file
                || facts.host.mount_of(&one.path).is_some_and(|of| of.path == mount.path);
            is_inside
                && one.path != mount.path
                && one.bytes >= bytes * MOST
                && one.bytes <= bytes * 1.1
        };
        // A file says more than its folder, and a folder more than the one that it is in.
        let largest =
            listed.iter().filter(is_large).max_by_key(|one| (one.is_file, one.path.len()));
        let Some(largest) = largest else { continue };
        let is_of = |one: &&mut Signal| one.category == Disk && one.target.name == mount.path;
        for signal in found.iter_mut().filter(is_of) {
            signal.cause = format!(
                "{}: `{}` takes {} of {used} that are in use",
                signal.cause, largest.path, largest.size
            );
            signal.weight += KNOWN;
            signal.quotes.push(facts.quote(largest.result, largest.line, &largest.path));
        }
    }
}

/// How much of a file system is in use, as `df -h` shows it.
fn used(facts: &Facts, mount: &Mount) -> Option<(String, f64)> {
    static ROW: LazyLock<Regex> =
        regex!(r"\s[\d.]+[KMGTP]i?\s+(?P<used>[\d.]+[KMGTP])i?\s+[\d.]+[KMGTP]?i?\s+\d{1,3}%\s");
    let line =
        facts.results.get(mount.place.result)?.lines.get(mount.place.line.checked_sub(1)?)?;
    let used = ROW.captures(line)?.name("used")?.as_str().to_owned();
    let bytes = bytes(&used)?;
    Some((used, bytes))
}

/// What `du -h` and `ls -lh` list.
fn listed(facts: &Facts) -> Vec<Listed> {
    static FOLDER: LazyLock<Regex> = regex!(r"^(?P<size>[\d.]+[KMGTP])\s+(?P<path>/\S*)$");
    static FILE: LazyLock<Regex> = regex!(
        r"^-[rwxsStT-]{9}\S?\s+\d+\s+\S+\s+\S+\s+(?P<size>[\d.]+[KMGTP])\s.*\s(?P<path>\S+)$"
    );
    let mut found = Vec::new();
    for (result, examined) in facts.results.iter().enumerate() {
        for (at, line) in examined.lines.iter().enumerate() {
            let file = FILE.captures(line);
            let is_file = file.is_some();
            let Some(row) = file.or_else(|| FOLDER.captures(line.trim())) else { continue };
            let part = |name| row.name(name).map_or("", |part| part.as_str()).to_owned();
            let (path, size) = (part("path"), part("size"));
            let Some(bytes) = bytes(&size) else { continue };
            found.push(Listed { path, size, bytes, is_file, result, line: at + 1 });
        }
    }
    found
}

/// `41G` in bytes.
fn bytes(size: &str) -> Option<f64> {
    let (digits, unit) = size.split_at_checked(size.len().checked_sub(1)?)?;
    let power = "KMGTP".find(unit)?;
    let number: f64 = digits.parse().ok()?;
    Some(number * 1_024_f64.powi(i32::try_from(power).ok()? + 1))
}
