//! Builds of Jenkins, as its Notification plugin sends them in JSON.

use serde_json::Value;

use super::fields::{event, first, short_commit, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    let phase = text(payload, "/build/phase").unwrap_or_default();
    let status = text(payload, "/build/status").unwrap_or_default();
    // `FINALIZED` follows each `COMPLETED`.
    if phase != "COMPLETED" || status.is_empty() {
        return Err(event(format!("phase {phase}")));
    }
    let job = first(payload, &["/display_name", "/name"]).ok_or_else(|| event("no job"))?;
    let number = text(payload, "/build/number").unwrap_or_default();
    let parameter = |names: &[&str]| {
        let parameters = payload.pointer("/build/parameters")?.as_object()?;
        parameters.iter().find_map(|(name, value)| {
            names.contains(&name.to_lowercase().as_str()).then(|| value.as_str())?
        })
    };
    let commit = text(payload, "/build/scm/commit").unwrap_or_default();
    let branch = text(payload, "/build/scm/branch").unwrap_or_default();
    let version = parameter(&["version", "tag", "image_tag"]).map(|tag| format!(" of {tag}"));
    let culprit = payload.pointer("/build/scm/culprits/0").and_then(Value::as_str);
    Ok(Change {
        source_id: Some(format!("{job}/{number}")),
        kind: "deployment".to_owned(),
        object: Some(format!("job/{job}")),
        service: parameter(&["service", "app", "application", "component"])
            .map(str::to_owned)
            .or_else(|| Some(job.clone())),
        namespace: parameter(&["namespace"]).map(str::to_owned),
        environment: parameter(&["environment", "env", "stage"]).map(str::to_owned),
        author: parameter(&["user", "build_user", "author"]).or(culprit).map(str::to_owned),
        link: text(payload, "/build/full_url"),
        text: format!(
            "build {number} of {job}{} ended as {status}, {branch} {}",
            version.unwrap_or_default(),
            short_commit(&commit)
        )
        .trim_end_matches([' ', ','])
        .to_owned(),
        occurred_at: time_at(payload, &["/build/timestamp"]),
        ..Change::default()
    })
}
