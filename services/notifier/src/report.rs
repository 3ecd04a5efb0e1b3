//! What a notification says of a session, without the markup of any channel: the channels only format it.

mod approval;
mod finding;
mod parts;

use reqwest::Url;
use tarsy_catalog::NotificationStatus;
use tarsy_contracts::action::values;
use tarsy_contracts::alert::AlertLink;
use tarsy_contracts::claim::ClaimCounts;
use tarsy_contracts::failure::FailureView;
use tarsy_domain::action::ActionOutcome;
use tarsy_domain::claim::DegradedReason;
use tarsy_domain::status::WorkStatus;
use tarsy_domain::verdict::Verdict;
use tarsy_store::{ActionResult, Notification, NotificationKind, NotifiedAnswer};

pub(crate) use self::approval::deadline;
use self::finding::WRITTEN_BY_A_MODEL;
pub(crate) use self::parts::{Fact, Mark, Note, Report, Weight, cut, title};
use self::parts::{MAX_LINE, MAX_TITLE, Page, facts};
use crate::reported::{reported_status, session_page};

/// The most pages of an alert, and the longest address and title of one, in characters.
const MAX_PAGES: usize = 5;
const MAX_ADDRESS: usize = 500;
const MAX_PAGE_TITLE: usize = 80;
/// The most tools that a note names.
const MAX_TOOLS: usize = 3;
/// The most characters of a value that the check of an action found.
const MAX_VALUE: usize = 60;
/// The texts of links to pages of the dashboard.
pub(crate) const OPEN_SESSION: &str = "Open the session";
pub(crate) const OPEN_PREVENTION: &str = "Open the week";

impl Report {
    /// The report of a start, an end, an answer or a call that waits for approval.
    pub(crate) fn of(note: &Notification, dashboard_url: &str) -> Self {
        if let Some(answer) = &note.answer {
            return answered(answer, session_page(dashboard_url, note));
        }
        if let (NotificationKind::ApprovalRequested, Some(call)) = (note.kind, &note.approval) {
            return approval::requested(note, call, &session_page(dashboard_url, note));
        }
        let status = reported_status(note.kind, note.status).unwrap_or(NotificationStatus::Failed);
        let findings = findings(note, status);
        let error = match status {
            NotificationStatus::Failed | NotificationStatus::TimedOut => {
                let stated = note.failure.as_ref().map(FailureView::sentences);
                stated.or_else(|| note.error_message.clone())
            }
            _ => None,
        };
        let has_ended = note.kind != NotificationKind::Started;
        let is_guess = status == NotificationStatus::Completed
            && note.degraded_reasons.contains(&DegradedReason::NoToolCalled);
        let verdict = note.verdict.as_ref().filter(|_| has_ended);
        let notes = if has_ended {
            let counted = notes(note.claims, &note.degraded_reasons, &note.failed_tools);
            let of_verdict = verdict.into_iter().flat_map(finding::notes);
            counted.into_iter().chain(of_verdict).chain(actions(&note.actions)).collect()
        } else {
            Vec::new()
        };
        let has_findings = has_ended && (findings.is_some() || verdict.is_some());
        let shown = verdict.filter(|_| status == NotificationStatus::Completed && !is_guess);
        Self {
            status,
            mark: mark(note, verdict),
            headline: if is_guess { GUESSED } else { finding::headline(status, verdict) },
            title: title(note),
            finding: shown.map(finding::finding),
            next_step: shown.and_then(finding::next_step),
            facts: facts(note).chain(shown.into_iter().flat_map(finding::facts)).collect(),
            error: error.map(|error| cut(error.trim(), MAX_LINE)),
            caution: has_findings.then(|| finding::author(verdict)),
            findings,
            notes,
            link: session_page(dashboard_url, note),
            link_label: OPEN_SESSION,
            pages: remedies(note, dashboard_url).chain(pages(&note.alert.links)).collect(),
        }
    }
}

fn mark(note: &Notification, verdict: Option<&Verdict>) -> Mark {
    match verdict {
        _ if !note.degraded_reasons.is_empty() => Mark::Doubtful,
        Some(verdict) if !verdict.states_cause() => Mark::NoCause,
        _ => Mark::Found,
    }
}

