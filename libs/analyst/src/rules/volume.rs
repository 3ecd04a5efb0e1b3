//! Volumes and claims.

use super::pattern::{Pattern, both, event};
use crate::verdict::Category::{Configuration, Volume};

pub(super) const PATTERNS: &[Pattern] = &[
    event(
        Volume,
        91.0,
        "the claim `${claim}` does not exist",
        r#"persistentvolumeclaim "(?P<claim>[\w.-]+)" not found"#,
    ),
    event(
        Volume,
        92.0,
        "the storage class `${class}` does not exist",
        r#"storageclass(?:\.storage\.k8s\.io)? "?(?P<class>[\w.-]+)"? not found"#,
    ),
    event(
        Volume,
        76.0,
        "the pod waits for a claim that is not bound to a volume",
        r"unbound immediate persistentvolumeclaims",
    ),
    event(
        Volume,
        86.0,
        "the volume is on another node or zone than the pod may run on",
        r"volume node affinity conflict|volume\(s\) had .{0,30}affinity",
    ),
    event(
        Volume,
        94.0,
        "the volume is still attached to another node",
        r"multi-attach error|already exclusively attached to (?:one|another) node",
    ),
    event(
        Volume,
        92.0,
        "the claim and the volume that it names do not fit: their access modes differ",
        r"cannot bind to requested volume .{0,80}incompatible accessmode",
    ),
    event(
        Volume,
        92.0,
        "the claim asks for more than the capacity of the volume that it names",
        r"cannot bind to requested volume .{0,80}too small",
    ),
    event(
        Volume,
        92.0,
        "the claim and the volume that it names have different storage classes",
        r"cannot bind to requested volume .{0,80}storageclass\w* does not match",
    ),
    event(
        Volume,
        90.0,
        "the claim names no storage class, there is no default one, and no volume fits",
        r"no persistent volumes available for this claim and no storage class is set",
    ),
    event(
        Volume,
        92.0,
        "the storage class cannot make volumes of the access mode that the claim asks for",
        r"(?:only supports?|unsupported|not supported|invalid).{0,80}access ?modes?|access ?modes?.{0,60}(?:not supported|unsupported|invalid)",
    ),
    event(
        Volume,
        82.0,
        "no volume can be made for the claim",
        r"provisioningfailed|failed to provision volume|no persistent volumes available for this claim|waiting for a volume to be created",
    ),
    event(
        Configuration,
        92.0,
        "the secret `${name}`, which is mounted, does not exist",
        r#"failedmount: .*secret "(?P<name>[\w.-]+)" not found"#,
    ),
    event(
        Configuration,
        92.0,
        "the config map `${name}`, which is mounted, does not exist",
        r#"failedmount: .*configmap "(?P<name>[\w.-]+)" not found"#,
    ),
    event(
        Configuration,
        90.0,
        "a key that is mounted does not exist",
        r"failedmount: .*references non-existent (?:config|secret) key",
    ),
    event(
        Volume,
        80.0,
        "a volume cannot be mounted",
        r"failedmount|failedattachvolume|mountvolume\.\w+ failed|unable to attach or mount volumes|failedmapvolume",
    ),
    both(
        Volume,
        82.0,
        "the path of a mounted volume is wrong",
        r"hostpath type check failed|failed to prepare subpath|mountpath .{0,40}(?:must be unique|invalid)",
    ),
    both(
        Volume,
        94.0,
        "the driver of volumes `${driver}` does not run on the node: it is not registered there",
        r"driver name (?P<driver>[\w.-]+) not found in the list of registered csi drivers",
    ),
    both(
        Volume,
        93.0,
        "the driver of volumes is not registered on the node",
        r"csinode \S+ does not contain driver|has no nodeid annotation|no csi ?driver(?:s)? .{0,40}registered",
    ),
    both(
        Volume,
        94.0,
        "the file system of a volume is damaged",
        r"'fsck' found errors|unexpected inconsistency; run fsck|structure needs cleaning",
    ),
    both(
        Volume,
        91.0,
        "a volume cannot be enlarged",
        r"volumeresizefailed|filesystemresizefailed|failed to expand (?:the )?volume|resize volume .{1,120} failed",
    )
    .leads("a volume cannot be enlarged"),
    both(
        Volume,
        93.0,
        "the file server refuses to share a folder with its client",
        r"mount\.nfs4?: access denied by server|mount\.nfs4?: operation not permitted|mount error\(13\): permission denied",
    ),
    both(
        Volume,
        91.0,
        "the file server cannot be reached to mount a folder",
        r"mount\.nfs4?: (?:connection timed out|connection refused|no route to host|failed to resolve server)|mount error\((?:112|113|115)\)",
    ),
    both(
        Volume,
        91.0,
        "the folder that is to be mounted is not on the file server",
        r"mount\.nfs4?: mounting \S+ failed, reason given by server: no such file|mount error\(2\): no such file",
    ),
    both(
        Volume,
        92.0,
        "a volume is still in use by another machine",
        r"rbd image \S+ is still being used|volumeinuse\b|volume .{1,80} is (?:already )?(?:attached|in use) (?:to|by) (?:another|a different)",
    ),
    both(
        Volume,
        90.0,
        "the attacher of volumes does not answer",
        r"timed out waiting for (?:external-attacher|attach)|waitforattach timeout",
    ),
    both(
        Volume,
        91.0,
        "the volume does not exist in the store of volumes",
        r"(?:attachvolume|mountvolume)\.\w+ failed .{0,160}(?:could not find|does not exist|not found in|invalidvolume\.notfound)",
    ),
    both(
        Volume,
        88.0,
        "a snapshot of a volume cannot be made",
        r"failed to (?:create|take) snapshot of the volume|snapshotcontentcreationfailed|snapshotcontentcheckandupdatefailed|snapshotcreationfailed",
    ),
    both(
        Volume,
        93.0,
        "a volume cannot be mounted at its path: one of both is a file, and the other one a directory",
        r"are you trying to mount a directory onto a file|not a directory: .{0,200}unknown|error mounting .{1,300}: (?:not a directory|is a directory)",
    ),
    event(
        Volume,
        92.0,
        "the node has as many volumes attached as it may have",
        r"attachment limit exceeded|attachmentlimitexceeded|maximum number of (?:attached |attachable )?volumes .{0,40}(?:reached|exceeded)",
    ),
    event(
        Configuration,
        90.0,
        "the pod mounts the volume `${volume}`, which it does not define",
        r#"cannot find volume "(?P<volume>[^"]+)" to mount"#,
    ),
    both(
        Volume,
        88.0,
        "a volume has too few copies, and no disk has room for another",
        r"no available disk candidates|volume .{0,60}degraded.{0,60}(?:insufficient|no) (?:storage|disk)",
    ),
    both(
        Volume,
        96.0,
        "the node lacks the program that mounts this kind of file system (of NFS, for example)",
        r"need a /sbin/mount\.<type> helper|mount: unknown filesystem type|/sbin/mount\.\w+: (?:not found|no such file)",
    ),
    both(
        Volume,
        86.0,
        "a volume cannot be mounted: its file system is not what the node expects, or is damaged",
        r"wrong fs type, bad option, bad superblock",
    ),
];
