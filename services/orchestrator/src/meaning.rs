//! Vectors of memories, and of what looks for them: what finds memories by meaning.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use tarsy_catalog::ResolvedEmbedding;
use tarsy_llm::{EmbedPurpose, EmbedRequest, GrpcLlm};
use tarsy_store::{MAX_DIMENSIONS, Meaning, Store};
use tokio_util::sync::CancellationToken;

use crate::metrics;

/// An investigation begins without what is not found in this time.
const OF_QUERY: Duration = Duration::from_secs(3);
const OF_MEMORIES: Duration = Duration::from_secs(30);
/// Half of the texts that one request may have: as many without a vector, and as many with one of another model.
const AT_ONCE: usize = 64;
/// Characters of a text that is looked for.
const QUERY: usize = 2_000;
/// The pause when no memory waits for its vector.
const IDLE: Duration = Duration::from_secs(2);
/// The first pause after a failure.
const FAILED: Duration = Duration::from_secs(30);
/// The longest pause after failures.
const LONGEST: Duration = Duration::from_mins(15);

/// What makes the vectors.
#[derive(Clone, Debug)]
pub struct Meanings {
    service: GrpcLlm,
    model: ResolvedEmbedding,
    /// How many numbers the last vector had, whatever was asked for; 0 before the first one.
    length: Arc<AtomicUsize>,
}

impl Meanings {
    pub fn new(service: GrpcLlm, model: ResolvedEmbedding) -> Self {
        Self { service, model, length: Arc::default() }
    }

    /// Names the vectors that are comparable with those of [`Self::of`]; none before the first one.
    pub(crate) fn name(&self) -> Option<String> {
        let length = self.length.load(Ordering::Relaxed);
        (length > 0).then(|| self.named(length))
    }

    /// A model that makes vectors of another length makes others, whatever it is called.
    fn named(&self, length: usize) -> String {
        format!("{} {} {length}", self.model.provider, self.model.model)
    }

    /// What memories are compared with for a text; none if no vector was made in time.
    pub(crate) async fn of(&self, text: &str) -> Option<Meaning> {
        let text: String = text.chars().take(QUERY).collect();
        match self.embed(vec![text], EmbedPurpose::Query, OF_QUERY).await {
            Ok(mut vectors) => vectors.pop().map(|vector| Meaning {
                model: self.named(vector.len()),
                vector,
                min_similarity: f64::from(self.model.min_similarity) / 100.0,
            }),
            Err(error) => {
                tracing::warn!(%error, "memories are looked for by words alone");
                None
            }
        }
    }

    async fn embed(
        &self,
        texts: Vec<String>,
        purpose: EmbedPurpose,
        deadline: Duration,
    ) -> Result<Vec<Vec<f32>>, tarsy_llm::Error> {
        let request = EmbedRequest {
            provider: self.model.provider.clone(),
            model: self.model.model.clone(),
            dimensions: self.model.dimensions.unwrap_or_default(),
            texts,
            purpose,
            deadline,
        };
        // The service has the deadline, too, and may be gone.
        let made = tokio::time::timeout(deadline, self.service.embed(&request)).await;
        let made = made.unwrap_or(Err(tarsy_llm::Error::Timeout));
        metrics::embeddings(if made.is_ok() { "completed" } else { "failed" });
        if let Some(vector) = made.as_ref().ok().and_then(|made| made.first()) {
            self.length.store(vector.len(), Ordering::Relaxed);
        }
        made
    }

    /// The name under which memories are claimed. The first vector of a process shows how long they are.
    async fn known(&self, store: &Store) -> anyhow::Result<Option<String>> {
        if self.name().is_none() && store.has_comparable_memories().await? {
            let any = vec!["memory".to_owned()];
            self.embed(any, EmbedPurpose::Query, OF_MEMORIES).await?;
        }
        Ok(self.name())
    }

    /// Makes vectors for some memories that have none; how many memories were taken.
    async fn round(&self, store: &Store) -> anyhow::Result<usize> {
        let Some(name) = self.known(store).await? else { return Ok(0) };
        let waiting = store.claim_unembedded(&name, AT_ONCE).await?;
        if waiting.is_empty() {
            return Ok(0);
        }
        let taken = waiting.len();
        let texts = waiting.iter().map(|one| one.text.clone()).collect();
        let vectors = self.embed(texts, EmbedPurpose::Document, OF_MEMORIES).await?;
        let longest = vectors.iter().map(Vec::len).max().unwrap_or_default();
        anyhow::ensure!(
            longest <= MAX_DIMENSIONS,
            "the vectors of {} have {longest} numbers, and {MAX_DIMENSIONS} are the most that are compared: set `dimensions` of \
             defaults.memory.embedding, or name another model",
            self.model.model
        );
        // Those of another length than they were claimed for wait for their turn under its name.
        if self.named(longest) == name {
            let made: Vec<_> = waiting.into_iter().zip(vectors).collect();
            store.set_memory_vectors(&name, &made).await?;
        }
        Ok(taken)
    }
}

/// Makes the vectors of memories until `stopping`; replicas share them. What fails is tried again, with pauses that grow.
pub(crate) async fn run(meanings: Meanings, store: Store, stopping: CancellationToken) {
    let mut pause = Duration::ZERO;
    let mut warned = false;
    while stopping.run_until_cancelled(tokio::time::sleep(pause)).await.is_some() {
        let has_vectors = store.has_vectors().await;
        if let Ok(false) = has_vectors {
            if !std::mem::replace(&mut warned, true) {
                tracing::warn!(
                    "memories are found by words alone: the database has no extension \"vector\"; install pgvector, and run \
                     `tarsy migrate` as a role that may create it"
                );
            }
            pause = LONGEST;
            continue;
        }
        pause = match meanings.round(&store).await {
            Ok(0) => IDLE,
            Ok(_) => Duration::ZERO,
            Err(error) => {
                let next = (pause * 2).clamp(FAILED, LONGEST);
                tracing::warn!(error = %format!("{error:#}"), "could not make the vectors of memories");
                next
            }
        };
    }
}
