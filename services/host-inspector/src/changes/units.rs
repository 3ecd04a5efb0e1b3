//! The files of the units that the operator of the machine wrote.

use std::ffi::OsStr;
use std::fs::{self, DirEntry};
use std::path::Path;

use jiff::Timestamp;

use super::change::{HostChange, HostChangeKind};

/// Where an operator's units are; those of packages come with the packages.
const FOLDER: &str = "etc/systemd/system";
/// How many files are looked at.
const MAX_FILES: usize = 2_000;
/// What the name of a unit ends with.
const KINDS: [&str; 7] = ["service", "timer", "socket", "mount", "path", "slice", "target"];

/// Units and their drop-ins by the time of their last write.
pub(super) fn changed(root: &Path) -> Vec<HostChange> {
    let folder = root.join(FOLDER);
    let mut found = Vec::new();
    for entry in entries(&folder).take(MAX_FILES) {
        let name = entry.file_name();
        // What is enabled is a link to another file.
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_file() && is_unit(&name) {
            found.extend(change(&entry, &name.to_string_lossy()));
        } else if kind.is_dir()
            && let Some(unit) = name.to_str().and_then(|name| name.strip_suffix(".d"))
            && is_unit(OsStr::new(unit))
        {
            let drop_ins = entries(&entry.path()).take(MAX_FILES);
            found.extend(drop_ins.filter_map(|one| {
                let is_file = one.file_type().is_ok_and(|kind| kind.is_file());
                if is_file { change(&one, unit) } else { None }
            }));
        }
    }
    found
}

fn entries(folder: &Path) -> impl Iterator<Item = DirEntry> + use<> {
    fs::read_dir(folder).into_iter().flatten().flatten()
}

fn is_unit(name: &OsStr) -> bool {
    Path::new(name).extension().and_then(OsStr::to_str).is_some_and(|kind| KINDS.contains(&kind))
}

fn change(entry: &DirEntry, unit: &str) -> Option<HostChange> {
    let written = entry.metadata().ok()?.modified().ok()?;
    let at = Timestamp::try_from(written).ok()?;
    let path = entry.path();
    let file = path.file_name()?.to_string_lossy().into_owned();
    let of_drop_in = if file == unit { String::new() } else { format!(" by {file}") };
    Some(HostChange {
        id: format!("unit:{unit}:{file}:{at}"),
        at,
        kind: HostChangeKind::Unit,
        object: Some(unit.to_owned()),
        text: format!("unit {unit} was changed{of_drop_in}"),
    })
}
