//! Writes verdicts, each with its rows.

use tarsy_domain::id::{SessionId, VerdictId};
use tarsy_domain::verdict::{Alternative, Evidence, Verdict};
use uuid::Uuid;

use crate::error::Error;
use crate::pool::Connection;
use crate::verdicts::charts;
use crate::verdicts::new::NewVerdict;

/// Writes verdicts, and which of them is the session's.
pub(crate) async fn write(
    tx: &mut Connection,
    session: SessionId,
    verdicts: &[&NewVerdict],
    of_session: Option<VerdictId>,
) -> Result<(), Error> {
    for new in verdicts {
        insert(tx, session, new).await?;
        insert_alternatives(tx, new.id, &new.verdict.alternatives).await?;
        insert_evidence(tx, new.id, &new.verdict).await?;
        insert_lists(tx, new.id, &new.verdict).await?;
        charts::insert(tx, new.id, &new.verdict.charts).await?;
    }
    if let Some(id) = of_session {
        sqlx::query(
            "update alert_sessions set verdict_id = $2, verdict_failure = null where id = $1",
        )
        .bind(session.uuid())
        .bind(id.uuid())
        .execute(tx)
        .await?;
    }
    Ok(())
}

async fn insert(tx: &mut Connection, session: SessionId, new: &NewVerdict) -> Result<(), Error> {
    let verdict = &new.verdict;
    // What is in no table was not given to the investigation.
    let change = verdict.change.as_ref().filter(|change| change.id.is_some());
    sqlx::query(
        "insert into verdicts
            (id, session_id, execution_id, source, cause, category, object_kind, object_name, object_namespace,
             since, confidence, outcome, alert_statement, answer, change_id, change_kind, change_object, change_service,
             changed_at, change_text)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20)",
    )
    .bind(new.id.uuid())
    .bind(session.uuid())
    .bind(new.execution_id.map(Uuid::from))
    .bind(verdict.source.as_str())
    .bind(&verdict.cause)
    .bind(verdict.category.as_str())
    .bind(&verdict.object.kind)
    .bind(&verdict.object.name)
    .bind(&verdict.object.namespace)
    .bind(&verdict.since)
    .bind(verdict.confidence.as_str())
    .bind(verdict.outcome.as_str())
    .bind(verdict.alert_statement.as_str())
    .bind(&verdict.answer)
    .bind(change.and_then(|change| change.id).map(Uuid::from))
    .bind(change.map(|change| change.kind.as_str()))
    .bind(change.and_then(|change| change.object.as_deref()))
    .bind(change.and_then(|change| change.service.as_deref()))
    .bind(change.map(|change| jiff_sqlx::Timestamp::from(change.occurred_at)))
    .bind(change.map(|change| change.text.as_str()))
    .execute(tx)
    .await?;
    Ok(())
}

async fn insert_alternatives(
    tx: &mut Connection,
    id: VerdictId,
    alternatives: &[Alternative],
) -> Result<(), Error> {
    if alternatives.is_empty() {
        return Ok(());
    }
    let object = |one: &Alternative| one.object.clone();
    sqlx::query(
        "insert into verdict_alternatives
            (verdict_id, ordinal, cause, category, object_kind, object_name, object_namespace, because)
         select $1, a.ordinal, a.cause, a.category, a.kind, a.name, a.namespace, a.because
         from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[]) with ordinality
            as a (cause, category, kind, name, namespace, because, ordinal)",
    )
    .bind(id.uuid())
    .bind(column(alternatives, |one| one.cause.clone()))
    .bind(column(alternatives, |one| one.category.as_str()))
    .bind(column(alternatives, |one| object(one).map(|object| object.kind)))
    .bind(column(alternatives, |one| object(one).map(|object| object.name)))
    .bind(column(alternatives, |one| object(one).and_then(|object| object.namespace)))
    .bind(column(alternatives, |one| one.because.clone()))
    .execute(tx)
    .await?;
    Ok(())
}

/// A line of a result, the alternative that it speaks for, and its place among those, from 1.
struct Line<'a> {
    alternative: Option<i32>,
    ordinal: i32,
    evidence: &'a Evidence,
}

fn lines(verdict: &Verdict) -> Vec<Line<'_>> {
    let of_cause = std::iter::once((None, &verdict.evidence));
    let others = (1..).zip(&verdict.alternatives).map(|(at, one)| (Some(at), &one.evidence));
    let numbered = of_cause.chain(others).flat_map(|(alternative, lines)| {
        let lines = (1..).zip(lines);
        lines.map(move |(ordinal, evidence)| Line { alternative, ordinal, evidence })
    });
    numbered.collect()
}

async fn insert_evidence(
    tx: &mut Connection,
    id: VerdictId,
    verdict: &Verdict,
) -> Result<(), Error> {
    let lines = lines(verdict);
    if lines.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "insert into verdict_evidence (verdict_id, alternative, ordinal, call_number, line, text)
         select $1, e.* from unnest($2::integer[], $3::integer[], $4::bigint[], $5::integer[], $6::text[]) as e",
    )
    .bind(id.uuid())
    .bind(column(&lines, |line| line.alternative))
    .bind(column(&lines, |line| line.ordinal))
    .bind(column(&lines, |line| i64::from(line.evidence.call)))
    .bind(column(&lines, |line| i32::try_from(line.evidence.line).unwrap_or(i32::MAX)))
    .bind(column(&lines, |line| line.evidence.text.clone()))
    .execute(tx)
    .await?;
    Ok(())
}

async fn insert_lists(tx: &mut Connection, id: VerdictId, verdict: &Verdict) -> Result<(), Error> {
    if !verdict.not_examined.is_empty() {
        sqlx::query(
            "insert into verdict_not_examined (verdict_id, ordinal, what, why)
             select $1, n.ordinal, n.what, n.why
             from unnest($2::text[], $3::text[]) with ordinality as n (what, why, ordinal)",
        )
        .bind(id.uuid())
        .bind(column(&verdict.not_examined, |one| one.what.clone()))
        .bind(column(&verdict.not_examined, |one| one.why.clone()))
        .execute(&mut *tx)
        .await?;
    }
    if !verdict.next_steps.is_empty() {
        sqlx::query(
            "insert into verdict_next_steps (verdict_id, ordinal, step)
             select $1, n.ordinal, n.step from unnest($2::text[]) with ordinality as n (step, ordinal)",
        )
        .bind(id.uuid())
        .bind(&verdict.next_steps)
        .execute(tx)
        .await?;
    }
    Ok(())
}

fn column<T, U>(rows: &[T], value: impl Fn(&T) -> U) -> Vec<U> {
    rows.iter().map(value).collect()
}
