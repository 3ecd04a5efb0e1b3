//! Keys with an empty text where a text says nothing. Files of the Go implementation have them for keys that are not set: such a
//! one is left out before the file is read, and a warning says so.

use crate::path::Path;
use crate::report::Problem;
use crate::yaml::{Entry, Kind, Node};

/// The keys.
const KEYS: [&str; 19] = [
    "agent",
    "api_key_env",
    "backend",
    "base_url",
    "cache_ttl",
    "credentials_env",
    "dashboard_url",
    "executive_summary_provider",
    "iteration_strategy",
    "llm_backend",
    "llm_provider",
    "location_env",
    "pattern_group",
    "project_env",
    "provider",
    "repo_url",
    "session_cleanup_url",
    "success_policy",
    "token_env",
];
/// What has names of the operator's own as keys.
const NAMES: [&str; 3] = ["env", "custom_headers", "model_rates"];

/// Takes the keys with an empty text out of the tree of a file; the warnings.
pub(crate) fn take(file: &str, root: &mut Node) -> Vec<Problem> {
    let mut warnings = Vec::new();
    walk(root, &Path::root(), &mut |path: &Path, entry: &Entry| {
        warnings.push(Problem {
            file: file.to_owned(),
            line: entry.place.line,
            column: entry.place.column,
            key: path.to_string(),
            message: "is empty, and has no effect".to_owned(),
            suggestion: Some("write a value, or remove it".to_owned()),
        });
    });
    warnings
}

fn walk(node: &mut Node, at: &Path, found: &mut impl FnMut(&Path, &Entry)) {
    match &mut node.kind {
        Kind::Scalar { .. } => {}
        Kind::List(items) => {
            for (index, item) in items.iter_mut().enumerate() {
                walk(item, &at.index(index), found);
            }
        }
        Kind::Map(entries) => {
            for entry in entries.extract_if(.., |entry| is_unset(entry)) {
                found(&at.key(&entry.key), &entry);
            }
            for entry in entries.iter_mut().filter(|entry| !NAMES.contains(&entry.key.as_str())) {
                walk(&mut entry.value, &at.key(&entry.key), found);
            }
        }
    }
}

/// Whether a key says nothing. A variable that is empty is another matter.
fn is_unset(entry: &Entry) -> bool {
    let is_empty = matches!(&entry.value.kind, Kind::Scalar { written, plain: false, .. } if written.is_empty());
    is_empty && KEYS.contains(&entry.key.as_str())
}
