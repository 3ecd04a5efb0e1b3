//! The records of investigations, to be saved, compared and brought in from elsewhere.

use serde_json::{Value, json};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::{Postgres, Row as _};
use tarsy_contracts::alert::AlertFields;
use tarsy_contracts::change::GivenChanges;
use tarsy_contracts::dependency::GivenDependencies;
use tarsy_contracts::event::{Body, Committed};
use tarsy_contracts::recording::{
    RecordedAlert, RecordedCall, RecordedReport, RecordedUsage, Recording,
};
use tarsy_domain::id::{CallId, InteractionId, SessionId};

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode::{self, Tail};
use crate::error::Error;
use crate::finding::replays::recorded_servers;
use crate::record::batch::write_tools;
use crate::record::events;
use crate::session::alert_fields;
use crate::session::session_list::is_of_model;
use crate::session::sessions::{self, Session};

type Query<'q> = sqlx::query::Query<'q, Postgres, PgArguments>;

/// A record that was made elsewhere, and becomes a finished session that can be replayed.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRecording {
    pub id: SessionId,
    pub chain_id: String,
    pub author: Option<String>,
    pub principal: Option<String>,
    /// What the alert states of itself, masked.
    pub fields: AlertFields,
    /// Masked.
    pub recording: Recording,
}

impl Store {
    /// The record of a session; none if there is no such session.
    #[tracing::instrument(name = "db.recording.find", skip_all)]
    pub async fn find_recording(&self, id: SessionId) -> Result<Option<Recording>, Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query("set transaction isolation level repeatable read read only")
            .execute(&mut *tx)
            .await?;
        let Some(session) = sessions::find(&mut tx, id).await? else { return Ok(None) };
        let lists = sqlx::query(
            "select l.server_name, l.error_message, d.tool_name, d.description, d.input_schema, d.read_only,
                d.idempotent
             from mcp_interactions l
             left join tool_sets t on t.digest = l.tool_set
             left join lateral unnest(t.definitions) with ordinality as m (digest, place) on true
             left join tool_definitions d on d.digest = m.digest
             where l.session_id = $1 and l.interaction_type = 'tool_list'
             order by l.created_at, l.id, m.place",
        )
        .bind(id.uuid())
        .fetch_all(&mut *tx)
        .await?;
        let calls = sqlx::query(
            "select m.call_number, m.server_name, m.tool_name, m.tool_arguments, m.status, m.refused_by_policy,
                case when m.status = 'completed' then coalesce(r.content, m.tool_result, '')
                    else coalesce(nullif(coalesce(r.content, m.tool_result), ''), m.error_message, '')
                end as result
             from mcp_interactions m left join tool_results r on r.interaction_id = m.id
             where m.session_id = $1 and m.interaction_type = 'tool_call' and m.status <> 'started'
             order by m.call_number",
        )
        .bind(id.uuid())
        .fetch_all(&mut *tx)
        .await?;
        let usage = usage(&mut tx, id).await?;
        tx.commit().await?;
        Ok(Some(Recording {
            session_id: id,
            servers: recorded_servers(&lists)?,
            calls: calls.iter().map(call).collect::<Result<_, _>>()?,
            usage,
            report: report(&session),
            alert: RecordedAlert {
                data: session.alert_data,
                alert_type: session.alert_type,
                received_at: session.received_at,
                runbook_url: session.runbook_url,
                runbook: session.runbook,
                // It is another session than those with the same fingerprint.
                fields: AlertFields { fingerprint: None, ..session.fields },
                changes: session.changes.unwrap_or_default().near,
                dependencies: session.dependencies.unwrap_or_default().near,
            },
            chain: session.config_snapshot,
        }))
    }

    /// The newest session that this record of an alert, received at this time, became; none if it was not imported, or
    /// if it was deleted since.
    #[tracing::instrument(name = "db.recording.find_imported", skip_all)]
    pub async fn find_imported_recording(
        &self,
        alert: &RecordedAlert,
    ) -> Result<Option<SessionId>, Error> {
        let row = sqlx::query(
            "select id from alert_sessions
             where origin = 'recording' and alert_data = $1 and received_at = $2 and deleted_at is null
                and tool_results_deleted_at is null
             order by id desc limit 1",
        )
        .bind(&alert.data)
        .bind(jiff_sqlx::Timestamp::from(alert.received_at))
        .fetch_optional(&self.pool)
        .await?;
        row.map(|row| Cells::new(&row, "alert_sessions").id("id")).transpose()
    }

    /// Stores a record that was made elsewhere as a finished session with the status that it has, which must be an end. Lists have it
    /// at the time of its alert; it is kept from now on.
    #[tracing::instrument(name = "db.recording.insert", skip_all)]
    pub async fn insert_recording(&self, mut new: NewRecording) -> Result<Vec<Committed>, Error> {
        clean(&mut new);
        retrying!(Box::pin(self.insert_recording_once(&new)))
    }

    async fn insert_recording_once(&self, new: &NewRecording) -> Result<Vec<Committed>, Error> {
        let (session, recording) = (new.id, &new.recording);
        let mut tx = self.pool.begin().await?;
        let query = sqlx::query(
            "insert into alert_sessions
                (id, origin, created_at, alert_data, alert_type, received_at, runbook_url, runbook, chain_id, status, author,
                 principal, config_snapshot, started_at, completed_at, final_analysis, executive_summary,
                 planned_stages, title, severity, service, namespace, cluster, links, labels, fingerprint, changes,
                 dependencies, error_message)
             values ($1, 'recording', least($4, now()), $2, $3, $4, $5, $6, $7, $23, $8, $9, $10, now(), now(), $11, $12, 0,
                $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $24)
             returning now() as stored_at",
        )
        .bind(session.uuid())
        .bind(&recording.alert.data)
        .bind(&recording.alert.alert_type)
        .bind(jiff_sqlx::Timestamp::from(recording.alert.received_at))
        .bind(&recording.alert.runbook_url)
        .bind(&recording.alert.runbook)
        .bind(&new.chain_id)
        .bind(&new.author)
        .bind(&new.principal)
        .bind(&recording.chain)
        .bind(&recording.report.final_analysis)
        .bind(&recording.report.executive_summary);
        let query = alert_fields::bind(query, &new.fields, None);
        let status = recording.report.status;
        let query = given(query, &recording.alert).bind(status.as_str());
        let row = query.bind(&recording.report.error_message).fetch_one(&mut *tx).await?;
        let calls = i64::try_from(recording.calls.len()).unwrap_or(i64::MAX);
        sqlx::query(
            "insert into session_control (session_id, event_seq, call_seq) values ($1, 1, $2)",
        )
        .bind(session.uuid())
        .bind(calls)
        .execute(&mut *tx)
        .await?;
        insert_lists(&mut tx, new).await?;
        insert_calls(&mut tx, session, &recording.calls).await?;
        let at = Cells::new(&row, "alert_sessions").time("stored_at")?;
        let body = Body::SessionStatus { status };
        let committed = vec![Tail::new(session, &body)?.committed(session, 1, None, at)];
        events::insert(&mut tx, session, &committed).await?;
        tx.commit().await?;
        Ok(committed)
    }
}

