//! Sessions that are replayed, and what a gateway reads of their originals.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::Value;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use tarsy_contracts::event::{Body, Committed};
use tarsy_contracts::recording::RecordedServer;
use tarsy_contracts::trace::OfferedTool;
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::{CallId, SessionId};
use tarsy_domain::status::SessionStatus;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode::{self, Tail};
use crate::error::Error;
use crate::record::events;
use crate::record::tool_sets::offered_tool;
use crate::session::sessions::SessionSettings;

/// A replay that becomes a session.
#[derive(Clone, Debug, PartialEq)]
pub struct NewReplay {
    pub id: SessionId,
    /// The session whose record it uses.
    pub replay_of: SessionId,
    pub author: Option<String>,
    /// Who pays for it: a user or an API token.
    pub principal: Option<String>,
    pub chain_id: String,
    pub settings: SessionSettings,
    /// The resolved chain that it runs.
    pub config_snapshot: Value,
    /// The provider that was chosen for it; none for those of its chain.
    pub requested_provider: Option<String>,
    /// The trace context of the request, if spans are exported.
    pub traceparent: Option<String>,
    /// Prompt templates by name, instead of the built-in ones.
    pub prompts: BTreeMap<String, String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayOutcome {
    /// It is a pending session; the events to publish.
    Inserted(Vec<Committed>),
    /// There is no such original.
    NotFound,
    NotOver(SessionStatus),
    /// The original was recorded by a version that did not store the tools as they were offered.
    NoTools,
    /// What its tools returned was deleted.
    NoResults,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedResult {
    pub status: CallStatus,
    /// The whole text, masked.
    pub text: String,
    pub refused_by_policy: bool,
}

impl Store {
    /// Takes in a replay as a pending session.
    #[tracing::instrument(name = "db.replay.insert", skip_all)]
    pub async fn insert_replay(&self, mut new: NewReplay) -> Result<ReplayOutcome, Error> {
        encode::clean_maybe(&mut new.author);
        encode::clean_maybe(&mut new.principal);
        encode::clean_json(&mut new.config_snapshot);
        new.prompts.values_mut().for_each(encode::clean);
        retrying!(Box::pin(self.insert_replay_once(&new)))
    }

    async fn insert_replay_once(&self, new: &NewReplay) -> Result<ReplayOutcome, Error> {
        let mut tx = self.pool.begin().await?;
        let original = sqlx::query(
            "select s.status, exists (
                select 1 from mcp_interactions l
                where l.session_id = s.id and l.interaction_type = 'tool_list' and l.status = 'completed'
                    and l.tool_set is null and jsonb_array_length(l.available_tools) > 0
             ) as has_old_lists, s.tool_results_deleted_at is not null as has_no_results
             from alert_sessions s where s.id = $1 and s.deleted_at is null for key share of s",
        )
        .bind(new.replay_of.uuid())
        .fetch_optional(&mut *tx)
        .await?;
        let Some(original) = original else { return Ok(ReplayOutcome::NotFound) };
        let cells = Cells::new(&original, "alert_sessions");
        let status: SessionStatus = cells.word("status")?;
        if !status.is_terminal() {
            return Ok(ReplayOutcome::NotOver(status));
        }
        if cells.get("has_old_lists")? {
            return Ok(ReplayOutcome::NoTools);
        }
        if cells.get("has_no_results")? {
            return Ok(ReplayOutcome::NoResults);
        }
        let at = insert_row(&mut tx, new).await?;
        sqlx::query("insert into session_control (session_id, event_seq) values ($1, 1)")
            .bind(new.id.uuid())
            .execute(&mut *tx)
            .await?;
        sqlx::query(
            "insert into prompt_overrides (session_id, name, template)
             select $1, name, template from unnest($2::text[], $3::text[]) as t (name, template)",
        )
        .bind(new.id.uuid())
        .bind(new.prompts.keys().collect::<Vec<_>>())
        .bind(new.prompts.values().collect::<Vec<_>>())
        .execute(&mut *tx)
        .await?;
        let body = Body::SessionStatus { status: SessionStatus::Pending };
        let committed = vec![Tail::new(new.id, &body)?.committed(new.id, 1, None, at)];
        events::insert(&mut tx, new.id, &committed).await?;
        tx.commit().await?;
        Ok(ReplayOutcome::Inserted(committed))
    }

    /// The prompt templates that a session uses instead of the built-in ones, by name.
    #[tracing::instrument(name = "db.prompt_override.list", skip_all)]
    pub async fn list_prompt_overrides(
        &self,
        session: SessionId,
    ) -> Result<BTreeMap<String, String>, Error> {
        let rows = sqlx::query("select name, template from prompt_overrides where session_id = $1")
            .bind(session.uuid())
            .fetch_all(&self.pool)
            .await?;
        rows.iter().map(|row| Ok((row.try_get("name")?, row.try_get("template")?))).collect()
    }

    /// The recorded result of a call that a replay has stored and waits for; none if the original made no such call.
    #[tracing::instrument(name = "db.replay.find_result", skip_all)]
    pub async fn find_recorded_result(
        &self,
        call: CallId,
    ) -> Result<Option<RecordedResult>, Error> {
        let row = sqlx::query(
            "select status, refused_by_policy, result from replayed_calls where call_id = $1",
        )
        .bind(call.uuid())
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| {
            let cells = Cells::new(&row, "replayed_calls");
            Ok(RecordedResult {
                status: cells.word("status")?,
                text: cells.text("result")?,
                refused_by_policy: cells.get("refused_by_policy")?,
            })
        })
        .transpose()
    }

