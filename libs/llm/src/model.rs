//! The trait that a model is called through.

use async_trait::async_trait;
use futures::stream::BoxStream;

use crate::error::Error;
use crate::request::{Chunk, Request};

/// The chunks of one answer, in the order of their arrival.
pub type Chunks = BoxStream<'static, Result<Chunk, Error>>;

/// A model; [`crate::call()`] is the only loop that calls it.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Starts one answer. Dropping the stream cancels it at the provider, too.
    async fn generate(&self, request: Request) -> Result<Chunks, Error>;
}
