//! Notifications of Checkmk. A notification script gets them as variables `NOTIFY_NAME`; the one of `docs/intake/checkmk.md`
//! sends them by their names, as "Notifications", section "Your own notification scripts", lists them,
//! <https://docs.checkmk.com/latest/en/notifications.html>. Checkmk signs nothing: the script sends a bearer token.

use serde_json::Value;

use super::members::first_text;
use super::nagios;
use crate::json::{Node, ParseError};
use crate::names::fill_from_labels;
use crate::received::{Group, Received};

const LABEL: [&str; 2] = ["HOSTLABEL_", "SERVICELABEL_"];

pub(crate) fn receive(source: &str, payload: &Value) -> Result<Received, ParseError> {
    let root = Node::root(payload);
    root.object()?;
    let mut draft = match nagios::notification(&root)? {
        Ok(draft) => draft,
        Err(ignored) => return Ok(Received::Ignored(ignored)),
    };
    for name in root.value().and_then(Value::as_object).into_iter().flat_map(|all| all.keys()) {
        let label = LABEL.iter().find_map(|prefix| name.strip_prefix(prefix));
        if let (Some(label), Some(value)) = (label, root.at(name).text()) {
            draft.labels.entry(label.to_owned()).or_insert(value);
        }
    }
    let of = if root.at("WHAT").text().as_deref() == Some("HOST") { "HOST" } else { "SERVICE" };
    // The problem of a recovery is the one before it; only the script's own problem has a number.
    draft.source_id = root.at(&format!("{of}PROBLEMID")).text().filter(|id| id != "0");
    draft.starts_at = root
        .at(&format!("LAST{of}STATECHANGE"))
        .time()
        .filter(|_| draft.status == crate::alert::Status::Firing);
    fill_from_labels(&mut draft);
    let base = first_text(&root, &["OMD_BASEURL"]);
    let page = root.at(&format!("{of}URL")).text();
    if let (Some(base), Some(page)) = (base, page) {
        draft.link("Checkmk", Some(&format!("{}{page}", base.trim_end_matches('/'))));
    }
    Ok(Received::Alerts(Group::of(vec![draft.finish(source)])))
}
