//! Reviewed sessions about the problem of another one. A session that nobody reviewed is not among them, and of a finding
//! that was wrong only the review is read.

use sqlx::postgres::PgRow;
use tarsy_contracts::review::SeenBefore;
use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// First those with the same fingerprint, then those whose review names the alert's service (alone, or behind its
/// namespace) as the object, or the same object and category as a review of the same fingerprint. The newest of each part
/// come first.
const SEEN_BEFORE: &str = "
    with this as (
        select s.id, s.fingerprint,
            array[lower(s.service), lower(s.namespace || '/' || s.service)] as objects
        from alert_sessions s where s.id = $1
    ), same as (
        select s.id, s.completed_at, r.object, r.category
        from this
        join alert_sessions s on s.fingerprint = this.fingerprint and s.id <> this.id
            and s.review_id is not null and s.deleted_at is null
        join session_reviews r on r.id = s.review_id
        order by s.completed_at desc
        limit 50
    ), related as (
        select s.id, s.completed_at
        from (
            select r.id from this join session_reviews r on lower(r.object) = any(this.objects)
            union
            select r.id from same join session_reviews r on lower(r.object) = lower(same.object)
                and lower(r.category) = lower(same.category)
        ) r
        join alert_sessions s on s.review_id = r.id and s.id <> $1 and s.deleted_at is null
        where not exists (select 1 from same where same.id = s.id)
        order by s.completed_at desc
        limit 50
    ), found as (
        select id, completed_at, 1 as part from same
        union all
        select id, completed_at, 2 from related
    )
    select s.id, r.review, r.actual_cause, r.object, r.category, s.completed_at,
        case when r.review <> 'wrong'
            then left(coalesce(nullif(s.executive_summary, ''), s.final_analysis), $3) end as finding
    from found
    join alert_sessions s on s.id = found.id
    join session_reviews r on r.id = s.review_id
    order by found.part, found.completed_at desc, found.id desc
    limit $2";

/// The most characters of a finding that are read; prompts contain less.
const MAX_FINDING: i32 = 4_000;

impl Store {
    /// The reviewed sessions about the problem of this one, those that fit best first.
    #[tracing::instrument(name = "db.review.list_seen_before", skip_all)]
    pub async fn list_seen_before(
        &self,
        session: SessionId,
        limit: i64,
    ) -> Result<Vec<SeenBefore>, Error> {
        sqlx::query(SEEN_BEFORE)
            .bind(session.uuid())
            .bind(limit)
            .bind(MAX_FINDING)
            .fetch_all(&self.pool)
            .await?
            .iter()
            .map(read)
            .collect()
    }
}

fn read(row: &PgRow) -> Result<SeenBefore, Error> {
    let cells = Cells::new(row, "session_reviews");
    Ok(SeenBefore {
        session_id: cells.id("id")?,
        review: cells.word("review")?,
        actual_cause: cells.maybe_text("actual_cause")?,
        object: cells.maybe_text("object")?,
        category: cells.maybe_text("category")?,
        finding: cells.maybe_text("finding")?,
        ended_at: cells.time("completed_at")?,
    })
}
