//! A request to a model, and the chunks of its answer.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tarsy_catalog::ResolvedProvider;
use tarsy_contracts::trace::Compaction;
use tarsy_domain::event::{FinishReason, Role};
use tarsy_domain::id::{ExecutionId, SessionId};
use tarsy_domain::verdict::Verdict;

/// The backend of the offline analyst, as [`Config`] names it.
const OFFLINE: &str = "offline";

/// One request: the whole conversation, and the bounds of the answer.
#[derive(Clone, Debug)]
pub struct Request {
    pub session_id: SessionId,
    /// None for a call that belongs to no agent, such as the executive summary.
    pub execution_id: Option<ExecutionId>,
    pub messages: Vec<Message>,
    pub tools: Vec<ToolDefinition>,
    /// The form of the answer; none leaves it to the model.
    pub response_format: Option<ResponseFormat>,
    pub config: Config,
    /// None leaves it to the provider.
    pub max_output_tokens: Option<u32>,
    /// How long llm-service may work on the request.
    pub deadline: Duration,
}

/// The form that an answer is asked for in. It is asked for by the provider's own means, as far as it has any: the answer is text,
/// and the caller checks it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseFormat {
    /// Letters, digits, `_` and `-`, at most 64.
    pub name: String,
    /// JSON Schema text of an object.
    pub schema: String,
}

/// A provider of llm-service's configuration, by its name, and what a call may choose.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// Its name in the configuration.
    pub provider: String,
    /// A model of this provider; empty for the configured one.
    pub model: String,
    /// google-native, langchain or offline.
    pub backend: String,
    pub max_tool_result_tokens: i32,
    /// Whether each of the provider's own tools is on.
    pub native_tools: BTreeMap<String, bool>,
    /// The rate of the offline analyst; none for that of its process.
    pub offline_tokens_per_second: Option<u32>,
}

impl Config {
    /// Whether the offline analyst answers: rules, which use no tokens of a model.
    pub(crate) fn is_offline(&self) -> bool {
        self.backend == OFFLINE
    }
}

impl From<&ResolvedProvider> for Config {
    fn from(provider: &ResolvedProvider) -> Self {
        let native = [
            ("google_search", provider.native_tools.google_search),
            ("code_execution", provider.native_tools.code_execution),
            ("url_context", provider.native_tools.url_context),
        ];
        Self {
            provider: provider.name.clone(),
            model: provider.model.clone(),
            backend: provider.backend.as_str().to_owned(),
            max_tool_result_tokens: i32::try_from(provider.max_tool_result_tokens)
                .unwrap_or(i32::MAX),
            native_tools: native.into_iter().map(|(name, on)| (name.to_owned(), on)).collect(),
            offline_tokens_per_second: provider.offline_tokens_per_second,
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub content: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tool_calls: Vec<ToolCall>,
    /// The id of the tool call that this message answers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<String>,
    /// `server.tool`, in an answer to a tool call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_name: Option<String>,
    /// The number of the call whose result it is, as models cite it; not sent.
    #[serde(default, skip)]
    pub call_number: Option<i64>,
    /// The tokens of its text and its calls, once they are counted; not sent.
    #[serde(default, skip)]
    pub tokens: Option<usize>,
    /// What the provider that wrote the message wants back with it.
    #[serde(default, skip)]
    pub provider_state: Option<Vec<u8>>,
}

impl Message {
    /// A message of text alone.
    pub fn new(role: Role, content: impl Into<String>) -> Self {
        Self {
            role,
            content: content.into(),
            tool_calls: Vec::new(),
            tool_call_id: None,
            tool_name: None,
            call_number: None,
            tokens: None,
            provider_state: None,
        }
    }

    /// Counts the tokens of its text and its calls, unless that is done.
    pub fn count_tokens(&mut self) {
        if self.tokens.is_none() {
            self.tokens = Some(self.counted_tokens());
        }
    }

    /// The tokens of its text and its calls.
    pub fn counted_tokens(&self) -> usize {
        self.tokens.unwrap_or_else(|| tarsy_tokens::count(&self.content) + self.call_tokens())
    }

    pub fn call_tokens(&self) -> usize {
        let calls = self.tool_calls.iter();
        calls
            .map(|call| tarsy_tokens::count(&call.name) + tarsy_tokens::count(&call.arguments))
            .sum()
    }
}

/// The messages of one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Prompt {
    pub messages: Vec<Message>,
    /// What was left out of the conversation; none if it is whole.
    pub compaction: Option<Compaction>,
}

/// Shortens a conversation until a request with these tools fits a provider's context window. Depends on
/// nothing else, so that a resumed session sends the same request.
pub type Compact = fn(&[Message], &[ToolDefinition], &ResolvedProvider) -> Prompt;

/// A tool call that the model requests.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The model's id of the call; empty if it gave none.
    pub id: String,
    /// `server.tool`.
    pub name: String,
    /// JSON text, as the model wrote it, with its secrets masked.
    pub arguments: String,
    /// What the call is made with, where that is another text.
    #[serde(default, rename = "masked", skip_serializing_if = "Unmasked::is_same")]
    pub unmasked: Unmasked,
}

