//! Calls a model, through llm-service.
//!
//! The room knows the wire and nothing of prompts: a request goes in, a stream of chunks comes
//! out. With the feature `fake` a scripted model stands in for tests.

mod error;
mod grpc;
mod request;
#[cfg(feature = "fake")]
mod scripted;

pub use error::Error;
pub use grpc::GrpcLlm;
pub use request::{
    Chunk, Config, Grounding, GroundingSource, Message, Request, ToolCall, ToolDefinition, Usage,
};
#[cfg(feature = "fake")]
pub use scripted::{Script, ScriptedLlm};

use async_trait::async_trait;
use futures::stream::BoxStream;

/// What a model says, piece by piece.
pub type Chunks = BoxStream<'static, Result<Chunk, Error>>;

/// A model that can be asked.
#[async_trait]
pub trait Llm: Send + Sync {
    /// Begins one turn. Dropping the stream ends it at the provider, too.
    async fn generate(&self, request: Request) -> Result<Chunks, Error>;
}
