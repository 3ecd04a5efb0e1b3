//! What senders have used of their quotas. The windows are those of PostgreSQL's clock, and hold for all replicas.

use std::time::Duration;

use sqlx::postgres::PgRow;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;

/// What limits an alert; none is no limit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AlertQuota {
    pub principal: String,
    /// Its idempotency key: an alert that is known uses nothing.
    pub idempotency_key: Option<String>,
    /// Alerts of the sender in a minute.
    pub per_minute: Option<u32>,
    /// Sessions that wait for a worker.
    pub pending_sessions: Option<u32>,
}

/// Tokens of models in one day (UTC); none is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DailyTokens {
    pub total: Option<u32>,
    pub of_sender: Option<u32>,
}

/// Whose tokens of today are used up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpentBy {
    Sender,
    All,
}

/// Whether a request is within its quotas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Admitted,
    /// The alert was accepted before, under the same idempotency key.
    Known,
    /// The sender's requests of this minute are used up.
    RateExceeded {
        /// The rest of the minute.
        retry_after: Duration,
    },
    /// Too many sessions wait.
    QueueFull,
    /// The tokens of this day are used up.
    TokensUsedUp {
        by: SpentBy,
        /// The rest of the day.
        retry_after: Duration,
    },
}

/// Takes one request of a sender within the current minute: `taken` has a row unless all are used. Parameters: the sender,
/// the action, the limit, and a condition.
macro_rules! take_one {
    ($principal:literal, $action:literal, $limit:literal, $condition:literal) => {
        concat!(
            "taken as (
                insert into quota_windows as q (principal, action, started_at, used)
                select ",
            $principal,
            ", ",
            $action,
            ", date_trunc('minute', now()), 1 where ",
            $limit,
            "::bigint is not null",
            $condition,
            "
                on conflict (principal, action) do update set started_at = excluded.started_at,
                    used = case when q.started_at < excluded.started_at then 1 else q.used + 1 end
                where q.started_at < excluded.started_at or q.used < ",
            $limit,
            "
                returning 1
             )"
        )
    };
}

/// What the taking says.
macro_rules! taken {
    ($limit:literal) => {
        concat!(
            $limit,
            "::bigint is null or exists (select from taken) as taken,
             extract(epoch from date_trunc('minute', now()) + interval '1 minute' - now())::float8 as minute_left"
        )
    };
}

/// Ends a list of columns of a statement that counts only. Nobody waits until the count is on the disk: a server that crashes
/// forgets those of a moment.
macro_rules! not_synced {
    () => {
        ", set_config('synchronous_commit', 'off', true)"
    };
}

/// Takes an alert's place in its sender's minute, unless it is `known` or the `queue` is full. Parameters: the sender, the
/// action, the alerts in a minute, the idempotency key, and the sessions that may wait.
macro_rules! admission {
    ($principal:literal, $action:literal, $per_minute:literal, $key:literal, $pending:literal) => {
        concat!(
            "known as (
                select 1 from idempotency_keys
                where principal = ",
            $principal,
            " and key = ",
            $key,
            " and created_at > now() - interval '24 hours'
             ), queue as (
                select coalesce(count(*) >= ",
            $pending,
            ", false) as is_full from (
                    select 1 from alert_sessions where status = 'pending' limit coalesce(",
            $pending,
            ", 0)
                ) pending
             ), ",
            take_one!(
                $principal,
                $action,
                $per_minute,
                " and not exists (select from known) and not (select is_full from queue)"
            )
        )
    };
}

/// What the admission says.
macro_rules! admitted {
    ($per_minute:literal) => {
        concat!(
            "exists (select from known) as known, (select is_full from queue) as queue_is_full, ",
            taken!($per_minute)
        )
    };
}

pub(crate) use {admission, admitted, take_one, taken};

/// What an alert takes of its quotas.
pub(crate) const SUBMIT_ALERT: &str = "submit_alert";

