//! The gRPC client of llm-service.

use std::collections::BTreeMap;
use std::time::Duration;

use async_trait::async_trait;
use futures::future::BoxFuture;
use futures::{FutureExt as _, StreamExt as _, TryStreamExt as _};
use tarsy_domain::code::Coded as _;
use tarsy_domain::event::FinishReason;
use tarsy_llm_proto::v1;
use tarsy_llm_proto::v1::generate_response::Chunk as Wire;
use tarsy_llm_proto::v1::llm_service_client::LlmServiceClient;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::Channel;
use tonic::{Code, Response, Status};
use tracing::{Instrument as _, Span};

pub use self::embed::{EmbedPurpose, EmbedRequest};

use crate::balance::{Balancer, Lease};
use crate::endpoint::Endpoint;
use crate::error::Error;
use crate::model::{Chunks, Llm};
use crate::request::{
    Chunk, Grounding, GroundingSource, GroundingSupport, Message, Request, ResponseInfo, ToolCall,
    UrlRead, Usage,
};

/// A look at the environment of llm-service, and the connection before it.
const LIST_TIMEOUT: Duration = Duration::from_secs(10);
const CERTIFICATES: &str = "if it runs, check LLM_SERVICE_TLS_CERT and LLM_SERVICE_TLS_KEY, and that \
                            LLM_SERVICE_TLS_CA of each side is the authority of the other's certificate";
/// The pause when llm-service is at capacity and asks for none.
const DEFAULT_PUSHBACK: Duration = Duration::from_secs(2);
/// The longest pause that llm-service may ask for.
const MAX_PUSHBACK: Duration = Duration::from_mins(1);
/// In bytes; a conversation with large tool results needs it.
const MESSAGE_LIMIT: usize = 64 * 1024 * 1024;

/// Replicas that one call may be sent to, each after another failed before it answered anything.
const MAX_REPLICAS: usize = 3;

type Client = LlmServiceClient<Channel>;

/// llm-service over gRPC; connects on first use, and again after connections are lost.
#[derive(Clone, Debug)]
pub struct GrpcLlm {
    replicas: Balancer,
    authorization: Option<MetadataValue<Ascii>>,
    tls: bool,
}

impl GrpcLlm {
    /// Fails if an address is none, or a certificate cannot be read.
    pub fn new(endpoint: &Endpoint) -> Result<Self, Error> {
        let replicas = Balancer::new(endpoint)?;
        Ok(Self { replicas, authorization: endpoint.authorization()?, tls: endpoint.is_tls() })
    }

    /// Why a call was not answered. A server that refuses a certificate closes the connection without a word.
    fn unanswered(&self, error: Error) -> Error {
        match error {
            Error::Transport(reason) if self.tls => {
                Error::Transport(format!("{reason}; {CERTIFICATES}"))
            }
            error => error,
        }
    }

    /// How many replicas the addresses stand for, and how many of them are connected; none before the first call.
    pub fn replicas(&self) -> (usize, usize) {
        self.replicas.counts()
    }

    /// The providers of llm-service's configuration by name, each with the variables that it needs and that are not
    /// set there; it is usable if there are none.
    pub async fn list_providers(&self) -> Result<BTreeMap<String, Vec<String>>, Error> {
        let (_, answer) = self
            .call(|mut client| {
                let mut call = tonic::Request::new(v1::ListProvidersRequest {});
                call.set_timeout(LIST_TIMEOUT);
                self.authorize(&mut call);
                async move { client.list_providers(call).await }.boxed()
            })
            .await?;
        let providers = answer.providers.into_iter();
        Ok(providers.map(|provider| (provider.name, provider.missing_variables)).collect())
    }

    /// Makes a call on one replica, and on another one as long as none has answered: until then nobody has seen anything
    /// of it.
    async fn call<T>(
        &self,
        make: impl Fn(Client) -> BoxFuture<'static, Result<Response<T>, Status>> + Send,
    ) -> Result<(Lease, T), Error> {
        let mut lease = self.replicas.acquire().await.map_err(|error| self.unanswered(error))?;
        let mut tried = Vec::new();
        loop {
            let status = match make(client(&lease)).await {
                Ok(answer) => {
                    lease.succeeded();
                    return Ok((lease, answer.into_inner()));
                }
                Err(status) => status,
            };
            let goes_on = lease.failed(&status) || status.code() == Code::ResourceExhausted;
            tried.push(lease.connection());
            let another = (goes_on && tried.len() < MAX_REPLICAS)
                .then(|| self.replicas.another(&tried))
                .flatten();
            match another {
                Some(another) => lease = another,
                None => return Err(self.unanswered(transport(status))),
            }
        }
    }

