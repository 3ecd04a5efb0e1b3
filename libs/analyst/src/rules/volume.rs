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
        r"hostpath type check failed|failed to prepare subpath|mountpath .{0,40}(?:must be unique|invalid)|not a directory: .{0,40}unknown",
    ),
];
