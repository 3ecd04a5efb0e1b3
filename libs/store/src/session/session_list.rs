//! The list of sessions, page by page, and what it can be filtered by.

pub(crate) mod estimates;
mod facets;
pub(crate) mod query;
mod total;
mod walk;

use sqlx::Row;
use sqlx::postgres::PgRow;
use tarsy_contracts::finding::FindingSummary;
use tarsy_contracts::review::EarlierSessions;
use tarsy_contracts::session::{FilterOptions, SessionItem};
use tarsy_domain::id::ChatId;
use tarsy_domain::verdict;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;
use crate::finding::claims;
use crate::session::session_list::estimates::Estimates;
use crate::session::session_list::total::Size;
use crate::work::failures;
use crate::work::suspended::waits_for_approval;

pub use crate::session::session_list::query::{FailedTool, SessionQuery, SortBy};

/// So many sessions of a list are reached by pages: what a page skips is read, too.
pub const REACHABLE_SESSIONS: i64 = 10_000;

/// The longest list that is counted exactly. At a million sessions, reading so many takes about as long as the walk in the order
/// of a longer list until a page is full.
const EXACT_TOTAL: i64 = 5_000;

/// The most sessions with the same fingerprint that are counted, of each session of a page.
pub(crate) const MAX_EARLIER: i64 = 100;

/// What a list knows of a session.
pub(crate) struct Listed {
    pub(crate) item: SessionItem,
    /// Stages that failed or ran out of time.
    pub(crate) failed_stages: i64,
    /// Its chat, if one was opened.
    pub(crate) chat_id: Option<ChatId>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionPage {
    pub items: Vec<SessionItem>,
    /// How many there are on all pages; an estimate above 5,000.
    pub total_items: i64,
}

impl Store {
    #[tracing::instrument(name = "db.session.list", skip_all)]
    pub async fn list_sessions(&self, query: SessionQuery) -> Result<SessionPage, Error> {
        let mut connection = self.pool.acquire_for_filters().await?;
        let size = query.page_size.clamp(1, 100);
        let offset = query.page.max(1).saturating_sub(1).saturating_mul(size);
        let place = (size, offset);
        let estimates = Estimates::of(&mut connection, &query).await?;
        let measured =
            total::measure(&mut connection, &query, &estimates, place, EXACT_TOTAL).await?;
        let (ids, total_items) = match measured {
            Size::Short { page, total } => (page, total),
            Size::Long { expected } => {
                let page = walk::page(&mut connection, &query, &estimates, place, expected).await?;
                let total = total::corrected(expected, page.len(), place);
                (page, total)
            }
        };
        let listed = items(&mut connection, &ids).await?;
        Ok(SessionPage { items: listed.into_iter().map(|one| one.item).collect(), total_items })
    }

    /// The values that sessions have. Each is one step of an index, however many sessions have it.
    #[tracing::instrument(name = "db.session.list_filter_options", skip_all)]
    pub async fn list_filter_options(&self) -> Result<FilterOptions, Error> {
        let row = sqlx::query(
            "with recursive types (value) as (
                (select min(alert_type) from alert_sessions where deleted_at is null)
                union all
                select (select min(s.alert_type) from alert_sessions s
                        where s.alert_type > t.value and s.deleted_at is null)
                from types t where t.value is not null
             ), chains (value) as (
                (select min(chain_id) from alert_sessions where deleted_at is null)
                union all
                select (select min(s.chain_id) from alert_sessions s
                        where s.chain_id > c.value and s.deleted_at is null)
                from chains c where c.value is not null
             ), words (value) as (
                (select min(status) from alert_sessions where deleted_at is null)
                union all
                select (select min(s.status) from alert_sessions s
                        where s.status > w.value and s.deleted_at is null)
                from words w where w.value is not null
             ), people (value) as (
                (select min(assignee) from alert_sessions where deleted_at is null)
                union all
                select (select min(s.assignee) from alert_sessions s
                        where s.assignee > p.value and s.deleted_at is null)
                from people p where p.value is not null
             )
             select
                array(select value from types where value is not null order by value) as alert_types,
                array(select value from chains where value is not null order by value) as chain_ids,
                array(select value from words where value is not null order by value) as statuses,
                array(select value from people where value is not null order by value) as assignees",
        )
        .fetch_one(&self.pool)
        .await?;
        let statuses: Vec<String> = row.try_get("statuses")?;
        Ok(FilterOptions {
            alert_types: row.try_get("alert_types")?,
            chain_ids: row.try_get("chain_ids")?,
            statuses: statuses
                .iter()
                .map(|word| word.parse())
                .collect::<Result<_, _>>()
                .map_err(|_| Error::Inconsistent { table: "alert_sessions" })?,
            assignees: row.try_get("assignees")?,
        })
    }
}

