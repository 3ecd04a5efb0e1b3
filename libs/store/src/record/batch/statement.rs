//! Several writes as one statement: each is a part of it, and all see the fence's numbers. A round trip to PostgreSQL takes
//! longer than most writes.

use std::fmt::Write as _;

use sqlx::encode::Encode;
use sqlx::error::BoxDynError;
use sqlx::postgres::{PgArguments, PgRow, Postgres};
use sqlx::{Arguments as _, AssertSqlSafe, Type};
use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::numbers::{self, Numbers, Wanted};
use crate::database::pool::{Connection, Pool};
use crate::encode::Tail;
use crate::error::{Conflict, Error};
use crate::work::fence::Fence;

/// Checks the fence and takes numbers; without the fence no part has a row to write.
const TAKE: &str = "with fence as (
    update session_control
    set event_seq = event_seq + $3, timeline_seq = timeline_seq + $4, call_seq = call_seq + $5
    where session_id = $1 and lease_epoch = $2
    returning event_seq - $3 + 1 as seq, timeline_seq - $4 + 1 as place, call_seq - $5 + 1 as call
)";
/// Numbers that the transaction has taken already.
const TAKEN: &str = "with fence as (select $2::bigint as seq, $3::bigint as place, $4::bigint as call where $1::uuid is not null)";

/// The payload is the text that [`Tail::payload`] makes, with the number of a call that the batch writes down.
const EVENTS: &str = r#"insert into events (session_id, seq, type, payload)
    select $1, fence.seq + e.n - 1, e.type,
        case when e.call is null then whole.payload
            else jsonb_set(whole.payload, '{metadata}', coalesce(whole.payload -> 'metadata', '{}')
                || jsonb_build_object('call_number', fence.call + e.call)) end
    from fence
    cross join unnest($2::text[], $3::bigint[], $4::bigint[], $5::text[]) with ordinality as e (type, place, call, tail, n)
    cross join lateral (select (
        '{"db_event_id":' || (fence.seq + e.n - 1)
        || case when e.place is null then '' else ',"sequence_number":' || (fence.place + e.place) end
        || ',"timestamp":"' || to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '",' || e.tail
    )::jsonb as payload) as whole
    returning 1"#;

/// A statement that grows by parts. In the text of a part `$1` is the session, its own parameters begin with `$2`, and its
/// rows come from `fence`, which has the first numbers as `seq`, `place` and `call`.
pub(crate) struct Statement {
    session: SessionId,
    sql: String,
    arguments: PgArguments,
    /// How many parameters there are.
    bound: usize,
    /// By which the parameters of the current part are moved.
    shift: usize,
    parts: Vec<Part>,
    failed: Option<BoxDynError>,
}

