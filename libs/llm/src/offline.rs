//! The offline analyst as a model: rules, in this process.

use std::time::Duration;

use async_trait::async_trait;
use futures::StreamExt as _;
use tarsy_analyst::{Answer, CallRequest, Conversation, Message, Tool, answer};
use tarsy_catalog::RESERVED_ID;
use tarsy_domain::event::{FinishReason, Role};
use tarsy_domain::verdict::Verdict;
use tokio::task::JoinError;
use tokio::time::{Instant, sleep_until};

use crate::error::Error;
use crate::model::{Chunks, Llm};
use crate::request::{Chunk, Request, ToolCall};

/// Bytes of a token, about: the analyst has no tokenizer.
const TOKEN_BYTES: usize = 4;

/// Answers by rules, without a language model, a key or a network.
#[derive(Clone, Copy, Debug, Default)]
pub struct OfflineLlm {
    /// 0 does not slow it down.
    tokens_per_second: u32,
}

impl OfflineLlm {
    /// Its text is sent at this rate; 0 sends it at once.
    pub fn new(tokens_per_second: u32) -> Self {
        Self { tokens_per_second }
    }

    /// At the rate of the request, where it has one.
    fn paced_as(self, request: &Request) -> Self {
        let rate = request.config.offline_tokens_per_second;
        rate.map_or(self, |tokens_per_second| Self { tokens_per_second })
    }

    /// How long a part of its text takes.
    fn pace(self, bytes: usize) -> Duration {
        match self.tokens_per_second {
            0 => Duration::ZERO,
            rate => Duration::from_secs(1) * saturated(bytes) / (rate * saturated(TOKEN_BYTES)),
        }
    }
}

#[async_trait]
impl Llm for OfflineLlm {
    async fn generate(&self, request: Request) -> Result<Chunks, Error> {
        let paced_as = self.paced_as(&request);
        let conversation = conversation(&request);
        let answer = answered(conversation).await.map_err(|error| Error::Provider {
            message: format!("the offline analyst failed: {error}"),
            code: "internal".to_owned(),
            retryable: false,
            retry_after: None,
            variable: None,
        })?;
        let mut due = Instant::now();
        let timed: Vec<(Instant, Chunk)> = chunks(answer)
            .into_iter()
            .map(|chunk| {
                due += paced_as.pace(chunk.bytes());
                (due, chunk)
            })
            .collect();
        let paced = paced_as.tokens_per_second > 0;
        let stream = futures::stream::iter(timed).then(move |(due, chunk)| async move {
            if paced {
                sleep_until(due).await;
            }
            Ok(chunk)
        });
        Ok(stream.boxed())
    }
}

/// The verdict on what these messages have, which ask for no call and no other text; none if nothing was found.
pub async fn conclude_offline(messages: Vec<crate::request::Message>) -> Option<Box<Verdict>> {
    let conversation = Conversation {
        messages: read(&messages),
        tools: Vec::new(),
        max_output_tokens: None,
        id_prefix: String::new(),
    };
    answered(conversation).await.map_or_else(
        |error| {
            tracing::warn!(%error, "the offline analyst failed");
            None
        },
        |answer| answer.verdict,
    )
}

/// The answer to a conversation. Reading some MiB of results takes longer than an event loop may be held up.
async fn answered(conversation: Conversation) -> Result<Answer, JoinError> {
    tokio::task::spawn_blocking(move || answer(&conversation)).await
}

/// The messages that rules read.
fn read(messages: &[crate::request::Message]) -> Vec<Message> {
    messages.iter().filter(|one| !is_skill(one)).map(message).collect()
}