/// `e` has how many sessions before `s` have its fingerprint, and the last of them. Parameter: how many are counted at most.
macro_rules! earlier {
    ($most:literal) => {
        concat!(
            "cross join lateral (
                select count(*) as earlier,
                    (array_agg(o.id order by o.created_at desc, o.id desc))[1] as last_session_id
                from (
                    select b.id, b.created_at from alert_sessions b
                    where b.fingerprint = s.fingerprint and b.deleted_at is null
                        and (b.created_at, b.id) < (s.created_at, s.id)
                    order by b.created_at desc, b.id desc limit ",
            $most,
            "
                ) o
             ) e"
        )
    };
}

pub(crate) use earlier;

/// Whether tokens of the session `s` are estimated, by an index of the calls whose tokens are.
macro_rules! tokens_estimated {
    () => {
        "exists (select from llm_interactions i where i.session_id = s.id and i.tokens_estimated)"
    };
}

/// Whether a model was called; the offline analyst is none.
macro_rules! is_of_model {
    () => {
        "backend is distinct from 'offline'"
    };
}

pub(crate) use is_of_model;

/// The sessions with these ids, in their order, at most `$2` earlier ones of each fingerprint counted.
const ITEMS: &str = concat!(
    "select s.id, s.alert_type, s.chain_id, s.status, s.origin, s.author, s.created_at, s.started_at,
        s.completed_at, s.duration_ms, s.error_message, s.failure, s.executive_summary,
        s.claims, s.verified_claims, s.degraded_reasons,
        s.current_stage_index, s.current_stage_id,
        coalesce(l.calls, 0) as llm_calls, coalesce(m.calls, 0) as mcp_calls,
        coalesce(l.input, 0) as input_tokens, coalesce(l.output, 0) as output_tokens,
        coalesce(l.total, 0) as total_tokens, ",
    tokens_estimated!(),
    " as tokens_estimated, l.cost as cost_micro_usd,
        coalesce(l.unpriced, 0) as unpriced_llm_calls,
        greatest(s.planned_stages::bigint, w.total, 0) as stages, coalesce(w.completed, 0) as completed_stages,
        coalesce(w.failed, 0) as failed_stages, coalesce(w.parallel, false) as parallel,
        q.chat_id, coalesce(q.questions, 0) as questions,
        s.title, s.severity, s.service, s.namespace, s.cluster, s.links, s.fingerprint, v.review, s.score, s.triage, s.assignee,
        e.earlier, e.last_session_id, f.outcome, f.alert_statement, f.cause, f.answer, f.confidence, ",
    waits_for_approval!(),
    "
     from unnest($1::uuid[]) with ordinality as page (id, place)
     join alert_sessions s on s.id = page.id
     left join (
        select session_id, count(*) filter (where ",
    is_of_model!(),
    ") as calls, sum(input_tokens)::bigint as input,
            sum(output_tokens)::bigint as output, sum(total_tokens)::bigint as total,
            sum(cost_micro_usd)::bigint as cost,
            count(*) filter (where cost_micro_usd is null and total_tokens > 0) as unpriced
        from llm_interactions where session_id = any($1) group by session_id
     ) l on l.session_id = s.id
     left join (
        select session_id, count(*) as calls
        from mcp_interactions where session_id = any($1) and interaction_type = 'tool_call'
        group by session_id
     ) m on m.session_id = s.id
     left join (
        select session_id, count(*) as total,
            count(*) filter (where status = 'completed') as completed,
            count(*) filter (where status in ('failed', 'timed_out')) as failed,
            bool_or(parallel_type is not null) as parallel
        from stages where session_id = any($1) and chat_id is null group by session_id
     ) w on w.session_id = s.id
     left join (
        select c.session_id, c.id as chat_id, count(u.id) as questions
        from chats c left join chat_user_messages u on u.chat_id = c.id
        where c.session_id = any($1) group by c.id
     ) q on q.session_id = s.id
     left join session_reviews v on v.id = s.review_id
     left join verdicts f on f.id = s.verdict_id
     ",
    earlier!("$2"),
    "
     order by page.place"
);

/// The list items of these sessions, in this order; what is counted is counted once for all.
pub(crate) async fn items(connection: &mut Connection, ids: &[Uuid]) -> Result<Vec<Listed>, Error> {
    sqlx::query(ITEMS)
        .bind(ids)
        .bind(MAX_EARLIER)
        .fetch_all(connection)
        .await?
        .iter()
        .map(listed)
        .collect()
}

fn listed(row: &PgRow) -> Result<Listed, Error> {
    let cells = Cells::new(row, "alert_sessions");
    Ok(Listed {
        item: item(&cells)?,
        failed_stages: cells.get("failed_stages")?,
        chat_id: cells.maybe_id("chat_id")?,
    })
}

pub(crate) fn earlier_sessions(cells: &Cells<'_>) -> Result<EarlierSessions, Error> {
    Ok(EarlierSessions {
        count: cells.get("earlier")?,
        last_session_id: cells.maybe_id("last_session_id")?,
    })
}

/// None without a verdict, whose outcome is never null.
fn finding(cells: &Cells<'_>) -> Result<Option<FindingSummary>, Error> {
    let Some(outcome) = cells.maybe_word("outcome")? else { return Ok(None) };
    let cause = cells.text("cause")?;
    let headline = verdict::headline(outcome, cells.word("alert_statement")?, &cause).to_owned();
    let answer = cells.text("answer")?;
    Ok(Some(FindingSummary { outcome, headline, answer, confidence: cells.word("confidence")? }))
}

fn item(cells: &Cells<'_>) -> Result<SessionItem, Error> {
    let degraded_reasons = claims::degraded_reasons(cells)?;
    Ok(SessionItem {
        id: cells.id("id")?,
        alert_type: cells.maybe_text("alert_type")?,
        chain_id: cells.text("chain_id")?,
        status: cells.word("status")?,
        origin: cells.word("origin")?,
        waiting_for_approval: cells.get("waiting_for_approval")?,
        author: cells.maybe_text("author")?,
        created_at: cells.time("created_at")?,
        started_at: cells.maybe_time("started_at")?,
        completed_at: cells.maybe_time("completed_at")?,
        duration_ms: cells.get("duration_ms")?,
        error_message: cells.maybe_text("error_message")?,
        failure: failures::view(cells)?,
        executive_summary: cells.maybe_text("executive_summary")?,
        finding: finding(cells)?,
        claims: claims::counts(cells)?,
        degraded: !degraded_reasons.is_empty(),
        degraded_reasons,
        llm_interaction_count: cells.get("llm_calls")?,
        mcp_interaction_count: cells.get("mcp_calls")?,
        input_tokens: cells.get("input_tokens")?,
        output_tokens: cells.get("output_tokens")?,
        total_tokens: cells.get("total_tokens")?,
        tokens_estimated: cells.get("tokens_estimated")?,
        cost_micro_usd: cells.get("cost_micro_usd")?,
        unpriced_llm_calls: cells.get("unpriced_llm_calls")?,
        total_stages: cells.get("stages")?,
        completed_stages: cells.get("completed_stages")?,
        has_parallel_stages: cells.get("parallel")?,
        chat_message_count: cells.get("questions")?,
        current_stage_index: cells.get("current_stage_index")?,
        current_stage_id: cells.maybe_id("current_stage_id")?,
        title: cells.maybe_text("title")?,
        severity: cells.maybe_text("severity")?,
        service: cells.maybe_text("service")?,
        namespace: cells.maybe_text("namespace")?,
        cluster: cells.maybe_text("cluster")?,
        links: cells.maybe_decoded("links")?.unwrap_or_default(),
        fingerprint: cells.maybe_text("fingerprint")?,
        earlier_sessions: earlier_sessions(cells)?,
        review: cells.maybe_word("review")?,
        score: cells.get("score")?,
        triage: cells.word("triage")?,
        assignee: cells.maybe_text("assignee")?,
    })
}
