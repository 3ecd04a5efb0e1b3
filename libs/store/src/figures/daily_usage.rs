//! The tokens of models of one day (UTC), of each sender.

use tarsy_domain::id::{SessionId, StageId};
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;
use crate::record::batch::statement::Statement;

/// The tokens that were used today, by PostgreSQL's clock.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DailyUsage {
    pub total: i64,
    /// Of who submitted the session, or asked the question; 0 for sessions that have nobody.
    pub of_sender: i64,
}

/// Adds the tokens of a call to those of who pays for it. A row is locked until its transaction is on disk, and one sender may have
/// all sessions: they share 64 rows.
pub(crate) fn add(statement: &mut Statement, stage: Option<StageId>, tokens: i64) {
    if tokens <= 0 {
        return;
    }
    statement
        .part(
            "insert into token_usage_parts as u (day, principal, part, tokens)
             select (now() at time zone 'utc')::date,
                coalesce((select principal from stages where id = $2), s.principal, ''),
                mod(hashtext(s.id::text)::bigint + 2147483648, 64)::smallint, $3
             from fence, alert_sessions s where s.id = $1
             on conflict (day, principal, part) do update set tokens = u.tokens + excluded.tokens
             returning 1",
        )
        .bind(stage.map(Uuid::from))
        .bind(tokens);
}

impl Store {
    /// What was used today by all, and by who pays for a session's stage.
    #[tracing::instrument(name = "db.usage.daily", skip_all)]
    pub async fn find_daily_usage(
        &self,
        session: SessionId,
        stage: Option<StageId>,
    ) -> Result<DailyUsage, Error> {
        let row = sqlx::query(
            "with sender as (
                select coalesce((select principal from stages where id = $2), s.principal) as principal
                from alert_sessions s where s.id = $1
             )
             select coalesce(sum(tokens), 0)::bigint as total,
                coalesce(sum(tokens) filter (where principal = (select principal from sender)), 0)::bigint
                    as of_sender
             from daily_token_usage where day = (now() at time zone 'utc')::date",
        )
        .bind(session.uuid())
        .bind(stage.map(Uuid::from))
        .fetch_one(&self.pool)
        .await?;
        let cells = Cells::new(&row, "daily_token_usage");
        Ok(DailyUsage { total: cells.get("total")?, of_sender: cells.get("of_sender")? })
    }
}
