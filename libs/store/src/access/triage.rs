//! The state of work on sessions: who has taken which, what is done, and notes. Entries are added, never changed.

pub(crate) mod decision;

use sqlx::postgres::PgRow;
use tarsy_contracts::event::{Body, Committed};
use tarsy_contracts::triage::{SessionTriage, TriageEntry};
use tarsy_domain::id::{SessionId, TriageEntryId};
use tarsy_domain::triage::Triage;

use crate::access::triage::decision::{Decision, State, TriageChange, decide};
use crate::database::cells::Cells;
use crate::database::numbers;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::record::events;
use crate::session::sessions;

/// The most entries of one session. People write a few, scripts must not fill the table.
pub const MAX_TRIAGE_ENTRIES: i32 = 500;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TriageOutcome {
    /// It is so now.
    Changed { triage: SessionTriage, events: Vec<Committed> },
    /// It was so before.
    Unchanged(SessionTriage),
    /// Another person has taken or done it; nothing was written.
    Held { by: String, triage: Triage },
    /// Another entry has this id.
    OtherEntry,
    /// The session has [`MAX_TRIAGE_ENTRIES`].
    TooMany,
    /// There is no such session.
    NotFound,
}

macro_rules! columns {
    () => {
        "e.id, e.triage, e.assignee, e.note, e.author, e.created_at"
    };
}

fn read(row: &PgRow) -> Result<TriageEntry, Error> {
    let cells = Cells::new(row, "triage_entries");
    Ok(TriageEntry {
        id: cells.id("id")?,
        triage: cells.maybe_word("triage")?,
        assignee: cells.maybe_text("assignee")?,
        note: cells.maybe_text("note")?,
        author: cells.maybe_text("author")?,
        created_at: cells.time("created_at")?,
    })
}

struct NewEntry<'a> {
    id: TriageEntryId,
    sets: Option<&'a State>,
    note: Option<&'a str>,
    author: Option<&'a str>,
}

impl Store {
    /// Changes the state of work on a session, or adds a note, or both.
    #[tracing::instrument(name = "db.triage.change", skip_all)]
    pub async fn change_triage(&self, mut change: TriageChange) -> Result<TriageOutcome, Error> {
        encode::clean(&mut change.author);
        encode::clean_maybe(&mut change.assignee);
        encode::clean_maybe(&mut change.note);
        retrying!(Box::pin(self.change_once(&change)))
    }

    async fn change_once(&self, change: &TriageChange) -> Result<TriageOutcome, Error> {
        let id = change.session_id;
        let mut tx = self.pool.begin().await?;
        // Holds the session, so that of two people who take it at once the second finds the first.
        if sessions::lock(&mut tx, id).await?.is_none() {
            return Ok(TriageOutcome::NotFound);
        }
        let state = find_state(&mut tx, id).await?;
        if let Some(is_same) = is_written(&mut tx, change).await? {
            let triage = find(&mut tx, id, state).await?;
            tx.rollback().await?;
            return Ok(if is_same {
                TriageOutcome::Unchanged(triage)
            } else {
                TriageOutcome::OtherEntry
            });
        }
        let sets = match decide(&state, change) {
            Decision::Held { by, triage } => {
                tx.rollback().await?;
                return Ok(TriageOutcome::Held { by, triage });
            }
            Decision::Unchanged if change.note.is_none() => {
                let triage = find(&mut tx, id, state).await?;
                tx.rollback().await?;
                return Ok(TriageOutcome::Unchanged(triage));
            }
            Decision::Unchanged => None,
            Decision::Set(new) => Some(new),
        };
        let entry = NewEntry {
            id: change.entry_id,
            sets: sets.as_ref(),
            note: change.note.as_deref(),
            author: Some(&change.author),
        };
        let now = sets.as_ref().unwrap_or(&state);
        let Some(events) = write(&mut tx, id, &entry, now).await? else {
            tx.rollback().await?;
            return Ok(TriageOutcome::TooMany);
        };
        let triage = find(&mut tx, id, sets.unwrap_or(state)).await?;
        tx.commit().await?;
        Ok(TriageOutcome::Changed { triage, events })
    }

    /// The state of work on a session, with its entries; none if there is no such session.
    #[tracing::instrument(name = "db.triage.find", skip_all)]
    pub async fn find_triage(&self, session: SessionId) -> Result<Option<SessionTriage>, Error> {
        let mut tx = self.pool.begin().await?;
        sqlx::query("set transaction isolation level repeatable read read only")
            .execute(&mut *tx)
            .await?;
        let row = sqlx::query(
            "select triage, assignee from alert_sessions where id = $1 and deleted_at is null",
        )
        .bind(session.uuid())
        .fetch_optional(&mut *tx)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let state = state(&row)?;
        let triage = find(&mut tx, session, state).await?;
        tx.commit().await?;
        Ok(Some(triage))
    }
}