/// The report of an answer, or that nobody answered.
fn answered(answer: &NotifiedAnswer, link: String) -> Report {
    let text = answer.text.as_deref().map(str::trim).filter(|text| !text.is_empty());
    let text = text.filter(|_| answer.status == WorkStatus::Completed);
    let (status, headline) = match (answer.status, text) {
        (_, Some(_)) => (NotificationStatus::Completed, "Answer"),
        (WorkStatus::Cancelled, None) => (NotificationStatus::Cancelled, "Question cancelled"),
        (WorkStatus::TimedOut, None) => (NotificationStatus::TimedOut, "No answer in time"),
        _ => (NotificationStatus::Failed, "No answer"),
    };
    let asked = answer.question.split_whitespace().collect::<Vec<_>>().join(" ");
    let error = answer.error.as_deref().filter(|_| text.is_none());
    Report {
        status,
        mark: Mark::Found,
        headline,
        title: cut(&asked, MAX_TITLE),
        facts: Vec::new(),
        error: error.map(|error| cut(error.trim(), MAX_LINE)),
        findings: text.map(str::to_owned),
        finding: None,
        next_step: None,
        notes: Vec::new(),
        link,
        link_label: OPEN_SESSION,
        pages: Vec::new(),
        caution: text.map(|_| WRITTEN_BY_A_MODEL),
    }
}

/// The headline of an end without a finding.
const GUESSED: &str = "No finding: no tool was called";

/// Pages with addresses that are too long to show, or that are none, are left out.
fn pages(links: &[AlertLink]) -> Vec<Page> {
    let shown = links.iter().filter_map(|link| {
        let url = address(&link.url)?;
        let title = link.title.split_whitespace().collect::<Vec<_>>().join(" ");
        let title = if title.is_empty() { url.clone() } else { title };
        Some(Page { title: cut(&title, MAX_PAGE_TITLE), url })
    });
    shown.take(MAX_PAGES).collect()
}

/// The page of the documentation that says what to do about a failure.
fn remedies(note: &Notification, dashboard_url: &str) -> impl Iterator<Item = Page> + use<> {
    let document = note.failure.as_ref().and_then(|failure| failure.document.as_deref());
    let url = document.and_then(|document| {
        address(&format!("{dashboard_url}/documentation/{}", document.replacen(".md", "", 1)))
    });
    url.map(|url| Page { title: "What to do".to_owned(), url }).into_iter()
}

fn address(text: &str) -> Option<String> {
    let url = Url::parse(text.trim()).ok()?;
    if !matches!(url.scheme(), "http" | "https") {
        return None;
    }
    let mut address = String::from(url);
    for (character, encoded) in [
        ('(', "%28"),
        (')', "%29"),
        ('|', "%7C"),
        ('[', "%5B"),
        (']', "%5D"),
        ('*', "%2A"),
        ('`', "%60"),
        ('\\', "%5C"),
    ] {
        address = address.replace(character, encoded);
    }
    (address.len() <= MAX_ADDRESS).then_some(address)
}

