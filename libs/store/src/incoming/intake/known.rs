//! What is stored about the alerts of a request, read under the locks of their keys.

use std::collections::{BTreeMap, BTreeSet};

use jiff::{SignedDuration, Timestamp};
use sqlx::postgres::PgRow;
use tarsy_domain::id::{IntakeAlertId, SessionId};
use tarsy_domain::status::SessionStatus;
use tarsy_intake::{SessionState, Status};

use super::new::NewAlerts;
use super::plan::{Known, Newest, OfFingerprint, OfGroup, OfSession};
use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::error::Error;

/// The locks of keys of alerts are this one and those after it. (`tarsyin` as a number.)
const LOCKS: i64 = 0x7461_7273_7969_6e00;
/// How many locks the alerts of a source have: requests with many alerts take few of them.
const BUCKETS: i64 = 64;
/// How many sources have locks of their own: what one sends in masses, an alert of another rarely waits for.
const SOURCES: i64 = 1024;
/// How many locks groups have, which may be of several sources. Most requests have one group.
const GROUPS: i64 = 4096;
/// The newest changes of an alert that are read.
const MAX_CHANGES: i64 = 100;

/// Locks the keys of the alerts until the transaction ends, always in the same order; returns the server's time.
pub(super) async fn lock(tx: &mut Connection, new: &NewAlerts) -> Result<Timestamp, Error> {
    let fingerprints: BTreeSet<&str> =
        new.alerts.iter().map(|new| &*new.alert.fingerprint).collect();
    let groups: BTreeSet<&str> = new.alerts.iter().filter_map(|new| new.group.as_deref()).collect();
    let row = sqlx::query(
        "with buckets as materialized (
            select $4 + (hashtextextended($1, 0) & ($6 - 1)) * $5 + (hashtextextended(key, 0) & ($5 - 1)) as bucket
            from unnest($2::text[]) as k (key)
            union
            select $4 + $6 * $5 + (hashtextextended(key, 0) & ($7 - 1)) from unnest($3::text[]) as k (key)
            order by 1
         )
         select count(pg_advisory_xact_lock(bucket)), clock_timestamp() as at from buckets",
    )
    .bind(&new.source)
    .bind(fingerprints.into_iter().collect::<Vec<_>>())
    .bind(groups.into_iter().collect::<Vec<_>>())
    .bind(LOCKS)
    .bind(BUCKETS)
    .bind(SOURCES)
    .bind(GROUPS)
    .fetch_one(tx)
    .await?;
    Cells::new(&row, "intake_alerts").time("at")
}

pub(super) async fn read(
    tx: &mut Connection,
    new: &NewAlerts,
    now: Timestamp,
) -> Result<Known, Error> {
    let fingerprints = of_fingerprints(tx, new, now).await?;
    let groups = of_groups(tx, new, now).await?;
    let named = fingerprints.values().filter_map(|of| of.session.as_ref());
    let sessions: BTreeSet<SessionId> =
        named.chain(groups.values().filter_map(|of| of.session.as_ref())).map(|of| of.id).collect();
    let resolves = new.alerts.iter().any(|new| new.alert.status == Status::Resolved);
    let firing = if resolves { firing(tx, sessions).await? } else { BTreeMap::new() };
    Ok(Known { fingerprints, groups, firing, tokens_used_up: new.tokens_used_up })
}

async fn of_fingerprints(
    tx: &mut Connection,
    new: &NewAlerts,
    now: Timestamp,
) -> Result<BTreeMap<String, OfFingerprint>, Error> {
    let keys: BTreeSet<&str> = new.alerts.iter().map(|new| &*new.alert.fingerprint).collect();
    let longest = new.alerts.iter().map(|new| new.policy.flapping.within).max();
    let since = now - SignedDuration::try_from(longest.unwrap_or_default()).unwrap_or_default();
    let rows = sqlx::query(
        "select k.fingerprint, newest.id as newest_id, newest.status as newest_status,
            newest.starts_at as newest_starts_at, newest.source_id as newest_source_id,
            newest.action as newest_action, newest.session_id as newest_session_id,
            newest.hold_until as newest_hold_until, newest.released_at as newest_released_at,
            last.starts_at, last.source_id, last.status as last_status,
            s.id as session_id, s.status as session_status, s.created_at,
            (select coalesce(array_agg(c.received_at order by c.seq desc), '{}') from (
                select a.received_at, a.seq from intake_alerts a
                where a.source = $1 and a.fingerprint = k.fingerprint and a.received_at >= $3
                    and a.status <> 'acknowledged'
                order by a.seq desc limit $4
             ) c) as changes,
            (select count(*) from intake_alerts a
             where a.source = $1 and a.fingerprint = k.fingerprint and a.action = 'open'
                and a.received_at >= date_trunc('day', $5 at time zone 'utc') at time zone 'utc')
                as sessions_today
         from unnest($2::text[]) as k (fingerprint)
            left join lateral (
                select a.* from intake_alerts a
                where a.source = $1 and a.fingerprint = k.fingerprint order by a.seq desc limit 1
            ) newest on true
            left join lateral (
                select a.session_id, a.starts_at, a.source_id, a.status from intake_alerts a
                    join alert_sessions live on live.id = a.session_id and live.deleted_at is null
                where a.source = $1 and a.fingerprint = k.fingerprint order by a.seq desc limit 1
            ) last on true
            left join alert_sessions s on s.id = last.session_id",
    )
    .bind(&new.source)
    .bind(keys.into_iter().map(str::to_owned).collect::<Vec<_>>())
    .bind(jiff_sqlx::Timestamp::from(since))
    .bind(MAX_CHANGES)
    .bind(jiff_sqlx::Timestamp::from(now))
    .fetch_all(tx)
    .await?;
    rows.iter().map(of_fingerprint).collect()
}

