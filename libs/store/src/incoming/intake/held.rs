//! Alerts that wait, and the end of rows without a session.

use serde_json::{Value, json};
use tarsy_domain::id::IntakeAlertId;
use tarsy_intake::Alert;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// An alert whose time to wait is over.
#[derive(Clone, Debug)]
pub struct HeldAlert {
    pub id: IntakeAlertId,
    /// As it was stored: masked.
    pub alert: Alert,
    pub alert_type: String,
    pub rule: Option<String>,
    pub runbook_url: Option<String>,
}

impl Store {
    /// Held alerts whose time has come and that still fire, the longest waiting first. Deciding about one twice is
    /// harmless: the second decision finds the session of the first.
    #[tracing::instrument(name = "db.intake.list_due", skip_all)]
    pub async fn list_due_alerts(&self, limit: i64) -> Result<Vec<HeldAlert>, Error> {
        // An alert that changed since has a newer row, which tells more than this one.
        sqlx::query(
            "update intake_alerts a set released_at = now()
             where a.action = 'hold' and a.released_at is null and a.hold_until <= now()
                and exists (
                    select from intake_alerts newer
                    where newer.source = a.source and newer.fingerprint = a.fingerprint and newer.seq > a.seq
                )",
        )
        .execute(&self.pool)
        .await?;
        let rows = sqlx::query(
            "select id, source, source_id, fingerprint, group_key, status, title, severity, service, namespace, cluster,
                labels, annotations, links, starts_at, ends_at, notes, raw, alert_type, rule, runbook_url
             from intake_alerts
             where action = 'hold' and released_at is null and hold_until <= now()
             order by hold_until, seq limit $1",
        )
        .bind(limit)
        .fetch_all(&self.pool)
        .await?;
        rows.iter()
            .map(|row| {
                let cells = Cells::new(row, "intake_alerts");
                Ok(HeldAlert {
                    id: cells.id("id")?,
                    alert: alert(&cells)?,
                    alert_type: cells.text("alert_type")?,
                    rule: cells.maybe_text("rule")?,
                    runbook_url: cells.maybe_text("runbook_url")?,
                })
            })
            .collect()
    }
}

fn alert(cells: &Cells<'_>) -> Result<Alert, Error> {
    let json = |column: &str, empty: Value| -> Result<Value, Error> {
        Ok(cells.maybe_json(column)?.unwrap_or(empty))
    };
    let document = json!({
        "source": cells.text("source")?,
        "source_id": cells.maybe_text("source_id")?,
        "title": cells.text("title")?,
        "severity": cells.maybe_text("severity")?,
        "status": cells.text("status")?,
        "service": cells.maybe_text("service")?,
        "namespace": cells.maybe_text("namespace")?,
        "cluster": cells.maybe_text("cluster")?,
        "labels": json("labels", json!({}))?,
        "annotations": json("annotations", json!({}))?,
        "links": json("links", json!([]))?,
        "fingerprint": cells.text("fingerprint")?,
        "group_key": cells.maybe_text("group_key")?,
        "starts_at": cells.maybe_time("starts_at")?,
        "ends_at": cells.maybe_time("ends_at")?,
        "notes": json("notes", json!([]))?,
        "raw": json("raw", Value::Null)?,
    });
    serde_json::from_value(document).map_err(|_| Error::Inconsistent { table: "intake_alerts" })
}
