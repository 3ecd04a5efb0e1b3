//! The search over alerts, findings, tool calls and chats. Whatever is asked for, a search reads a bounded part of the tables
//! and answers with a cursor: the newest sessions one by one first, which finds frequent words, then the index of words in
//! ranges of days that grow, which finds rare ones (docs/adr/0034-search.md).

mod excerpt;
mod terms;

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use sqlx::postgres::{PgRow, Postgres};
use sqlx::{QueryBuilder, Row};
use tarsy_contracts::search::{SearchHit, SearchMatch, SearchPage};
use tarsy_domain::id::SessionId;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::planner::{EXPLAIN, expected_rows};
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;
use crate::search::terms::Terms;
use crate::session::session_list::estimates::Estimates;
use crate::session::session_list::items;
use crate::session::session_list::query::{Lookups, SessionQuery, conditions};

/// The newest sessions of which each is looked at.
const RECENT: i64 = 200;
/// The same where the index cannot help, or where no more sessions pass the filter.
const RECENT_WITHOUT_INDEX: i64 = 500;
/// Beginnings of words with more documents than that are not looked up in the index, which would read all of them.
const FREQUENT: i64 = 20_000;
/// Documents that one page looks up in the index.
const LOOKED_UP: i64 = 2_000;
/// Days that are searched one after the other; what is older is searched last.
const WINDOWS: [i32; 4] = [2, 8, 32, 128];
/// Matching texts of a session that are shown.
const MAX_MATCHES: i64 = 3;
/// Sessions that one statement makes searchable.
const FILLED_AT_ONCE: i32 = 100;
const SECONDS_A_DAY: i64 = 86_400;

/// Which session a page ended with: what is older follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchCursor {
    created_at: Timestamp,
    id: SessionId,
}

impl SearchCursor {
    /// Before it comes what is newer than this day.
    fn end_of(day: i32) -> Self {
        let second = (i64::from(day) + 1).saturating_mul(SECONDS_A_DAY);
        let created_at = Timestamp::from_second(second).unwrap_or(Timestamp::MAX);
        Self { created_at, id: Uuid::nil().into() }
    }
}

impl fmt::Display for SearchCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.created_at.as_microsecond(), self.id)
    }
}

impl FromStr for SearchCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (time, id) = text.split_once('_').ok_or(())?;
        let time = time.parse().map_err(|_| ())?;
        let created_at = Timestamp::from_microsecond(time).map_err(|_| ())?;
        // PostgreSQL knows no times before 4713 BC; there is no session from before 1970 either.
        if created_at < Timestamp::UNIX_EPOCH {
            return Err(());
        }
        Ok(Self { created_at, id: id.parse().map_err(|_| ())? })
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchQuery {
    /// Words that all occur in one text; the last one may be the beginning of a word.
    pub text: String,
    /// Only these sessions; its page, order and `search` do not count.
    pub filter: SessionQuery,
    /// Sessions of a page.
    pub limit: usize,
    pub after: Option<SearchCursor>,
}

/// A search that goes on: what it found, and how far it came.
struct Progress {
    /// Of the filter, for each session that is looked at.
    lookups: Lookups,
    found: Vec<SearchCursor>,
    /// What is newer was searched.
    reached: Option<SearchCursor>,
    is_complete: bool,
}

impl Store {
    /// Sessions with these words, the newest first.
    #[tracing::instrument(name = "db.search.find", skip_all)]
    pub async fn search(&self, query: &SearchQuery) -> Result<SearchPage, Error> {
        let terms = Terms::read(&query.text);
        if terms.is_empty() {
            return Ok(SearchPage { hits: Vec::new(), next_cursor: None });
        }
        let mut connection = self.pool.acquire_for_filters().await?;
        let lookups = Estimates::of(&mut connection, &query.filter).await?.on_a_walk();
        let (found, reached) = (Vec::new(), query.after);
        let mut progress = Progress { lookups, found, reached, is_complete: false };
        look_at_recent(&mut connection, query, &terms, (RECENT, &mut progress)).await?;
        if !progress.is_complete && progress.found.len() <= query.limit {
            let indexed = indexed(&mut connection, &terms).await?;
            if indexed.tsquery().is_empty()
                || passing(&mut connection, query, progress.reached).await? <= RECENT_WITHOUT_INDEX
            {
                let more = (RECENT_WITHOUT_INDEX, &mut progress);
                look_at_recent(&mut connection, query, &terms, more).await?;
            } else {
                look_up(&mut connection, query, (&terms, &indexed), &mut progress).await?;
            }
        }
        let next = if progress.found.len() > query.limit {
            progress.found.truncate(query.limit);
            progress.found.last().copied()
        } else {
            progress.reached.filter(|_| !progress.is_complete)
        };
        let ids: Vec<Uuid> = progress.found.iter().map(|one| one.id.uuid()).collect();
        let hits = hits(&mut connection, &ids, &terms).await?;
        Ok(SearchPage { hits, next_cursor: next.map(|cursor| cursor.to_string()) })
    }

