//! What the weekly message says, without the markup of any channel.

use tarsy_catalog::NotificationStatus;
use tarsy_contracts::prevention::{
    NeedlessAlert, Prevention, RecurringCause, UnreadSource, UnreliableTool,
};

use crate::dialect::backslashed;
use crate::report::{Fact, Mark, OPEN_PREVENTION, Report, cut};

/// Rows of a part; the page has the others.
const MOST: usize = 5;
/// Characters of a text of somebody else.
const MAX_TEXT: usize = 160;

pub(super) fn report(week: &str, found: &Prevention, dashboard_url: &str) -> Report {
    let sessions = format!("{}, {} in the week before", found.sessions, found.sessions_before);
    let parts = [
        part("Recurring causes", &found.causes, cause),
        part("Alerts without a fault", &found.alerts, alert),
        part("Failing tools", &found.tools, tool),
        part("Sources that are not understood", &found.sources, source),
    ];
    let findings = parts.into_iter().flatten().collect::<Vec<_>>().join("\n\n");
    Report {
        status: NotificationStatus::Completed,
        mark: Mark::NoCause,
        headline: "Prevention",
        title: format!("what came again in {week}"),
        facts: vec![Fact { name: "Sessions", value: sessions }],
        error: None,
        findings: Some(findings),
        finding: None,
        next_step: None,
        notes: Vec::new(),
        link: format!("{dashboard_url}/prevention?week={week}"),
        link_label: OPEN_PREVENTION,
        pages: Vec::new(),
        caution: None,
    }
}

fn part<T>(title: &str, rows: &[T], line: fn(&T) -> String) -> Option<String> {
    let lines: Vec<_> = rows.iter().take(MOST).map(|row| format!("- {}", line(row))).collect();
    let more = rows.len().saturating_sub(MOST);
    let more = if more > 0 { format!("\n- and {more} more") } else { String::new() };
    (!lines.is_empty()).then(|| format!("**{title}**\n\n{}{more}", lines.join("\n")))
}

fn cause(one: &RecurringCause) -> String {
    let place = match &one.namespace {
        Some(namespace) => format!("{} in namespace {namespace}", one.object),
        None => one.object.clone(),
    };
    let place = if place.is_empty() { String::new() } else { format!(" in {}", plain(&place)) };
    let category = plain(&one.category.replace('_', " "));
    format!("{}{category}{place}: {}", counts(one.sessions, one.sessions_before), plain(&one.cause))
}

fn alert(one: &NeedlessAlert) -> String {
    let title = one.title.as_deref().or(one.alert_type.as_deref());
    let title = plain(title.unwrap_or("an alert without a title"));
    format!("{}{title}", counts(one.sessions, one.sessions_before))
}

fn tool(one: &UnreliableTool) -> String {
    let name = plain(&format!("{}.{}", one.server, one.tool));
    let kind = one.last_error_kind.as_ref().map(|kind| format!(", last: {}", plain(kind)));
    format!("{name}: {} of {} calls failed{}", one.failed, one.calls, kind.unwrap_or_default())
}

fn source(one: &UnreadSource) -> String {
    let name = if one.source.is_empty() { "many senders" } else { &one.source };
    let name = plain(name);
    format!("{name}: {} not understood, {} refused", one.not_understood, one.refused)
}

/// `5× (2 in the week before) `.
fn counts(now: i64, before: i64) -> String {
    let before = if before > 0 { format!(" ({before} in the week before)") } else { String::new() };
    format!("{now}×{before} ")
}

/// One line that is no markup.
fn plain(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    backslashed(&cut(&line, MAX_TEXT), r"\`*_[]<>|~#&!")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_names_its_first_rows_and_counts_the_others() {
        let sources: Vec<UnreadSource> = (1..=7)
            .map(|number| UnreadSource {
                source: format!("probe_{number}"),
                not_understood: number,
                not_understood_before: 0,
                refused: 0,
                refused_before: 0,
                refusal_reasons: Vec::new(),
                last_at: jiff::Timestamp::UNIX_EPOCH,
            })
            .collect();
        let text = part("Sources", &sources, source).unwrap();
        assert!(
            text.starts_with("**Sources**\n\n- probe\\_1: 1 not understood, 0 refused\n"),
            "{text}"
        );
        assert!(text.ends_with("- probe\\_5: 5 not understood, 0 refused\n- and 2 more"), "{text}");
        assert_eq!(part("Sources", &[], source), None);
        assert_eq!(
            (counts(3, 0), counts(3, 1)),
            ("3× ".into(), "3× (1 in the week before) ".into())
        );
    }
}
