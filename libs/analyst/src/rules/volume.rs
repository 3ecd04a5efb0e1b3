//! Volumes and claims.

use super::pattern::{Pattern, both, event};
use crate::facts::Facts;
use crate::signal::Signal;
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
        84.0,
        "the pod waits for a claim that is not bound to a volume",
        r"unbound immediate persistentvolumeclaims",
    ),
    event(
        Volume,
        86.0,
        "the volume is on another node or zone than the pod may run on",
        r"volume node affinity conflict|volume\(s\) had .{0,30}affinity",
    ),
    event(Volume, 87.0, "the volume is still attached to another node", r"multi-attach error"),
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

/// Claims that are not bound.
pub(super) fn find(facts: &Facts, found: &mut Vec<Signal>) {
    for claim in facts.of_kind("persistentvolumeclaim") {
        let state = claim.field("STATUS").or_else(|| claim.field("status.phase"));
        if let Some(field) = state.filter(|field| matches!(&*field.value, "Pending" | "Lost")) {
            let class =
                claim.field("STORAGECLASS").or_else(|| claim.field("spec.storageClassName"));
            let missing = class.filter(|class| {
                let mut classes = facts.of_kind("storageclass").peekable();
                classes.peek().is_some() && classes.all(|known| known.name != class.value)
            });
            let (weight, cause) = match missing {
                Some(class) => {
                    (92.0, format!("its storage class `{}` does not exist", class.value))
                }
                None => (78.0, "the claim is not bound to a volume".to_owned()),
            };
            found.push(Signal::of_record((Volume, weight), cause, facts, claim, field));
        }
    }
}
