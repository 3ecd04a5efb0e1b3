//! Reading what sources sent, and what became of it.

use std::collections::BTreeMap;

use jiff::Timestamp;
use sqlx::{Postgres, QueryBuilder};
use tarsy_contracts::alert::AlertLink;
use tarsy_domain::id::{IntakeAlertId, SessionId};
use tarsy_intake::{Content, Decision, Status};

use super::known::status;
use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// An alert of a source, with what was decided about it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedAlert {
    pub id: IntakeAlertId,
    /// Its place among all.
    pub seq: i64,
    pub source: String,
    pub source_id: Option<String>,
    pub fingerprint: String,
    pub status: Status,
    pub title: String,
    pub severity: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub labels: BTreeMap<String, String>,
    pub annotations: BTreeMap<String, String>,
    pub links: Vec<AlertLink>,
    pub starts_at: Option<Timestamp>,
    pub ends_at: Option<Timestamp>,
    pub content: Content,
    pub notes: Vec<String>,
    pub alert_type: String,
    pub chain_id: String,
    /// The rule that gave it its type.
    pub rule: Option<String>,
    pub decision: Decision,
    pub session_id: Option<SessionId>,
    /// The session's text has it.
    pub in_session_text: bool,
    pub received_at: Timestamp,
    /// How often the source sent it again.
    pub repeats: i64,
    pub last_received_at: Timestamp,
    /// A held alert was decided anew then.
    pub released_at: Option<Timestamp>,
}

/// Which alerts are listed, the newest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntakeQuery {
    pub session: Option<SessionId>,
    pub source: Option<String>,
    /// The name of an [`Action`](tarsy_intake::Action).
    pub action: Option<String>,
    pub before: Option<i64>,
    pub limit: i64,
}

/// The columns of a [`ReceivedAlert`].
macro_rules! columns {
    () => {
        "a.id, a.seq, a.source, a.source_id, a.fingerprint, a.status, a.title, a.severity, a.service, a.namespace, \
         a.cluster, a.labels, a.annotations, a.links, a.starts_at, a.ends_at, a.alert_type, a.chain_id, a.rule, \
         a.decision, a.session_id, a.in_session_text, a.received_at, a.repeats, a.last_received_at, a.released_at, \
         a.content, a.notes"
    };
}
pub(super) use columns;

pub(super) fn read(cells: &Cells<'_>) -> Result<ReceivedAlert, Error> {
    let inconsistent = || Error::Inconsistent { table: "intake_alerts" };
    Ok(ReceivedAlert {
        id: cells.id("id")?,
        seq: cells.get("seq")?,
        source: cells.text("source")?,
        source_id: cells.maybe_text("source_id")?,
        fingerprint: cells.text("fingerprint")?,
        status: status(&cells.text("status")?).ok_or_else(inconsistent)?,
        title: cells.text("title")?,
        severity: cells.maybe_text("severity")?,
        service: cells.maybe_text("service")?,
        namespace: cells.maybe_text("namespace")?,
        cluster: cells.maybe_text("cluster")?,
        labels: cells.maybe_decoded("labels")?.unwrap_or_default(),
        annotations: cells.maybe_decoded("annotations")?.unwrap_or_default(),
        links: cells.maybe_decoded("links")?.unwrap_or_default(),
        starts_at: cells.maybe_time("starts_at")?,
        ends_at: cells.maybe_time("ends_at")?,
        content: content(&cells.text("content")?).ok_or_else(inconsistent)?,
        notes: cells.maybe_decoded("notes")?.unwrap_or_default(),
        alert_type: cells.text("alert_type")?,
        chain_id: cells.text("chain_id")?,
        rule: cells.maybe_text("rule")?,
        decision: cells.maybe_decoded("decision")?.ok_or_else(inconsistent)?,
        session_id: cells.maybe_id("session_id")?,
        in_session_text: cells.get("in_session_text")?,
        received_at: cells.time("received_at")?,
        repeats: cells.get("repeats")?,
        last_received_at: cells.time("last_received_at")?,
        released_at: cells.maybe_time("released_at")?,
    })
}

fn content(name: &str) -> Option<Content> {
    let all = [Content::Problem, Content::Test, Content::Heartbeat, Content::NotUnderstood];
    all.into_iter().find(|content| content.as_str() == name)
}

impl Store {
    /// Alerts of sources, the newest first; without those of deleted sessions.
    #[tracing::instrument(name = "db.intake.list", skip_all)]
    pub async fn list_received_alerts(
        &self,
        query: IntakeQuery,
    ) -> Result<Vec<ReceivedAlert>, Error> {
        let mut sql: QueryBuilder<Postgres> = QueryBuilder::new(concat!(
            "select ",
            columns!(),
            " from intake_alerts a where not exists (
                select from alert_sessions s where s.id = a.session_id and s.deleted_at is not null
             )"
        ));
        if let Some(session) = query.session {
            sql.push(" and a.session_id = ").push_bind(session.uuid());
        }
        if let Some(source) = &query.source {
            sql.push(" and a.source = ").push_bind(source.replace('\0', "\u{fffd}"));
        }
        if let Some(action) = &query.action {
            sql.push(" and a.action = ").push_bind(action.replace('\0', "\u{fffd}"));
        }
        if let Some(before) = query.before {
            sql.push(" and a.seq < ").push_bind(before);
        }
        sql.push(" order by a.seq desc limit ").push_bind(query.limit);
        let rows = sql.build().fetch_all(&self.pool).await?;
        rows.iter().map(|row| read(&Cells::new(row, "intake_alerts"))).collect()
    }
}
