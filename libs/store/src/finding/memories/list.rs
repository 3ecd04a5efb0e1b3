//! Memories as people see them.

use std::fmt;
use std::str::FromStr;

use jiff::Timestamp;
use jiff_sqlx::ToSqlx as _;
use sqlx::QueryBuilder;
use sqlx::postgres::{PgRow, Postgres};
use tarsy_contracts::memory::{Memory, MemoryPage};
use tarsy_domain::id::{MemoryId, SessionId};
use tarsy_domain::memory::MemoryState;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// Which memories are listed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MemoryQuery {
    /// Words that all occur in it.
    pub text: Option<String>,
    pub state: Option<MemoryState>,
    /// Only what this session confirms or contradicts.
    pub session: Option<SessionId>,
    /// The most of a page.
    pub limit: usize,
    /// Continues a list.
    pub after: Option<MemoryCursor>,
}

/// Which memory a page ended with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryCursor {
    confirmed_at: Timestamp,
    id: MemoryId,
}

impl fmt::Display for MemoryCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.confirmed_at.as_microsecond(), self.id)
    }
}

impl FromStr for MemoryCursor {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (time, id) = text.split_once('_').ok_or(())?;
        let confirmed_at =
            Timestamp::from_microsecond(time.parse().map_err(|_| ())?).map_err(|_| ())?;
        // PostgreSQL knows no times before 4713 BC; no memory is from before 1970 either.
        if confirmed_at < Timestamp::UNIX_EPOCH {
            return Err(());
        }
        Ok(Self { confirmed_at, id: id.parse().map_err(|_| ())? })
    }
}

const COLUMNS: &str = "
    select m.id, m.text, m.object, m.category, m.state, m.confirmations, m.contradictions, m.created_at, m.confirmed_at,
        m.edited_by, m.edited_at, coalesce((
            select jsonb_agg(o.one order by o.at desc) from (
                select f.created_at as at, jsonb_build_object(
                    'session_id', s.id, 'title', coalesce(s.title, s.alert_type), 'effect', f.effect, 'review', r.review,
                    'reviewer', r.reviewer, 'ended_at', s.completed_at) as one
                from memory_sources f
                join alert_sessions s on s.id = f.session_id and s.deleted_at is null
                join session_reviews r on r.id = s.review_id
                where f.memory_id = m.id
                order by f.created_at desc limit 10
            ) o
        ), '[]') as sources
    from memories m";

impl Store {
    /// Memories, those that were confirmed last first.
    #[tracing::instrument(name = "db.memory.list", skip_all)]
    pub async fn list_memories(&self, query: &MemoryQuery) -> Result<MemoryPage, Error> {
        let mut statement = QueryBuilder::<Postgres>::new(COLUMNS);
        statement.push(" where true");
        if let Some(text) = &query.text {
            statement.push(" and m.words @@ memory_query(").push_bind(text).push(")");
        }
        if let Some(state) = query.state {
            statement.push(" and m.state = ").push_bind(state.as_str());
        }
        if let Some(session) = query.session {
            statement
                .push(" and m.id in (select memory_id from memory_sources where session_id = ");
            statement.push_bind(session.uuid()).push(")");
        }
        if let Some(after) = query.after {
            statement
                .push(" and (m.confirmed_at, m.id) < (")
                .push_bind(after.confirmed_at.to_sqlx());
            statement.push(", ").push_bind(after.id.uuid()).push(")");
        }
        statement.push(" order by m.confirmed_at desc, m.id desc limit ");
        statement.push_bind(i64::try_from(query.limit + 1).unwrap_or(i64::MAX));
        let rows = statement.build().fetch_all(&self.pool).await?;
        let mut memories = rows.iter().map(read).collect::<Result<Vec<_>, _>>()?;
        let has_more = memories.len() > query.limit;
        memories.truncate(query.limit);
        let last = memories.last().filter(|_| has_more);
        let next = last.map(|last| MemoryCursor { confirmed_at: last.confirmed_at, id: last.id });
        Ok(MemoryPage { memories, next_cursor: next.map(|cursor| cursor.to_string()) })
    }

    /// A memory; none if there is no such one.
    #[tracing::instrument(name = "db.memory.find", skip_all)]
    pub async fn find_memory(&self, id: MemoryId) -> Result<Option<Memory>, Error> {
        find(&mut self.pool.acquire().await?, id).await
    }
}

pub(super) async fn find(
    connection: &mut Connection,
    id: MemoryId,
) -> Result<Option<Memory>, Error> {
    let mut statement = QueryBuilder::<Postgres>::new(COLUMNS);
    statement.push(" where m.id = ").push_bind(id.uuid());
    statement.build().fetch_optional(connection).await?.as_ref().map(read).transpose()
}

fn read(row: &PgRow) -> Result<Memory, Error> {
    let cells = Cells::new(row, "memories");
    Ok(Memory {
        id: cells.id("id")?,
        text: cells.text("text")?,
        object: cells.maybe_text("object")?,
        category: cells.maybe_text("category")?,
        state: cells.word("state")?,
        confirmations: cells.get("confirmations")?,
        contradictions: cells.get("contradictions")?,
        created_at: cells.time("created_at")?,
        confirmed_at: cells.time("confirmed_at")?,
        edited_by: cells.maybe_text("edited_by")?,
        edited_at: cells.maybe_time("edited_at")?,
        sources: cells.maybe_decoded("sources")?.unwrap_or_default(),
    })
}
