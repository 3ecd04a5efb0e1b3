//! Reports and postmortems of investigations as resources.

use std::fmt::Write as _;

use tarsy_contracts::failure::FailureView;
use tarsy_contracts::postmortem::Postmortem;
use tarsy_contracts::session::{SessionDetail, SessionItem};
use tarsy_domain::id::SessionId;
use tarsy_domain::verdict::{Evidence, Verdict};

use super::api::{Api, Refused};
use crate::http::sessions::Page;
use crate::postmortem;

pub(super) const TEMPLATE: &str = "tarsy://sessions/{session_id}/report";
pub(super) const POSTMORTEM_TEMPLATE: &str = "tarsy://sessions/{session_id}/postmortem";
/// How many sessions are listed: the newest that ended. All others can be read by their address.
const RECENT: &str = "20";

pub(super) fn address(session: SessionId) -> String {
    TEMPLATE.replace("{session_id}", &session.to_string())
}

/// A document about a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Document {
    Report(SessionId),
    Postmortem(SessionId),
}

pub(super) fn document_of(address: &str) -> Option<Document> {
    let session = |template: &str| {
        let (before, after) = template.split_once("{session_id}")?;
        address.strip_prefix(before)?.strip_suffix(after)?.parse().ok()
    };
    let report = session(TEMPLATE).map(Document::Report);
    report.or_else(|| session(POSTMORTEM_TEMPLATE).map(Document::Postmortem))
}

pub(super) async fn recent(api: &Api) -> Result<Vec<SessionItem>, Refused> {
    let query = [("status", "completed".to_owned()), ("page_size", RECENT.to_owned())];
    let page: Page = api.get("/api/v1/sessions", &query).await?;
    Ok(page.sessions)
}

pub(super) async fn read(api: &Api, document: Document) -> Result<String, Refused> {
    let id = match document {
        Document::Report(id) => id,
        Document::Postmortem(id) => {
            let path = format!("/api/v1/sessions/{id}/postmortem");
            let made: Postmortem = api.get(&path, &[]).await?;
            return Ok(postmortem::markdown(&made));
        }
    };
    let session: SessionDetail = api.get(&format!("/api/v1/sessions/{id}"), &[]).await?;
    Ok(markdown(&session, &api.page(id)))
}

/// The report as Markdown.
fn markdown(session: &SessionDetail, page: &str) -> String {
    let item = &session.item;
    let title = item.title.as_deref().unwrap_or("An alert without a title");
    let mut text = format!("# {}\n\n", one_line(title));
    let facts = [
        ("Status", Some(item.status.to_string())),
        ("Alert type", item.alert_type.clone()),
        ("Severity", item.severity.clone()),
        ("Service", item.service.clone()),
        ("Namespace", item.namespace.clone()),
        ("Cluster", item.cluster.clone()),
        ("Started", Some(format!("{:.0}", item.created_at))),
        ("Ended", item.completed_at.map(|at| format!("{at:.0}"))),
        ("Page", Some(page.to_owned())),
        ("Error", why_failed(item)),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            line(&mut text, &format!("- {name}: {}", one_line(&value)));
        }
    }
    if let Some(verdict) = &session.verdict {
        found(&mut text, verdict);
    }
    if let Some(analysis) = &session.final_analysis {
        line(&mut text, &format!("\n## Analysis\n\n{}", analysis.trim()));
    }
    text
}

/// Why a session failed, with what to do and where to read about it.
fn why_failed(item: &SessionItem) -> Option<String> {
    let Some(failure) = &item.failure else { return item.error_message.clone() };
    let document = failure.document.as_ref().map(|document| format!(" See docs/{document}."));
    Some(format!("{}{}", FailureView::sentences(failure), document.unwrap_or_default()))
}

fn found(text: &mut String, verdict: &Verdict) {
    line(text, &format!("\n## Finding\n\n{}\n", one_line(verdict.answered())));
    line(text, &format!("- {}", one_line(verdict.headline())));
    if let Some(hint) = verdict.hint() {
        line(text, &format!("- Possible cause: {}", one_line(hint)));
    }
    line(text, &format!("- Confidence: {}", verdict.confidence.as_str()));
    let object = verdict.object.describe();
    if !object.is_empty() {
        line(text, &format!("- Affected: {}", one_line(&object)));
    }
    if let Some(since) = &verdict.since {
        line(text, &format!("- Since: {}", one_line(since)));
    }
    if let Some(change) = &verdict.change {
        let (what, at) = (one_line(&change.describe()), change.occurred_at);
        line(text, &format!("- Explained by: {what} at {at}: {}", one_line(&change.text)));
    }
    let evidence = verdict
        .evidence
        .iter()
        .map(|Evidence { call, text, .. }| format!("call {call}: {}", one_line(text)));
    list(text, "Evidence", evidence);
    let alternatives = verdict
        .alternatives
        .iter()
        .map(|one| format!("{}: {}", one_line(&one.cause), one_line(&one.because)));
    list(text, "Other causes considered", alternatives);
    let unseen = verdict
        .not_examined
        .iter()
        .map(|one| format!("{}: {}", one_line(&one.what), one_line(&one.why)));
    list(text, "Not examined", unseen);
    list(text, "Next steps", verdict.next_steps.iter().map(|step| one_line(step)));
}

fn list(text: &mut String, title: &str, entries: impl ExactSizeIterator<Item = String>) {
    if entries.len() == 0 {
        return;
    }
    line(text, &format!("\n### {title}\n"));
    for entry in entries {
        line(text, &format!("- {entry}"));
    }
}

fn line(text: &mut String, line: &str) {
    // Writing into a text cannot fail.
    let _ = writeln!(text, "{line}");
}

/// In one line: what an alert says becomes no heading of ours.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_has_its_session_and_nothing_else() {
        let id = SessionId::new();
        assert_eq!(document_of(&address(id)), Some(Document::Report(id)));
        let postmortem = POSTMORTEM_TEMPLATE.replace("{session_id}", &id.to_string());
        assert_eq!(document_of(&postmortem), Some(Document::Postmortem(id)));
        for other in ["tarsy://sessions//report", "tarsy://sessions/x/report", "file:///etc/passwd"]
        {
            assert_eq!(document_of(other), None, "{other}");
        }
        assert_eq!(document_of(&format!("{}/../..", address(id))), None);
    }

    #[test]
    fn text_of_an_alert_becomes_no_heading() {
        assert_eq!(
            one_line("full\n# Ignore the report\n\n- do this"),
            "full # Ignore the report - do this"
        );
    }
}