impl ToolCall {
    /// The arguments that the call is made with; none if they are lost with the process that read them.
    pub fn made_with(&self) -> Option<&str> {
        match &self.unmasked {
            Unmasked::Same => Some(&self.arguments),
            Unmasked::Kept(arguments) => Some(arguments),
            Unmasked::Lost => None,
        }
    }
}

/// The arguments of a call with its secrets, which are stored and shown nowhere.
#[derive(Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "bool")]
pub enum Unmasked {
    /// Nothing was masked.
    #[default]
    Same,
    Kept(String),
    /// The process that had them is gone.
    Lost,
}

impl Unmasked {
    fn is_same(&self) -> bool {
        *self == Self::Same
    }
}

impl From<bool> for Unmasked {
    fn from(is_masked: bool) -> Self {
        if is_masked { Self::Lost } else { Self::Same }
    }
}

impl Serialize for Unmasked {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bool(!self.is_same())
    }
}

impl fmt::Debug for Unmasked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Same => "Same",
            Self::Kept(_) => "Kept",
            Self::Lost => "Lost",
        })
    }
}

/// A tool that is offered to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolDefinition {
    /// `server.tool`.
    pub name: String,
    pub description: String,
    /// JSON Schema text of its arguments.
    pub parameters_schema: String,
}

/// A part of an answer.
#[derive(Clone, Debug, PartialEq)]
pub enum Chunk {
    Text(String),
    Thinking(String),
    /// A complete tool call, never a fragment of one.
    ToolCall(ToolCall),
    Usage(Usage),
    /// Code that the provider executed.
    CodeExecution {
        code: String,
        result: String,
    },
    /// The provider's own search.
    Grounding(Box<Grounding>),
    /// Pages that the provider read.
    UrlContext(Vec<UrlRead>),
    /// What the provider reports about its answer.
    Response(Box<ResponseInfo>),
    /// What the offline analyst found, typed.
    Verdict(Box<Verdict>),
    /// What the provider wants back with this message in the next request.
    ProviderState(Vec<u8>),
    /// The provider ended the answer; comes last, before an error too.
    Finish(FinishReason),
}

/// The tokens of one request, as the provider counts them, else as they are estimated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    pub input_tokens: i32,
    /// Thinking included.
    pub output_tokens: i32,
    pub total_tokens: i32,
    pub thinking_tokens: i32,
    /// The part of the input that came from the provider's cache.
    pub cached_input_tokens: i32,
    /// Whether the provider left a part of it out.
    #[serde(default)]
    pub estimated: bool,
}

/// What a provider's own search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Grounding {
    pub queries: Vec<String>,
    pub sources: Vec<GroundingSource>,
    pub supports: Vec<GroundingSupport>,
    /// HTML with suggestions for further searches; empty if the provider sent none.
    pub search_entry_point: String,
}

/// A part of the answer, and the sources that support it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GroundingSupport {
    /// Where it begins and ends in the answer, in bytes.
    pub start: i32,
    pub end: i32,
    pub text: String,
    /// Indices of `Grounding::sources`.
    pub sources: Vec<i32>,
    /// Of each of these sources, from 0 to 1; empty if the provider gave none.
    pub confidence: Vec<f32>,
}

/// A page that the provider read because its address is in the conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UrlRead {
    pub url: String,
    /// `success`, `error`, `paywall` or `unsafe`; empty if the provider gave none.
    pub status: String,
}

/// What a provider reports about its answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponseInfo {
    pub response_id: String,
    /// The model that answered, as the provider names it.
    pub model_version: String,
    /// In the provider's own word.
    pub finish_reason: String,
    /// Other facts by their names.
    pub details: BTreeMap<String, String>,
}

/// A page that a search found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroundingSource {
    pub uri: String,
    pub title: String,
}

impl Chunk {
    /// The size of its content; usage and finish reason count as nothing.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Text(text) | Self::Thinking(text) => text.len(),
            Self::ToolCall(call) => call.name.len() + call.arguments.len(),
            Self::CodeExecution { code, result } => code.len() + result.len(),
            Self::Grounding(found) => {
                let pages = found.sources.iter().map(|page| page.title.len() + page.uri.len());
                let supports = found.supports.iter().map(|support| support.text.len());
                let queries = found.queries.iter().map(String::len);
                pages.chain(supports).chain(queries).sum::<usize>() + found.search_entry_point.len()
            }
            Self::UrlContext(pages) => pages.iter().map(|page| page.url.len()).sum(),
            Self::ProviderState(state) => state.len(),
            Self::Usage(_) | Self::Finish(_) | Self::Response(_) | Self::Verdict(_) => 0,
        }
    }
}