impl Store {
    /// Whether one more alert is within the quotas; if so, it is counted. Concurrent requests may exceed the number of
    /// pending sessions by their own number.
    #[tracing::instrument(name = "db.quota.admit_alert", skip_all)]
    pub async fn admit_alert(&self, mut quota: AlertQuota) -> Result<Admission, Error> {
        encode::clean(&mut quota.principal);
        encode::clean_maybe(&mut quota.idempotency_key);
        let row = sqlx::query(concat!(
            "with ",
            admission!("$1", "$2", "$3", "$4", "$5"),
            " select ",
            admitted!("$3"),
            not_synced!()
        ))
        .bind(&quota.principal)
        .bind(SUBMIT_ALERT)
        .bind(quota.per_minute.map(i64::from))
        .bind(&quota.idempotency_key)
        .bind(quota.pending_sessions.map(i64::from))
        .fetch_one(&self.pool)
        .await?;
        read_admission(&row)
    }

    /// Whose budget of today is used up.
    #[tracing::instrument(name = "db.quota.check_tokens", skip_all)]
    pub async fn check_daily_tokens(
        &self,
        mut principal: String,
        budget: DailyTokens,
    ) -> Result<Admission, Error> {
        encode::clean(&mut principal);
        let row = sqlx::query(
            "select coalesce(sum(tokens), 0) >= $2 as all_used,
                coalesce(sum(tokens) filter (where principal = $1), 0) >= $3 as own_used,
                extract(epoch from date_trunc('day', now() at time zone 'utc') + interval '1 day'
                    - (now() at time zone 'utc'))::float8 as day_left
             from daily_token_usage where day = (now() at time zone 'utc')::date",
        )
        .bind(&principal)
        .bind(budget.total.map(i64::from))
        .bind(budget.of_sender.map(i64::from))
        .fetch_one(&self.pool)
        .await?;
        let cells = Cells::new(&row, "daily_token_usage");
        let (all, own): (Option<bool>, Option<bool>) =
            (cells.get("all_used")?, cells.get("own_used")?);
        let by = match (own, all) {
            (Some(true), _) => SpentBy::Sender,
            (_, Some(true)) => SpentBy::All,
            _ => return Ok(Admission::Admitted),
        };
        let left: f64 = cells.get("day_left")?;
        let retry_after = Duration::from_secs_f64(left.max(0.0).ceil());
        Ok(Admission::TokensUsedUp { by, retry_after })
    }

    /// Whether one more question is within the sender's quota; if so, it is counted.
    #[tracing::instrument(name = "db.quota.admit_question", skip_all)]
    pub async fn admit_question(
        &self,
        principal: String,
        per_minute: u32,
    ) -> Result<Admission, Error> {
        self.take(principal, "ask_question", per_minute).await
    }

    /// Whether one more request with changes is within the sender's quota; if so, it is counted.
    #[tracing::instrument(name = "db.quota.admit_changes", skip_all)]
    pub async fn admit_changes(
        &self,
        principal: String,
        per_minute: u32,
    ) -> Result<Admission, Error> {
        self.take(principal, "record_changes", per_minute).await
    }

    async fn take(
        &self,
        mut principal: String,
        action: &str,
        per_minute: u32,
    ) -> Result<Admission, Error> {
        encode::clean(&mut principal);
        let row = sqlx::query(concat!(
            "with ",
            take_one!("$1", "$2", "$3", ""),
            " select ",
            taken!("$3"),
            not_synced!()
        ))
        .bind(&principal)
        .bind(action)
        .bind(i64::from(per_minute))
        .fetch_one(&self.pool)
        .await?;
        rate(&row)
    }
}

/// Reads what [`admitted!`] selects.
pub(crate) fn read_admission(row: &PgRow) -> Result<Admission, Error> {
    let cells = Cells::new(row, "quota_windows");
    if cells.get("known")? {
        return Ok(Admission::Known);
    }
    if cells.get("queue_is_full")? {
        return Ok(Admission::QueueFull);
    }
    rate(row)
}

fn rate(row: &PgRow) -> Result<Admission, Error> {
    let cells = Cells::new(row, "quota_windows");
    if cells.get("taken")? {
        return Ok(Admission::Admitted);
    }
    let left: f64 = cells.get("minute_left")?;
    Ok(Admission::RateExceeded { retry_after: Duration::from_secs_f64(left.max(0.0).ceil()) })
}
