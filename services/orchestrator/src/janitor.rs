//! Deletes old rows, kind by kind; sessions are first hidden and later deleted.

use std::time::Duration;

use tarsy_catalog::Retention;
use tarsy_store::{Error, RetainedKind, SessionAges, Store};
use tokio_util::sync::CancellationToken;

use crate::metrics;

/// The pause before the first round; short, so that a process that restarts often cleans up, too.
const FIRST: Duration = Duration::from_mins(1);
/// The pause between two rounds.
const PAUSE: Duration = Duration::from_hours(12);
/// The pause between two statements, in which others get at the disk and the locks.
const BETWEEN: Duration = Duration::from_millis(100);
/// How long a hidden session stays in the tables.
const GRACE: Duration = Duration::from_hours(7 * 24);
/// How long a sign-in that ended stays in its table; the audit log has it longer.
const ENDED_SIGN_INS: Duration = Duration::from_hours(7 * 24);
/// How often the hours of the overview are counted, so that its readers count few themselves.
const COUNTING: Duration = Duration::from_mins(1);
/// How long the same `Idempotency-Key` answers the same session.
const IDEMPOTENCY_KEYS: Duration = Duration::from_hours(24);
/// Much longer than a window of a quota.
const QUOTA_WINDOWS: Duration = Duration::from_hours(1);
const DAY: Duration = Duration::from_hours(24);

/// A statement of a round, which is repeated until it changes nothing.
#[derive(Clone, Copy, Debug)]
enum Step {
    Purge(RetainedKind, Duration),
    HideSessions(SessionAges),
    DeleteSessions,
    DeleteAuditEntries { days: u32 },
    FillSearch,
}

impl Step {
    /// What it deletes, for metrics; none if it deletes nothing.
    fn kind(self) -> Option<&'static str> {
        match self {
            Self::Purge(kind, _) => Some(kind.as_str()),
            Self::DeleteSessions => Some("sessions"),
            Self::DeleteAuditEntries { .. } => Some("audit_log"),
            Self::HideSessions(_) | Self::FillSearch => None,
        }
    }

    async fn run(self, store: &Store) -> Result<u64, Error> {
        match self {
            Self::Purge(kind, age) => store.purge(kind, age).await,
            Self::HideSessions(ages) => store.soft_delete_sessions(ages).await,
            Self::DeleteSessions => store.purge_sessions(GRACE).await,
            Self::DeleteAuditEntries { days } => store.delete_audit_entries(days).await,
            Self::FillSearch => store.fill_search().await,
        }
    }
}

/// Runs until `stopping`; of several replicas, one cleans at a time.
pub(crate) async fn run(store: Store, retention: Retention, stopping: CancellationToken) {
    let steps = steps(&retention);
    let mut pause = FIRST;
    loop {
        if stops_within(pause, &stopping).await {
            return;
        }
        match clean(&store, &steps, &stopping).await {
            Ok(0) => {}
            Ok(rows) => tracing::info!(rows, "deleted old rows"),
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "could not clean up");
            }
        }
        if let Ok(kept) = store.audit_retention().await {
            report_kept(kept, retention.audit_retention_days);
        }
        pause = PAUSE;
    }
}

/// Counts the hours of the overview until `stopping`; of several replicas, one counts at a time.
pub(crate) async fn count_hours(store: Store, stopping: CancellationToken) {
    let mut pause = Duration::ZERO;
    while stopping.run_until_cancelled(tokio::time::sleep(pause)).await.is_some() {
        pause = match store.count_overview_hours().await {
            Ok(0) => COUNTING,
            Ok(_) => Duration::ZERO,
            Err(error) => {
                tracing::debug!(error = %tarsy_telemetry::chain(&error), "could not count hours");
                COUNTING
            }
        };
    }
}

