//! Payloads that an operator describes with a mapping.

use serde_json::Value;

use super::mapping::Mapping;
use crate::json::ParseError;
use crate::received::{Group, Ignored, Received};

pub(crate) fn receive(
    source: &str,
    mapping: &Mapping,
    payload: &Value,
) -> Result<Received, ParseError> {
    let drafts = mapping.read(payload)?;
    if drafts.is_empty() {
        return Ok(Received::Ignored(Ignored::Empty));
    }
    let alerts = drafts.into_iter().map(|draft| draft.finish(source)).collect();
    Ok(Received::Alerts(Group::of(alerts)))
}
