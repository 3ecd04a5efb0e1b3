//! Logs as the distributions write them, and files of units.

use std::fs;

use super::*;

fn root(files: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().expect("a folder");
    for (path, text) in files {
        let path = root.path().join(path);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }
    root
}

fn texts(root: &tempfile::TempDir) -> Vec<String> {
    let zone = TimeZone::get("Europe/Berlin").expect("a zone");
    let since = "2026-01-01T00:00:00Z".parse().expect("a time");
    let all = changes_below(root.path(), since, &zone).into_iter();
    all.map(|one| format!("{} {} {}", one.at, one.kind.as_str(), one.text)).collect()
}

#[test]
fn the_log_of_dpkg_is_in_the_time_of_the_machine() {
    let log = "2026-07-01 09:12:01 startup archives unpack
2026-07-01 09:12:02 upgrade libssl3:amd64 3.0.11-1~deb12u2 3.0.13-1~deb12u1
2026-07-01 09:12:02 status half-configured libssl3:amd64 3.0.11-1~deb12u2
2026-07-01 09:12:09 install linux-image-6.1.0-22-amd64:amd64 <none> 6.1.94-1
2026-07-01 09:12:10 trigproc libc-bin:amd64 2.36-9+deb12u7 <none>
2025-12-31 09:00:00 remove nano:amd64 7.2-1 <none>
";
    assert_eq!(
        texts(&root(&[("var/log/dpkg.log", log)])),
        [
            "2026-07-01T07:12:02Z package package libssl3 was changed from 3.0.11-1~deb12u2 to 3.0.13-1~deb12u1",
            "2026-07-01T07:12:09Z kernel package linux-image-6.1.0-22-amd64 was installed (6.1.94-1)",
        ]
    );
}

#[test]
fn the_logs_of_others_are_read_too() {
    let dnf = "2026-07-02T10:11:12+0200 SUBDEBUG Upgrade: openssl-libs-1:3.0.7-27.el9.x86_64
2026-07-02T10:11:13+0200 SUBDEBUG Upgraded: openssl-libs-1:3.0.7-25.el9_3.x86_64
2026-07-02T10:11:14+0200 INFO --- logging initialized ---
";
    let zypp = "# 2026-07-03 12:00:00 nginx-1.21.5-1.x86_64.rpm installed ok
2026-07-03 12:00:00|install|nginx|1.21.5-1|x86_64|root@suse|repo-oss|abc|
2026-07-03 12:00:05|remove |apache2|2.4.58-1|x86_64|root@suse|
2026-07-03 12:00:07|command|root@suse|'zypper' 'in' 'nginx'|
";
    let pacman = "[2026-07-04T12:34:50+0200] [PACMAN] Running 'pacman -Syu'
[2026-07-04T12:34:56+0200] [ALPM] upgraded linux (6.9.6.arch1-1 -> 6.9.7.arch1-1)
[2026-07-04T12:34:57+0200] [ALPM] running '30-systemd-update.hook'...
";
    let files = [
        ("var/log/dnf.rpm.log", dnf),
        ("var/log/zypp/history", zypp),
        ("var/log/pacman.log", pacman),
    ];
    assert_eq!(
        texts(&root(&files)),
        [
            "2026-07-02T08:11:12Z package package openssl-libs was changed to 1:3.0.7-27.el9.x86_64",
            "2026-07-03T10:00:00Z package package nginx was installed (1.21.5-1)",
            "2026-07-03T10:00:05Z package package apache2 was removed (2.4.58-1)",
            "2026-07-04T10:34:56Z kernel package linux was changed from 6.9.6.arch1-1 to 6.9.7.arch1-1",
        ]
    );
}

#[test]
fn many_packages_of_one_command_are_one_change() {
    let line = |number: usize| {
        format!(
            "2026-07-01 09:12:{number:02} upgrade lib{number}:amd64 1.0-{number} 1.1-{number}\n"
        )
    };
    let log: String = (10..40)
        .map(line)
        .chain(["2026-07-01 10:00:00 install jq:amd64 <none> 1.6-2\n".to_owned()])
        .collect();
    let root = root(&[("var/log/dpkg.log", &log)]);
    let all = texts(&root);
    assert_eq!(all.len(), 2, "{all:#?}");
    assert!(
        all[0].contains("30 packages were changed: lib10 changed from 1.0-10 to 1.1-10, lib11")
    );
    assert!(all[1].ends_with("package jq was installed (1.6-2)"));
}

#[test]
fn units_and_drop_ins_of_the_operator_and_the_start_of_the_machine_are_changes() {
    let root = root(&[
        ("etc/systemd/system/shop.service", "[Service]\n"),
        ("etc/systemd/system/nginx.service.d/override.conf", "[Service]\n"),
        ("etc/systemd/system/notes.txt", "no unit"),
        ("proc/stat", "cpu 1 2 3\nbtime 1782000000\n"),
        ("proc/sys/kernel/osrelease", "6.1.0-22-amd64\n"),
        ("proc/sys/kernel/random/boot_id", "2f1c\n"),
    ]);
    let link = root.path().join("etc/systemd/system/linked.service");
    std::os::unix::fs::symlink("/dev/null", link).expect("a link");
    let all = changes_below(root.path(), Timestamp::UNIX_EPOCH, &TimeZone::UTC);
    let found: Vec<_> = all.iter().map(|one| (one.object.as_deref(), one.text.as_str())).collect();
    assert_eq!(found.len(), 3, "{found:?}");
    assert!(found.contains(&(Some("shop.service"), "unit shop.service was changed")));
    assert!(
        found.contains(&(Some("nginx.service"), "unit nginx.service was changed by override.conf"))
    );
    let start = all.iter().find(|one| one.kind == HostChangeKind::Kernel).expect("a start");
    assert_eq!((start.id.as_str(), start.at.as_second()), ("boot:2f1c", 1_782_000_000));
    assert_eq!(start.text, "the host was started with kernel 6.1.0-22-amd64");
}

#[test]
fn a_machine_without_logs_has_no_changes() {
    let since = Timestamp::UNIX_EPOCH;
    assert!(changes_below(root(&[]).path(), since, &TimeZone::UTC).is_empty());
}
