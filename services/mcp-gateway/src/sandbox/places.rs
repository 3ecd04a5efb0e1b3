//! Places for what programs make beside something that is hidden.
//!
//! A domain allows what exists, so that nothing can be made in a folder that contains a hidden one: the home of a user, say, with
//! `.tarsy` in it. Where programs usually make things there, a folder is made before.

use std::fs::DirBuilder;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use nix::unistd::Uid;

/// What runners of packages and other programs make in the home of their user.
const IN_HOME: [&str; 4] = [".cache", ".config", ".local", ".npm"];

/// Makes them in this home, if something hidden is beneath it. Who may not, gets none.
pub(super) fn make_in_home(home: &Path, hidden: &[PathBuf]) {
    if contains(home, hidden) {
        for name in IN_HOME {
            make(&home.join(name));
        }
    }
}

/// The folder for temporary files instead of this one, if something hidden is beneath it.
pub(super) fn temporary(folder: &Path, hidden: &[PathBuf]) -> Option<PathBuf> {
    if !contains(folder, hidden) {
        return None;
    }
    let user = Uid::effective().as_raw();
    let place = folder.join(format!("tarsy-tools-{user}"));
    make(&place);
    // Another user may have made it, or a link.
    let found = std::fs::symlink_metadata(&place).ok()?;
    let is_ours = found.is_dir() && found.uid() == user && found.mode() & 0o777 == 0o700;
    is_ours.then_some(place)
}

fn contains(folder: &Path, hidden: &[PathBuf]) -> bool {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    hidden.iter().any(|path| path.starts_with(&folder))
}

fn make(folder: &Path) {
    // One that exists stays as it is; without it, the program fails where it needs it, and says so.
    drop(DirBuilder::new().mode(0o700).create(folder));
}
