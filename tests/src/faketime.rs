//! libfaketime, which gives a process another wall clock.

use std::path::PathBuf;

/// The library for programs with threads, where `make setup-test` unpacks Debian's package.
pub(crate) fn library() -> Option<PathBuf> {
    // Debian has a folder for each architecture.
    let folders = std::fs::read_dir(tarsy_testkit::workspace().join(".tarsy/faketime/usr/lib"));
    let mut libraries = folders
        .into_iter()
        .flatten()
        .filter_map(|folder| Some(folder.ok()?.path().join("faketime/libfaketimeMT.so.1")));
    libraries.find(|library| library.exists())
}
