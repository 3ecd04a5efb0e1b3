//! What a model is given to reach a verdict: calls, tools that were not called, and the lines that the analysis rests on.

use serde_json::Value;
use sqlx::postgres::PgRow;
use tarsy_contracts::change::{Change, GivenChanges};
use tarsy_domain::event::CallStatus;
use tarsy_domain::id::SessionId;
use tarsy_domain::verdict::{Evidence, MAX_TEXT_CHARS};

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// Calls that are named, the first ones: more than most investigations make.
const MAX_CALLS: i64 = 200;
/// Tools that were offered and not called.
const MAX_TOOLS: i64 = 60;
/// Lines of results.
const MAX_LINES: i64 = 60;
/// How much of a long line stands before the words of the analysis, in characters.
const LEAD: i32 = 150;

/// What a verdict can be made of.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct VerdictMaterial {
    /// In the order of their numbers.
    pub calls: Vec<CallSummary>,
    /// `server.tool` of those that were offered and not called.
    pub unused_tools: Vec<String>,
    /// The lines that bear out claims of the last conclusions, in the order of the calls.
    pub evidence: Vec<Evidence>,
    /// What changed near the alert, as the investigation was given it.
    pub changes: Vec<Change>,
}

/// A call without its result.
#[derive(Clone, Debug, PartialEq)]
pub struct CallSummary {
    /// Its number in the session, from 1.
    pub number: i64,
    /// `server.tool`.
    pub tool: String,
    pub arguments: Option<Value>,
    pub status: CallStatus,
}

impl Store {
    /// What a model is given to reach a verdict about a session.
    #[tracing::instrument(name = "db.verdict.find_material", skip_all)]
    pub async fn find_verdict_material(
        &self,
        session: SessionId,
    ) -> Result<VerdictMaterial, Error> {
        let mut connection = self.pool.acquire().await?;
        Ok(VerdictMaterial {
            calls: calls(&mut connection, session).await?,
            unused_tools: unused_tools(&mut connection, session).await?,
            evidence: evidence(&mut connection, session).await?,
            changes: changes(&mut connection, session).await?,
        })
    }

    /// Those of some texts that occur neither in the alert nor in a result of the investigation; the case of letters does
    /// not matter.
    #[tracing::instrument(name = "db.verdict.list_unknown", skip_all)]
    pub async fn list_unknown_texts(
        &self,
        session: SessionId,
        texts: &[String],
    ) -> Result<Vec<String>, Error> {
        let unknown = sqlx::query_scalar(
            "select t.text from unnest($2::text[]) with ordinality as t (text, place)
             where not exists (
                select 1 from alert_sessions a
                where a.id = $1 and position(lower(t.text) in lower(a.alert_data)) > 0
             ) and not exists (
                select 1 from mcp_interactions m join stages s on s.id = m.stage_id
                    left join tool_results r on r.interaction_id = m.id
                where m.session_id = $1 and s.chat_id is null and m.interaction_type = 'tool_call'
                    and position(lower(t.text) in lower(coalesce(r.content, m.tool_result, ''))) > 0
             )
             order by t.place",
        );
        Ok(unknown.bind(session.uuid()).bind(texts).fetch_all(&self.pool).await?)
    }
}

async fn calls(connection: &mut Connection, session: SessionId) -> Result<Vec<CallSummary>, Error> {
    sqlx::query(
        "select m.call_number, m.server_name || '.' || coalesce(m.tool_name, '') as tool, m.tool_arguments, m.status
         from mcp_interactions m join stages s on s.id = m.stage_id
         where m.session_id = $1 and s.chat_id is null and m.interaction_type = 'tool_call'
         order by m.call_number limit $2",
    )
    .bind(session.uuid())
    .bind(MAX_CALLS)
    .fetch_all(connection)
    .await?
    .iter()
    .map(call)
    .collect()
}

