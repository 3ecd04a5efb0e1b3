//! Notifications with the variables of Nagios, which Checkmk and Icinga have kept: `NOTIFICATIONTYPE`, `HOSTNAME` and so on.

use std::collections::BTreeMap;

use super::members::{annotation, first_text};
use crate::alert::{Draft, Status};
use crate::json::{Node, ParseError};
use crate::labels::Labels;
use crate::received::Ignored;

const HOST: [&str; 2] = ["HOSTNAME", "HOSTALIAS"];
const SERVICE: [&str; 2] = ["SERVICEDESC", "SERVICENAME"];
/// A macro that was not replaced.
const MACRO: char = '$';

/// The alert of a notification, or what it is instead of a problem and its end.
pub(super) fn notification(root: &Node<'_>) -> Result<Result<Draft, Ignored>, ParseError> {
    let kind = root.at("NOTIFICATIONTYPE");
    let kind = kind.required("the type of the notification, such as PROBLEM")?;
    let status = match kind.to_uppercase().as_str() {
        "PROBLEM" | "CUSTOM" => Status::Firing,
        "RECOVERY" => Status::Resolved,
        kind if kind.starts_with("ACKNOWLEDGEMENT") => Status::Acknowledged,
        _ => return Ok(Err(Ignored::Event(kind))),
    };
    let host = filled(root, &HOST);
    let service = filled(root, &SERVICE);
    let of = if service.is_some() { "SERVICE" } else { "HOST" };
    let member = |name: &str| root.at(&format!("{of}{name}"));
    let state = member("STATE").text();
    // A notification that somebody sends by hand has the state of the moment.
    let is_fine = state.as_deref().is_some_and(|state| matches!(state, "OK" | "UP"));
    if is_fine && status == Status::Firing {
        return Ok(Err(Ignored::Event(kind)));
    }
    let output = member("OUTPUT").text();
    let object = [host.as_deref(), service.as_deref()];
    let object = object.into_iter().flatten().collect::<Vec<_>>().join("/");
    let site = root.at("OMD_SITE").text().unwrap_or_default();
    let mut draft = Draft {
        title: Some(match &output {
            Some(output) => format!("{object}: {output}"),
            None => format!("{object} is {}", state.as_deref().unwrap_or("not OK")),
        }),
        severity: state.filter(|_| status != Status::Resolved),
        status,
        labels: labels(root, host.as_deref(), service.as_deref()),
        fingerprint: Some(format!("{site}/{object}")).filter(|_| !object.is_empty()),
        group_key: host.map(|host| format!("{site}/{host}")),
        notes: root.notes(),
        raw: root.raw(),
        ..Draft::default()
    };
    annotation(&mut draft, "output", &member("OUTPUT"));
    for (name, key) in [
        ("details", "LONGSERVICEOUTPUT"),
        ("details", "LONGHOSTOUTPUT"),
        ("comment", "NOTIFICATIONCOMMENT"),
        ("author", "NOTIFICATIONAUTHORNAME"),
    ] {
        annotation(&mut draft, name, &root.at(key));
    }
    Ok(Ok(draft))
}

fn filled(root: &Node<'_>, names: &[&str]) -> Option<String> {
    first_text(root, names).filter(|text| !text.starts_with(MACRO))
}

fn labels(root: &Node<'_>, host: Option<&str>, service: Option<&str>) -> BTreeMap<String, String> {
    let mut labels = Labels::default();
    // What Nagios calls a service is a check.
    for (name, value) in [("host", host), ("check", service)] {
        if let Some(value) = value {
            labels.add(name, value);
        }
    }
    for (name, member) in [
        ("address", "HOSTADDRESS"),
        ("host_groups", "HOSTGROUPNAMES"),
        ("check_groups", "SERVICEGROUPNAMES"),
        ("site", "OMD_SITE"),
        ("host_state", "HOSTSTATE"),
    ] {
        labels.add_text(name, &root.at(member));
    }
    labels.done()
}
