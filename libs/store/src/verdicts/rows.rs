//! Reads a verdict with its rows.

use sqlx::postgres::PgRow;
use tarsy_domain::id::VerdictId;
use tarsy_domain::verdict::{AffectedObject, Alternative, Evidence, NotExamined, Verdict};

use crate::cells::Cells;
use crate::error::Error;
use crate::pool::Connection;
use crate::verdicts::charts;

pub(super) async fn find(
    connection: &mut Connection,
    id: VerdictId,
) -> Result<Option<Verdict>, Error> {
    let row = sqlx::query(
        "select outcome, alert_statement, answer, source, cause, category, object_kind, object_name, object_namespace, since, confidence
         from verdicts where id = $1",
    )
    .bind(id.uuid())
    .fetch_optional(&mut *connection)
    .await?;
    let Some(mut verdict) = row.as_ref().map(verdict).transpose()? else { return Ok(None) };
    verdict.alternatives = alternatives(connection, id).await?;
    for (alternative, line) in evidence(connection, id).await? {
        match alternative {
            None => verdict.evidence.push(line),
            Some(at) => {
                let at = usize::try_from(at - 1).ok();
                if let Some(one) = at.and_then(|at| verdict.alternatives.get_mut(at)) {
                    one.evidence.push(line);
                }
            }
        }
    }
    verdict.not_examined = not_examined(connection, id).await?;
    verdict.charts = charts::list(connection, id).await?;
    verdict.next_steps = sqlx::query_scalar(
        "select step from verdict_next_steps where verdict_id = $1 order by ordinal",
    )
    .bind(id.uuid())
    .fetch_all(connection)
    .await?;
    Ok(Some(verdict))
}

fn verdict(row: &PgRow) -> Result<Verdict, Error> {
    let cells = Cells::new(row, "verdicts");
    Ok(Verdict {
        outcome: cells.word("outcome")?,
        alert_statement: cells.word("alert_statement")?,
        answer: cells.text("answer")?,
        cause: cells.text("cause")?,
        category: cells.word("category")?,
        object: AffectedObject {
            kind: cells.text("object_kind")?,
            name: cells.text("object_name")?,
            namespace: cells.maybe_text("object_namespace")?,
        },
        since: cells.maybe_text("since")?,
        confidence: cells.word("confidence")?,
        evidence: Vec::new(),
        alternatives: Vec::new(),
        not_examined: Vec::new(),
        next_steps: Vec::new(),
        charts: Vec::new(),
        source: cells.word("source")?,
    })
}

async fn alternatives(
    connection: &mut Connection,
    id: VerdictId,
) -> Result<Vec<Alternative>, Error> {
    sqlx::query(
        "select cause, category, object_kind, object_name, object_namespace, because
         from verdict_alternatives where verdict_id = $1 order by ordinal",
    )
    .bind(id.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(alternative)
    .collect()
}

fn alternative(row: &PgRow) -> Result<Alternative, Error> {
    let cells = Cells::new(row, "verdict_alternatives");
    let named = cells.maybe_text("object_kind")?.zip(cells.maybe_text("object_name")?);
    let namespace = cells.maybe_text("object_namespace")?;
    Ok(Alternative {
        cause: cells.text("cause")?,
        category: cells.word("category")?,
        object: named.map(|(kind, name)| AffectedObject { kind, name, namespace }),
        because: cells.text("because")?,
        evidence: Vec::new(),
    })
}

/// The lines in their order, each with the alternative that it speaks for.
async fn evidence(
    connection: &mut Connection,
    id: VerdictId,
) -> Result<Vec<(Option<i32>, Evidence)>, Error> {
    sqlx::query(
        "select alternative, call_number, line, text from verdict_evidence
         where verdict_id = $1 order by alternative, ordinal",
    )
    .bind(id.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(line)
    .collect()
}

fn line(row: &PgRow) -> Result<(Option<i32>, Evidence), Error> {
    let cells = Cells::new(row, "verdict_evidence");
    let line = Evidence {
        call: number(cells.get("call_number")?)?,
        line: number(cells.get::<i32>("line")?.into())?,
        text: cells.text("text")?,
    };
    Ok((cells.get("alternative")?, line))
}

fn number(stored: i64) -> Result<u32, Error> {
    u32::try_from(stored).map_err(|_| Error::Inconsistent { table: "verdict_evidence" })
}

async fn not_examined(
    connection: &mut Connection,
    id: VerdictId,
) -> Result<Vec<NotExamined>, Error> {
    sqlx::query("select what, why from verdict_not_examined where verdict_id = $1 order by ordinal")
        .bind(id.uuid())
        .fetch_all(connection)
        .await?
        .iter()
        .map(unexamined)
        .collect()
}

fn unexamined(row: &PgRow) -> Result<NotExamined, Error> {
    let cells = Cells::new(row, "verdict_not_examined");
    Ok(NotExamined { what: cells.text("what")?, why: cells.text("why")? })
}
