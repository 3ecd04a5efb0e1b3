//! Checks as the API shows them.

use std::collections::HashMap;

use sqlx::postgres::PgRow;
use tarsy_contracts::claim::{ClaimCheck, ClaimChecks, ClaimItem};
use tarsy_domain::id::{ClaimCheckId, SessionId};
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;
use crate::finding::claims::check::number;

/// The newest checks of a session that are read: each question about it adds one.
const MAX_CHECKS: i64 = 200;

impl Store {
    /// The checks of a session's texts, the oldest first; at most the newest 200.
    #[tracing::instrument(name = "db.claims.list", skip_all)]
    pub async fn list_claim_checks(&self, session: SessionId) -> Result<ClaimChecks, Error> {
        let mut connection = self.pool.acquire().await?;
        let rows = sqlx::query(
            "select id, text_kind, execution_id, timeline_event_id, checked_at, failure,
                successful_calls, claims, verified
             from claim_checks where session_id = $1 order by checked_at desc, id desc limit $2",
        )
        .bind(session.uuid())
        .bind(MAX_CHECKS)
        .fetch_all(&mut connection)
        .await?;
        let mut checks = rows.iter().rev().map(check).collect::<Result<Vec<_>, _>>()?;
        let ids: Vec<Uuid> = checks.iter().map(|check| check.id.uuid()).collect();
        let rows = sqlx::query(
            "select check_id, kind, text, start_offset, end_offset, verdict, call_number, line, shown
             from claims where check_id = any($1) order by check_id, ordinal",
        )
        .bind(ids)
        .fetch_all(&mut connection)
        .await?;
        let mut items: HashMap<ClaimCheckId, Vec<ClaimItem>> = HashMap::new();
        for row in &rows {
            let check = Cells::new(row, "claims").id("check_id")?;
            items.entry(check).or_default().push(item(row)?);
        }
        for check in &mut checks {
            check.items = items.remove(&check.id).unwrap_or_default();
            check.items_left_out = check.claims.saturating_sub(number(check.items.len()));
        }
        Ok(ClaimChecks { checks })
    }
}

fn check(row: &PgRow) -> Result<ClaimCheck, Error> {
    let cells = Cells::new(row, "claim_checks");
    Ok(ClaimCheck {
        id: cells.id("id")?,
        text: cells.word("text_kind")?,
        execution_id: cells.maybe_id("execution_id")?,
        timeline_event_id: cells.maybe_id("timeline_event_id")?,
        checked_at: cells.time("checked_at")?,
        failure: cells.maybe_word("failure")?,
        successful_calls: cells.get("successful_calls")?,
        claims: cells.get("claims")?,
        verified: cells.get("verified")?,
        items: Vec::new(),
        items_left_out: 0,
    })
}

pub(crate) fn item(row: &PgRow) -> Result<ClaimItem, Error> {
    let cells = Cells::new(row, "claims");
    Ok(ClaimItem {
        kind: cells.word("kind")?,
        text: cells.text("text")?,
        start: cells.get("start_offset")?,
        end: cells.get("end_offset")?,
        verdict: cells.word("verdict")?,
        call: cells.get("call_number")?,
        line: cells.get("line")?,
        shown: cells.maybe_text("shown")?,
    })
}
