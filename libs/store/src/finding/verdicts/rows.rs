//! Reads a verdict with its rows, in one statement: most readers are a round trip away.

use sqlx::postgres::PgRow;
use tarsy_domain::id::VerdictId;
use tarsy_domain::verdict::Verdict;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::error::Error;
use crate::finding::verdicts::charts;

/// The verdict `v` as its own JSON, without its charts: a number in JSON is not the same to the last digit.
macro_rules! columns {
    () => {
        "v.id as verdict_id, exists (select from verdict_charts c where c.verdict_id = v.id) as has_charts,
        case when v.id is not null then jsonb_build_object(
            'outcome', v.outcome, 'alert_statement', v.alert_statement, 'answer', v.answer, 'source', v.source,
            'cause', v.cause, 'category', v.category, 'since', v.since, 'confidence', v.confidence,
            'object', jsonb_build_object('kind', v.object_kind, 'name', v.object_name, 'namespace', v.object_namespace),
            'evidence', coalesce((
                select jsonb_agg(jsonb_build_object('call', e.call_number, 'line', e.line, 'text', e.text) order by e.ordinal)
                from verdict_evidence e where e.verdict_id = v.id and e.alternative is null
            ), '[]'),
            'change', case when v.change_id is not null then jsonb_build_object(
                'id', v.change_id, 'kind', v.change_kind, 'object', v.change_object, 'service', v.change_service,
                'occurred_at', v.changed_at, 'text', v.change_text) end,
            'alternatives', coalesce((
                select jsonb_agg(jsonb_build_object(
                    'cause', a.cause, 'category', a.category, 'because', a.because,
                    'object', case when a.object_kind is not null and a.object_name is not null then jsonb_build_object(
                        'kind', a.object_kind, 'name', a.object_name, 'namespace', a.object_namespace) end,
                    'evidence', coalesce((
                        select jsonb_agg(jsonb_build_object('call', e.call_number, 'line', e.line, 'text', e.text)
                            order by e.ordinal)
                        from verdict_evidence e where e.verdict_id = v.id and e.alternative = a.ordinal
                    ), '[]'),
                    'change', case when a.change_id is not null then jsonb_build_object(
                        'id', a.change_id, 'kind', a.change_kind, 'object', a.change_object, 'service', a.change_service,
                        'occurred_at', a.changed_at, 'text', a.change_text) end
                ) order by a.ordinal)
                from verdict_alternatives a where a.verdict_id = v.id
            ), '[]'),
            'not_examined', coalesce((
                select jsonb_agg(jsonb_build_object('what', n.what, 'why', n.why) order by n.ordinal)
                from verdict_not_examined n where n.verdict_id = v.id
            ), '[]'),
            'next_steps', coalesce((
                select jsonb_agg(n.step order by n.ordinal) from verdict_next_steps n where n.verdict_id = v.id
            ), '[]')
        ) end as verdict"
    };
}
pub(super) use columns;

pub(super) async fn find(
    connection: &mut Connection,
    id: VerdictId,
) -> Result<Option<Verdict>, Error> {
    let row = sqlx::query(concat!("select ", columns!(), " from verdicts v where v.id = $1"))
        .bind(id.uuid())
        .fetch_optional(&mut *connection)
        .await?;
    match row {
        Some(row) => read(connection, &row).await,
        None => Ok(None),
    }
}

/// The verdict of a row with its columns.
pub(super) async fn read(
    connection: &mut Connection,
    row: &PgRow,
) -> Result<Option<Verdict>, Error> {
    let cells = Cells::new(row, "verdicts");
    let Some(id) = cells.maybe_id::<VerdictId>("verdict_id")? else { return Ok(None) };
    let mut verdict: Option<Verdict> = cells.maybe_decoded("verdict")?;
    if let (true, Some(verdict)) = (cells.get("has_charts")?, verdict.as_mut()) {
        verdict.charts = charts::list(connection, id).await?;
    }
    Ok(verdict)
}