/// A replay gets what was recorded, and looks for no further changes and dependencies.
fn given<'q>(query: Query<'q>, alert: &RecordedAlert) -> Query<'q> {
    let clean = |mut given: Value| {
        encode::clean_json(&mut given);
        given
    };
    let changes = GivenChanges { are_recorded: false, near: alert.changes.clone() };
    let near = alert.dependencies.clone();
    let dependencies = GivenDependencies { are_known: false, near };
    query.bind(clean(json!(changes))).bind(clean(json!(dependencies)))
}

fn clean(new: &mut NewRecording) {
    encode::clean_maybe(&mut new.author);
    alert_fields::clean(&mut new.fields);
    let Recording { alert, chain, servers, calls, report, .. } = &mut new.recording;
    encode::clean(&mut alert.data);
    for text in [
        &mut alert.alert_type,
        &mut alert.runbook_url,
        &mut alert.runbook,
        &mut report.final_analysis,
        &mut report.executive_summary,
        &mut report.error_message,
    ] {
        encode::clean_maybe(text);
    }
    encode::clean_json(chain);
    for server in servers {
        encode::clean(&mut server.server);
        encode::clean_maybe(&mut server.error);
        for tool in &mut server.tools {
            encode::clean(&mut tool.name);
            encode::clean(&mut tool.description);
            encode::clean_json(&mut tool.input_schema);
            tool.server.clone_from(&server.server);
        }
    }
    for call in calls {
        for text in [&mut call.server, &mut call.tool, &mut call.result] {
            encode::clean(text);
        }
        encode::clean_json(&mut call.arguments);
    }
}

async fn insert_lists(tx: &mut Connection, new: &NewRecording) -> Result<(), Error> {
    let servers = &new.recording.servers;
    let sets = write_tools::insert(tx, servers.iter().map(|one| one.tools.as_slice())).await?;
    for server in servers {
        let status = if server.error.is_some() { "failed" } else { "completed" };
        let available: Value = server
            .tools
            .iter()
            .map(|tool| json!({ "name": tool.name, "description": tool.description }))
            .collect();
        sqlx::query(
            "insert into mcp_interactions
                (id, session_id, status, call_id, interaction_type, server_name, available_tools, error_message,
                 tool_set)
             values ($1, $2, $3, $4, 'tool_list', $5, $6, $7, $8)",
        )
        .bind(InteractionId::new().uuid())
        .bind(new.id.uuid())
        .bind(status)
        .bind(CallId::new().uuid())
        .bind(&server.server)
        .bind(available)
        .bind(&server.error)
        .bind(sets.digest(&server.tools))
        .execute(&mut *tx)
        .await?;
    }
    Ok(())
}