    /// Makes sessions searchable that are older than the search, the newest first; a bounded number, so call it until it
    /// answers 0.
    #[tracing::instrument(name = "db.search.fill", skip_all)]
    pub async fn fill_search(&self) -> Result<u64, Error> {
        let filled: i64 = sqlx::query_scalar("select fill_search_documents($1)")
            .bind(FILLED_AT_ONCE)
            .fetch_one(&self.pool)
            .await?;
        Ok(u64::try_from(filled).unwrap_or_default())
    }
}

/// Looks at each of the newest sessions that the filter lets through.
async fn look_at_recent(
    connection: &mut Connection,
    query: &SearchQuery,
    terms: &Terms,
    (most, progress): (i64, &mut Progress),
) -> Result<(), Error> {
    let mut sql = QueryBuilder::new(
        "with recent as materialized (select s.id, s.created_at from alert_sessions s where",
    );
    conditions(&mut sql, &query.filter, progress.lookups);
    older_than(&mut sql, progress.reached);
    sql.push(" order by s.created_at desc, s.id desc limit ").push_bind(most);
    sql.push(
        ") select r.id, r.created_at, d.id is not null as hit from recent r
         left join lateral (select d.id from search_documents d where d.session_id = r.id and ",
    );
    matches(&mut sql, terms);
    sql.push(" limit 1) d on true order by r.created_at desc, r.id desc");
    let rows = sql.build().persistent(false).fetch_all(connection).await?;
    progress.is_complete = i64::try_from(rows.len()).is_ok_and(|rows| rows < most);
    for row in &rows {
        let place = place(row)?;
        progress.reached = Some(place);
        if row.try_get("hit")? {
            progress.found.push(place);
        }
    }
    Ok(())
}

/// Looks words up in the index, all at once if few documents have them, else in ranges of days that grow. Where too many documents have the words, the sessions of the filter
/// are looked at one by one instead: it may let none of these documents through.
async fn look_up(
    connection: &mut Connection,
    query: &SearchQuery,
    (terms, indexed): (&Terms, &Terms),
    progress: &mut Progress,
) -> Result<(), Error> {
    let Some(from) = progress.reached else { return Ok(()) };
    let mut newest = day(from.created_at);
    let mut left = LOOKED_UP;
    let of_all_days = expected(connection, indexed, None).await?;
    let windows = if of_all_days <= LOOKED_UP { &[][..] } else { &WINDOWS };
    for days in windows.iter().copied().map(Some).chain([None]) {
        let missing = (query.limit + 1).saturating_sub(progress.found.len());
        if missing == 0 {
            return Ok(());
        }
        let range =
            days.map(|days| (newest.saturating_sub(days - 1)..=newest).collect::<Vec<i32>>());
        left = left.saturating_sub(match &range {
            Some(range) => expected(connection, indexed, Some(range)).await?,
            None => of_all_days,
        });
        if left < 0 {
            if newest < day(from.created_at) {
                progress.reached = Some(SearchCursor::end_of(newest));
            }
            return look_at_recent(connection, query, terms, (RECENT_WITHOUT_INDEX, progress))
                .await;
        }
        let last = progress.found.last().filter(|last| is_older(last, &from)).copied();
        let window = Window { range, from, last: last.unwrap_or(from), missing };
        let found = in_window(connection, query, (terms, indexed), window).await?;
        progress.found.extend(found);
        newest = newest.saturating_sub(days.unwrap_or_default());
    }
    progress.is_complete = true;
    Ok(())
}

/// Some days in which words are looked up.
struct Window {
    /// All days that are left if it is missing.
    range: Option<Vec<i32>>,
    /// Where the search in the index began.
    from: SearchCursor,
    /// The last session that was found.
    last: SearchCursor,
    missing: usize,
}

async fn in_window(
    connection: &mut Connection,
    query: &SearchQuery,
    (terms, indexed): (&Terms, &Terms),
    window: Window,
) -> Result<Vec<SearchCursor>, Error> {
    let mut sql = QueryBuilder::new(
        "with found as materialized (
         select distinct d.session_id from search_documents d where d.words @@ lower(",
    );
    sql.push_bind(indexed.tsquery()).push(")::tsquery");
    if let Some(range) = window.range {
        sql.push(" and d.days && ").push_bind(range);
    }
    sql.push(" and d.session_created_at <= ");
    sql.push_bind(jiff_sqlx::Timestamp::from(window.from.created_at)).push(" and ");
    matches(&mut sql, terms);
    sql.push(
        ") select s.id, s.created_at from found join alert_sessions s on s.id = found.session_id where",
    );
    conditions(&mut sql, &query.filter, Lookups::default());
    older_than(&mut sql, Some(window.last));
    sql.push(" order by s.created_at desc, s.id desc limit ");
    sql.push_bind(i64::try_from(window.missing).unwrap_or(i64::MAX));
    sql.build().persistent(false).fetch_all(connection).await?.iter().map(place).collect()
}

/// Days since 1970, as the index has them.
fn day(time: Timestamp) -> i32 {
    i32::try_from(time.as_second().div_euclid(SECONDS_A_DAY)).unwrap_or(i32::MAX)
}

fn is_older(one: &SearchCursor, other: &SearchCursor) -> bool {
    (one.created_at, one.id.uuid()) < (other.created_at, other.id.uuid())
}

/// The words to look up in the index: without the last one if it is the beginning of too many.
async fn indexed(connection: &mut Connection, terms: &Terms) -> Result<Terms, Error> {
    let Some(prefix) = &terms.prefix else { return Ok(terms.clone()) };
    let alone = Terms { prefix: Some(prefix.clone()), ..Terms::default() };
    let is_frequent = expected(connection, &alone, None).await? > FREQUENT;
    Ok(if is_frequent { terms.whole_words() } else { terms.clone() })
}

/// How many older sessions the planner expects to pass the filter.
async fn passing(
    connection: &mut Connection,
    query: &SearchQuery,
    reached: Option<SearchCursor>,
) -> Result<i64, Error> {
    let mut sql = QueryBuilder::new(EXPLAIN);
    sql.push(" from alert_sessions s where");
    conditions(&mut sql, &query.filter, Lookups::default());
    older_than(&mut sql, reached);
    expected_rows(connection, sql).await
}

/// How many documents with these words the planner expects, in these days if they are given.
async fn expected(
    connection: &mut Connection,
    terms: &Terms,
    range: Option<&[i32]>,
) -> Result<i64, Error> {
    let mut sql = QueryBuilder::new(EXPLAIN);
    sql.push(" from search_documents d where d.words @@ lower(");
    sql.push_bind(terms.tsquery()).push(")::tsquery");
    if let Some(range) = range {
        sql.push(" and d.days && ").push_bind(range);
    }
    expected_rows(connection, sql).await
}

/// Appends that all words occur in the document `d`, so that the index of words is not used for it.
fn matches(sql: &mut QueryBuilder<Postgres>, terms: &Terms) {
    sql.push("(d.words @@ lower(").push_bind(terms.tsquery()).push(")::tsquery) is true");
    for name in &terms.names {
        sql.push(" and strpos(lower(d.body), lower(").push_bind(name.clone()).push(")) > 0");
    }
}

fn older_than(sql: &mut QueryBuilder<Postgres>, cursor: Option<SearchCursor>) {
    if let Some(cursor) = cursor {
        sql.push(" and (s.created_at, s.id) < (");
        sql.push_bind(jiff_sqlx::Timestamp::from(cursor.created_at)).push(", ");
        sql.push_bind(cursor.id.uuid()).push(")");
    }
}

fn place(row: &PgRow) -> Result<SearchCursor, Error> {
    let cells = Cells::new(row, "alert_sessions");
    Ok(SearchCursor { created_at: cells.time("created_at")?, id: cells.id("id")? })
}

/// The list items of these sessions, with the texts that have the words.
async fn hits(
    connection: &mut Connection,
    ids: &[Uuid],
    terms: &Terms,
) -> Result<Vec<SearchHit>, Error> {
    let mut sql = QueryBuilder::new("select p.id as session_id, m.* from unnest(");
    sql.push_bind(ids);
    sql.push(
        ") as p (id) cross join lateral (
         select d.kind, d.timeline_event_id, d.call_number, d.body from search_documents d
         where d.session_id = p.id and ",
    );
    matches(&mut sql, terms);
    sql.push(
        " order by d.kind <> 'alert', d.kind <> 'verdict', d.kind <> 'final_analysis', d.call_number, d.id limit ",
    );
    sql.push_bind(MAX_MATCHES).push(") m");
    let rows = sql.build().persistent(false).fetch_all(&mut *connection).await?;
    let mut hits: Vec<SearchHit> = items(connection, ids)
        .await?
        .into_iter()
        .map(|one| SearchHit { session: one.item, matches: Vec::new() })
        .collect();
    for row in &rows {
        let cells = Cells::new(row, "search_documents");
        let session: SessionId = cells.id("session_id")?;
        let (kind, body) = (cells.text("kind")?, cells.text("body")?);
        let body = if kind == "alert" { excerpt::of_alert(&body, &terms.typed) } else { body };
        let (excerpt, ranges) = excerpt::excerpt(&body, &terms.typed);
        if let Some(hit) = hits.iter_mut().find(|hit| hit.session.id == session) {
            hit.matches.push(SearchMatch {
                kind,
                timeline_event_id: cells.maybe_id("timeline_event_id")?,
                call_number: cells.get("call_number")?,
                excerpt,
                ranges,
            });
        }
    }
    Ok(hits)
}