/// What a round does.
fn steps(retention: &Retention) -> Vec<Step> {
    let days = |days: u32| DAY * days;
    let sessions = retention.session_retention_days;
    let ages = SessionAges {
        others: days(sessions),
        reviewed: days(retention.reviewed_session_retention_days.unwrap_or(sessions)),
        replays: days(retention.replay_retention_days.unwrap_or(sessions)),
    };
    let records = days(retention.record_retention_days);
    let of_sessions = [
        retention.prompt_retention_days.map(|age| (RetainedKind::Prompts, days(age))),
        retention.tool_result_retention_days.map(|age| (RetainedKind::ToolResults, days(age))),
    ];
    let kinds = [
        (RetainedKind::Events, retention.event_ttl),
        (RetainedKind::Alerts, days(retention.alert_retention_days)),
        (RetainedKind::Changes, records),
        (RetainedKind::Dependencies, days(retention.dependency_retention_days)),
        (RetainedKind::Notifications, records),
        (RetainedKind::DeadLetters, records),
        (RetainedKind::TokenUsage, records),
        (RetainedKind::IdempotencyKeys, IDEMPOTENCY_KEYS),
        (RetainedKind::QuotaWindows, QUOTA_WINDOWS),
        (RetainedKind::SignIns, ENDED_SIGN_INS),
        (RetainedKind::ScheduleRuns, days(sessions)),
        (RetainedKind::Configurations, DAY),
    ];
    let kinds = kinds.into_iter().chain(of_sessions.into_iter().flatten());
    let purged = kinds.map(|(kind, age)| Step::Purge(kind, age));
    let others = [
        Step::HideSessions(ages),
        Step::DeleteAuditEntries { days: retention.audit_retention_days },
        Step::DeleteSessions,
        Step::FillSearch,
    ];
    purged.chain(others).collect()
}

/// Says that the database keeps the audit log for longer than configured: only the owner of the tables may change that.
fn report_kept(kept: u32, configured: u32) {
    if kept > configured {
        tracing::warn!(
            kept,
            configured,
            "the audit log is kept for longer than audit_retention_days says; run \
             `tarsy migrate --audit-retention-days {configured}`"
        );
    }
}

/// One round: each step in bounded statements until it changes nothing.
async fn clean(store: &Store, steps: &[Step], stopping: &CancellationToken) -> Result<u64, Error> {
    let mut rows = 0;
    for step in steps {
        loop {
            let changed = step.run(store).await?;
            rows += changed;
            if let Some(kind) = step.kind() {
                metrics::rows_purged(kind, changed);
            }
            if changed == 0 {
                break;
            }
            if stops_within(BETWEEN, stopping).await {
                return Ok(rows);
            }
        }
    }
    Ok(rows)
}

/// Waits; whether a stop was asked for meanwhile.
async fn stops_within(pause: Duration, stopping: &CancellationToken) -> bool {
    tokio::time::timeout(pause, stopping.cancelled()).await.is_ok()
}

#[cfg(test)]
mod tests {
    use tarsy_testkit::TestPg;

    use super::*;

    #[tokio::test]
    async fn a_round_on_an_empty_database_deletes_nothing_and_ends() -> anyhow::Result<()> {
        let pg = TestPg::migrated().await?;
        let store = Store::connect(pg.url(), 2).await?;
        let retention = Retention {
            prompt_retention_days: Some(1),
            tool_result_retention_days: Some(1),
            ..Retention::default()
        };
        let steps = steps(&retention);
        assert_eq!(clean(&store, &steps, &CancellationToken::new()).await?, 0);
        Ok(())
    }

    #[test]
    fn what_of_sessions_has_no_age_of_its_own_goes_with_them() {
        let kinds: Vec<_> =
            steps(&Retention::default()).into_iter().filter_map(Step::kind).collect();
        assert!(!kinds.contains(&"prompts") && !kinds.contains(&"tool_results"), "{kinds:?}");
        let Some(Step::HideSessions(ages)) = steps(&Retention::default())
            .into_iter()
            .find(|step| matches!(step, Step::HideSessions(_)))
        else {
            panic!("sessions are hidden")
        };
        assert_eq!((ages.reviewed, ages.replays), (ages.others, ages.others));
    }
}