/// Writes the calls with numbers from 1 in their order.
async fn insert_calls(
    tx: &mut Connection,
    session: SessionId,
    calls: &[RecordedCall],
) -> Result<(), Error> {
    let column = |cell: fn(&RecordedCall) -> String| calls.iter().map(cell).collect::<Vec<_>>();
    let ids = || calls.iter().map(|_| InteractionId::new().uuid()).collect::<Vec<_>>();
    sqlx::query(
        "insert into mcp_interactions
            (id, session_id, status, call_id, interaction_type, server_name, tool_name, tool_arguments, tool_result,
             refused_by_policy, call_number)
         select id, $1, status, call_id, 'tool_call', server_name, tool_name, arguments, result, refused, place
         from unnest($2::uuid[], $3::uuid[], $4::text[], $5::text[], $6::text[], $7::jsonb[], $8::text[], $9::bool[])
            with ordinality
            as c (id, call_id, status, server_name, tool_name, arguments, result, refused, place)",
    )
    .bind(session.uuid())
    .bind(ids())
    .bind(calls.iter().map(|_| CallId::new().uuid()).collect::<Vec<_>>())
    .bind(column(|call| call.status.as_str().to_owned()))
    .bind(column(|call| call.server.clone()))
    .bind(column(|call| call.tool.clone()))
    .bind(calls.iter().map(|call| call.arguments.clone()).collect::<Vec<_>>())
    .bind(column(|call| call.result.clone()))
    .bind(calls.iter().map(|call| call.refused_by_policy).collect::<Vec<_>>())
    .execute(tx)
    .await?;
    Ok(())
}

fn call(row: &PgRow) -> Result<RecordedCall, Error> {
    let cells = Cells::new(row, "mcp_interactions");
    Ok(RecordedCall {
        number: cells.get("call_number")?,
        server: cells.text("server_name")?,
        tool: cells.maybe_text("tool_name")?.unwrap_or_default(),
        arguments: cells.maybe_json("tool_arguments")?.unwrap_or_default(),
        status: cells.word("status")?,
        refused_by_policy: cells.get("refused_by_policy")?,
        result: cells.text("result")?,
    })
}

fn report(session: &Session) -> RecordedReport {
    RecordedReport {
        status: session.status,
        final_analysis: session.final_analysis.clone(),
        executive_summary: session.executive_summary.clone(),
        error_message: session.error_message.clone(),
    }
}

async fn usage(tx: &mut Connection, id: SessionId) -> Result<RecordedUsage, Error> {
    let row = sqlx::query(
        concat!(
            "select count(i.id) filter (where ",
            is_of_model!(),
            ") as llm_calls, coalesce(sum(i.input_tokens), 0)::bigint as input_tokens,
            coalesce(sum(i.output_tokens), 0)::bigint as output_tokens,
            coalesce(sum(i.total_tokens), 0)::bigint as total_tokens,
            coalesce(bool_or(i.tokens_estimated), false) as tokens_estimated,
            sum(i.cost_micro_usd)::bigint as cost_micro_usd,
            coalesce(array_agg(distinct i.provider) filter (where i.provider is not null), '{}') as providers,
            coalesce(array_agg(distinct i.prompt_version) filter (where i.prompt_version is not null), '{}')
                as prompt_versions,
            coalesce(array_agg(distinct i.tarsy_version) filter (where i.tarsy_version is not null), '{}')
                as tarsy_versions,
            (select duration_ms from alert_sessions where id = $1) as duration_ms
         from llm_interactions i where i.session_id = $1 and i.interaction_type not in ('score', 'postmortem')"
        ),
    )
    .bind(id.uuid())
    .fetch_one(tx)
    .await?;
    Ok(RecordedUsage {
        providers: row.try_get("providers")?,
        prompt_versions: row.try_get("prompt_versions")?,
        tarsy_versions: row.try_get("tarsy_versions")?,
        llm_calls: row.try_get("llm_calls")?,
        input_tokens: row.try_get("input_tokens")?,
        output_tokens: row.try_get("output_tokens")?,
        total_tokens: row.try_get("total_tokens")?,
        tokens_estimated: row.try_get("tokens_estimated")?,
        cost_micro_usd: row.try_get("cost_micro_usd")?,
        duration_ms: row.try_get("duration_ms")?,
    })
}
