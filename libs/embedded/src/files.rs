//! Folders, and who may enter them.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::{Gid, Uid, User, chown};
use tokio::process::Command;

use crate::Error;

/// Makes a folder that only its owner may read.
pub(crate) fn private_folder(path: &Path) -> Result<(), Error> {
    let prepare = |source| Error::Prepare { path: path.to_owned(), source };
    fs::create_dir_all(path).map_err(prepare)?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o700)).map_err(prepare)
}

/// Whom a program that refuses root runs as; none when we are not root.
pub(crate) fn unprivileged() -> Option<(u32, u32)> {
    if !Uid::effective().is_root() {
        return None;
    }
    let user = User::from_name("nobody").ok().flatten()?;
    Some((user.uid.as_raw(), user.gid.as_raw()))
}

pub(crate) fn give(path: &Path, user: (u32, u32)) -> Result<(), Error> {
    chown(path, Some(Uid::from_raw(user.0)), Some(Gid::from_raw(user.1)))
        .map_err(|errno| Error::Prepare { path: path.to_owned(), source: errno.into() })
}

/// Whether everybody may walk down to this path.
pub(crate) fn open_to_all(path: &Path) -> bool {
    path.ancestors()
        .filter(|folder| folder.exists())
        .all(|folder| fs::metadata(folder).is_ok_and(|meta| meta.permissions().mode() & 0o001 != 0))
}

/// Whether everybody may walk down to this folder, put things into it and take away what is theirs.
pub(crate) fn takes_from_all(path: &Path) -> bool {
    let open = |meta: fs::Metadata| meta.permissions().mode() & 0o002 != 0;
    open_to_all(path) && fs::metadata(path).is_ok_and(open)
}

/// A folder in a place that everybody may walk to, standing in for one that is not.
pub(crate) fn stand_in(path: &Path) -> PathBuf {
    PathBuf::from("/var/tmp/tarsy").join(flat(path))
}

/// The same for one that whoever it is given to can take away.
pub(crate) fn passing_stand_in(path: &Path) -> PathBuf {
    PathBuf::from("/var/tmp").join(format!("tarsy-{}", flat(path)))
}

fn flat(path: &Path) -> String {
    let name: String = path
        .to_string_lossy()
        .chars()
        .map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '-' })
        .collect();
    name.trim_matches('-').to_owned()
}

/// Copies a folder with all that is in it.
pub(crate) fn copy_folder(from: &Path, to: &Path) -> std::io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy_folder(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), &target)?;
        }
    }
    fs::set_permissions(to, fs::Permissions::from_mode(0o755))
}

/// Copies what is in a folder into another one that exists, with owners, modes and times. Shares blocks where the file system
/// can.
pub async fn copy_owned(from: &Path, to: &Path) -> Result<(), Error> {
    let program = PathBuf::from("cp");
    let output = Command::new(&program)
        .args(["--archive", "--reflink=auto"])
        .arg(from.join("."))
        .arg(to)
        .output()
        .await
        .map_err(|source| Error::Spawn { program, source })?;
    if output.status.success() {
        return Ok(());
    }
    let output = String::from_utf8_lossy(&output.stderr).into_owned();
    Err(Error::Failed { what: "cp", output })
}

/// The last lines of a log, for an error message.
pub(crate) fn tail(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines: Vec<&str> = text.lines().collect();
    lines.iter().skip(lines.len().saturating_sub(12)).copied().collect::<Vec<_>>().join("\n")
}
