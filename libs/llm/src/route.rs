//! Which model answers: the offline analyst in this process, every other one through llm-service.

use async_trait::async_trait;

use crate::endpoint::Endpoint;
use crate::error::Error;
use crate::grpc::GrpcLlm;
use crate::model::{Chunks, Llm};
use crate::offline::OfflineLlm;
use crate::request::Request;

/// The models of the configuration's providers.
#[derive(Clone, Debug)]
pub struct ProviderLlm {
    service: GrpcLlm,
    offline: OfflineLlm,
}

impl ProviderLlm {
    /// Fails as [`GrpcLlm::new`] does; llm-service need not run as long as only the analyst is called.
    pub fn new(service: &Endpoint, offline: OfflineLlm) -> Result<Self, Error> {
        Ok(Self { service: GrpcLlm::new(service)?, offline })
    }

    /// What answers for all but the offline analyst.
    pub fn service(&self) -> &GrpcLlm {
        &self.service
    }
}

#[async_trait]
impl Llm for ProviderLlm {
    async fn generate(&self, request: Request) -> Result<Chunks, Error> {
        if request.config.is_offline() {
            self.offline.generate(request).await
        } else {
            self.service.generate(request).await
        }
    }
}
