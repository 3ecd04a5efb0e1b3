//! llm-service's caller, who asks for a turn and reads it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use futures::StreamExt as _;
use futures::future::try_join_all;
use tarsy_domain::event::Role;
use tarsy_domain::id::SessionId;
use tarsy_e2e::VENDOR;
use tarsy_llm::{Chunk, Config, GrpcLlm, Llm as _, Message, Request};

use crate::vendor::{Load, QUESTION, Read, Reader, Script, Vendor};

/// Longer no turn of this bench takes.
const DEADLINE: Duration = Duration::from_mins(1);

/// Asks for the texts of a load at the same time, and reads each to its end.
pub(crate) async fn read(vendor: &Vendor, llm: &GrpcLlm, load: Load) -> anyhow::Result<Vec<Read>> {
    try_join_all((0..load.streams).map(|_| read_one(llm, vendor.script(load)))).await
}

async fn read_one(llm: &GrpcLlm, script: Arc<Script>) -> anyhow::Result<Read> {
    let request = Request {
        session_id: SessionId::new(),
        execution_id: None,
        messages: vec![Message::new(Role::User, QUESTION)],
        tools: Vec::new(),
        response_format: None,
        config: Config {
            provider: VENDOR.to_owned(),
            backend: "langchain".to_owned(),
            model: script.model().to_owned(),
            ..Config::default()
        },
        max_output_tokens: None,
        deadline: DEADLINE,
    };
    let mut chunks = llm.generate(request).await?;
    let mut reader = Reader::new(script);
    while let Some(chunk) = chunks.next().await {
        if let Chunk::Text(text) = chunk? {
            reader.read(&text, Instant::now())?;
        }
    }
    reader.end(0)
}
