//! Vectors of memories: where the server has pgvector, and a provider makes them, memories are found by meaning, too.

use sqlx::AssertSqlSafe;
use tarsy_domain::id::MemoryId;
use uuid::Uuid;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// The most numbers of a vector that pgvector compares.
pub const MAX_DIMENSIONS: usize = 2_000;
/// The nearest memories that are ranked.
const NEAREST: i64 = 40;
/// Those that are looked at for them, because what is retired or old is near, too. Beside the statement below.
const LOOKED_AT: i64 = 200;

/// A text that waits for its vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unembedded {
    pub id: MemoryId,
    pub text: String,
}

/// What memories are compared with.
#[derive(Clone, Debug)]
pub struct Meaning {
    /// What made the vector: vectors of another one are not comparable.
    pub model: String,
    /// At most [`MAX_DIMENSIONS`] numbers.
    pub vector: Vec<f32>,
    /// From 0 to 1, of the cosine.
    pub min_similarity: f64,
}

/// Memories that are near to something, the nearest first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Near(pub(crate) Vec<MemoryId>);

impl Near {
    pub(crate) fn uuids(&self) -> Vec<Uuid> {
        self.0.iter().map(|id| id.uuid()).collect()
    }
}

impl Store {
    /// Whether the database compares vectors.
    #[tracing::instrument(name = "db.memory.has_vectors", skip_all)]
    pub async fn has_vectors(&self) -> Result<bool, Error> {
        let found = "select to_regtype('vector') is not null";
        Ok(sqlx::query_scalar(found).fetch_one(&self.pool).await?)
    }

    /// Whether there is a memory whose vector the database could compare.
    #[tracing::instrument(name = "db.memory.has_comparable", skip_all)]
    pub async fn has_comparable_memories(&self) -> Result<bool, Error> {
        let any = "select to_regtype('vector') is not null and exists (select from memories)";
        Ok(sqlx::query_scalar(any).fetch_one(&self.pool).await?)
    }

    /// Whether a memory can be found by a vector of this model, so that a provider is asked for one.
    #[tracing::instrument(name = "db.memory.has_vectors_of", skip_all)]
    pub async fn has_vectors_of(&self, model: &str) -> Result<bool, Error> {
        Ok(sqlx::query_scalar(
            "select to_regtype('vector') is not null and exists (
                select from memory_vectors where model = $1 and embedding is not null)",
        )
        .bind(model)
        .fetch_one(&self.pool)
        .await?)
    }

    /// Memories without a vector of this model, which nobody else asks for within two minutes; twice the limit at most.
    #[tracing::instrument(name = "db.memory.claim_unembedded", skip_all)]
    pub async fn claim_unembedded(
        &self,
        model: &str,
        limit: usize,
    ) -> Result<Vec<Unembedded>, Error> {
        // Replicas with different configurations, as in a rollout, do not take turns within ten minutes.
        let claimed: Vec<Uuid> = sqlx::query_scalar(
            "with waiting as (
                select memory_id from memory_vectors
                where embedding is null and claimed_at < now() - interval '2 minutes'
                order by claimed_at limit $2 for update skip locked
            ), others as (
                select memory_id from memory_vectors
                where embedding is not null and (model < $1 or model > $1) and claimed_at < now() - interval '10 minutes'
                limit $2 for update skip locked
            )
            update memory_vectors set model = $1, embedding = null, claimed_at = now()
            where memory_id in (select memory_id from waiting union all select memory_id from others)
            returning memory_id",
        )
        .bind(model)
        .bind(i64::try_from(limit).unwrap_or(i64::MAX))
        .fetch_all(&self.pool)
        .await?;
        if claimed.is_empty() {
            return Ok(Vec::new());
        }
        // After the claim, which a change of the text ends.
        let rows = sqlx::query(
            "select id, concat_ws(', ', text, object, category) as text from memories where id = any($1)",
        )
        .bind(&claimed)
        .fetch_all(&self.pool)
        .await?;
        let read = |row| {
            let cells = Cells::new(row, "memories");
            Ok(Unembedded { id: cells.id("id")?, text: cells.text("text")? })
        };
        rows.iter().map(read).collect()
    }

    /// Stores vectors of one length for memories that were claimed for this model, unless their texts are others by now; how
    /// many it stored.
    #[tracing::instrument(name = "db.memory.set_vectors", skip_all)]
    pub async fn set_memory_vectors(
        &self,
        model: &str,
        vectors: &[(Unembedded, Vec<f32>)],
    ) -> Result<u64, Error> {
        let length = vectors.first().map_or(0, |(_, vector)| vector.len());
        let (ids, texts): (Vec<_>, Vec<_>) =
            vectors.iter().map(|(one, _)| (one.id.uuid(), one.text.as_str())).unzip();
        let numbers: Vec<f32> =
            vectors.iter().flat_map(|(_, vector)| vector.iter().copied()).collect();
        let stored = sqlx::query(
            "update memory_vectors v set embedding = x.embedding
            from (
                select ($2::uuid[])[n] as id, ($3::text[])[n] as text,
                    ($4::real[])[(n - 1) * $5 + 1 : n * $5] as embedding
                from generate_series(1, cardinality($2::uuid[])) n
            ) x
            join memories m on m.id = x.id and concat_ws(', ', m.text, m.object, m.category) = x.text
            where v.memory_id = x.id and v.model = $1 and v.embedding is null",
        )
        .bind(model)
        .bind(ids)
        .bind(texts)
        .bind(numbers)
        .bind(i32::try_from(length).unwrap_or(i32::MAX))
        .execute(&self.pool)
        .await?;
        Ok(stored.rows_affected())
    }

    /// The memories that are near enough and may be given; none if the database cannot compare them, so that words are left.
    pub(crate) async fn near(&self, meaning: Option<&Meaning>) -> Result<Near, Error> {
        let Some(meaning) = meaning else { return Ok(Near::default()) };
        match self.compare(meaning).await {
            Err(Error::Database(error)) => {
                tracing::warn!(%error, "memories are looked for by words alone");
                Ok(Near::default())
            }
            near => near,
        }
    }

    async fn compare(&self, meaning: &Meaning) -> Result<Near, Error> {
        let length = meaning.vector.len();
        if !(1..=MAX_DIMENSIONS).contains(&length) || !self.has_vectors().await? {
            return Ok(Near::default());
        }
        let mut tx = self.pool.begin().await?;
        // As many as the index is to find.
        sqlx::query("set local hnsw.ef_search = 200").execute(&mut *tx).await?;
        // The index is of an expression with the length as a constant.
        let statement = format!(
            "select memory_id, 1 - distance as similarity from (
                select memory_id, embedding::vector({length}) <=> $1::real[]::vector({length}) as distance
                from memory_vectors where cardinality(embedding) = {length} and model = $2
                order by distance limit $3
            ) nearest join memories m on m.id = memory_id
            where m.state = 'active' and {weight} >= 0.0625
            order by distance limit $4",
            weight = weight!(),
        );
        let rows = sqlx::query(AssertSqlSafe(statement))
            .bind(&meaning.vector)
            .bind(&meaning.model)
            .bind(LOOKED_AT)
            .bind(NEAREST)
            .fetch_all(&mut *tx)
            .await?;
        tx.commit().await?;
        let mut near = Vec::new();
        for row in &rows {
            let cells = Cells::new(row, "memory_vectors");
            let similarity: f64 = cells.get("similarity")?;
            // That of a vector of zeros is no number.
            if similarity >= meaning.min_similarity {
                near.push(cells.id("memory_id")?);
            }
        }
        Ok(Near(near))
    }
}
