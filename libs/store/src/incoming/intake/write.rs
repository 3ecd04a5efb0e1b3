//! Writes alerts with what was decided about them.

use jiff::Timestamp;
use serde_json::{Value, json};
use tarsy_domain::id::SessionId;
use tarsy_intake::Action;
use uuid::Uuid;

use super::new::{IntakeOutcome, NewAlert, NewAlerts};
use super::plan::{Planned, Step};
use crate::database::pool::Connection;
use crate::error::Error;

/// Inserts what is new and counts what is repeated; returns what became of each alert.
pub(super) async fn write(
    tx: &mut Connection,
    new: &NewAlerts,
    planned: Planned,
    stopped: &[SessionId],
    now: Timestamp,
) -> Result<Vec<IntakeOutcome>, Error> {
    let steps: Vec<Step> = planned.steps.into_iter().map(|step| begun(step, stopped)).collect();
    let all = || new.alerts.iter().zip(&steps);
    let inserted: Vec<_> = all().filter(|(_, step)| step.repeats.is_none()).collect();
    insert(tx, &inserted, now).await?;
    let repeated: Vec<Uuid> =
        steps.iter().filter_map(|step| step.repeats).map(Uuid::from).collect();
    count(tx, repeated, now).await?;
    let held: Vec<Uuid> = new.alerts.iter().filter_map(|new| new.held).map(Uuid::from).collect();
    release(tx, held).await?;
    let outcome = |step: Step| IntakeOutcome {
        decision: step.decision,
        session_id: step.session,
        is_repeat: step.repeats.is_some(),
    };
    Ok(steps.into_iter().map(outcome).collect())
}

/// A session that somebody has begun meanwhile is not stopped: the alert is shown on its timeline.
fn begun(mut step: Step, stopped: &[SessionId]) -> Step {
    if let Action::Stop { session } = &step.decision.action
        && !step.session.is_some_and(|session| stopped.contains(&session))
    {
        step.decision.action = Action::Resolve { session: session.clone() };
    }
    step
}

async fn insert(
    tx: &mut Connection,
    rows: &[(&NewAlert, &Step)],
    now: Timestamp,
) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let ids: Vec<Uuid> = rows.iter().map(|(_, step)| step.id.uuid()).collect();
    let documents: Vec<Value> = rows.iter().map(|(new, step)| document(new, step)).collect();
    sqlx::query(
        "insert into intake_alerts
            (id, source, source_id, fingerprint, group_key, status, title, severity, service, namespace, cluster,
             labels, annotations, links, starts_at, ends_at, raw, alert_type, chain_id, rule, runbook_url, action,
             reason, decision, session_id, in_session_text, hold_until, content, notes, received_at, last_received_at)
         select k.id, r.source, r.source_id, r.fingerprint, r.group_key, r.status, r.title, r.severity, r.service,
             r.namespace, r.cluster, r.labels, r.annotations, r.links, r.starts_at, r.ends_at, r.raw, r.alert_type,
             r.chain_id, r.rule, r.runbook_url, r.action, r.reason, r.decision, r.session_id, r.in_session_text,
             r.hold_until, r.content, r.notes, $3, $3
         from unnest($1::uuid[], $2::jsonb[]) with ordinality as k (id, document, place),
            jsonb_to_record(k.document) as r (
                source text, source_id text, fingerprint text, group_key text, status text, title text,
                severity text, service text, namespace text, cluster text, labels jsonb, annotations jsonb,
                links jsonb, starts_at timestamptz, ends_at timestamptz, raw jsonb, alert_type text,
                chain_id text, rule text, runbook_url text, action text, reason text, decision jsonb,
                session_id uuid, in_session_text boolean, hold_until timestamptz, content text, notes jsonb)
         order by k.place",
    )
    .bind(ids)
    .bind(documents)
    .bind(jiff_sqlx::Timestamp::from(now))
    .execute(tx)
    .await?;
    Ok(())
}

/// The row as JSON: it has more columns than a statement should have arrays.
fn document(new: &NewAlert, step: &Step) -> Value {
    let alert = &new.alert;
    let hold_until = match &step.decision.action {
        Action::Hold { until } => Some(*until),
        _ => None,
    };
    json!({
        "source": alert.source,
        "source_id": alert.source_id,
        "fingerprint": alert.fingerprint,
        "group_key": new.group,
        "status": alert.status,
        "title": alert.title,
        "severity": alert.severity,
        "service": alert.service,
        "namespace": alert.namespace,
        "cluster": alert.cluster,
        "labels": alert.labels,
        "annotations": alert.annotations,
        "links": alert.links,
        "starts_at": alert.starts_at,
        "ends_at": alert.ends_at,
        "raw": alert.raw,
        "alert_type": new.alert_type,
        "chain_id": new.chain_id,
        "rule": new.rule,
        "runbook_url": new.runbook_url,
        "action": step.decision.action.as_str(),
        "reason": step.decision.reason.as_str(),
        "decision": step.decision,
        "session_id": step.session,
        "in_session_text": step.in_session_text,
        "hold_until": hold_until,
        "content": alert.content,
        "notes": (!alert.notes.is_empty()).then_some(&alert.notes),
    })
}

/// Counts alerts that the source sent again; one request may have the same one several times.
async fn count(tx: &mut Connection, rows: Vec<Uuid>, now: Timestamp) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "update intake_alerts a set repeats = a.repeats + k.many, last_received_at = $2
         from (select id, count(*) as many from unnest($1::uuid[]) as k (id) group by id) k
         where a.id = k.id",
    )
    .bind(rows)
    .bind(jiff_sqlx::Timestamp::from(now))
    .execute(tx)
    .await?;
    Ok(())
}

async fn release(tx: &mut Connection, rows: Vec<Uuid>) -> Result<(), Error> {
    if rows.is_empty() {
        return Ok(());
    }
    sqlx::query(
        "update intake_alerts set released_at = now() where id = any($1) and released_at is null",
    )
    .bind(rows)
    .execute(tx)
    .await?;
    Ok(())
}
