//! Where servers of tests keep their files.

use std::path::{Path, PathBuf};

use nix::sys::statvfs::statvfs;
use tempfile::TempDir;

/// A file system in memory, where the machine has one: making the thousand files of a PostgreSQL takes a fifth of the processor
/// time of a short test on a disk.
const MEMORY: &str = "/dev/shm";
/// More than all servers that run at a time keep, in bytes. A container often has 64 MiB.
const ENOUGH: u64 = 4 * 1024 * 1024 * 1024;

/// A new folder in memory where there is room, else on disk. Everybody may walk to it: PostgreSQL refuses to run as root.
pub fn scratch_folder(prefix: &str) -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir_in(place(free(Path::new(MEMORY))))
}

/// A new folder on disk, for what must survive in order.
pub fn disk_folder(prefix: &str) -> std::io::Result<TempDir> {
    tempfile::Builder::new().prefix(prefix).tempdir_in(place(None))
}

fn place(free_in_memory: Option<u64>) -> PathBuf {
    PathBuf::from(if free_in_memory >= Some(ENOUGH) { MEMORY } else { "/tmp" })
}

/// The bytes that are free in a file system; none if there is none.
fn free(path: &Path) -> Option<u64> {
    let found = statvfs(path).ok()?;
    Some(found.blocks_available() * found.fragment_size())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_lie_in_memory_where_all_servers_fit() {
        assert_eq!(place(Some(ENOUGH)), Path::new(MEMORY));
        assert_eq!(place(Some(64 * 1024 * 1024)), Path::new("/tmp"));
        assert_eq!(place(None), Path::new("/tmp"));
        assert_eq!(free(Path::new("/no/such/folder")), None);
    }
}
