//! What a review makes of memories: a new one, one that is confirmed or corrected, those that are contradicted.

use tarsy_domain::id::{MemoryId, SessionId};
use tarsy_domain::memory::MemoryEffect;
use tarsy_domain::review::Review;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::error::Error;
use crate::finding::memories::fact::{self, Fact, Reviewed};

/// The most memories that a fact is compared with, those that were confirmed last.
const MAX_COMPARED: i64 = 100;

/// What a person wrote about a session.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged<'a> {
    pub(crate) session_id: SessionId,
    pub(crate) review: Review,
    pub(crate) actual_cause: Option<&'a str>,
    pub(crate) object: Option<&'a str>,
    pub(crate) category: Option<&'a str>,
}

/// The reviewed session, as far as memories are about it.
struct Session {
    fingerprint: Option<String>,
    /// What it found; none if something addressed its models, so that what they found may be what others had them say.
    verdict: Option<Fact>,
}

/// A memory that may state the same.
struct Known {
    id: MemoryId,
    fact: Fact,
    is_edited: bool,
    /// Whether a session other than the reviewed one confirms it.
    has_others: bool,
}

/// Changes memories by a review that was just inserted, in its transaction. The review of a replay changes none: it is about
/// a session that has its own.
pub(crate) async fn learn(tx: &mut Connection, review: Judged<'_>) -> Result<(), Error> {
    let id = review.session_id;
    let Some(session) = find_session(tx, id).await? else { return Ok(()) };
    // One review at a time, so that two that state the same make one memory.
    sqlx::query("select pg_advisory_xact_lock(hashtext('tarsy.memories'))")
        .execute(&mut *tx)
        .await?;
    let stated = fact::stated(Reviewed {
        review: review.review,
        cause: review.actual_cause,
        object: review.object,
        category: review.category,
        verdict: session.verdict.as_ref(),
    });
    let known = find_known(tx, id, &session, stated.as_ref()).await?;
    let wrong = session.verdict.as_ref().filter(|_| review.review == Review::Wrong);
    let confirmed = match &stated {
        Some(fact) => Some(confirm(tx, id, (fact, &session), &known).await?),
        None => None,
    };
    let mut touched: Vec<Uuid> = confirmed.map(MemoryId::uuid).into_iter().collect();
    for one in &known {
        let misled = wrong.is_some_and(|found| fact::is_same(found, &one.fact));
        if misled && Some(one.id) != confirmed {
            put_source(tx, one.id, id, MemoryEffect::Contradicts).await?;
            touched.push(one.id.uuid());
        }
    }
    // What earlier reviews of this session said does not count any more; what nobody else confirms goes with it.
    let dropped: Vec<Uuid> = sqlx::query_scalar(
        "delete from memory_sources where session_id = $1 and memory_id <> all($2) returning memory_id",
    )
    .bind(id.uuid())
    .bind(&touched)
    .fetch_all(&mut *tx)
    .await?;
    touched.extend(dropped);
    count(tx, &touched).await
}

async fn find_session(tx: &mut Connection, id: SessionId) -> Result<Option<Session>, Error> {
    let row = sqlx::query(
        "select s.fingerprint, v.cause, v.category,
            case when v.object_name <> '' then concat_ws('/', v.object_namespace, v.object_name) end as object
         from alert_sessions s
         left join verdicts v on v.id = s.verdict_id and v.outcome = 'cause_found' and not exists (
            select from timeline_events e where e.session_id = s.id and e.event_type = 'injected_instructions')
         where s.id = $1 and s.origin <> 'replay'",
    )
    .bind(id.uuid())
    .fetch_optional(tx)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let cells = Cells::new(&row, "verdicts");
    let (object, category) = (cells.maybe_text("object")?, cells.maybe_text("category")?);
    let cause = cells.maybe_text("cause")?;
    let verdict =
        cause.and_then(|cause| fact::fact(&cause, object.as_deref(), category.as_deref()));
    Ok(Some(Session { fingerprint: cells.maybe_text("fingerprint")?, verdict }))
}

/// Memories about the same object, of the same problem, with all words of what is stated, or of this session.
async fn find_known(
    tx: &mut Connection,
    id: SessionId,
    session: &Session,
    stated: Option<&Fact>,
) -> Result<Vec<Known>, Error> {
    let facts = stated.into_iter().chain(&session.verdict);
    let objects: Vec<String> =
        facts.filter_map(|fact| fact.object.as_deref()).map(str::to_lowercase).collect();
    let rows = sqlx::query(
        "select m.id, m.text, m.object, m.category, m.edited_at is not null as is_edited, exists (
            select from memory_sources o where o.memory_id = m.id and o.session_id <> $1 and o.effect = 'confirms'
         ) as has_others
         from memories m
         where lower(m.object) = any($2) or m.fingerprint = $3 or m.words @@ memory_query($5)
            or m.id in (select memory_id from memory_sources where session_id = $1)
         order by m.confirmed_at desc, m.id desc limit $4",
    )
    .bind(id.uuid())
    .bind(&objects)
    .bind(&session.fingerprint)
    .bind(MAX_COMPARED)
    .bind(stated.map(|fact| &fact.text))
    .fetch_all(tx)
    .await?;
    let known = rows.iter().map(|row| {
        let cells = Cells::new(row, "memories");
        let fact = Fact {
            text: cells.text("text")?,
            object: cells.maybe_text("object")?,
            category: cells.maybe_text("category")?,
        };
        let (is_edited, has_others) = (cells.get("is_edited")?, cells.get("has_others")?);
        Ok(Known { id: cells.id("id")?, fact, is_edited, has_others })
    });
    known.collect()
}

