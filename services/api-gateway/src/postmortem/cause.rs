//! Why it happened: as a person who reviewed it says, else as an investigation states it, else not known.

use tarsy_contracts::postmortem::{PostmortemCause, PostmortemEvidence};
use tarsy_contracts::review::SessionReview;
use tarsy_domain::postmortem::CauseState;
use tarsy_domain::review::Review;
use tarsy_domain::verdict::Verdict;

use super::moments;
use super::record::Record;
use super::span::states_cause;
use super::when;
use super::words::{LONG, SHORT, category, line, time};

/// Says that there is no cause.
pub(super) const NOT_FOUND: &str = "The cause was not found";

/// The cause of the record that knows most of it, and what the others found.
pub(super) fn of(records: &[Record]) -> PostmortemCause {
    let chosen = records.iter().enumerate().min_by_key(|(_, record)| rank(record));
    let Some((place, record)) = chosen else { return unknown() };
    let others = records.iter().enumerate().filter(|(other, _)| *other != place);
    PostmortemCause {
        others: others.map(|(_, other)| headline(other)).collect(),
        claims: record.detail.item.claims.filter(|_| !record.is_rejected()),
        ..of_record(record)
    }
}

/// The smaller, the more is known; of equals the first record counts.
fn rank(record: &Record) -> u8 {
    match state(record) {
        CauseState::Reviewed => 0,
        CauseState::Stated => 1,
        CauseState::NotFound => 2,
    }
}

fn state(record: &Record) -> CauseState {
    match &record.review {
        Some(review) if review.actual_cause.is_some() => CauseState::Reviewed,
        Some(review) if review.review == Review::Wrong => CauseState::NotFound,
        Some(_) if states_cause(record) => CauseState::Reviewed,
        None if states_cause(record) => CauseState::Stated,
        Some(_) | None => CauseState::NotFound,
    }
}

fn of_record(record: &Record) -> PostmortemCause {
    let state = state(record);
    let review = record.review.as_ref();
    let mut cause = PostmortemCause {
        state,
        review: review.map(reviewed),
        alert_statement: record.detail.verdict.as_ref().map(|one| line(one.answered(), LONG)),
        ..unknown()
    };
    // What a person says is wrong is no evidence for what they say instead.
    if let Some(verdict) = record.verdict() {
        cause = with_verdict(cause, record, verdict);
    }
    if let Some(review) = review {
        cause = with_review(cause, review);
    }
    cause
}

fn with_verdict(cause: PostmortemCause, record: &Record, verdict: &Verdict) -> PostmortemCause {
    let alternatives = verdict
        .alternatives
        .iter()
        .map(|one| line(&format!("{}: {}", one.cause, one.because), SHORT))
        .collect();
    if !verdict.states_cause() {
        let hint = verdict.hint().map(|hint| line(hint, LONG));
        return PostmortemCause { hint, alternatives, ..cause };
    }
    let evidence = verdict.evidence.iter().map(|one| PostmortemEvidence {
        source: record.call(i64::from(one.call)),
        text: line(&one.text, SHORT),
    });
    let object = verdict.object.describe();
    PostmortemCause {
        text: line(&verdict.cause, LONG),
        category: Some(verdict.category.words()),
        object: (!object.is_empty()).then_some(object),
        since: verdict.since.as_deref().map(since),
        confidence: Some(verdict.confidence.as_str().to_owned()),
        evidence: evidence.collect(),
        change: verdict.change.as_ref().map(|change| moments::explaining(record, change)),
        alternatives,
        ..cause
    }
}

/// A time as the others of the document; an age as it is stated.
fn since(text: &str) -> String {
    match when::stated(text) {
        Some(stated) if stated.has_zone => format!("{} UTC", time(stated.at)),
        Some(stated) => format!("{} (without a time zone, read as UTC)", time(stated.at)),
        None => line(text, SHORT),
    }
}

/// What a person wrote stands above what was found.
fn with_review(cause: PostmortemCause, review: &SessionReview) -> PostmortemCause {
    let category = review.category.as_deref().map(category).or(cause.category);
    let object = review.object.clone().or(cause.object);
    let confidence = cause.confidence.filter(|_| review.actual_cause.is_none());
    let text = review.actual_cause.as_deref().map_or(cause.text, |text| line(text, LONG));
    PostmortemCause { text, category, object, confidence, ..cause }
}

fn reviewed(review: &SessionReview) -> String {
    let word = match review.review {
        Review::Accurate => "accurate",
        Review::Partly => "partly right",
        Review::Wrong => "wrong",
    };
    format!(
        "{} reviewed the finding as {word} at {} UTC",
        line(&review.reviewer, SHORT),
        time(review.reviewed_at)
    )
}

fn headline(record: &Record) -> String {
    let found = match &record.detail.verdict {
        Some(verdict) => verdict.headline().to_owned(),
        None => format!("no finding; the session is {}", record.detail.item.status),
    };
    let review = if record.is_rejected() { " (reviewed as wrong)" } else { "" };
    line(&format!("{}: {found}{review}", record.title()), LONG)
}

fn unknown() -> PostmortemCause {
    PostmortemCause {
        state: CauseState::NotFound,
        text: NOT_FOUND.to_owned(),
        alert_statement: None,
        hint: None,
        category: None,
        object: None,
        since: None,
        confidence: None,
        review: None,
        evidence: Vec::new(),
        change: None,
        alternatives: Vec::new(),
        others: Vec::new(),
        claims: None,
    }
}
