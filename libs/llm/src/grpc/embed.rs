//! Vectors of texts.

use std::time::Duration;

use futures::FutureExt as _;
use tarsy_llm_proto::v1;

use super::GrpcLlm;
use crate::error::Error;

/// What vectors are made for: some models make other ones of what is looked for than of what is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmbedPurpose {
    Document,
    Query,
}

/// Texts of which the provider makes vectors.
#[derive(Clone, Debug)]
pub struct EmbedRequest {
    /// A name of the configuration.
    pub provider: String,
    pub model: String,
    pub dimensions: u32,
    /// 1 to 128.
    pub texts: Vec<String>,
    pub purpose: EmbedPurpose,
    /// The most time that it may take.
    pub deadline: Duration,
}

impl GrpcLlm {
    /// One vector for each text, in their order.
    pub async fn embed(&self, request: &EmbedRequest) -> Result<Vec<Vec<f32>>, Error> {
        let (_, answer) = self
            .call(|mut client| {
                let mut call = tonic::Request::new(encode(request));
                call.set_timeout(request.deadline);
                self.authorize(&mut call);
                async move { client.embed(call).await }.boxed()
            })
            .await?;
        if let Some(error) = answer.error {
            return Err(super::failure(error));
        }
        let vectors: Vec<_> = answer.vectors.into_iter().map(|vector| vector.values).collect();
        if vectors.len() == request.texts.len() {
            Ok(vectors)
        } else {
            Err(Error::IncompleteStream)
        }
    }
}

fn encode(request: &EmbedRequest) -> v1::EmbedRequest {
    let purpose = match request.purpose {
        EmbedPurpose::Document => v1::EmbedPurpose::Document,
        EmbedPurpose::Query => v1::EmbedPurpose::Query,
    };
    v1::EmbedRequest {
        provider: request.provider.clone(),
        model: request.model.clone(),
        dimensions: i32::try_from(request.dimensions).unwrap_or(i32::MAX),
        texts: request.texts.clone(),
        purpose: purpose.into(),
        deadline_ms: i64::try_from(request.deadline.as_millis()).unwrap_or(i64::MAX),
    }
}
