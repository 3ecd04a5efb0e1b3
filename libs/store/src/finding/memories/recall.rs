//! Memories that fit an alert, or what an agent asks for: by words, by the object, by the problem's fingerprint, and by
//! meaning where there are vectors.

use sqlx::postgres::PgRow;
use tarsy_contracts::memory::GivenMemory;
use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;
use crate::finding::memories::vectors::{Meaning, Near};

/// Memories with one of the words that are ranked. They are looked for by the words that so many have at most, by what the server
/// knows of their frequency, and always by the rarest.
const CANDIDATES: i64 = 2_000;
/// The memories with the most fitting words that are looked at.
const RANKED: i64 = 50;
/// So many words of a memory must be in an alert,
const LEAST_WORDS: i64 = 3;
/// and this part of all its words, in percent, unless its object or problem is that of the alert.
const LEAST_PART: i64 = 33;

/// By how much the first of a list counts more than the later ones, as the literature on reciprocal rank fusion has it.
const RANK: f64 = 60.0;

/// The words `terms`, the objects and the fingerprint of what is compared are those of `this`.
macro_rules! recall {
    ($this:literal) => {
        concat!(
            "with this as materialized (",
            $this,
            "), wanted as materialized (
                select this.*, (select string_agg(quote_literal(t), ' | ')::tsquery from unnest(terms) t) as query from this
            ), frequent as materialized (
                select f.word, f.part
                from pg_stats p
                cross join lateral unnest(p.most_common_elems::text::text[], p.most_common_elem_freqs) f (word, part)
                where p.schemaname = current_schema() and p.tablename = 'memories' and p.attname = 'words'
            ), counted as (
                select t.term, row_number() over rising as place, sum(coalesce(f.part, 0)) over rising as part
                from this cross join unnest(this.terms) t (term) left join frequent f on f.word = t.term
                window rising as (order by coalesce(f.part, 0), t.term)
            ), rare as materialized (
                select string_agg(quote_literal(c.term), ' | ')::tsquery as query
                from counted c
                where c.place = 1
                    or c.part * (select k.reltuples from pg_class k where k.oid = 'memories'::regclass) <= $2
            ), same as materialized (
                (select m.id from wanted w join memories m on m.fingerprint = w.fingerprint where m.state = 'active' limit $3)
                union
                select m.id from wanted w cross join unnest(w.objects) o cross join lateral (
                    select id from memories where lower(object) = o and state = 'active' limit $3) m
            ), worded as materialized (
                select m.id from rare r join memories m on m.words @@ r.query where m.state = 'active' limit $2
            ), found as (
                select m.*, m.id in (select id from same) as is_same, w.terms, w.query
                from memories m cross join wanted w
                where m.state = 'active' and m.id in (
                    select id from same union all select id from worded union all select unnest($4::uuid[]))
            ), ranked as (
                select f.*, coalesce(ts_rank(f.words, f.query), 0) as fitting
                from (
                    select found.*, ",
            weight!(),
            " as weight from found
                ) f
                where f.weight >= 0.0625
                order by f.is_same desc, f.id = any($4) desc, fitting desc, f.id desc
                limit $3
            )
            select r.id, r.text, r.object, r.category, r.confirmations, r.confirmed_at, r.is_same, f.session_id, v.review,
                s.completed_at,
                (select count(*) from unnest(tsvector_to_array(r.words)) w where w = any(r.terms)) as matching,
                length(r.words)::bigint as words
            from ranked r
            join lateral (
                select session_id from memory_sources o
                where o.memory_id = r.id and o.effect = 'confirms' order by o.created_at desc limit 1
            ) f on true
            join alert_sessions s on s.id = f.session_id and s.deleted_at is null and s.id is distinct from $1
            join session_reviews v on v.id = s.review_id
            order by r.is_same desc, r.fitting * least(r.weight, 4) desc, r.id desc"
        )
    };
}

/// Of an alert, the words of what it states and of the beginning of its text; numbers and single letters are none.
const OF_SESSION: &str = recall!(
    "select s.fingerprint, array_remove(array[lower(s.service), lower(s.namespace || '/' || s.service)], null) as objects,
        array(
            select t from unnest(tsvector_to_array(memory_words(concat_ws(' ', left(s.title, 500), s.service, s.namespace,
                s.alert_type, left(s.alert_data, 1000))))) t
            where char_length(t) > 2 and t !~ '^[0-9]+$' limit 200
        ) as terms
     from alert_sessions s where s.id = $1"
);