/// How many rows a part must write, and of what.
#[derive(Clone, Copy)]
struct Part(Option<(usize, &'static str)>);

impl Statement {
    /// A statement that is a transaction of its own.
    pub(crate) fn fenced(fence: Fence, wanted: Wanted) -> Self {
        let mut new = Self::new(fence.session_id, TAKE);
        new.bind(fence.epoch).bind(wanted.events).bind(wanted.places).bind(wanted.calls);
        new
    }

    /// A statement of a transaction that has taken its numbers.
    pub(crate) fn numbered(session: SessionId, numbers: Numbers) -> Self {
        let mut new = Self::new(session, TAKEN);
        new.bind(numbers.seq).bind(numbers.place).bind(numbers.call);
        new
    }

    fn new(session: SessionId, head: &str) -> Self {
        let mut new = Self {
            session,
            sql: head.to_owned(),
            arguments: PgArguments::default(),
            bound: 0,
            shift: 0,
            parts: Vec::new(),
            failed: None,
        };
        new.bind(session.uuid());
        new
    }

    /// One more write, which ends with `returning 1`; its parameters are bound next, in order.
    pub(crate) fn part(&mut self, sql: &str) -> &mut Self {
        self.shift = self.bound.saturating_sub(1);
        self.parts.push(Part(None));
        // Writing to a string cannot fail.
        let _ = write!(self.sql, ", p{} as (", self.parts.len());
        shifted(sql, self.shift, &mut self.sql);
        self.sql.push(')');
        self
    }

    pub(crate) fn bind<'q, T>(&mut self, value: T) -> &mut Self
    where
        T: Encode<'q, Postgres> + Type<Postgres>,
    {
        self.bound += 1;
        if let Err(error) = self.arguments.add(value) {
            self.failed.get_or_insert(error);
        }
        self
    }

    /// The current part must write so many rows; fewer refuse the whole.
    pub(crate) fn expect(&mut self, rows: usize, what: &'static str) {
        if let Some(part) = self.parts.last_mut() {
            *part = Part(Some((rows, what)));
        }
    }

    /// The events of the batch. `calls` has for each whether it is the timeline event of a call, and of which.
    pub(crate) fn events(&mut self, tails: &[Tail], calls: &[Option<i64>]) {
        if tails.is_empty() {
            return;
        }
        let mut places = 0_i64..;
        let places: Vec<Option<i64>> =
            tails.iter().map(|tail| tail.opens.and_then(|_| places.next())).collect();
        let kinds: Vec<&str> = tails.iter().map(|tail| tail.kind).collect();
        let texts: Vec<&str> = tails.iter().map(|tail| tail.text.as_str()).collect();
        self.part(EVENTS).bind(kinds).bind(places).bind(calls).bind(texts);
    }

    /// Writes within a transaction, whose numbers are known. Nothing happens without a part.
    pub(crate) async fn execute(self, tx: &mut Connection) -> Result<(), Error> {
        if self.parts.is_empty() {
            return Ok(());
        }
        let parts = self.parts.clone();
        let (sql, arguments) = self.finish(false)?;
        let row = sqlx::query_with(AssertSqlSafe(sql), arguments).fetch_one(tx).await?;
        let done: Vec<i64> = Cells::new(&row, "batch").get("done")?;
        let expected = parts.iter().zip(done).find_map(|(part, done)| match part.0 {
            Some((rows, what)) if usize::try_from(done) != Ok(rows) => Some(what),
            _ => None,
        });
        expected.map_or(Ok(()), |what| Err(Conflict::NotOpen { what }.into()))
    }

    /// Writes as a transaction of its own; the numbers that it took. Whatever refuses it leaves nothing written.
    pub(crate) async fn commit(self, pool: &Pool) -> Result<Numbers, Error> {
        let session = self.session;
        let (sql, arguments) = self.finish(true)?;
        let row: Option<PgRow> =
            sqlx::query_with(AssertSqlSafe(sql), arguments).fetch_optional(pool).await?;
        numbers::numbers(&row.ok_or(Error::Fenced { session })?)
    }

    /// The text and its arguments. `refuses`: too few rows are an error of the statement, a division by zero.
    fn finish(self, refuses: bool) -> Result<(String, PgArguments), Error> {
        if let Some(error) = self.failed {
            return Err(sqlx::Error::Encode(error).into());
        }
        let mut sql = self.sql;
        let counts: Vec<String> =
            (1..=self.parts.len()).map(|at| format!("(select count(*) from p{at})")).collect();
        let done = counts.join(", ");
        let _ =
            write!(sql, " select seq, place, call, now() as at, array[{done}]::bigint[] as done");
        if refuses {
            let expected: Vec<String> = self
                .parts
                .iter()
                .zip(&counts)
                .filter_map(|(part, count)| Some(format!("{count} = {}", part.0?.0)))
                .collect();
            if !expected.is_empty() {
                let _ = write!(sql, ", 1 / ({})::int as whole", expected.join(" and "));
            }
        }
        sql.push_str(" from fence");
        Ok((sql, self.arguments))
    }
}

/// Writes the text of a part with its parameters behind those that are bound already; `$1` stays.
fn shifted(sql: &str, by: usize, to: &mut String) {
    let mut fragments = sql.split('$');
    to.push_str(fragments.next().unwrap_or_default());
    for fragment in fragments {
        let end = fragment.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(fragment.len());
        let (number, rest) = fragment.split_at(end);
        let number = number.parse::<usize>().unwrap_or_default();
        let number = if number > 1 { number + by } else { number };
        let _ = write!(to, "${number}{rest}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_a_part_follow_those_before_it() {
        let mut text = String::new();
        shifted("select $1, $2::text, $13 from f where a = $2", 4, &mut text);
        assert_eq!(text, "select $1, $6::text, $17 from f where a = $6");
    }
}