    fn authorize<T>(&self, call: &mut tonic::Request<T>) {
        if let Some(value) = &self.authorization {
            call.metadata_mut().insert("authorization", value.clone());
        }
    }
}

#[async_trait]
impl Llm for GrpcLlm {
    async fn generate(&self, request: Request) -> Result<Chunks, Error> {
        let span = generate_span();
        let trace: Option<MetadataValue<Ascii>> =
            span.in_scope(tarsy_telemetry::traceparent).and_then(|text| text.parse().ok());
        let (lease, stream) = self
            .call(|mut client| {
                let mut call = tonic::Request::new(encode(&request));
                call.set_timeout(request.deadline);
                if let Some(value) = trace.clone() {
                    call.metadata_mut().insert("traceparent", value);
                }
                self.authorize(&mut call);
                async move { client.generate(call).await }.boxed()
            })
            .instrument(span.clone())
            .await
            .inspect_err(|error| tarsy_telemetry::set_failed(&span, error.code().to_string()))?;
        let of_stream = span.clone();
        let stream = stream.map_err(move |status| {
            finish(&of_stream, status.code());
            lease.failed(&status);
            transport(status)
        });
        let messages = stream.map(Some).chain(futures::stream::iter([None]));
        // A stream that ends without its final message was cut.
        let chunks = messages.scan(false, move |ended, message| {
            let chunks = match message {
                Some(Ok(response)) => {
                    if response.is_final {
                        *ended = true;
                        finish(&span, Code::Ok);
                    }
                    decode(response)
                }
                Some(Err(error)) => {
                    *ended = true;
                    vec![Err(error)]
                }
                None if *ended => return std::future::ready(None),
                None => vec![Err(Error::IncompleteStream)],
            };
            std::future::ready(Some(chunks))
        });
        Ok(chunks.flat_map(futures::stream::iter).boxed())
    }
}

fn client(lease: &Lease) -> Client {
    LlmServiceClient::new(lease.channel())
        .max_decoding_message_size(MESSAGE_LIMIT)
        .max_encoding_message_size(MESSAGE_LIMIT)
}

/// The span of a turn; it ends with the stream of the answer.
fn generate_span() -> Span {
    let span = tracing::info_span!(
        "llm.generate",
        otel.name = "llm.v1.LLMService/Generate",
        otel.kind = "client"
    );
    tarsy_telemetry::set_attribute(&span, "rpc.system", "grpc");
    tarsy_telemetry::set_attribute(&span, "rpc.service", "llm.v1.LLMService");
    tarsy_telemetry::set_attribute(&span, "rpc.method", "Generate");
    span
}

