//! Where else a hidden folder can be reached: a bind mount shows it in a second place.
//!
//! A domain allows paths. Without this, a folder that is mounted again beneath an allowed one would be open there.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

/// The mounts of this process, as proc(5) describes them.
const MOUNTS: &str = "/proc/self/mountinfo";

/// A file system, or a part of it, at a place.
struct Mount {
    device: Vec<u8>,
    /// The folder of the file system that is shown.
    root: PathBuf,
    at: PathBuf,
}

/// These paths, and every other one at which the same files stand. Where the mounts cannot be read, these alone.
pub(super) fn everywhere(hidden: &[PathBuf]) -> Vec<PathBuf> {
    // As bytes: one name that is no UTF-8 must not leave all the others unread.
    let mounts = std::fs::read(MOUNTS).unwrap_or_default();
    again(hidden, &read(&mounts))
}

fn again(hidden: &[PathBuf], mounts: &[Mount]) -> Vec<PathBuf> {
    let others = hidden.iter().flat_map(|path| {
        let own = of(path, mounts).map(|(mount, inner)| places(mount, &inner, mounts));
        own.unwrap_or_default()
    });
    let mut all: Vec<PathBuf> = hidden.iter().cloned().chain(others).collect();
    all.sort();
    all.dedup();
    all
}

/// The mount that shows a path, and where the path stands in its file system. Of mounts at one place the last one counts.
fn of<'a>(path: &Path, mounts: &'a [Mount]) -> Option<(&'a Mount, PathBuf)> {
    let above = mounts.iter().filter(|mount| path.starts_with(&mount.at));
    let mount = above.max_by_key(|mount| mount.at.components().count())?;
    Some((mount, mount.root.join(path.strip_prefix(&mount.at).ok()?)))
}

/// The places at which mounts of the same file system show a path of it, or a part of what is beneath it.
fn places(own: &Mount, inner: &Path, mounts: &[Mount]) -> Vec<PathBuf> {
    let same = mounts.iter().filter(|mount| mount.device == own.device);
    same.filter_map(|mount| match inner.strip_prefix(&mount.root) {
        // Joining nothing would end the path with a slash.
        Ok(rest) if rest.as_os_str().is_empty() => Some(mount.at.clone()),
        Ok(rest) => Some(mount.at.join(rest)),
        Err(_) => mount.root.starts_with(inner).then(|| mount.at.clone()),
    })
    .collect()
}

fn read(mounts: &[u8]) -> Vec<Mount> {
    mounts.split(|byte| *byte == b'\n').filter_map(mount).collect()
}

/// A line: its number, that of its parent, the device, the root, the place, and more.
fn mount(line: &[u8]) -> Option<Mount> {
    let mut fields = line.split(|byte| *byte == b' ');
    let (device, root, at) = (fields.nth(2)?, fields.next()?, fields.next()?);
    Some(Mount { device: device.to_owned(), root: path(root), at: path(at) })
}

/// The kernel writes blanks, tabs, line breaks and backslashes as three octal digits.
fn path(written: &[u8]) -> PathBuf {
    let mut bytes = Vec::with_capacity(written.len());
    let mut rest = written;
    while let [first, after @ ..] = rest {
        let escaped = after.split_at_checked(3).filter(|_| *first == b'\\');
        let read = escaped.and_then(|(digits, behind)| {
            let digits = str::from_utf8(digits).ok()?;
            Some((u8::from_str_radix(digits, 8).ok()?, behind))
        });
        let (byte, behind) = read.unwrap_or((*first, after));
        bytes.push(byte);
        rest = behind;
    }
    PathBuf::from(OsString::from_vec(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 27 0:27 / /dev/shm rw - tmpfs tmpfs rw
31 27 254:0 /home/a/project /srv/a\\040copy rw shared:1 - ext4 /dev/vda rw
32 27 254:0 /home/a/project/.tarsy/run /mnt/run rw - ext4 /dev/vda rw
33 27 254:16 / /data rw - ext4 /dev/vdb rw
34 27 254:16 /other /mnt/other rw - ext4 /dev/vdb rw";

    fn again(hidden: &[&str]) -> Vec<String> {
        let hidden: Vec<PathBuf> = hidden.iter().map(PathBuf::from).collect();
        let all = super::again(&hidden, &read(TABLE.as_bytes()));
        all.iter().map(|path| path.to_str().unwrap().to_owned()).collect()
    }

    #[test]
    fn a_folder_is_hidden_wherever_it_is_mounted() {
        let home = "/home/a/project/.tarsy";
        assert_eq!(again(&[home]), [home, "/mnt/run", "/srv/a copy/.tarsy"]);
        // The same from one of the other places.
        assert_eq!(again(&["/srv/a copy/.tarsy"]), [home, "/mnt/run", "/srv/a copy/.tarsy"]);
        assert_eq!(again(&["/home/a/project"]), ["/home/a/project", "/mnt/run", "/srv/a copy"]);
    }

    #[test]
    fn what_is_mounted_once_is_in_one_place() {
        assert_eq!(again(&["/home/b/.tarsy"]), ["/home/b/.tarsy"]);
        assert_eq!(again(&["/data/tarsy"]), ["/data/tarsy"]);
        assert_eq!(again(&["/data/other/x"]), ["/data/other/x", "/mnt/other/x"]);
        assert_eq!(again(&["/dev/shm/x"]), ["/dev/shm/x"]);
    }

    #[test]
    fn a_name_that_is_no_utf_8_leaves_the_others_read() {
        let mut table = b"26 1 254:0 / /mnt/\xff rw - ext4 /dev/vda rw\n".to_vec();
        table.extend_from_slice(TABLE.as_bytes());
        let all = super::again(&[PathBuf::from("/home/a/project/.tarsy")], &read(&table));
        assert!(all.contains(&PathBuf::from("/srv/a copy/.tarsy")), "{all:?}");
        let odd = OsString::from_vec(b"/mnt/\xff/home/a/project/.tarsy".to_vec());
        assert!(all.contains(&PathBuf::from(odd)), "{all:?}");
    }

    #[test]
    fn a_table_that_is_no_table_hides_what_was_to_be_hidden() {
        let hidden = [PathBuf::from("/a")];
        assert_eq!(super::again(&hidden, &read(b"")), hidden);
        assert_eq!(super::again(&hidden, &read(b"x y\n\n1 2 3")), hidden);
        assert_eq!(path(b"a\\zb\\"), Path::new("a\\zb\\"));
    }
}
