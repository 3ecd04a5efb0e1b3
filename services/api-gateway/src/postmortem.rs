//! Postmortems, made of the records of sessions by rules: the same records make the same document. What a model wrote is added to it.

mod cause;
mod facts;
mod markdown;
mod moments;
mod notes;
mod plain;
mod prose;
mod record;
mod span;
mod summary;
#[cfg(test)]
mod tests;
mod when;
mod words;

use tarsy_contracts::postmortem::{
    Postmortem, PostmortemQuestion, PostmortemSession, RelatedSession,
};

pub(crate) use self::facts::facts;
pub(crate) use self::markdown::markdown;
pub(crate) use self::record::Record;

/// The most sessions that one postmortem is made of.
pub(crate) const MAX_SESSIONS: usize = 10;

/// The postmortem of one incident. The first record is that of the session that was asked for.
pub(crate) fn compose(records: &[Record], related: Vec<RelatedSession>) -> Option<Postmortem> {
    let first = records.first()?;
    let (timeline, moments_left_out) = moments::all(records);
    let impact = span::impact(records);
    let cause = cause::of(records);
    let actions = notes::actions(records);
    Some(Postmortem {
        title: words::line(first.title(), words::SHORT),
        sessions: records.iter().map(session).collect(),
        summary: summary::sentences(records, &impact, &cause),
        executive_summary: first.executive_summary(),
        to_fill: notes::to_fill(&impact, &cause, &actions),
        impact,
        timeline,
        moments_left_out,
        cause,
        helped: notes::helped(records),
        missing: notes::missing(records),
        actions,
        questions: records.iter().flat_map(questions).collect(),
        related,
        prose: None,
    })
}

fn session(record: &Record) -> PostmortemSession {
    let item = &record.detail.item;
    PostmortemSession {
        id: item.id,
        page: record.page.clone(),
        status: item.status,
        created_at: item.created_at,
        completed_at: item.completed_at,
    }
}

fn questions(record: &Record) -> impl Iterator<Item = PostmortemQuestion> {
    record.facts.questions.iter().map(|one| PostmortemQuestion {
        question: words::line(&one.question, words::LONG),
        author: one.author.clone(),
        asked_at: one.asked_at,
        answer: one.answer.as_deref().map(|answer| words::line(answer, words::LONG)),
    })
}
