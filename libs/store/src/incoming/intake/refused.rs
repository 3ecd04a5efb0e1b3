//! Requests of alert sources that were refused, counted for each minute.

use jiff::Timestamp;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// For how long rows are kept: the page of prevention compares a week with the week before.
const KEPT_DAYS: i32 = 15;
/// How far back lists of single minutes reach.
const LISTED_DAYS: i32 = 7;
/// How many old rows are removed when new ones are written.
const MAX_REMOVED: i64 = 1_000;

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RefusalReason {
    /// No source has this name.
    UnknownSource,
    /// The sender is not verified.
    Unverified,
    /// The body is longer than it may be.
    TooLarge,
    /// The body ended early.
    Broken,
    /// Too many requests at a time; the sender repeats it.
    Busy,
}

impl RefusalReason {
    const ALL: [Self; 5] =
        [Self::UnknownSource, Self::Unverified, Self::TooLarge, Self::Broken, Self::Busy];

    /// The name in records.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownSource => "unknown_source",
            Self::Unverified => "unverified",
            Self::TooLarge => "too_large",
            Self::Broken => "broken",
            Self::Busy => "busy",
        }
    }
}

/// Requests of one sender that were refused for the same reason in a minute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedRequests {
    /// When the minute began.
    pub minute: Timestamp,
    /// As the request named it; empty for those that were too many to be distinguished.
    pub source: String,
    /// The client's address; empty as above.
    pub sender: String,
    pub reason: RefusalReason,
    pub requests: i64,
}

impl Store {
    /// Adds requests that were refused, and removes rows that are older than [`KEPT_DAYS`].
    #[tracing::instrument(name = "db.intake.count_refused", skip_all)]
    pub async fn count_refused_requests(&self, rows: &[RefusedRequests]) -> Result<(), Error> {
        let text = |text: &String| text.replace('\0', "\u{fffd}");
        sqlx::query(
            "with old as (
                delete from intake_refusals where ctid in (
                    select ctid from intake_refusals where minute < now() - make_interval(days => $7) limit $6)
             )
             insert into intake_refusals as r (minute, source, sender, reason, requests)
             select * from unnest($1::timestamptz[], $2::text[], $3::text[], $4::text[], $5::bigint[])
             on conflict (minute, source, sender, reason) do update set requests = r.requests + excluded.requests",
        )
        .bind(rows.iter().map(|row| jiff_sqlx::Timestamp::from(row.minute)).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| text(&row.source)).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| text(&row.sender)).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.reason.as_str()).collect::<Vec<_>>())
        .bind(rows.iter().map(|row| row.requests).collect::<Vec<_>>())
        .bind(MAX_REMOVED)
        .bind(KEPT_DAYS)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    /// Requests that were refused in the last [`LISTED_DAYS`], the newest first.
    #[tracing::instrument(name = "db.intake.list_refused", skip_all)]
    pub async fn list_refused_requests(&self, limit: i64) -> Result<Vec<RefusedRequests>, Error> {
        let rows = sqlx::query(
            "select minute, source, sender, reason, requests from intake_refusals
             where minute >= now() - make_interval(days => $2)
             order by minute desc, source, sender, reason limit $1",
        )
        .bind(limit)
        .bind(LISTED_DAYS)
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "intake_refusals");
                let name = cells.text("reason")?;
                let reason = RefusalReason::ALL.into_iter().find(|one| one.as_str() == name);
                Ok(RefusedRequests {
                    minute: cells.time("minute")?,
                    source: cells.text("source")?,
                    sender: cells.text("sender")?,
                    reason: reason.ok_or(Error::Inconsistent { table: "intake_refusals" })?,
                    requests: cells.get("requests")?,
                })
            })
            .collect()
    }

    /// How many requests of each source were not understood in the last day.
    #[tracing::instrument(name = "db.intake.count_not_understood", skip_all)]
    pub async fn count_not_understood(&self) -> Result<Vec<(String, i64)>, Error> {
        let rows = sqlx::query(
            "select source, sum(repeats + 1)::bigint as many from intake_alerts
             where content = 'not_understood' and last_received_at > now() - interval '1 day'
             group by source order by source",
        )
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "intake_alerts");
                Ok((cells.text("source")?, cells.get("many")?))
            })
            .collect()
    }
}