/// The memory that states this fact from now on: one that states it already, one that only this session confirmed and that is
/// corrected, or a new one.
async fn confirm(
    tx: &mut Connection,
    id: SessionId,
    (fact, session): (&Fact, &Session),
    known: &[Known],
) -> Result<MemoryId, Error> {
    let own = of_session(tx, id).await?;
    let same = known.iter().find(|one| fact::is_same(&one.fact, fact));
    let corrected = known.iter().find(|one| own == Some(one.id) && !one.has_others);
    let memory = match same.or(corrected) {
        Some(one) => {
            let text = Some(&fact.text).filter(|_| !one.is_edited && !one.has_others);
            update(tx, one.id, text, (fact, session)).await?;
            one.id
        }
        None => insert(tx, (fact, session)).await?,
    };
    put_source(tx, memory, id, MemoryEffect::Confirms).await?;
    Ok(memory)
}

/// The memory that an earlier review of this session confirmed.
async fn of_session(tx: &mut Connection, id: SessionId) -> Result<Option<MemoryId>, Error> {
    let found: Option<Uuid> = sqlx::query_scalar(
        "select memory_id from memory_sources where session_id = $1 and effect = 'confirms'
         order by memory_id limit 1",
    )
    .bind(id.uuid())
    .fetch_optional(tx)
    .await?;
    Ok(found.map(MemoryId::from))
}

/// A text that others confirm, or that a person wrote, stays as it is.
async fn update(
    tx: &mut Connection,
    memory: MemoryId,
    text: Option<&String>,
    (fact, session): (&Fact, &Session),
) -> Result<(), Error> {
    sqlx::query(
        "update memories set
            text = coalesce($2, text),
            object = case when $2 is null then coalesce(object, $3) else coalesce($3, object) end,
            category = case when $2 is null then coalesce(category, $4) else coalesce($4, category) end,
            fingerprint = coalesce($5, fingerprint)
         where id = $1",
    )
    .bind(memory.uuid())
    .bind(text)
    .bind(&fact.object)
    .bind(&fact.category)
    .bind(&session.fingerprint)
    .execute(tx)
    .await?;
    Ok(())
}

async fn insert(
    tx: &mut Connection,
    (fact, session): (&Fact, &Session),
) -> Result<MemoryId, Error> {
    let id = MemoryId::new();
    sqlx::query(
        "insert into memories (id, text, object, category, fingerprint, confirmations, contradictions)
         values ($1, $2, $3, $4, $5, 1, 0)",
    )
    .bind(id.uuid())
    .bind(&fact.text)
    .bind(&fact.object)
    .bind(&fact.category)
    .bind(&session.fingerprint)
    .execute(tx)
    .await?;
    Ok(id)
}

async fn put_source(
    tx: &mut Connection,
    memory: MemoryId,
    session: SessionId,
    effect: MemoryEffect,
) -> Result<(), Error> {
    sqlx::query(
        "insert into memory_sources (memory_id, session_id, effect) values ($1, $2, $3)
         on conflict (memory_id, session_id) do update set effect = excluded.effect, created_at = now()",
    )
    .bind(memory.uuid())
    .bind(session.uuid())
    .bind(effect.as_str())
    .execute(tx)
    .await?;
    Ok(())
}

/// Counts what confirms and contradicts these memories.
async fn count(tx: &mut Connection, memories: &[Uuid]) -> Result<(), Error> {
    sqlx::query(
        "update memories m set confirmations = c.confirmations, contradictions = c.contradictions,
            confirmed_at = coalesce(c.confirmed_at, m.confirmed_at)
         from (
            select one.id, count(*) filter (where s.effect = 'confirms')::integer as confirmations,
                count(*) filter (where s.effect = 'contradicts')::integer as contradictions,
                max(s.created_at) filter (where s.effect = 'confirms') as confirmed_at
            from unnest($1::uuid[]) one (id) left join memory_sources s on s.memory_id = one.id
            group by one.id
         ) c
         where m.id = c.id",
    )
    .bind(memories)
    .execute(tx)
    .await?;
    Ok(())
}