    /// What the servers of the original of a replay offered, in the order of their ids.
    #[tracing::instrument(name = "db.replay.list_servers", skip_all)]
    pub async fn list_recorded_servers(
        &self,
        session: SessionId,
    ) -> Result<Vec<RecordedServer>, Error> {
        let rows = sqlx::query(
            "select server_name, error_message, tool_name, description, input_schema, read_only, idempotent
             from replayed_tools where session_id = $1 order by listed_at, list_id, place",
        )
        .bind(session.uuid())
        .fetch_all(&self.pool)
        .await?;
        recorded_servers(&rows)
    }
}

/// Copies what the alert says of the original; returns when the replay was created.
async fn insert_row(tx: &mut Connection, new: &NewReplay) -> Result<Timestamp, Error> {
    let settings = &new.settings;
    let timeout = settings.timeout.map(|timeout| timeout.as_millis().max(1));
    let row = sqlx::query(
        "insert into alert_sessions
            (id, origin, replay_of, alert_data, alert_type, received_at, runbook_url, runbook, runbook_error,
             mcp_selection, chain_id, status, author, principal, config_snapshot, timeout_ms, chat_enabled,
             budget_llm_calls, budget_tokens, budget_tool_calls, planned_stages,
             title, severity, service, namespace, cluster, links, labels, seen_before, recalled, changes,
             dependencies, traceparent,
             requested_provider)
         select $1, 'replay', o.id, o.alert_data, o.alert_type, o.received_at, o.runbook_url, o.runbook,
            o.runbook_error, o.mcp_selection, $3, 'pending', $4, $5, $6, $7, $8, $9, $10, $11, $12,
            o.title, o.severity, o.service, o.namespace, o.cluster, o.links, o.labels,
            coalesce(o.seen_before, '[]'), o.recalled, coalesce(o.changes, '{}'),
            coalesce(o.dependencies, '{}'), $13, $14
         from alert_sessions o where o.id = $2
         returning created_at",
    )
    .bind(new.id.uuid())
    .bind(new.replay_of.uuid())
    .bind(&new.chain_id)
    .bind(&new.author)
    .bind(&new.principal)
    .bind(&new.config_snapshot)
    .bind(timeout.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX)))
    .bind(settings.chat_enabled)
    .bind(i64::from(settings.budget.llm_calls))
    .bind(i64::from(settings.budget.tokens))
    .bind(i64::from(settings.budget.tool_calls))
    .bind(settings.planned_stages)
    .bind(&new.traceparent)
    .bind(&new.requested_provider)
    .fetch_one(tx)
    .await?;
    Cells::new(&row, "alert_sessions").time("created_at")
}

/// The servers of lists of tools: of each all tools of all its lists, each once. One is failed if none of its lists
/// succeeded.
pub(crate) fn recorded_servers(rows: &[PgRow]) -> Result<Vec<RecordedServer>, Error> {
    let (mut servers, mut failures) = (BTreeMap::new(), BTreeMap::new());
    for row in rows {
        let cells = Cells::new(row, "replayed_tools");
        let name = cells.text("server_name")?;
        if let Some(error) = cells.maybe_text("error_message")? {
            failures.entry(name).or_insert(error);
            continue;
        }
        let tools: &mut Vec<OfferedTool> = servers.entry(name).or_default();
        if cells.maybe_text("tool_name")?.is_some() {
            let tool = offered_tool(row)?;
            if tools.iter().all(|one| one.name != tool.name) {
                tools.push(tool);
            }
        }
    }
    failures.retain(|name, _| !servers.contains_key(name));
    let offered = servers.into_iter();
    let mut all: Vec<RecordedServer> =
        offered.map(|(server, tools)| RecordedServer { server, tools, error: None }).collect();
    all.extend(failures.into_iter().map(|(server, error)| RecordedServer {
        server,
        tools: Vec::new(),
        error: Some(error),
    }));
    Ok(all)
}
