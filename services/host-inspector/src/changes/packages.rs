//! What the package managers of the usual distributions log.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use jiff::civil::DateTime;
use jiff::fmt::strtime;
use jiff::tz::TimeZone;
use jiff::{SignedDuration, Timestamp};

use super::change::{HostChange, HostChangeKind};

/// Packages that follow each other so soon were changed by one command.
const PAUSE: SignedDuration = SignedDuration::from_secs(120);
/// More of one command become one change.
const ONE_BY_ONE: usize = 10;
/// How much of the end of a log is read.
const TAIL: u64 = 1024 * 1024;
/// Characters of a text.
const TEXT: usize = 900;

/// One package, as a log has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Package {
    at: Timestamp,
    name: String,
    what: String,
}

/// Reads a line of a log.
type Reader<'a> = &'a dyn Fn(&str) -> Option<Package>;

/// The packages that the logs below a root have.
pub(super) fn changed(root: &Path, zone: &TimeZone) -> Vec<HostChange> {
    let logs: [(&str, Reader<'_>); 5] = [
        ("var/log/dpkg.log.1", &|line| dpkg(line, zone)),
        ("var/log/dpkg.log", &|line| dpkg(line, zone)),
        ("var/log/dnf.rpm.log", &dnf),
        ("var/log/zypp/history", &|line| zypp(line, zone)),
        ("var/log/pacman.log", &pacman),
    ];
    let mut found: Vec<Package> = Vec::new();
    for (log, read) in logs {
        let text = end_of(&root.join(log)).unwrap_or_default();
        found.extend(text.lines().filter_map(read));
    }
    found.sort_by_key(|package| package.at);
    let commands = found.chunk_by(|one, next| next.at.duration_since(one.at) <= PAUSE);
    commands.flat_map(of_command).collect()
}

/// The changes that one command made.
fn of_command(packages: &[Package]) -> Vec<HostChange> {
    let Some(last) = packages.last().filter(|_| packages.len() > ONE_BY_ONE) else {
        return packages.iter().map(change).collect();
    };
    let names: Vec<_> = packages.iter().map(|one| format!("{} {}", one.name, one.what)).collect();
    let text = format!("{} packages were changed: {}", packages.len(), names.join(", "));
    let is_kernel = packages.iter().any(|one| is_kernel(&one.name));
    vec![HostChange {
        id: format!("packages:{}:{}", last.at, packages.len()),
        at: last.at,
        kind: if is_kernel { HostChangeKind::Kernel } else { HostChangeKind::Package },
        object: None,
        text: cut(text),
    }]
}

fn change(package: &Package) -> HostChange {
    let Package { at, name, what } = package;
    let kind = if is_kernel(name) { HostChangeKind::Kernel } else { HostChangeKind::Package };
    HostChange {
        id: format!("package:{at}:{name}:{what}"),
        at: *at,
        kind,
        object: Some(name.clone()),
        text: cut(format!("package {name} was {what}")),
    }
}

/// Whether a package is a kernel of Debian, of RPM distributions or of Arch Linux.
fn is_kernel(name: &str) -> bool {
    let of_debian = name.strip_prefix("linux-image").is_some_and(|rest| rest.starts_with('-'));
    let of_rpm = ["kernel", "kernel-core", "kernel-default"].contains(&name);
    of_debian || of_rpm || ["linux", "linux-lts", "linux-zen", "linux-hardened"].contains(&name)
}

fn cut(text: String) -> String {
    match text.char_indices().nth(TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

/// `2026-11-24 09:12:01 upgrade libssl3:amd64 3.0.11-1 3.0.13-1`, in the time of the machine.
fn dpkg(line: &str, zone: &TimeZone) -> Option<Package> {
    let mut words = line.split_whitespace();
    let (day, time, verb) = (words.next()?, words.next()?, words.next()?);
    let (package, old, new) = (words.next()?, words.next()?, words.next()?);
    let what = match verb {
        "install" => format!("installed ({new})"),
        "upgrade" => format!("changed from {old} to {new}"),
        "remove" | "purge" => format!("removed ({old})"),
        _ => return None,
    };
    let name = package.split(':').next()?.to_owned();
    Some(Package { at: local(&format!("{day} {time}"), zone)?, name, what })
}

/// `2026-11-20T10:11:12+0100 SUBDEBUG Upgrade: openssl-3.0.7-27.el9.x86_64`.
fn dnf(line: &str) -> Option<Package> {
    let mut words = line.split_whitespace();
    let (time, _, verb, package) = (words.next()?, words.next()?, words.next()?, words.next()?);
    let (name, version) = name_and_version(package)?;
    let what = match verb {
        "Installed:" | "Install:" => format!("installed ({version})"),
        "Upgrade:" | "Downgrade:" | "Reinstall:" => format!("changed to {version}"),
        "Erase:" | "Erased:" | "Removed:" => format!("removed ({version})"),
        // What another package replaces is logged with that one.
        _ => return None,
    };
    Some(Package { at: with_offset(time)?, name: name.to_owned(), what })
}

/// The name of an RPM package, and its version with release and architecture.
fn name_and_version(package: &str) -> Option<(&str, &str)> {
    let release = package.rfind('-')?;
    let version = package.get(..release)?.rfind('-')?;
    Some((package.get(..version)?, package.get(version + 1..)?))
}

/// `2026-11-20 12:00:00|install|nginx|1.21-1|x86_64|root@host|…`, in the time of the machine.
fn zypp(line: &str, zone: &TimeZone) -> Option<Package> {
    let mut fields = line.split('|').map(str::trim);
    let (time, verb, name) = (fields.next()?, fields.next()?, fields.next()?);
    let version = fields.next()?;
    let what = match verb {
        "install" => format!("installed ({version})"),
        "remove" => format!("removed ({version})"),
        _ => return None,
    };
    Some(Package { at: local(time, zone)?, name: name.to_owned(), what })
}

/// `[2026-11-20T12:34:56+0100] [ALPM] upgraded linux (6.1-1 -> 6.2-1)`.
fn pacman(line: &str) -> Option<Package> {
    let (time, rest) = line.strip_prefix('[')?.split_once("] [ALPM] ")?;
    let mut words = rest.splitn(3, ' ');
    let (verb, name, version) = (words.next()?, words.next()?, words.next()?);
    let version = version.trim_matches(['(', ')']);
    let what = match verb {
        "installed" | "reinstalled" => format!("installed ({version})"),
        "upgraded" | "downgraded" => {
            let (old, new) = version.split_once(" -> ")?;
            format!("changed from {old} to {new}")
        }
        "removed" => format!("removed ({version})"),
        _ => return None,
    };
    Some(Package { at: with_offset(time)?, name: name.to_owned(), what })
}

fn local(text: &str, zone: &TimeZone) -> Option<Timestamp> {
    let time: DateTime = text.parse().ok()?;
    Some(time.to_zoned(zone.clone()).ok()?.timestamp())
}

fn with_offset(text: &str) -> Option<Timestamp> {
    let read = |form| strtime::parse(form, text).ok()?.to_timestamp().ok();
    read("%Y-%m-%dT%H:%M:%S%z").or_else(|| text.parse().ok())
}

/// The whole lines at the end of a log.
fn end_of(path: &Path) -> Option<String> {
    let mut file = File::open(path).ok()?;
    let from = file.metadata().ok()?.len().saturating_sub(TAIL);
    file.seek(SeekFrom::Start(from)).ok()?;
    let mut bytes = Vec::new();
    file.take(TAIL).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    if from == 0 {
        return Some(text);
    }
    text.split_once('\n').map(|(_, whole)| whole.to_owned())
}