/// Has a session new again that somebody has done, because its problem has come back; the events to publish.
pub(crate) async fn reopen(tx: &mut Connection, id: SessionId) -> Result<Vec<Committed>, Error> {
    sessions::lock(tx, id).await?;
    if find_state(tx, id).await?.triage != Triage::Done {
        return Ok(Vec::new());
    }
    let new = State { triage: Triage::New, assignee: None };
    let entry = NewEntry { id: TriageEntryId::new(), sets: Some(&new), note: None, author: None };
    Ok(write(tx, id, &entry, &new).await?.unwrap_or_default())
}

fn state(row: &PgRow) -> Result<State, Error> {
    let cells = Cells::new(row, "alert_sessions");
    Ok(State { triage: cells.word("triage")?, assignee: cells.maybe_text("assignee")? })
}

async fn find_state(tx: &mut Connection, id: SessionId) -> Result<State, Error> {
    let row = sqlx::query("select triage, assignee from alert_sessions where id = $1")
        .bind(id.uuid())
        .fetch_one(tx)
        .await?;
    state(&row)
}

/// Whether the entry is there, and if it is, whether the same request wrote it. An entry without a state has the note of a request
/// whose state was reached before.
async fn is_written(tx: &mut Connection, change: &TriageChange) -> Result<Option<bool>, Error> {
    let row = sqlx::query(
        "select session_id = $2 and author = $3 and note is not distinct from $4
            and coalesce(triage, $5) is not distinct from $5
            and (triage is distinct from 'taken' or assignee = coalesce($6, author)) as is_same
         from triage_entries where id = $1",
    )
    .bind(change.entry_id.uuid())
    .bind(change.session_id.uuid())
    .bind(&change.author)
    .bind(&change.note)
    .bind(change.triage.map(Triage::as_str))
    .bind(&change.assignee)
    .fetch_optional(tx)
    .await?;
    row.map(|row| {
        let is_same: Option<bool> = Cells::new(&row, "triage_entries").get("is_same")?;
        Ok(is_same.unwrap_or_default())
    })
    .transpose()
}

async fn find(tx: &mut Connection, id: SessionId, state: State) -> Result<SessionTriage, Error> {
    let rows = sqlx::query(concat!(
        "select ",
        columns!(),
        " from triage_entries e where e.session_id = $1 order by e.number desc"
    ))
    .bind(id.uuid())
    .fetch_all(tx)
    .await?;
    let entries = rows.iter().map(read).collect::<Result<_, _>>()?;
    Ok(SessionTriage { triage: state.triage, assignee: state.assignee, entries })
}

/// How many entries a session has: their numbers begin with 1.
pub(crate) async fn count(connection: &mut Connection, id: SessionId) -> Result<i64, Error> {
    sqlx::query_scalar(
        "select coalesce(max(number), 0)::bigint from triage_entries where session_id = $1",
    )
    .bind(id.uuid())
    .fetch_one(connection)
    .await
    .map_err(Error::from)
}

/// Writes an entry, what it sets, and its event; none if the session has too many. `now` is the state after it.
async fn write(
    tx: &mut Connection,
    id: SessionId,
    entry: &NewEntry<'_>,
    now: &State,
) -> Result<Option<Vec<Committed>>, Error> {
    let added = sqlx::query(
        "insert into triage_entries (id, session_id, number, triage, assignee, note, author)
         select $1, $2, n.number, $3, $4, $5, $6
         from (select coalesce(max(number), 0) + 1 as number from triage_entries where session_id = $2) n
         where n.number <= $7",
    )
    .bind(entry.id.uuid())
    .bind(id.uuid())
    .bind(entry.sets.map(|state| state.triage.as_str()))
    .bind(entry.sets.and_then(|state| state.assignee.as_deref()))
    .bind(entry.note)
    .bind(entry.author)
    .bind(MAX_TRIAGE_ENTRIES)
    .execute(&mut *tx)
    .await?;
    if added.rows_affected() == 0 {
        return Ok(None);
    }
    if let Some(state) = entry.sets {
        sqlx::query(
            "update alert_sessions set triage = $2, assignee = $3, triage_entry_id = $4 where id = $1",
        )
        .bind(id.uuid())
        .bind(state.triage.as_str())
        .bind(&state.assignee)
        .bind(entry.id.uuid())
        .execute(&mut *tx)
        .await?;
    }
    let body = Body::SessionTriage {
        entry_id: entry.id,
        triage: now.triage,
        assignee: now.assignee.clone(),
    };
    let bodies = [body];
    let numbers = numbers::take_more(tx, id, &bodies).await?;
    let committed = events::number(id, &bodies, numbers)?;
    events::insert(tx, id, &committed).await?;
    Ok(Some(committed))
}