/// Notes how the call ended.
fn finish(span: &Span, code: Code) {
    tarsy_telemetry::set_attribute(span, "rpc.grpc.status_code", i64::from(i32::from(code)));
    if code != Code::Ok {
        tarsy_telemetry::set_failed(span, format!("{code:?}"));
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the shape of `map_err`")]
fn transport(status: Status) -> Error {
    match status.code() {
        Code::DeadlineExceeded => Error::Timeout,
        Code::Cancelled if status.message().contains("Timeout") => Error::Timeout,
        Code::ResourceExhausted => Error::Provider {
            message: format!("llm-service is at capacity: {}", status.message()),
            code: "rate_limited".to_owned(),
            retryable: true,
            retry_after: Some(pushback(&status)),
            variable: None,
        },
        // llm-service was reached, and the same request would be refused again.
        Code::NotFound => refused("unknown_provider", &status),
        Code::InvalidArgument => refused("invalid_request", &status),
        Code::Unauthenticated | Code::PermissionDenied => refused("unauthenticated", &status),
        code => Error::Transport(format!("{code:?}: {}", status.message())),
    }
}

fn refused(code: &str, status: &Status) -> Error {
    Error::Provider {
        message: status.message().to_owned(),
        code: code.to_owned(),
        retryable: false,
        retry_after: None,
        variable: None,
    }
}

/// The pause that llm-service asks for in gRPC's own trailer.
fn pushback(status: &Status) -> Duration {
    status
        .metadata()
        .get("grpc-retry-pushback-ms")
        .and_then(|value| value.to_str().ok())
        .and_then(|text| text.parse().ok())
        .map_or(DEFAULT_PUSHBACK, Duration::from_millis)
        .min(MAX_PUSHBACK)
}

fn encode(request: &Request) -> v1::GenerateRequest {
    let config = &request.config;
    v1::GenerateRequest {
        response_format: request.response_format.as_ref().map(|format| v1::ResponseFormat {
            name: format.name.clone(),
            schema: format.schema.clone(),
        }),
        session_id: request.session_id.to_string(),
        execution_id: request.execution_id.map(|id| id.to_string()).unwrap_or_default(),
        messages: request.messages.iter().map(encode_message).collect(),
        tools: request
            .tools
            .iter()
            .map(|tool| v1::ToolDefinition {
                name: tool.name.clone(),
                description: tool.description.clone(),
                parameters_schema: tool.parameters_schema.clone(),
            })
            .collect(),
        llm_config: Some(v1::LlmConfig {
            provider: config.provider.clone(),
            model: config.model.clone(),
            max_tool_result_tokens: config.max_tool_result_tokens,
            native_tools: config.native_tools.clone().into_iter().collect(),
            backend: config.backend.clone(),
        }),
        max_output_tokens: request
            .max_output_tokens
            .and_then(|limit| i32::try_from(limit).ok())
            .unwrap_or_default(),
        deadline_ms: i64::try_from(request.deadline.as_millis()).unwrap_or(i64::MAX),
    }
}

fn encode_message(message: &Message) -> v1::ConversationMessage {
    v1::ConversationMessage {
        role: message.role.as_str().to_owned(),
        content: message.content.clone(),
        tool_calls: message
            .tool_calls
            .iter()
            .map(|call| v1::ToolCall {
                id: call.id.clone(),
                name: call.name.clone(),
                arguments: call.arguments.clone(),
            })
            .collect(),
        tool_call_id: message.tool_call_id.clone().unwrap_or_default(),
        tool_name: message.tool_name.clone().unwrap_or_default(),
        provider_state: message.provider_state.clone().unwrap_or_default(),
    }
}

/// The chunks of one message: its finish reason comes before its error.
fn decode(response: v1::GenerateResponse) -> Vec<Result<Chunk, Error>> {
    let finish = finish_reason(response.finish_reason()).map(|reason| Ok(Chunk::Finish(reason)));
    finish.into_iter().chain(response.chunk.map(decode_chunk)).collect()
}

fn finish_reason(reason: v1::FinishReason) -> Option<FinishReason> {
    match reason {
        v1::FinishReason::Unspecified => None,
        v1::FinishReason::Stop => Some(FinishReason::Stop),
        v1::FinishReason::Length => Some(FinishReason::Length),
        v1::FinishReason::ToolCalls => Some(FinishReason::ToolCalls),
        v1::FinishReason::ContentFilter => Some(FinishReason::ContentFilter),
    }
}

fn decode_chunk(chunk: Wire) -> Result<Chunk, Error> {
    Ok(match chunk {
        Wire::Text(delta) => Chunk::Text(delta.content),
        Wire::Thinking(delta) => Chunk::Thinking(delta.content),
        Wire::ToolCall(call) => Chunk::ToolCall(ToolCall {
            id: call.call_id,
            name: call.name,
            arguments: call.arguments,
            ..ToolCall::default()
        }),
        Wire::Usage(usage) => Chunk::Usage(Usage {
            input_tokens: usage.input_tokens,
            output_tokens: usage.output_tokens,
            total_tokens: usage.total_tokens,
            thinking_tokens: usage.thinking_tokens,
            cached_input_tokens: usage.cached_input_tokens,
            estimated: false,
        }),
        Wire::CodeExecution(delta) => {
            Chunk::CodeExecution { code: delta.code, result: delta.result }
        }
        Wire::Grounding(delta) => Chunk::Grounding(Box::new(Grounding {
            queries: delta.web_search_queries,
            sources: delta
                .grounding_chunks
                .into_iter()
                .map(|source| GroundingSource { uri: source.uri, title: source.title })
                .collect(),
            supports: delta.grounding_supports.into_iter().map(support).collect(),
            search_entry_point: delta.search_entry_point_html,
        })),
        Wire::UrlContext(delta) => {
            let page = |page: v1::UrlRead| UrlRead { url: page.url, status: page.status };
            Chunk::UrlContext(delta.pages.into_iter().map(page).collect())
        }
        Wire::ResponseInfo(info) => Chunk::Response(Box::new(ResponseInfo {
            response_id: info.response_id,
            model_version: info.model_version,
            finish_reason: info.finish_reason,
            details: info.details.into_iter().collect(),
        })),
        Wire::ProviderState(state) => Chunk::ProviderState(state),
        Wire::Error(error) => return Err(failure(error)),
    })
}

/// The failure that a provider reported.
fn failure(error: v1::ErrorInfo) -> Error {
    Error::Provider {
        message: error.message,
        code: error.code,
        retryable: error.retryable,
        retry_after: u64::try_from(error.retry_after_ms)
            .ok()
            .filter(|&ms| ms > 0)
            .map(Duration::from_millis),
        variable: Some(error.variable).filter(|name| !name.is_empty()),
    }
}

fn support(support: v1::GroundingSupport) -> GroundingSupport {
    GroundingSupport {
        start: support.start_index,
        end: support.end_index,
        text: support.text,
        sources: support.grounding_chunk_indices,
        confidence: support.confidence_scores,
    }
}

mod embed;
#[cfg(test)]
mod played;
#[cfg(test)]
mod replicas;

#[cfg(test)]
mod tests {
    use tonic::metadata::MetadataMap;

    use super::*;

    fn at_capacity(pushback: Option<&str>) -> Error {
        let mut trailers = MetadataMap::new();
        if let Some(text) = pushback {
            trailers.insert("grpc-retry-pushback-ms", text.parse().expect("a value"));
        }
        transport(Status::with_metadata(Code::ResourceExhausted, "too many turns", trailers))
    }

    #[test]
    fn a_service_at_capacity_is_a_rate_limit_with_its_pushback() {
        let error = at_capacity(Some("1500"));
        assert!(matches!(&error, Error::Provider { code, .. } if code == "rate_limited"));
        assert!(error.is_retryable());
        assert_eq!(error.retry_after(), Some(Duration::from_millis(1500)));
    }

    #[test]
    fn a_missing_or_absurd_pushback_is_replaced() {
        assert_eq!(at_capacity(None).retry_after(), Some(DEFAULT_PUSHBACK));
        assert_eq!(at_capacity(Some("soon")).retry_after(), Some(DEFAULT_PUSHBACK));
        assert_eq!(at_capacity(Some("99999999")).retry_after(), Some(MAX_PUSHBACK));
    }

    #[test]
    fn a_passed_deadline_is_a_timeout_and_the_rest_is_transport() {
        assert!(matches!(transport(Status::deadline_exceeded("late")), Error::Timeout));
        assert!(matches!(transport(Status::unavailable("gone")), Error::Transport(_)));
    }

    #[test]
    fn a_refusal_is_not_retried_and_keeps_its_words() {
        for status in [
            Status::not_found("no provider \"x\""),
            Status::invalid_argument("no"),
            Status::unauthenticated("no token"),
        ] {
            let words = status.message().to_owned();
            let error = transport(status);
            assert!(!error.is_retryable(), "{error:?}");
            assert_eq!(error.to_string(), words);
        }
    }

    #[test]
    fn a_final_message_yields_its_finish_reason_before_its_error() {
        let info = v1::ErrorInfo { message: "refused".to_owned(), ..v1::ErrorInfo::default() };
        let mut response = v1::GenerateResponse { is_final: true, ..Default::default() };
        assert!(decode(response.clone()).is_empty());
        response.set_finish_reason(v1::FinishReason::ContentFilter);
        response.chunk = Some(Wire::Error(info));
        let chunks = decode(response);
        assert!(matches!(chunks[0], Ok(Chunk::Finish(FinishReason::ContentFilter))));
        assert!(matches!(chunks[1], Err(Error::Provider { .. })));
    }
}
