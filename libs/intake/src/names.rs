//! What an alert does not state, from its labels.

use std::collections::BTreeMap;

use crate::alert::Draft;
use crate::label_names::{CLUSTER, NAMESPACE, SERVICE, SEVERITY};

/// Fills in from its labels what an alert does not state.
pub(crate) fn fill_from_labels(draft: &mut Draft) {
    let labels = &draft.labels;
    draft.severity = draft.severity.take().or_else(|| first(labels, &SEVERITY));
    draft.service = draft.service.take().or_else(|| first(labels, &SERVICE));
    draft.namespace = draft.namespace.take().or_else(|| first(labels, &NAMESPACE));
    draft.cluster = draft.cluster.take().or_else(|| first(labels, &CLUSTER));
}

/// The value of the first of these names that has one.
pub(crate) fn first(values: &BTreeMap<String, String>, names: &[&str]) -> Option<String> {
    let mut found = names.iter().filter_map(|name| values.get(*name));
    found.find(|value| !value.trim().is_empty()).cloned()
}
