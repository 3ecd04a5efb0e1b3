//! Verdicts, each with its rows.

use tarsy_domain::id::VerdictId;
use tarsy_domain::verdict::{Alternative, Evidence, ExplainingChange, Verdict};
use uuid::Uuid;

use crate::finding::verdicts::new::NewVerdict;
use crate::record::batch::statement::Statement;

/// A verdict with its rows but for its charts. Each kind of rows is a part even without one, so that there are few statements.
pub(crate) fn store(statement: &mut Statement, new: &NewVerdict) {
    let verdict = &new.verdict;
    insert(statement, new);
    insert_alternatives(statement, new.id, &verdict.alternatives);
    insert_evidence(statement, new.id, verdict);
    statement
        .part(
            "insert into verdict_not_examined (verdict_id, ordinal, what, why)
             select $2, n.ordinal, n.what, n.why
             from fence, unnest($3::text[], $4::text[]) with ordinality as n (what, why, ordinal)
             returning 1",
        )
        .bind(new.id.uuid())
        .bind(column(&verdict.not_examined, |one| one.what.clone()))
        .bind(column(&verdict.not_examined, |one| one.why.clone()));
    statement
        .part(
            "insert into verdict_next_steps (verdict_id, ordinal, step)
             select $2, n.ordinal, n.step
             from fence, unnest($3::text[]) with ordinality as n (step, ordinal)
             returning 1",
        )
        .bind(new.id.uuid())
        .bind(&verdict.next_steps);
}

fn insert(statement: &mut Statement, new: &NewVerdict) {
    let verdict = &new.verdict;
    let change = known(verdict.change.as_ref());
    statement
        .part(
            "insert into verdicts
                (id, session_id, execution_id, source, cause, category, object_kind, object_name, object_namespace,
                 since, confidence, outcome, alert_statement, answer, change_id, change_kind, change_object, change_service,
                 changed_at, change_text)
             select $2, $1, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20 from fence
             returning 1",
        )
        .bind(new.id.uuid())
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
        .bind(change.map(|change| change.text.as_str()));
}

fn insert_alternatives(statement: &mut Statement, id: VerdictId, alternatives: &[Alternative]) {
    let object = |one: &Alternative| one.object.clone();
    let change = |one: &Alternative| known(one.change.as_ref()).cloned();
    statement
        .part(
            "insert into verdict_alternatives
                (verdict_id, ordinal, cause, category, object_kind, object_name, object_namespace, because,
                 change_id, change_kind, change_object, change_service, changed_at, change_text)
             select $2, a.ordinal, a.cause, a.category, a.kind, a.name, a.namespace, a.because,
                a.change, a.change_kind, a.change_object, a.change_service, a.changed_at, a.change_text
             from fence, unnest($3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::uuid[], $10::text[],
                $11::text[], $12::text[], $13::timestamptz[], $14::text[]) with ordinality
                as a (cause, category, kind, name, namespace, because, change, change_kind, change_object, change_service,
                    changed_at, change_text, ordinal)
             returning 1",
        )
        .bind(id.uuid())
        .bind(column(alternatives, |one| one.cause.clone()))
        .bind(column(alternatives, |one| one.category.as_str()))
        .bind(column(alternatives, |one| object(one).map(|object| object.kind)))
        .bind(column(alternatives, |one| object(one).map(|object| object.name)))
        .bind(column(alternatives, |one| object(one).and_then(|object| object.namespace)))
        .bind(column(alternatives, |one| one.because.clone()))
        .bind(column(alternatives, |one| change(one).and_then(|change| change.id).map(Uuid::from)))
        .bind(column(alternatives, |one| change(one).map(|change| change.kind.as_str())))
        .bind(column(alternatives, |one| change(one).and_then(|change| change.object)))
        .bind(column(alternatives, |one| change(one).and_then(|change| change.service)))
        .bind(column(alternatives, |one| {
            change(one).map(|change| jiff_sqlx::Timestamp::from(change.occurred_at))
        }))
        .bind(column(alternatives, |one| change(one).map(|change| change.text)));
}

/// A change that the investigation was given: what is in no table was not.
fn known(change: Option<&ExplainingChange>) -> Option<&ExplainingChange> {
    change.filter(|change| change.id.is_some())
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

fn insert_evidence(statement: &mut Statement, id: VerdictId, verdict: &Verdict) {
    let lines = lines(verdict);
    statement
        .part(
            "insert into verdict_evidence (verdict_id, alternative, ordinal, call_number, line, text)
             select $2, e.*
             from fence, unnest($3::integer[], $4::integer[], $5::bigint[], $6::integer[], $7::text[]) as e
             returning 1",
        )
        .bind(id.uuid())
        .bind(column(&lines, |line| line.alternative))
        .bind(column(&lines, |line| line.ordinal))
        .bind(column(&lines, |line| i64::from(line.evidence.call)))
        .bind(column(&lines, |line| i32::try_from(line.evidence.line).unwrap_or(i32::MAX)))
        .bind(column(&lines, |line| line.evidence.text.clone()));
}

fn column<T, U>(rows: &[T], value: impl Fn(&T) -> U) -> Vec<U> {
    rows.iter().map(value).collect()
}
