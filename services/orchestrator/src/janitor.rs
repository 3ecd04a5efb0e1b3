//! Deletes old rows: published events, the audit log, sign-ins, and sessions, which are first hidden and later deleted.

use std::time::Duration;

use tarsy_catalog::Retention;
use tarsy_store::{Error, Store};
use tokio_util::sync::CancellationToken;

/// The pause before the first round; short, so that a process that restarts often cleans up, too.
const FIRST: Duration = Duration::from_mins(1);
/// How long a hidden session stays in the tables.
const GRACE: Duration = Duration::from_hours(7 * 24);
/// How long a sign-in that ended stays in its table; the audit log has it longer.
const ENDED_SIGN_INS: Duration = Duration::from_hours(7 * 24);
/// How often the hours of the overview are counted, so that its readers count few themselves.
const COUNTING: Duration = Duration::from_mins(1);
const DAY: Duration = Duration::from_hours(24);

/// Runs until `stopping`; of several replicas, one cleans at a time.
pub(crate) async fn run(store: Store, retention: Retention, stopping: CancellationToken) {
    let mut pause = FIRST;
    loop {
        tokio::select! {
            () = stopping.cancelled() => return,
            () = tokio::time::sleep(pause) => {}
        }
        match clean(&store, &retention, &stopping).await {
            Ok(0) => {}
            Ok(rows) => tracing::info!(rows, "deleted old rows"),
            Err(error) => {
                tracing::warn!(error = %tarsy_telemetry::chain(&error), "could not clean up");
            }
        }
        if let Ok(kept) = store.audit_retention().await {
            report_kept(kept, retention.audit_retention_days);
        }
        pause = retention.cleanup_interval;
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

/// One round: each step in bounded statements until it deletes nothing.
async fn clean(
    store: &Store,
    retention: &Retention,
    stopping: &CancellationToken,
) -> Result<u64, Error> {
    let mut rows = 0;
    let age = DAY * retention.session_retention_days;
    for step in 0..6 {
        while !stopping.is_cancelled() {
            let deleted = match step {
                0 => store.delete_old_events(retention.event_ttl).await?,
                1 => store.soft_delete_sessions(age).await?,
                2 => store.delete_audit_entries(retention.audit_retention_days).await?,
                3 => store.delete_ended_sign_ins(ENDED_SIGN_INS).await?,
                4 => store.purge_sessions(GRACE).await?,
                _ => store.fill_search().await?,
            };
            rows += deleted;
            if deleted == 0 {
                break;
            }
        }
    }
    Ok(rows)
}

#[cfg(test)]
mod tests {
    use tarsy_testkit::TestPg;

    use super::*;

    #[tokio::test]
    async fn a_round_on_an_empty_database_deletes_nothing_and_ends() -> anyhow::Result<()> {
        let pg = TestPg::start().await?;
        let store = Store::connect(pg.url(), 2).await?;
        store.migrate().await?;
        let retention = Retention {
            session_retention_days: 365,
            audit_retention_days: 365,
            event_ttl: Duration::from_hours(1),
            cleanup_interval: Duration::from_hours(12),
        };
        assert_eq!(clean(&store, &retention, &CancellationToken::new()).await?, 0);
        Ok(())
    }
}
