//! Payloads of any tool, which a mapping of an operator describes, or usual names.

use serde_json::Value;

use super::mapping::Mapping;
use crate::alert::Draft;
use crate::limits::MAX_ALERTS;
use crate::received::{Group, Ignored, Received};
use crate::usual::{self, Usual};

pub(crate) fn receive(source: &str, mapping: Option<&Mapping>, payload: &Value) -> Received {
    let Some(mapping) = mapping else { return by_usual_names(source, payload) };
    let mut drafts = mapping.read(payload);
    if drafts.is_empty() {
        return nothing(source, payload);
    }
    let left_out = drafts.len().saturating_sub(MAX_ALERTS) as u64;
    drafts.truncate(MAX_ALERTS);
    let alerts = drafts.into_iter().map(|draft| draft.finish(source)).collect();
    Received::Alerts(Group { left_out, ..Group::of(alerts) })
}

fn by_usual_names(source: &str, payload: &Value) -> Received {
    let Usual { drafts, left_out, .. } = usual::read(payload);
    if drafts.is_empty() {
        return Received::Ignored(Ignored::Empty);
    }
    let alerts = drafts.into_iter().map(|draft| draft.finish(source)).collect();
    Received::Alerts(Group { left_out, ..Group::of(alerts) })
}

/// A payload without alerts has an empty list of them; in any other, they stand elsewhere than the mapping says.
fn nothing(source: &str, payload: &Value) -> Received {
    if has_empty_list(payload) {
        return Received::Ignored(Ignored::Empty);
    }
    let why = "the mapping's `alerts` selects nothing";
    Received::Alerts(Group::of(vec![Draft::not_understood(payload.clone(), &why).finish(source)]))
}

fn has_empty_list(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.is_empty() || items.iter().any(has_empty_list),
        Value::Object(members) => members.values().any(has_empty_list),
        _ => false,
    }
}
