//! Checks of texts, and their claims.

use uuid::Uuid;

use crate::finding::claims::check::{NewClaimCheck, Row, number};
use crate::record::batch::statement::Statement;
use crate::record::batch::write_timeline::column;

/// The longest text of a claim, and of what a result shows instead, in characters.
const MAX_CHARS: usize = 500;

pub(super) fn store(statement: &mut Statement, checks: &[&NewClaimCheck]) {
    for check in checks {
        insert(statement, check);
        insert_claims(statement, check);
    }
}

fn insert(statement: &mut Statement, check: &NewClaimCheck) {
    statement
        .part(
            "insert into claim_checks
                (id, session_id, execution_id, timeline_event_id, text_kind, failure, claims, verified,
                 successful_calls)
             select $2, $1, $3, $4, $5, $6, $7, $8, $9 from fence
             returning 1",
        )
        .bind(check.id.uuid())
        .bind(check.execution_id.map(Uuid::from))
        .bind(check.timeline_event_id.map(Uuid::from))
        .bind(check.text.as_str())
        .bind(check.outcome.as_ref().err().map(|failure| failure.as_str()))
        .bind(number(check.claims().len()))
        .bind(number(check.verified()))
        .bind(number(check.successful_calls));
}

/// A part even without claims, so that there are few statements.
fn insert_claims(statement: &mut Statement, check: &NewClaimCheck) {
    let rows = check.stored();
    let rows: Vec<&Row<'_>> = rows.iter().collect();
    statement
        .part(
            "insert into claims
                (check_id, ordinal, kind, text, start_offset, end_offset, verdict, call_number, line, shown)
             select $2, c.*
             from fence, unnest($3::integer[], $4::text[], $5::text[], $6::integer[], $7::integer[], $8::text[],
                $9::bigint[], $10::integer[], $11::text[]) as c
             returning 1",
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
        .bind(column(&rows, |row| row.claim.shown.as_deref().map(cut)));
}

fn cut(text: &str) -> String {
    text.chars().take(MAX_CHARS).collect()
}