fn findings(note: &Notification, status: NotificationStatus) -> Option<String> {
    let text = match status {
        NotificationStatus::Approval => return None,
        NotificationStatus::Started => "The alert is being investigated.",
        _ => note.executive_summary.as_deref().or(note.final_analysis.as_deref())?,
    };
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

/// How many of the claims are verified, and what else speaks against the findings.
fn notes(
    claims: Option<ClaimCounts>,
    reasons: &[DegradedReason],
    failed_tools: &[String],
) -> Vec<Note> {
    let counted = claims.filter(|claims| claims.total > 0).map(|claims| Note {
        text: format!(
            "{} of {} {} found in tool results",
            claims.verified,
            claims.total,
            if claims.total == 1 { "quote" } else { "quotes" }
        ),
        weight: if claims.verified < claims.total { Weight::Warning } else { Weight::Normal },
    });
    let warnings = reasons.iter().filter_map(|reason| match reason {
        DegradedReason::ToolFailed => Some(without_tools(failed_tools)),
        other => describe(*other).map(str::to_owned),
    });
    let warnings = warnings.map(|text| Note { text, weight: Weight::Warning });
    counted.into_iter().chain(warnings).collect()
}

/// What became of calls that were to change something.
fn actions(actions: &[ActionResult]) -> Vec<Note> {
    let (first, rest) = actions.split_at(actions.len().min(MAX_TOOLS));
    let text = |one: &ActionResult| {
        let what = if one.is_rollback { "Rollback" } else { "Action" };
        let values = measured(one).map(|values| format!(" ({values})")).unwrap_or_default();
        format!("{what} {}: {}{values}", one.tool, one.outcome.words())
    };
    let note = |one: &ActionResult| Note {
        text: text(one),
        weight: match one.outcome {
            ActionOutcome::Worked => Weight::Normal,
            ActionOutcome::DidNotWork | ActionOutcome::Unknown => Weight::Warning,
        },
    };
    let noun = if rest.len() == 1 { "action" } else { "actions" };
    let more = (!rest.is_empty())
        .then(|| Note { text: format!("{} more {noun}", rest.len()), weight: Weight::Normal });
    first.iter().map(note).chain(more).collect()
}

/// The values that the check of an action found, on one line.
fn measured(action: &ActionResult) -> Option<String> {
    let short = |text: &Option<String>| {
        let words: Vec<&str> = text.as_deref()?.split_whitespace().collect();
        Some(cut(&words.join(" "), MAX_VALUE))
    };
    values(short(&action.before).as_deref(), short(&action.after).as_deref())
}

/// Names the tools of which every call failed.
fn without_tools(tools: &[String]) -> String {
    let (first, rest) = tools.split_at(tools.len().min(MAX_TOOLS));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    let listed = if first.is_empty() { "a tool".to_owned() } else { first.join(", ") + &more };
    let shown = if tools.len() > 1 { "what they show" } else { "what it shows" };
    format!("All calls of {listed} failed: {shown} was not checked")
}

/// None for what the number of claims shows, and for what names its tools.
const fn describe(reason: DegradedReason) -> Option<&'static str> {
    match reason {
        DegradedReason::NoSuccessfulCall => {
            Some("No tool call succeeded: the finding is based on the alert text alone")
        }
        DegradedReason::NoToolCalled => {
            Some("No tool was called: an agent concluded without looking at anything")
        }
        DegradedReason::ToolServerUnavailable => Some("A tool server was unavailable"),
        DegradedReason::NotChecked => Some("The claims could not be checked"),
        DegradedReason::InjectedInstructions => Some(
            "Possible prompt injection in the alert or a tool result: the finding may be affected",
        ),
        DegradedReason::IterationsUsedUp => {
            Some("Iterations used up: an agent had to conclude before it was done")
        }
        DegradedReason::BudgetUsedUp => {
            Some("Budget used up: agents had to conclude before they were done")
        }
        DegradedReason::UnverifiedClaims | DegradedReason::ToolFailed => None,
    }
}

#[cfg(test)]
mod tests {
    use tarsy_domain::id::ChatMessageId;

    use super::*;

