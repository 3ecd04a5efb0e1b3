//! Changes of messages about the ends of sessions: they show what people think of the findings.

use jiff::Timestamp;
use sqlx::Row;
use sqlx::postgres::PgRow;
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// A review that the message of a destination does not show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnnotifiedReview {
    pub review_id: Uuid,
    pub session_id: SessionId,
    pub destination: String,
}

/// What a message says of the review that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotifiedReview {
    pub review: Review,
    pub reviewer: String,
    pub reviewed_at: Timestamp,
}

/// Only the review that counts is shown. Messages of sessions that were reviewed long ago are of no interest to anybody.
const UNNOTIFIED: &str = "
    select v.id as review_id, s.id as session_id, e.destination
    from session_reviews v
    join alert_sessions s on s.review_id = v.id
    join notifications e on e.session_id = s.id and e.kind = 'ended'
    where v.created_at > now() - interval '7 days'
        and e.status = 'sent' and e.external_ref is not null and e.destination = any($1)
        and not exists (
            select 1 from notifications n
            where n.review_id = v.id and n.kind = 'reviewed' and n.destination = e.destination
        )
    order by v.created_at
    limit $2";

impl Store {
    /// The reviews that the messages of these destinations do not show, the oldest first.
    #[tracing::instrument(name = "db.notification.list_unnotified_reviews", skip_all)]
    pub async fn list_unnotified_reviews(
        &self,
        destinations: &[String],
        limit: i64,
    ) -> Result<Vec<UnnotifiedReview>, Error> {
        let rows = sqlx::query(UNNOTIFIED).bind(destinations).bind(limit);
        let rows = rows.fetch_all(&self.pool).await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "notifications");
                Ok(UnnotifiedReview {
                    review_id: cells.get("review_id")?,
                    session_id: cells.id("session_id")?,
                    destination: cells.text("destination")?,
                })
            })
            .collect()
    }

    /// Writes rows that are not there yet; returns how many were.
    #[tracing::instrument(name = "db.notification.insert_reviews", skip_all)]
    pub async fn insert_review_notifications(
        &self,
        reviews: &[UnnotifiedReview],
    ) -> Result<u64, Error> {
        let ids: Vec<Uuid> = reviews.iter().map(|_| Uuid::now_v7()).collect();
        let review_ids: Vec<Uuid> = reviews.iter().map(|one| one.review_id).collect();
        let sessions: Vec<Uuid> = reviews.iter().map(|one| one.session_id.uuid()).collect();
        let destinations: Vec<&str> = reviews.iter().map(|one| one.destination.as_str()).collect();
        let row = sqlx::query(
            "with written as (
                insert into notifications (id, session_id, kind, destination, status, review_id)
                select r.id, r.session_id, 'reviewed', r.destination, 'pending', v.id
                from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[])
                        as r (id, review_id, session_id, destination)
                    join session_reviews v on v.id = r.review_id
                on conflict (session_id, kind, destination, approval_id, review_id) do nothing
                returning 1
             )
             select count(*) as pending from written",
        )
        .bind(ids)
        .bind(review_ids)
        .bind(sessions)
        .bind(destinations)
        .fetch_one(&self.pool)
        .await?;
        Ok(u64::try_from(row.try_get::<i64, _>("pending")?).unwrap_or_default())
    }
}

/// Reads what the claim of a notification selects; none if nobody reviewed the session.
pub(super) fn read(row: &PgRow) -> Result<Option<NotifiedReview>, Error> {
    let cells = Cells::new(row, "session_reviews");
    let Some(review) = cells.maybe_word("review")? else { return Ok(None) };
    Ok(Some(NotifiedReview {
        review,
        reviewer: cells.text("reviewer")?,
        reviewed_at: cells.time("reviewed_at")?,
    }))
}