fn saturated(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

fn conversation(request: &Request) -> Conversation {
    let tools = request.tools.iter().filter(|tool| !is_own(&tool.name));
    let tools = tools.map(|tool| Tool::new(&tool.name, &tool.description, &tool.parameters_schema));
    Conversation {
        messages: read(&request.messages),
        tools: tools.collect(),
        max_output_tokens: request.max_output_tokens,
        // Agents of one session run at once, and their ids must differ.
        id_prefix: request.execution_id.map(|id| id.to_string()).unwrap_or_default(),
    }
}

/// Whether a tool is TARSy's own, which shows nothing of what is wrong: rules neither call it nor read its results.
fn is_own(name: &str) -> bool {
    name.strip_prefix(RESERVED_ID).is_some_and(|rest| rest.starts_with(['.', '_']))
}

fn is_skill(message: &crate::request::Message) -> bool {
    message.tool_name.as_deref().is_some_and(is_own)
}

fn message(message: &crate::request::Message) -> Message {
    Message {
        role: match message.role {
            Role::System => tarsy_analyst::Role::System,
            Role::User => tarsy_analyst::Role::User,
            Role::Assistant => tarsy_analyst::Role::Assistant,
            Role::Tool => tarsy_analyst::Role::Tool,
        },
        content: message.content.clone(),
        calls: message.tool_calls.iter().filter(|call| !is_own(&call.name)).map(call).collect(),
        call_id: message.tool_call_id.clone().unwrap_or_default(),
    }
}

fn call(call: &ToolCall) -> CallRequest {
    CallRequest { id: call.id.clone(), name: call.name.clone(), arguments: call.arguments.clone() }
}

/// Without usage: rules read and write no tokens of a model.
fn chunks(answer: Answer) -> Vec<Chunk> {
    let reason = if answer.calls.is_empty() { FinishReason::Stop } else { FinishReason::ToolCalls };
    let mut chunks: Vec<Chunk> = words(&answer.thinking).map(Chunk::Thinking).collect();
    chunks.extend(words(&answer.text).map(Chunk::Text));
    chunks.extend(answer.calls.into_iter().map(|call| {
        Chunk::ToolCall(ToolCall {
            id: call.id,
            name: call.name,
            arguments: call.arguments,
            ..ToolCall::default()
        })
    }));
    chunks.extend(answer.verdict.map(Chunk::Verdict));
    chunks.push(Chunk::Finish(reason));
    chunks
}

/// Words, each with the space behind it.
fn words(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split_inclusive(char::is_whitespace).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use tarsy_domain::id::SessionId;
    use tarsy_domain::verdict::Outcome;

    use super::*;
    use crate::request::{Config, Message as Sent, ToolDefinition};

    fn request(text: &str) -> Request {
        Request {
            session_id: SessionId::new(),
            execution_id: None,
            messages: vec![Sent::new(Role::User, text)],
            tools: Vec::new(),
            response_format: None,
            config: Config { backend: "offline".to_owned(), ..Config::default() },
            max_output_tokens: None,
            deadline: Duration::from_mins(1),
        }
    }

    async fn answered(llm: OfflineLlm, request: Request) -> Vec<Chunk> {
        let chunks = llm.generate(request).await.unwrap();
        chunks.map(Result::unwrap).collect().await
    }

    #[tokio::test]
    async fn an_alert_without_tools_gets_a_report_without_usage_and_an_end() {
        let alert = "checkout: ERROR connection refused by postgres:5432";
        let chunks = answered(OfflineLlm::default(), request(alert)).await;
        let text: String = chunks
            .iter()
            .filter_map(
                |chunk| if let Chunk::Text(text) = chunk { Some(text.as_str()) } else { None },
            )
            .collect();
        assert!(text.contains("\n\n## No cause found\n") && text.contains("no LLM was used"));
        assert_eq!(outcome(&chunks), Some(Outcome::NotExaminable), "the alert is no evidence");
        let is_usage = |chunk: &Chunk| matches!(chunk, Chunk::Usage(_));
        assert!(!chunks.iter().any(is_usage), "rules use no tokens of a model: {chunks:?}");
        assert_eq!(chunks.last(), Some(&Chunk::Finish(FinishReason::Stop)));
    }

    fn outcome(chunks: &[Chunk]) -> Option<Outcome> {
        chunks.iter().find_map(|chunk| match chunk {
            Chunk::Verdict(verdict) => Some(verdict.outcome),
            _ => None,
        })
    }

    /// A log that was read about an alert.
    fn with_log(line: &str) -> Request {
        let mut request = request("checkout answers with 500");
        let call = ToolCall {
            id: "1".to_owned(),
            name: "logs.read_log".to_owned(),
            arguments: "{}".to_owned(),
            ..ToolCall::default()
        };
        request.messages.push(Sent { tool_calls: vec![call], ..Sent::new(Role::Assistant, "") });
        let answer = Sent::new(Role::Tool, format!("2026-01-01T10:00:00Z ERROR checkout: {line}"));
        request.messages.push(Sent { tool_call_id: Some("1".to_owned()), ..answer });
        request
    }

    #[tokio::test]
    async fn what_decides_in_a_result_is_a_cause_and_a_hint_is_none() {
        let decides = with_log("cannot write /var/spool/orders: No space left on device");
        let chunks = answered(OfflineLlm::default(), decides).await;
        assert_eq!(outcome(&chunks), Some(Outcome::CauseFound), "{chunks:?}");
        let hints = with_log("connection refused by postgres:5432");
        let chunks = answered(OfflineLlm::default(), hints).await;
        assert_eq!(outcome(&chunks), Some(Outcome::NotExaminable), "{chunks:?}");
    }

    #[test]
    fn skills_that_a_model_loaded_are_not_read_and_none_is_loaded() {
        let mut request = request("the disk of web-1 is full");
        let tool = |name: &str| ToolDefinition {
            name: name.to_owned(),
            description: "Reads.".to_owned(),
            parameters_schema: "{}".to_owned(),
        };
        request.tools = vec![tool("tarsy.load_skill"), tool("tarsyish.load")];
        let call = |name: &str| ToolCall { name: name.to_owned(), ..ToolCall::default() };
        let asked = vec![call("tarsy__load_skill"), call("host.load")];
        request.messages.push(Sent { tool_calls: asked, ..Sent::new(Role::Assistant, "") });
        let result = |name: &str| Sent {
            tool_name: Some(name.to_owned()),
            ..Sent::new(Role::Tool, "out of memory")
        };
        request.messages.extend([result("tarsy.load_skill"), result("host.load")]);
        let read = conversation(&request);
        let names: Vec<&str> = read.tools.iter().map(|tool| tool.name.as_str()).collect();
        assert_eq!((names, read.messages.len()), (vec!["tarsyish.load"], 3));
        let calls: Vec<&str> =
            read.messages[1].calls.iter().map(|call| call.name.as_str()).collect();
        assert_eq!(calls, ["host.load"]);
    }

    #[tokio::test]
    async fn tools_are_called_with_ids_of_their_own() {
        let mut request = request("HighDiskUsage: the disk of web-1 is full");
        request.tools = vec![ToolDefinition {
            name: "host.disk_usage".to_owned(),
            description: "Space in use.".to_owned(),
            parameters_schema: String::new(),
        }];
        let chunks = answered(OfflineLlm::default(), request).await;
        let call = chunks.iter().find_map(|chunk| match chunk {
            Chunk::ToolCall(call) => Some(call),
            _ => None,
        });
        assert!(call.is_some_and(|call| call.name == "host.disk_usage" && !call.id.is_empty()));
        assert_eq!(chunks.last(), Some(&Chunk::Finish(FinishReason::ToolCalls)));
    }

    #[tokio::test(start_paused = true)]
    async fn text_is_sent_at_the_rate_that_is_set() {
        let mut of_the_request = request("disk full");
        of_the_request.config.offline_tokens_per_second = Some(50);
        for (llm, request) in
            [(OfflineLlm::new(50), request("disk full")), (OfflineLlm::default(), of_the_request)]
        {
            let started = Instant::now();
            let chunks = answered(llm, request).await;
            let bytes: usize = chunks.iter().map(Chunk::bytes).sum();
            assert_eq!(started.elapsed().as_millis() / 100, bytes as u128 * 1_000 / 200 / 100);
        }
    }
}
