//! `/proc/self/mountinfo`: the mounts of real file systems.

/// A mounted file system.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Mount {
    pub(crate) device: String,
    pub(crate) point: String,
    pub(crate) kind: String,
    pub(crate) source: String,
    pub(crate) read_only: bool,
}

/// File systems that live in the kernel or in memory, not on a disk.
const PSEUDO: &[&str] = &[
    "autofs",
    "binfmt_misc",
    "bpf",
    "cgroup",
    "cgroup2",
    "configfs",
    "debugfs",
    "devpts",
    "devtmpfs",
    "efivarfs",
    "fusectl",
    "hugetlbfs",
    "mqueue",
    "nsfs",
    "proc",
    "pstore",
    "ramfs",
    "rpc_pipefs",
    "securityfs",
    "selinuxfs",
    "squashfs",
    "sysfs",
    "tracefs",
];

/// A smaller temporary file system is ignored (counted by its `size=` option).
const SMALL_TMPFS_KIB: u64 = 1024;

/// Reads the mounts that can fill up; a device that is mounted more than once is kept once (shortest path), and of
/// two mounts at the same place the later one, which hides the other.
pub(crate) fn real_mounts(text: &str) -> Vec<Mount> {
    let mut kept: Vec<Mount> = Vec::new();
    for mount in text.lines().filter_map(mount) {
        kept.retain(|other| other.point != mount.point);
        match kept.iter_mut().find(|other| other.device == mount.device && other.kind == mount.kind)
        {
            Some(other) if mount.point.len() < other.point.len() => *other = mount,
            Some(_) => {}
            None => kept.push(mount),
        }
    }
    kept
}

fn mount(line: &str) -> Option<Mount> {
    let (left, right) = line.split_once(" - ")?;
    let left: Vec<&str> = left.split(' ').collect();
    let mut right = right.split(' ');
    let (kind, source, options) = (right.next()?, right.next()?, right.next().unwrap_or(""));
    let point = unescape(left.get(4)?);
    let of_the_kernel = ["/proc", "/sys"].iter().any(|folder| is_below(&point, folder));
    if of_the_kernel || PSEUDO.contains(&kind) || (kind == "tmpfs" && is_small(options)) {
        return None;
    }
    Some(Mount {
        device: (*left.get(2)?).to_owned(),
        point,
        kind: kind.to_owned(),
        source: unescape(source),
        read_only: left.get(5)?.split(',').any(|option| option == "ro"),
    })
}

fn is_small(options: &str) -> bool {
    options
        .split(',')
        .find_map(|option| option.strip_prefix("size=")?.strip_suffix('k')?.parse::<u64>().ok())
        .is_some_and(|size| size < SMALL_TMPFS_KIB)
}

/// Undoes the octal escapes of blanks, tabs, line ends and backslashes.
fn unescape(text: &str) -> String {
    ["\\040", "\\011", "\\012", "\\134"]
        .iter()
        .zip([" ", "\t", "\n", "\\"])
        .fold(text.to_owned(), |text, (code, plain)| text.replace(code, plain))
}

/// The mount that holds a path: the longest mount point that is a prefix of it.
pub(crate) fn holding<'a>(mounts: &'a [Mount], path: &str) -> Option<&'a Mount> {
    mounts.iter().filter(|mount| is_below(path, &mount.point)).max_by_key(|mount| mount.point.len())
}

fn is_below(path: &str, point: &str) -> bool {
    point == "/"
        || path.strip_prefix(point).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const INFO: &str = "22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
28 27 0:25 / /dev/shm rw - tmpfs tmpfs rw,size=24684084k
29 27 0:26 / /mnt/none ro,nosuid - tmpfs none ro,size=4k
30 27 254:16 / /srv/my\\040data ro,relatime shared:1 master:2 - xfs /dev/vdb rw
31 27 254:0 /var/lib/docker /var/lib/docker/bind rw - ext4 /dev/vda rw
32 27 0:30 / /mnt/nfs rw - nfs4 server:/export rw
33 27 0:31 / /dev/shm rw - tmpfs tmpfs rw,size=24684084k
34 27 0:32 / /sys/fs/cgroup rw - tmpfs tmpfs rw
";

    #[test]
    fn only_mounts_that_can_fill_up_are_kept_once() {
        let points: Vec<String> = real_mounts(INFO).into_iter().map(|mount| mount.point).collect();
        assert_eq!(points, ["/", "/srv/my data", "/mnt/nfs", "/dev/shm"]);
    }

    #[test]
    fn a_read_only_mount_is_known() {
        let mounts = real_mounts(INFO);
        let data = holding(&mounts, "/srv/my data/file").expect("a mount");
        assert_eq!(
            (data.source.as_str(), data.kind.as_str(), data.read_only),
            ("/dev/vdb", "xfs", true)
        );
    }

    #[test]
    fn the_longest_mount_point_holds_a_path() {
        let mounts = real_mounts(INFO);
        assert_eq!(
            holding(&mounts, "/dev/shm").map(|mount| mount.point.as_str()),
            Some("/dev/shm")
        );
        assert_eq!(holding(&mounts, "/dev/shmoo").map(|mount| mount.point.as_str()), Some("/"));
    }

    proptest! {
        #[test]
        fn no_text_makes_the_reader_panic(text in ".{0,300}") {
            let _ = real_mounts(&text);
        }
    }
}