fn of_fingerprint(row: &PgRow) -> Result<(String, OfFingerprint), Error> {
    let cells = Cells::new(row, "intake_alerts");
    let changes: Vec<jiff_sqlx::Timestamp> = cells.get("changes")?;
    let today: i64 = cells.get("sessions_today")?;
    let of = OfFingerprint {
        newest: newest(&cells)?,
        session: session(&cells)?,
        starts_at: cells.maybe_time("starts_at")?,
        source_id: cells.maybe_text("source_id")?,
        fires: cells.maybe_text("last_status")?.is_some_and(|status| status != "resolved"),
        changes: changes.into_iter().map(jiff_sqlx::Timestamp::to_jiff).collect(),
        sessions_today: u32::try_from(today).unwrap_or(u32::MAX),
    };
    Ok((cells.text("fingerprint")?, of))
}

fn newest(cells: &Cells<'_>) -> Result<Option<Newest>, Error> {
    let Some(id) = cells.maybe_id::<IntakeAlertId>("newest_id")? else { return Ok(None) };
    let inconsistent = || Error::Inconsistent { table: "intake_alerts" };
    let hold_until = cells.maybe_time("newest_hold_until")?;
    let is_released = cells.maybe_time("newest_released_at")?.is_some();
    Ok(Some(Newest {
        id,
        status: status(&cells.text("newest_status")?).ok_or_else(inconsistent)?,
        starts_at: cells.maybe_time("newest_starts_at")?,
        source_id: cells.maybe_text("newest_source_id")?,
        action: cells.text("newest_action")?,
        session: cells.maybe_id("newest_session_id")?,
        hold_until: hold_until.filter(|_| !is_released),
    }))
}

pub(super) fn status(word: &str) -> Option<Status> {
    [Status::Firing, Status::Acknowledged, Status::Resolved]
        .into_iter()
        .find(|status| status.as_str() == word)
}

fn session(cells: &Cells<'_>) -> Result<Option<OfSession>, Error> {
    let Some(id) = cells.maybe_id("session_id")? else { return Ok(None) };
    let status: SessionStatus = cells.word("session_status")?;
    let state = match status {
        SessionStatus::Pending => SessionState::Pending,
        SessionStatus::InProgress | SessionStatus::Cancelling => SessionState::Running,
        _ => SessionState::Finished,
    };
    Ok(Some(OfSession { id, state, created_at: cells.time("created_at")? }))
}

async fn of_groups(
    tx: &mut Connection,
    new: &NewAlerts,
    now: Timestamp,
) -> Result<BTreeMap<String, OfGroup>, Error> {
    let keys: BTreeSet<&str> = new.alerts.iter().filter_map(|new| new.group.as_deref()).collect();
    if keys.is_empty() {
        return Ok(BTreeMap::new());
    }
    let rows = sqlx::query(
        "select k.group_key, s.id as session_id, s.status as session_status, s.created_at,
            (select count(*) from (
                select a.action, a.in_session_text from intake_alerts a
                where a.group_key = k.group_key and a.received_at >= $2
             ) recent where recent.action = 'attach' and not recent.in_session_text) as attached
         from unnest($1::text[]) as k (group_key)
            left join lateral (
                select a.session_id from intake_alerts a
                    join alert_sessions live on live.id = a.session_id and live.deleted_at is null
                where a.group_key = k.group_key order by a.seq desc limit 1
            ) last on true
            left join alert_sessions s on s.id = last.session_id",
    )
    .bind(keys.into_iter().map(str::to_owned).collect::<Vec<_>>())
    .bind(jiff_sqlx::Timestamp::from(now - SignedDuration::from_mins(1)))
    .fetch_all(tx)
    .await?;
    rows.iter()
        .map(|row| {
            let cells = Cells::new(row, "intake_alerts");
            let attached: i64 = cells.get("attached")?;
            let attached = u32::try_from(attached).unwrap_or(u32::MAX);
            Ok((cells.text("group_key")?, OfGroup { session: session(&cells)?, attached }))
        })
        .collect()
}

/// How many alerts of each session still fire.
async fn firing(
    tx: &mut Connection,
    sessions: BTreeSet<SessionId>,
) -> Result<BTreeMap<SessionId, u32>, Error> {
    let rows = sqlx::query(
        "select session_id, count(*) as firing from (
            select distinct on (session_id, source, fingerprint) session_id, status
            from intake_alerts where session_id = any($1)
            order by session_id, source, fingerprint, seq desc
         ) newest where status <> 'resolved' group by session_id",
    )
    .bind(sessions.into_iter().map(SessionId::uuid).collect::<Vec<_>>())
    .fetch_all(tx)
    .await?;
    rows.iter()
        .map(|row| {
            let cells = Cells::new(row, "intake_alerts");
            let firing: i64 = cells.get("firing")?;
            Ok((cells.id("session_id")?, u32::try_from(firing).unwrap_or(u32::MAX)))
        })
        .collect()
}
