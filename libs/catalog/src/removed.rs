//! Keys that are no keys any more. A file with one loads: what is written there is left out before the file is read, and a
//! warning says what decides instead.

use crate::path::Path;
use crate::report::Problem;
use crate::yaml::{Kind, Node, Place};

const JUDGES: &str = "who judges reads the record, answers twice and calls no tools";
const KEPT: &str = "record_retention_days is for changes, notifications and counts of tokens";
const CHECKS: &str = "checks follow each other after four thirds of initial_delay, for 3m";

/// What decides in place of a key, `*` for any key.
const REMOVED: [(&[&str], &str); 14] = [
    (&["queue", "graceful_shutdown_timeout"], "how long a stop waits is TARSY_GRACE_SECONDS"),
    (&["queue", "poll_interval_jitter"], "it is two fifths of poll_interval"),
    (&["queue", "orphan_detection_interval"], "it is poll_interval"),
    (&["system", "retention", "cleanup_interval"], "old rows are deleted every 12 hours"),
    (&["system", "retention", "change_retention_days"], KEPT),
    (&["system", "retention", "notification_retention_days"], KEPT),
    (&["system", "retention", "usage_retention_days"], KEPT),
    (&["defaults", "scoring", "mcp_servers"], JUDGES),
    (&["defaults", "scoring", "max_iterations"], JUDGES),
    (&["defaults", "memory", "reflector_memory_limit"], "memories are made of reviews"),
    (&["agent_chains", "*", "scoring", "mcp_servers"], JUDGES),
    (&["agent_chains", "*", "scoring", "max_iterations"], JUDGES),
    (&["agent_chains", "*", "remediation", "pause"], CHECKS),
    (&["agent_chains", "*", "remediation", "deadline"], CHECKS),
];

/// Takes what is written at removed keys out of the tree of a file; the warnings.
pub(crate) fn take(file: &str, root: &mut Node) -> Vec<Problem> {
    let mut warnings = Vec::new();
    for (pattern, instead) in REMOVED {
        warnings.extend(taken(root, pattern, &Path::root()).into_iter().map(|(path, place)| {
            Problem {
                file: file.to_owned(),
                line: place.line,
                column: place.column,
                key: path.to_string(),
                message: "has no effect".to_owned(),
                suggestion: Some(format!("remove it: {instead}")),
            }
        }));
    }
    warnings
}

/// The keys of a pattern that were there with a value.
fn taken(node: &mut Node, pattern: &[&str], at: &Path) -> Vec<(Path, Place)> {
    let (Some((step, rest)), Kind::Map(entries)) = (pattern.split_first(), &mut node.kind) else {
        return Vec::new();
    };
    if rest.is_empty() {
        let out = entries.extract_if(.., |entry| entry.key == *step);
        let written = out.filter(|entry| !entry.value.is_null());
        return written.map(|entry| (at.key(&entry.key), entry.place)).collect();
    }
    let named = entries.iter_mut().filter(|entry| *step == "*" || entry.key == *step);
    named.flat_map(|entry| taken(&mut entry.value, rest, &at.key(&entry.key))).collect()
}