const OF_TEXT: &str = recall!(
    "select null::text as fingerprint, array[lower($5)] as objects,
        array(select t from unnest(tsvector_to_array(memory_words(left($5, 1000)))) t limit 200) as terms"
);

/// A memory, and how well it fits.
struct Found {
    memory: GivenMemory,
    is_same: bool,
    matching: i64,
    words: i64,
    /// Its place among those that are near by meaning, from 0.
    near: Option<usize>,
}

impl Found {
    /// Whether it fits an alert well enough to be given without a question.
    fn is_close(&self) -> bool {
        let part = self.matching * 100 >= self.words * LEAST_PART;
        self.is_same || self.near.is_some() || (self.matching >= LEAST_WORDS && part)
    }

    fn fits(&self) -> bool {
        self.is_same || self.near.is_some() || self.matching > 0
    }
}

/// The order by words, and that by meaning, as one: by the sum of the reciprocal ranks.
fn fused(by_words: Vec<Found>) -> Vec<Found> {
    let reciprocal =
        |place: usize| 1.0 / (RANK + f64::from(u32::try_from(place).unwrap_or(u32::MAX)));
    let mut scored: Vec<(f64, Found)> = Vec::with_capacity(by_words.len());
    let mut place = 0;
    for one in by_words {
        let mut score = one.near.map_or(0.0, reciprocal);
        if one.is_same || one.matching > 0 {
            score += reciprocal(place);
            place += 1;
        }
        scored.push((score, one));
    }
    scored.sort_by(|(score, one), (other_score, other)| {
        other.is_same.cmp(&one.is_same).then(other_score.total_cmp(score))
    });
    scored.into_iter().map(|(_, one)| one).collect()
}

impl Store {
    /// The memories that fit a session's alert, the best first; none if there are no memories at all.
    #[tracing::instrument(name = "db.memory.recall_for_session", skip_all)]
    pub async fn recall_for_session(
        &self,
        session: SessionId,
        meaning: Option<&Meaning>,
        limit: usize,
    ) -> Result<Option<Vec<GivenMemory>>, Error> {
        let any = "select exists (select from memories where state = 'active')";
        if !sqlx::query_scalar(any).fetch_one(&self.pool).await? {
            return Ok(None);
        }
        let near = self.near(meaning).await?;
        let rows = sqlx::query(OF_SESSION)
            .bind(session.uuid())
            .bind(CANDIDATES)
            .bind(RANKED)
            .bind(near.uuids())
            .fetch_all(&self.pool)
            .await?;
        let found = rows.iter().map(|row| read(row, &near)).collect::<Result<Vec<_>, _>>()?;
        let close = fused(found).into_iter().filter(Found::is_close);
        Ok(Some(close.map(|one| one.memory).take(limit).collect()))
    }

    /// The memories that fit what an agent of a session asks for, the best first.
    #[tracing::instrument(name = "db.memory.recall", skip_all)]
    pub async fn recall(
        &self,
        session: SessionId,
        text: &str,
        meaning: Option<&Meaning>,
        limit: usize,
    ) -> Result<Vec<GivenMemory>, Error> {
        let near = self.near(meaning).await?;
        let rows = sqlx::query(OF_TEXT)
            .bind(session.uuid())
            .bind(CANDIDATES)
            .bind(RANKED)
            .bind(near.uuids())
            .bind(text)
            .fetch_all(&self.pool)
            .await?;
        let found = rows.iter().map(|row| read(row, &near)).collect::<Result<Vec<_>, _>>()?;
        let fitting = fused(found).into_iter().filter(Found::fits);
        Ok(fitting.map(|one| one.memory).take(limit).collect())
    }
}

fn read(row: &PgRow, near: &Near) -> Result<Found, Error> {
    let cells = Cells::new(row, "memories");
    let id = cells.id("id")?;
    Ok(Found {
        near: near.0.iter().position(|one| *one == id),
        memory: GivenMemory {
            memory_id: id,
            text: cells.text("text")?,
            object: cells.maybe_text("object")?,
            category: cells.maybe_text("category")?,
            confirmations: cells.get("confirmations")?,
            confirmed_at: cells.time("confirmed_at")?,
            session_id: cells.id("session_id")?,
            review: cells.word("review")?,
            ended_at: cells.time("completed_at")?,
        },
        is_same: cells.get("is_same")?,
        matching: cells.get("matching")?,
        words: cells.get("words")?,
    })
}