fn call(row: &PgRow) -> Result<CallSummary, Error> {
    let cells = Cells::new(row, "mcp_interactions");
    Ok(CallSummary {
        number: cells.get("call_number")?,
        tool: cells.text("tool")?,
        arguments: cells.maybe_json("tool_arguments")?,
        status: cells.word("status")?,
    })
}

async fn unused_tools(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Vec<String>, Error> {
    let tools = sqlx::query_scalar(
        "select distinct d.server_name || '.' || d.tool_name as tool
         from mcp_interactions l join stages s on s.id = l.stage_id
            join tool_sets t on t.digest = l.tool_set
            cross join lateral unnest(t.definitions) as o (digest)
            join tool_definitions d on d.digest = o.digest
         where l.session_id = $1 and s.chat_id is null and l.interaction_type = 'tool_list'
            and not exists (
                select 1 from mcp_interactions c
                where c.session_id = $1 and c.interaction_type = 'tool_call'
                    and c.server_name = d.server_name and c.tool_name = d.tool_name
            )
         order by tool limit $2",
    );
    Ok(tools.bind(session.uuid()).bind(MAX_TOOLS).fetch_all(connection).await?)
}

/// The lines that claims of the last stage's conclusions rest on. A long line is cut around the words of its claim.
async fn evidence(connection: &mut Connection, session: SessionId) -> Result<Vec<Evidence>, Error> {
    let rows = sqlx::query(
        "with checked as (
            -- The newest check of an agent: the first conclusion may have been corrected.
            select distinct on (k.execution_id) k.id, s.stage_index
            from claim_checks k join agent_executions e on e.id = k.execution_id join stages s on s.id = e.stage_id
            where k.session_id = $1 and s.chat_id is null and e.parent_execution_id is null
            order by k.execution_id, k.checked_at desc, k.id desc
         ), shown as (
            select distinct on (c.call_number, c.line) c.call_number, c.line, c.text
            from claims c join checked k on k.id = c.check_id
            where k.stage_index = (select max(stage_index) from checked)
                and c.verdict in ('supported', 'uncited', 'supported_elsewhere')
                and c.call_number is not null and c.line is not null
                -- A citation without a line has the first one.
                and (c.kind <> 'citation' or c.line > 1)
            order by c.call_number, c.line, c.ordinal
         ), lines as (
            select w.call_number, w.line, w.text as words,
                btrim(split_part(coalesce(r.content, m.tool_result, ''), E'\\n', w.line), E' \\t\\r') as line_text
            from shown w
                join mcp_interactions m on m.session_id = $1 and m.call_number = w.call_number
                    and m.interaction_type = 'tool_call'
                left join tool_results r on r.interaction_id = m.id
         )
         select call_number, line,
            case when char_length(line_text) <= $2 then line_text
                else substr(line_text, greatest(1, position(words in line_text) - $3), $2) end as text
         from lines where line_text <> '' order by call_number, line limit $4",
    )
    .bind(session.uuid())
    .bind(i32::try_from(MAX_TEXT_CHARS).unwrap_or(i32::MAX))
    .bind(LEAD)
    .bind(MAX_LINES)
    .fetch_all(connection)
    .await?;
    Ok(rows.iter().map(line).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

async fn changes(connection: &mut Connection, session: SessionId) -> Result<Vec<Change>, Error> {
    let row = sqlx::query("select changes from alert_sessions where id = $1")
        .bind(session.uuid())
        .fetch_optional(connection)
        .await?;
    let Some(row) = row else { return Ok(Vec::new()) };
    let given: Option<GivenChanges> =
        Cells::new(&row, "alert_sessions").maybe_decoded("changes")?;
    Ok(given.unwrap_or_default().near)
}

/// None for a number that no verdict can name.
fn line(row: &PgRow) -> Result<Option<Evidence>, Error> {
    let cells = Cells::new(row, "claims");
    let call = u32::try_from(cells.get::<i64>("call_number")?);
    let line = u32::try_from(cells.get::<i32>("line")?);
    let text = cells.text("text")?;
    Ok(call.ok().zip(line.ok()).map(|(call, line)| Evidence { call, line, text }))
}