    #[test]
    fn tools_of_which_every_call_failed_are_named() {
        let written = |tools: &[&str]| {
            without_tools(&tools.iter().map(|tool| (*tool).to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(
            written(&["ops.loki_query"]),
            "All calls of ops.loki_query failed: what it shows was not checked"
        );
        assert_eq!(
            written(&["a.b", "c.d", "e.f", "g.h"]),
            "All calls of a.b, c.d, e.f and 1 more failed: what they show was not checked"
        );
    }

    #[test]
    fn outcomes_of_actions_are_noted() {
        let of = |tool: &str, outcome| ActionResult {
            tool: tool.to_owned(),
            outcome,
            before: None,
            after: None,
            is_rollback: false,
            rollback: None,
        };
        let read = |text: &str| Some(text.to_owned());
        let scaled = of("ops.scale", ActionOutcome::Worked);
        let failed = of("ops.restart", ActionOutcome::DidNotWork);
        let notes = actions(&[
            ActionResult { before: read("1"), after: read("3"), ..scaled.clone() },
            ActionResult { after: read(&format!("a\n{}", "b".repeat(90))), ..failed },
            ActionResult { is_rollback: true, ..scaled },
        ]);
        let texts: Vec<&str> = notes.iter().map(|note| note.text.as_str()).collect();
        let long = format!("Action ops.restart: did not work (a {}… after)", "b".repeat(57));
        assert_eq!(
            texts,
            ["Action ops.scale: worked (1 before, 3 after)", &long, "Rollback ops.scale: worked"]
        );
        assert_eq!((notes[0].weight, notes[1].weight), (Weight::Normal, Weight::Warning));
        let many = vec![of("ops.scale", ActionOutcome::Unknown); 5];
        assert_eq!(actions(&many)[3].text, "2 more actions");
        assert_eq!(actions(&many[..4])[3].text, "1 more action");
    }

    #[test]
    fn what_is_not_verified_is_a_warning() {
        let shown = |claims, reasons: &[DegradedReason]| {
            let notes = notes(claims, reasons, &[]).into_iter();
            notes.map(|note| (note.weight, note.text)).collect::<Vec<_>>()
        };
        let counts = |total, verified| Some(ClaimCounts { total, verified });
        let expect = |weight, text: &str| vec![(weight, text.to_owned())];
        assert_eq!(
            shown(counts(19, 19), &[]),
            expect(Weight::Normal, "19 of 19 quotes found in tool results")
        );
        assert_eq!(shown(counts(1, 1), &[])[0].1, "1 of 1 quote found in tool results");
        let unverified = shown(counts(19, 17), &[DegradedReason::UnverifiedClaims]);
        assert_eq!(unverified, expect(Weight::Warning, "17 of 19 quotes found in tool results"));
        let nothing = shown(counts(0, 0), &[DegradedReason::NoSuccessfulCall]);
        let expected = "No tool call succeeded: the finding is based on the alert text alone";
        assert_eq!(nothing, expect(Weight::Warning, expected));
        let guessed = shown(counts(0, 0), &[DegradedReason::NoToolCalled]);
        let expected = "No tool was called: an agent concluded without looking at anything";
        assert_eq!(guessed, expect(Weight::Warning, expected));
        assert_eq!(shown(None, &[]), []);
    }

    #[test]
    fn pages_of_the_alert_have_addresses_that_no_markup_ends() {
        let link =
            |title: &str, url: &str| AlertLink { title: title.to_owned(), url: url.to_owned() };
        let long = format!("https://a.example/{}", "x".repeat(600));
        let shown = pages(&[
            link("Grafana\n board", "https://g.example/d/1?a=(b)|c&d=[e]"),
            link("", "https://r.example/disk"),
            link("script", "javascript:alert(1)"),
            link("long", &long),
        ]);
        let shown: Vec<_> =
            shown.iter().map(|page| (page.title.as_str(), page.url.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("Grafana board", "https://g.example/d/1?a=%28b%29%7Cc&d=%5Be%5D"),
                ("https://r.example/disk", "https://r.example/disk"),
            ]
        );
        assert_eq!(pages(&vec![link("a", "https://a.example"); 9]).len(), MAX_PAGES);
    }

    #[test]
    fn a_cut_text_ends_between_characters() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äö…");
    }

    #[test]
    fn an_answer_stands_below_its_question_and_a_failure_has_its_reason() {
        let answer = NotifiedAnswer {
            question_id: ChatMessageId::new(),
            question: "why is\nit full?".to_owned(),
            status: WorkStatus::Completed,
            text: Some("Logs grew.".to_owned()),
            error: None,
        };
        let found = answered(&answer, String::new());
        let shown = (found.headline, found.title.as_str(), found.findings.as_deref());
        assert_eq!(shown, ("Answer", "why is it full?", Some("Logs grew.")));
        let failed = NotifiedAnswer {
            status: WorkStatus::Failed,
            error: Some("no model".to_owned()),
            ..answer
        };
        let found = answered(&failed, String::new());
        let shown = (found.headline, found.findings, found.error.as_deref());
        assert_eq!(shown, ("No answer", None, Some("no model")));
    }
}
