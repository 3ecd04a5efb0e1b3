//! Asks a model for a word on request, and says what came of it.

use std::collections::BTreeMap;
use std::time::Duration;

use axum::extract::State;
use futures::StreamExt as _;
use serde::{Deserialize, Serialize};
use tarsy_catalog::{ProviderState, ProviderType};
use tarsy_domain::code::Code;
use tarsy_domain::event::Role;
use tarsy_domain::id::SessionId;
use tarsy_llm::{Chunk, Config, Error, GrpcLlm, Llm as _, Message, Request};
use tarsy_web::{Json, Path, Problem};
use tokio::time::{Instant, timeout};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::prompts::CONNECTION;
use crate::state::AppState;

/// How long the model may take to its first word: a server may have to load it.
const LIMIT: Duration = Duration::from_mins(1);
/// The interface that every type of provider is called through.
const BACKEND: &str = "langchain";

pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(test))
}

/// The provider that a path names.
#[derive(Debug, Deserialize)]
struct OfProvider {
    provider: String,
}

/// What came of a question.
#[derive(Debug, Serialize, ToSchema)]
struct Answered {
    /// Whether the model began to answer.
    reachable: bool,
    model: String,
    /// Why it did not answer.
    error: Option<String>,
    /// How long it took to its first word, or to the error, in milliseconds.
    duration_ms: u64,
}

/// Asks the model of a provider for one word. At most a minute; it costs a handful of tokens.
#[utoipa::path(
    post, path = "/system/llm-providers/{provider}/test", tag = "system", operation_id = "test_llm_provider",
    params(("provider" = String, Path, description = "The provider's name")),
    responses(
        (status = 200, description = "What came of it", body = Answered),
        (status = 404, description = "No such provider", body = Problem,
         content_type = "application/problem+json"),
        (status = 503, description = "llm-service does not answer", body = Problem,
         content_type = "application/problem+json"),
    )
)]
#[tracing::instrument(name = "http.providers.test", skip_all, fields(llm.provider = path.provider))]
async fn test(
    State(app): State<AppState>,
    Path(path): Path<OfProvider>,
) -> Result<Json<Answered>, Problem> {
    let providers = app.configuration.get().provider_states();
    let provider =
        providers.into_iter().find(|one| one.name == path.provider).ok_or_else(|| {
            let detail =
                format!("there is no provider {:?}; GET /api/v1/system lists them", path.provider);
            Problem::new(Code::NotFound, detail)
        })?;
    let begun = Instant::now();
    let error = ask(&app, &provider).await?.err();
    let duration_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Json(Answered { reachable: error.is_none(), model: provider.model, error, duration_ms }))
}

/// The inner result is the provider's, the outer one that of llm-service.
async fn ask(app: &AppState, provider: &ProviderState) -> Result<Result<(), String>, Problem> {
    if provider.provider_type == ProviderType::Offline {
        return Ok(Ok(()));
    }
    if let Some(unusable) = &provider.unusable {
        return Ok(Err(unusable.to_string()));
    }
    let Some(llm) = app.configuration.models() else {
        let detail =
            "this process knows no llm-service, which calls the models: set LLM_SERVICE_ADDR";
        return Err(Problem::new(Code::Unavailable, detail));
    };
    match timeout(LIMIT, first_word(llm, &provider.name)).await {
        Ok(Ok(())) => Ok(Ok(())),
        Ok(Err(error @ Error::Transport(_))) => {
            tracing::warn!(error = %tarsy_telemetry::chain(&error), "llm-service did not answer");
            let detail =
                "llm-service, which calls the models, does not answer; look at the services below";
            Err(Problem::new(Code::Unavailable, detail))
        }
        Ok(Err(error)) => Ok(Err(error.to_string())),
        Err(_) => Ok(Err(format!("no word came within {} s", LIMIT.as_secs()))),
    }
}

/// Waits for the first part of the answer. The rest is not read, which ends the call at the provider, too.
async fn first_word(llm: &GrpcLlm, provider: &str) -> Result<(), Error> {
    let mut answer = llm.generate(question(provider)).await?;
    while let Some(chunk) = answer.next().await {
        match chunk? {
            Chunk::Text(_) | Chunk::Thinking(_) | Chunk::ToolCall(_) | Chunk::Finish(_) => {
                return Ok(());
            }
            _ => {}
        }
    }
    Err(Error::IncompleteStream)
}

fn question(provider: &str) -> Request {
    Request {
        session_id: SessionId::new(),
        execution_id: None,
        messages: vec![Message::new(Role::User, CONNECTION)],
        tools: Vec::new(),
        response_format: None,
        config: Config {
            provider: provider.to_owned(),
            model: String::new(),
            backend: BACKEND.to_owned(),
            max_tool_result_tokens: 0,
            native_tools: BTreeMap::new(),
            offline_tokens_per_second: None,
        },
        max_output_tokens: None,
        deadline: LIMIT,
    }
}
