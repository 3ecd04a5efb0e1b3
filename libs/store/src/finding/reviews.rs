//! What people think of the findings of sessions. Reviews are added, never changed; the last one of a session counts.

use sqlx::postgres::PgRow;
use tarsy_contracts::review::SessionReview;
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_domain::status::SessionStatus;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::finding::memories::{self, Judged};
use crate::session::sessions;

/// The most reviews of one session. People change their minds a few times, scripts must not fill the table.
pub const MAX_REVIEWS: i32 = 100;

/// A person's judgement of what a session found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReview {
    pub session_id: SessionId,
    pub review: Review,
    /// What the actual cause was, masked.
    pub actual_cause: Option<String>,
    /// The object that the cause was in, masked.
    pub object: Option<String>,
    /// The kind of cause, masked.
    pub category: Option<String>,
    pub reviewer: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReviewOutcome {
    /// It counts from now on.
    Added(SessionReview),
    NotEnded(SessionStatus),
    /// The session has [`MAX_REVIEWS`].
    TooMany,
    /// There is no such session.
    NotFound,
}

macro_rules! columns {
    () => {
        "r.review, r.actual_cause, r.object, r.category, r.reviewer, r.created_at"
    };
}

fn read(row: &PgRow) -> Result<SessionReview, Error> {
    let cells = Cells::new(row, "session_reviews");
    Ok(SessionReview {
        review: cells.word("review")?,
        actual_cause: cells.maybe_text("actual_cause")?,
        object: cells.maybe_text("object")?,
        category: cells.maybe_text("category")?,
        reviewer: cells.text("reviewer")?,
        reviewed_at: cells.time("created_at")?,
    })
}

impl Store {
    /// Adds a review of a session that has ended.
    #[tracing::instrument(name = "db.review.insert", skip_all)]
    pub async fn insert_review(&self, mut new: NewReview) -> Result<ReviewOutcome, Error> {
        encode::clean(&mut new.reviewer);
        for text in [&mut new.actual_cause, &mut new.object, &mut new.category] {
            encode::clean_maybe(text);
        }
        retrying!(self.review_once(&new))
    }

    async fn review_once(&self, new: &NewReview) -> Result<ReviewOutcome, Error> {
        let mut tx = self.pool.begin().await?;
        // Holds the session, so that the last review is the one that it names.
        let Some(status) = sessions::lock(&mut tx, new.session_id).await? else {
            return Ok(ReviewOutcome::NotFound);
        };
        if !status.is_terminal() {
            tx.rollback().await?;
            return Ok(ReviewOutcome::NotEnded(status));
        }
        let number: i32 = sqlx::query_scalar(
            "select coalesce(max(number), 0) + 1 from session_reviews where session_id = $1",
        )
        .bind(new.session_id.uuid())
        .fetch_one(&mut *tx)
        .await?;
        if number > MAX_REVIEWS {
            tx.rollback().await?;
            return Ok(ReviewOutcome::TooMany);
        }
        let added = insert(&mut tx, new, number).await?;
        let judged = Judged {
            session_id: new.session_id,
            review: new.review,
            actual_cause: new.actual_cause.as_deref(),
            object: new.object.as_deref(),
            category: new.category.as_deref(),
        };
        memories::learn(&mut tx, judged).await?;
        tx.commit().await?;
        Ok(ReviewOutcome::Added(added))
    }

    /// The reviews of a session, the one that counts first; none if there is no such session.
    #[tracing::instrument(name = "db.review.list", skip_all)]
    pub async fn list_reviews(
        &self,
        session: SessionId,
    ) -> Result<Option<Vec<SessionReview>>, Error> {
        let rows = sqlx::query(concat!(
            "select ",
            columns!(),
            " from session_reviews r where r.session_id = $1 order by r.number desc"
        ))
        .bind(session.uuid())
        .fetch_all(&self.pool)
        .await?;
        if rows.is_empty() && self.find_session_status(session).await?.is_none() {
            return Ok(None);
        }
        rows.iter().map(read).collect::<Result<_, _>>().map(Some)
    }
}

async fn insert(tx: &mut Connection, new: &NewReview, number: i32) -> Result<SessionReview, Error> {
    let id = Uuid::now_v7();
    let row = sqlx::query(concat!(
        "insert into session_reviews as r
            (id, session_id, review, actual_cause, object, category, reviewer, number)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         returning ",
        columns!()
    ))
    .bind(id)
    .bind(new.session_id.uuid())
    .bind(new.review.as_str())
    .bind(&new.actual_cause)
    .bind(&new.object)
    .bind(&new.category)
    .bind(&new.reviewer)
    .bind(number)
    .fetch_one(&mut *tx)
    .await?;
    sqlx::query("update alert_sessions set review_id = $2 where id = $1")
        .bind(new.session_id.uuid())
        .bind(id)
        .execute(tx)
        .await?;
    read(&row)
}
