//! Text that is addressed to a model in what the agents read: found, recorded, and answered with approvals.

use serde_json::{Value, json};
use tarsy_contracts::{change, dependency};
use tarsy_domain::event::TimelineKind;
use tarsy_injection::Finding;
use tarsy_store::{Op, Session};

use crate::engine::context::Context;
use crate::engine::timeline::Scope;
use crate::journal::StopReason;

/// The most lines that an event's text names.
const MAX_NAMED_LINES: usize = 5;

/// A longer text is searched on a thread of its own: some MiB take long for the other sessions of this process.
const AT_ONCE: usize = 16 * 1024;

/// Finds text that is addressed to a model with these tools.
pub(crate) async fn find(text: String, tools: Vec<String>) -> Vec<Finding> {
    let length = text.len();
    let search = move || {
        let tools: Vec<&str> = tools.iter().map(String::as_str).collect();
        tarsy_injection::find(&text, &tools)
    };
    if length <= AT_ONCE {
        return search();
    }
    tarsy_service::compute(search).await.unwrap_or_else(|error| {
        tracing::error!(%error, "a text could not be searched for instructions to a model");
        Vec::new()
    })
}

/// Whether the alert addresses a model. Its text is the same for every owner of the session.
pub(crate) async fn is_in_alert(session: &Session) -> bool {
    !find(alert_text(session), Vec::new()).await.is_empty()
}

/// Shows on the timeline, once, that the alert addresses a model.
pub(crate) async fn report_alert(ctx: &Context, session: &Session) -> Result<(), StopReason> {
    let found = find(alert_text(session), Vec::new()).await;
    if found.is_empty() {
        return Ok(());
    }
    let (journal, kind) = (&ctx.journal, TimelineKind::InjectedInstructions);
    let id = journal.session();
    if journal.read(|store| store.has_session_event(id, kind)).await? {
        return Ok(());
    }
    journal.commit(vec![event(Scope::SESSION, "The alert", &found, json!({}))]).await
}

/// The alert with what its sender states beside its text, and the changes and dependencies near it.
fn alert_text(session: &Session) -> String {
    let fields = serde_json::to_string(&session.fields).unwrap_or_default();
    let changes = session.changes.as_ref().map(|given| change::lines(&given.near));
    let dependencies = session.dependencies.as_ref().map(|given| dependency::lines(&given.near));
    let given = [changes, dependencies].map(Option::unwrap_or_default).join("\n");
    format!("{}\n{fields}\n{given}", session.alert_data)
}

/// The timeline event for what was found in a text. `source` begins its sentence, `metadata` says where the text is from.
pub(crate) fn event(scope: Scope, source: &str, found: &[Finding], mut metadata: Value) -> Op {
    if let Some(fields) = metadata.as_object_mut() {
        let findings = found.iter().map(|finding| {
            json!({ "line": finding.line, "kind": finding.kind.as_str(), "excerpt": finding.excerpt })
        });
        fields.insert("findings".to_owned(), findings.collect());
    }
    let content = format!(
        "{source} contains text that is addressed to a model, in {}. From here on, calls of tools that are not read-only \
         need the approval of a person.",
        lines(found)
    );
    scope.event_with(TimelineKind::InjectedInstructions, content, Some(metadata))
}

fn lines(found: &[Finding]) -> String {
    let mut lines: Vec<usize> = found.iter().map(|finding| finding.line).collect();
    lines.dedup();
    let named: Vec<String> = lines.iter().take(MAX_NAMED_LINES).map(usize::to_string).collect();
    match lines.len() {
        1 => format!("line {}", named.join("")),
        many if many > MAX_NAMED_LINES => format!("lines {} and more", named.join(", ")),
        _ => format!("lines {}", named.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_named_once_and_not_without_end() {
        let on = |lines: &[usize]| -> Vec<Finding> {
            let finding = |line: &usize| Finding {
                kind: tarsy_injection::Kind::Override,
                line: *line,
                excerpt: String::new(),
            };
            lines.iter().map(finding).collect()
        };
        assert_eq!(lines(&on(&[3, 3])), "line 3");
        assert_eq!(lines(&on(&[3, 9])), "lines 3, 9");
        assert_eq!(lines(&on(&[1, 2, 3, 4, 5, 6])), "lines 1, 2, 3, 4, 5 and more");
    }
}
