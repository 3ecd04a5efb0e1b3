//! Heartbeats of sources: when each came last. The rows of the heartbeats are the timer, so that it outlives every process.

use std::time::Duration;

use sqlx::postgres::PgRow;
use tarsy_intake::Heartbeat;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// The most heartbeats of a source that are looked at.
const MAX_HEARTBEATS: i64 = 1_000;

impl Store {
    /// The newest of each heartbeat of a source, with the newest alert that it stopped. One is late if it came neither
    /// within this time nor since it.
    #[tracing::instrument(name = "db.intake.list_heartbeats", skip_all)]
    pub async fn list_heartbeats(
        &self,
        source: &str,
        within: Duration,
    ) -> Result<Vec<Heartbeat>, Error> {
        let rows = sqlx::query(
            "select h.source, h.fingerprint, h.title, h.service, h.namespace, h.cluster, h.labels, h.last_received_at,
                h.last_received_at < now() - make_interval(secs => $2) as is_late
             from (
                select distinct on (fingerprint) source, fingerprint, title, service, namespace, cluster, labels,
                    last_received_at
                from intake_alerts where source = $1 and content = 'heartbeat' and status <> 'resolved'
                order by fingerprint, last_received_at desc
             ) h
             order by h.last_received_at desc limit $3",
        )
        .bind(source)
        .bind(within.as_secs_f64())
        .bind(MAX_HEARTBEATS)
        .fetch_all(&self.pool)
        .await?;
        let mut heartbeats = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        self.add_reports(source, &mut heartbeats).await?;
        Ok(heartbeats)
    }

    async fn add_reports(&self, source: &str, heartbeats: &mut [Heartbeat]) -> Result<(), Error> {
        let keys: Vec<String> =
            heartbeats.iter().map(|one| Heartbeat::fingerprint_of_stop(&one.fingerprint)).collect();
        let rows = sqlx::query(
            "select k.place, s.starts_at, s.status
             from unnest($2::text[]) with ordinality as k (fingerprint, place)
                cross join lateral (
                    select a.starts_at, a.status from intake_alerts a
                    where a.source = $1 and a.fingerprint = k.fingerprint order by a.seq desc limit 1
                ) s",
        )
        .bind(source)
        .bind(keys)
        .fetch_all(&self.pool)
        .await?;
        for row in &rows {
            let cells = Cells::new(row, "intake_alerts");
            let place = usize::try_from(cells.get::<i64>("place")? - 1).unwrap_or(usize::MAX);
            if let Some(heartbeat) = heartbeats.get_mut(place) {
                heartbeat.reported_since = cells.maybe_time("starts_at")?;
                heartbeat.is_reported = cells.text("status")? != "resolved";
            }
        }
        Ok(())
    }
}

fn read(row: &PgRow) -> Result<Heartbeat, Error> {
    let cells = Cells::new(row, "intake_alerts");
    Ok(Heartbeat {
        source: cells.text("source")?,
        fingerprint: cells.text("fingerprint")?,
        title: cells.text("title")?,
        service: cells.maybe_text("service")?,
        namespace: cells.maybe_text("namespace")?,
        cluster: cells.maybe_text("cluster")?,
        labels: cells.maybe_decoded("labels")?.unwrap_or_default(),
        last_received_at: cells.time("last_received_at")?,
        is_late: cells.get("is_late")?,
        reported_since: None,
        is_reported: false,
    })
}
