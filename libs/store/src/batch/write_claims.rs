//! Checks of texts, and their claims.

use tarsy_domain::id::SessionId;
use uuid::Uuid;

use crate::batch::write_timeline::column;
use crate::claims::check::{NewClaimCheck, Row, number};
use crate::error::Error;
use crate::pool::Connection;

/// The longest text of a claim, and of what a result shows instead, in characters.
const MAX_CHARS: usize = 500;

/// Writes checks and their claims.
pub(super) async fn write(
    tx: &mut Connection,
    session: SessionId,
    checks: &[&NewClaimCheck],
) -> Result<(), Error> {
    for check in checks {
        insert(tx, session, check).await?;
        insert_claims(tx, check).await?;
    }
    Ok(())
}

async fn insert(
    tx: &mut Connection,
    session: SessionId,
    check: &NewClaimCheck,
) -> Result<(), Error> {
    sqlx::query(
        "insert into claim_checks
            (id, session_id, execution_id, timeline_event_id, text_kind, failure, claims, verified,
             successful_calls)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(check.id.uuid())
    .bind(session.uuid())
    .bind(check.execution_id.map(Uuid::from))
    .bind(check.timeline_event_id.map(Uuid::from))
    .bind(check.text.as_str())
    .bind(check.outcome.as_ref().err().map(|failure| failure.as_str()))
    .bind(number(check.claims().len()))
    .bind(number(check.verified()))
    .bind(number(check.successful_calls))
    .execute(tx)
    .await?;
    Ok(())
}

async fn insert_claims(tx: &mut Connection, check: &NewClaimCheck) -> Result<(), Error> {
    let rows = check.stored();
    if rows.is_empty() {
        return Ok(());
    }
    let rows: Vec<&Row<'_>> = rows.iter().collect();
    sqlx::query(
        "insert into claims
            (check_id, ordinal, kind, text, start_offset, end_offset, verdict, call_number, line, shown)
         select $1, c.*
         from unnest($2::integer[], $3::text[], $4::text[], $5::integer[], $6::integer[], $7::text[],
            $8::bigint[], $9::integer[], $10::text[]) as c",
    )
    .bind(check.id.uuid())
    .bind(column(&rows, |row| row.ordinal))
    .bind(column(&rows, |row| row.claim.kind.as_str()))
    .bind(column(&rows, |row| cut(&row.claim.text)))
    .bind(column(&rows, |row| number(row.claim.start)))
    .bind(column(&rows, |row| number(row.claim.end)))
    .bind(column(&rows, |row| row.claim.verdict.as_str()))
    .bind(column(&rows, |row| row.claim.call.map(i64::from)))
    .bind(column(&rows, |row| row.claim.line.map(number)))
    .bind(column(&rows, |row| row.claim.shown.as_deref().map(cut)))
    .execute(tx)
    .await?;
    Ok(())
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_CHARS).collect()
}
