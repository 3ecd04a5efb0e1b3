//! A check as the owner of a session stores it.

use tarsy_domain::claim::{CheckFailure, CheckedText, ClaimKind, Verdict};
use tarsy_domain::id::{ClaimCheckId, ExecutionId, SessionId, TimelineEventId};
use uuid::Uuid;

use crate::batch::write_timeline::column;
use crate::encode::{clean, clean_maybe};
use crate::error::Error;
use crate::pool::Connection;

/// Claims of one check that have a row: more than a reader looks at.
const MAX_STORED: usize = 500;
/// The longest text of a claim, and of what a result shows instead, in characters.
const MAX_CHARS: usize = 500;

/// The check of a text that is stored in the same batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewClaimCheck {
    pub id: ClaimCheckId,
    /// None for the executive summary.
    pub execution_id: Option<ExecutionId>,
    /// Shows the text.
    pub timeline_event_id: TimelineEventId,
    pub text: CheckedText,
    /// Calls with a result that the text could rest on.
    pub successful_calls: usize,
    /// In the order of the text, or why there are none.
    pub outcome: Result<Vec<NewClaim>, CheckFailure>,
}

/// One claim with its verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewClaim {
    pub kind: ClaimKind,
    pub text: String,
    /// In UTF-16 code units.
    pub start: usize,
    /// In UTF-16 code units.
    pub end: usize,
    pub verdict: Verdict,
    /// The call that shows it, or something else instead.
    pub call: Option<u32>,
    /// The line there, from 1.
    pub line: Option<usize>,
    /// What a result shows instead.
    pub shown: Option<String>,
}

/// A claim, and its place among those of the text, from 1.
struct Row<'a> {
    ordinal: i32,
    claim: &'a NewClaim,
}

impl NewClaimCheck {
    /// All claims of the text.
    pub fn claims(&self) -> &[NewClaim] {
        self.outcome.as_deref().unwrap_or_default()
    }

    /// How many claims a result shows.
    pub fn verified(&self) -> usize {
        self.claims().iter().filter(|claim| !claim.verdict.is_flagged()).count()
    }

    pub(crate) fn clean(&mut self) {
        for claim in self.outcome.iter_mut().flatten() {
            clean(&mut claim.text);
            clean_maybe(&mut claim.shown);
        }
    }

    /// The claims that get a row: the worst ones.
    fn stored(&self) -> Vec<Row<'_>> {
        let mut rows: Vec<Row<'_>> =
            (1..).zip(self.claims()).map(|(ordinal, claim)| Row { ordinal, claim }).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.claim.verdict.severity()));
        rows.truncate(MAX_STORED);
        rows
    }
}

/// Writes checks and their claims.
pub(crate) async fn write(
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
    .bind(check.timeline_event_id.uuid())
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

/// As the column has it; also the event of the check.
pub(crate) fn number(count: usize) -> i32 {
    i32::try_from(count).unwrap_or(i32::MAX)
}
