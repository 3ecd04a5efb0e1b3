//! The alert of a session, as prompts show it.

use std::borrow::Cow;

use tarsy_catalog::ResolvedChain;
use tarsy_contracts::alert::AlertFields;
use tarsy_store::Session;

use crate::prompts::fence::fenced;
use crate::prompts::{changes, dependencies, memories, seen_before};

/// The alert and its runbook, fenced.
#[derive(Clone, Debug)]
pub(crate) struct Alert<'a> {
    pub(super) status: &'a str,
    pub(super) kind: Option<&'a str>,
    pub(super) received: String,
    /// What day and time it is; empty where the prompt leaves that out.
    pub(super) calendar: String,
    /// Cut to half of `max_tokens`.
    pub(super) data: String,
    /// The runbook that the alert names, or else the default one.
    pub(super) runbook: String,
    /// The address of a runbook that could not be fetched.
    pub(super) missing_runbook: Option<&'a str>,
    /// Changes near it, a line each.
    pub(super) changes: String,
    /// What depends on what near it, a line each.
    pub(super) dependencies: String,
    /// Reviewed sessions about the same problem.
    pub(super) seen_before: Vec<minijinja::Value>,
    /// What people confirmed in reviews of other alerts.
    pub(super) memories: Vec<minijinja::Value>,
    /// Alerts that came after it, as [`Prompts::attached_alerts`](crate::prompts::Prompts::attached_alerts) shows them.
    pub(super) attached: String,
    /// The most that the whole prompt may contain, in tokens.
    pub(super) max_tokens: usize,
}

impl<'a> Alert<'a> {
    pub(crate) fn new(session: &'a Session, chain: &ResolvedChain, max_tokens: usize) -> Self {
        let runbook = session.runbook.as_deref().unwrap_or(&chain.runbook);
        Self { runbook: fenced(runbook.trim()), ..Self::of_record(session, max_tokens) }
    }

    /// Without a runbook, for who reads what became of it.
    pub(crate) fn of_record(session: &'a Session, max_tokens: usize) -> Self {
        let data = with_fields(&session.alert_data, &session.fields);
        let cut = tarsy_tokens::cut(&data, max_tokens / 2);
        Self {
            status: session.status.as_str(),
            kind: session.alert_type.as_deref(),
            received: session.received_at.to_string(),
            calendar: String::new(),
            data: fenced(cut.as_deref().unwrap_or(&data)),
            runbook: String::new(),
            missing_runbook: session.runbook_url.as_deref().filter(|_| session.runbook.is_none()),
            changes: changes::lines(
                session.changes.as_ref().map(|given| given.near.as_slice()).unwrap_or_default(),
            ),
            dependencies: dependencies::lines(
                session.dependencies.as_ref().map(|given| &*given.near).unwrap_or_default(),
            ),
            seen_before: seen_before::sessions(session.seen_before.as_deref().unwrap_or_default()),
            memories: memories::shown(session.recalled.as_deref().unwrap_or_default()),
            attached: String::new(),
            max_tokens,
        }
    }

    /// With what day and time it is.
    pub(crate) fn with_calendar(self, calendar: String) -> Self {
        Self { calendar, ..self }
    }

    /// With alerts that came after it.
    pub(crate) fn with_attached(self, attached: String) -> Self {
        Self { attached, ..self }
    }
}

/// The text of an alert, and what its sender states beside it.
fn with_fields<'a>(data: &'a str, fields: &AlertFields) -> Cow<'a, str> {
    let title = fields.title.as_ref().filter(|title| !data.contains(title.trim_end_matches('…')));
    let named = [
        ("Title", title),
        ("Severity", fields.severity.as_ref()),
        ("Service", fields.service.as_ref()),
        ("Namespace", fields.namespace.as_ref()),
        ("Cluster", fields.cluster.as_ref()),
    ];
    let named = named.into_iter().filter_map(|(name, value)| Some(format!("{name}: {}", value?)));
    let labels = fields.labels.iter().map(|(name, value)| format!("Label {name}: {value}"));
    let links = fields.links.iter().map(|link| format!("Link {}: {}", link.title, link.url));
    let stated: Vec<String> = named.chain(labels).chain(links).collect();
    if stated.is_empty() {
        return data.into();
    }
    format!("{}\n\n{}", data.trim_end(), stated.join("\n")).into()
}
