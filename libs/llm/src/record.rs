//! The record of a call: every attempt, and how the call ended.

use std::time::Duration;

use serde_json::{Value, json};
use tarsy_catalog::{ResolvedProvider, Tokens};
use tarsy_contracts::trace::{Compaction, RequestRecord};
use tarsy_domain::event::FinishReason;
use tarsy_domain::verdict::Verdict;

use crate::error::Error;
use crate::policy::OnCut;
use crate::request::{Grounding, Message, ResponseInfo, ToolCall, UrlRead, Usage};

/// A call as it happened, for the caller to store.
#[derive(Clone, Debug)]
pub struct Interaction<'a, E> {
    /// The whole conversation; an attempt's request may have less of it.
    pub messages: Vec<Message>,
    /// The attempts before the last one, in order; [`Sink::attempt_failed`](crate::Sink) has
    /// received each of them. Repeated attempts that reached no model are left out.
    pub failed: Vec<FailedAttempt<'a>>,
    pub end: End<'a, E>,
}

#[derive(Clone, Debug)]
pub enum End<'a, E> {
    Answered(Attempt<'a>),
    /// Retries and fallbacks are exhausted.
    Failed {
        last: FailedAttempt<'a>,
        /// How many failures of this kind the last provider had; timeouts before the call count.
        times: u32,
    },
    /// The caller cancelled the call. None if no attempt was running.
    Cancelled(Option<Attempt<'a>>),
    /// The sink failed. None if no attempt was running.
    SinkFailed(E, Option<Attempt<'a>>),
}

/// One request to one provider, and what came back until it ended.
#[derive(Clone, Debug)]
pub struct Attempt<'a> {
    pub provider: &'a ResolvedProvider,
    pub text: String,
    pub thinking: String,
    pub tool_calls: Vec<ToolCall>,
    /// The results of the provider's own tools.
    pub extras: Vec<Extra>,
    pub provider_state: Option<Vec<u8>>,
    /// None of a language model, and if the offline analyst found no cause.
    pub verdict: Option<Box<Verdict>>,
    /// The limit of time that ended it, if what came until then is the answer.
    pub cut: Option<TimeoutKind>,
    /// None until the provider ends the answer, or when the sink ended it first.
    pub finish_reason: Option<FinishReason>,
    /// What the provider did not report is estimated; none if it began no answer, and reported nothing.
    pub usage: Option<Usage>,
    /// None if the provider reported nothing about its answer.
    pub response: Option<ResponseInfo>,
    /// What was left out of the request; none if it had the whole conversation.
    pub compaction: Option<Compaction>,
    /// How long it stood in the line of its provider before it was sent; none where there is no line.
    pub waited: Option<Duration>,
    /// From the request to the first text or reasoning.
    pub first_token: Option<Duration>,
    pub duration: Duration,
}

/// A result of a provider's own tools.
#[derive(Clone, Debug, PartialEq)]
pub enum Extra {
    CodeExecution { code: String, result: String },
    Grounding(Box<Grounding>),
    UrlContext(Vec<UrlRead>),
}

/// An attempt without a usable answer.
#[derive(Clone, Debug)]
pub struct FailedAttempt<'a> {
    /// What was received until the failure.
    pub attempt: Attempt<'a>,
    pub failure: Failure,
}

/// Why an attempt has no usable answer; the text is for people.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    #[error(transparent)]
    Error(Error),
    #[error(transparent)]
    Timeout(TimeoutKind),
    /// Neither text nor tool calls.
    #[error("the model returned an empty answer")]
    Empty,
    #[error(transparent)]
    Degenerate(Degenerate),
}

/// Which timeout ended an attempt. The text names the key that changes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TimeoutKind {
    #[error(
        "the model sent no first token within {0:?} (`llm_timeouts.first_token` of the provider or the defaults)"
    )]
    FirstToken(Duration),
    #[error("the model was idle for {0:?} (`llm_timeouts.stall` of the provider or the defaults)")]
    Idle(Duration),
    #[error(
        "the model did not complete its answer within {0:?} (`llm_timeouts.answer` of the provider or the defaults)"
    )]
    Total(Duration),
}

/// Why an answer was cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Degenerate {
    #[error("the model repeated itself")]
    Repetition,
    /// Bytes, or tool calls.
    #[error("the model's answer exceeded its size limit")]
    TooLarge,
}

impl<'a> Attempt<'a> {
    /// What it cost, in millionths of a US dollar; none without a price, and if nothing was used.
    pub fn cost_micro_usd(&self) -> Option<i64> {
        let usage = self.usage?;
        let used = Tokens {
            input: usage.input_tokens,
            cached_input: usage.cached_input_tokens,
            output: usage.output_tokens,
            thinking: usage.thinking_tokens,
        };
        self.provider.micro_usd(used)
    }

    pub(crate) fn new(provider: &'a ResolvedProvider) -> Self {
        Self {
            provider,
            text: String::new(),
            thinking: String::new(),
            tool_calls: Vec::new(),
            extras: Vec::new(),
            provider_state: None,
            verdict: None,
            cut: None,
            finish_reason: None,
            usage: None,
            response: None,
            compaction: None,
            waited: None,
            first_token: None,
            duration: Duration::ZERO,
        }
    }

    /// Milliseconds until the first text or reasoning; none if there was neither.
    pub fn first_token_ms(&self) -> Option<i64> {
        i64::try_from(self.first_token?.as_millis()).ok()
    }

    /// What the trace shows beside the answer: what the provider reports about it, and the results of
    /// its own tools.
    pub fn metadata(&self) -> Option<Value> {
        let mut all = serde_json::Map::new();
        if let Some(info) = &self.response {
            let words = [
                ("response_id", &info.response_id),
                ("model_version", &info.model_version),
                ("finish_reason", &info.finish_reason),
            ];
            let words = words.into_iter().chain(info.details.iter().map(|(k, v)| (k.as_str(), v)));
            all.extend(
                words
                    .filter(|(_, text)| !text.is_empty())
                    .map(|(name, text)| (name.to_owned(), json!(text))),
            );
        }
        if let Some(cached) = self.usage.map(|usage| usage.cached_input_tokens).filter(|n| *n > 0) {
            all.insert("cached_input_tokens".to_owned(), json!(cached));
        }
        if let Some(waited) = self.waited.and_then(|waited| i64::try_from(waited.as_millis()).ok())
        {
            all.insert("waited_ms".to_owned(), json!(waited));
        }
        for extra in &self.extras {
            let (name, value) = match extra {
                Extra::CodeExecution { code, result } => {
                    ("code_execution", json!({ "code": code, "result": result }))
                }
                Extra::Grounding(found) => ("grounding", json!(found)),
                Extra::UrlContext(pages) => ("url_context", json!(pages)),
            };
            let list = all.entry(name).or_insert_with(|| json!([]));
            if let Some(list) = list.as_array_mut() {
                list.push(value);
            }
        }
        (!all.is_empty()).then_some(Value::Object(all))
    }

    /// What was sent beside the messages, and what the vendor reported about the answer. `native_tools` are the
    /// provider's own tools that were on.
    pub fn record(&self, native_tools: &[&str], max_output_tokens: Option<u32>) -> RequestRecord {
        let info = self.response.as_ref();
        let word = |text: fn(&ResponseInfo) -> &String| {
            info.map(text).filter(|text| !text.is_empty()).cloned()
        };
        RequestRecord {
            backend: Some(self.provider.backend.as_str().to_owned()),
            max_output_tokens: max_output_tokens.and_then(|limit| i32::try_from(limit).ok()),
            native_tools: native_tools.iter().map(|&name| name.to_owned()).collect(),
            model_version: word(|info| &info.model_version),
            response_id: word(|info| &info.response_id),
            vendor_finish_reason: word(|info| &info.finish_reason),
            ..RequestRecord::default()
        }
    }

    /// Whether there is neither text, spaces aside, nor a tool call.
    pub fn is_empty(&self) -> bool {
        self.tool_calls.is_empty() && self.text.trim().is_empty()
    }

    /// Whether viewers may have seen some of it: text or thinking.
    pub fn has_output(&self) -> bool {
        !self.text.is_empty() || !self.thinking.is_empty()
    }

    /// Whether the answer has no end: it was cut at the provider's output limit, or when its time was up.
    pub fn is_truncated(&self) -> bool {
        self.finish_reason == Some(FinishReason::Length) || self.cut.is_some()
    }

    /// Whether so much came of an answer whose time was up that it can be kept.
    pub(crate) fn is_kept(&self, on_cut: OnCut) -> bool {
        match on_cut {
            OnCut::Fail => false,
            OnCut::KeepText => !self.text.trim().is_empty(),
            OnCut::Keep => !self.is_empty() || !self.thinking.trim().is_empty(),
        }
    }
}

impl Failure {
    pub fn is_timeout(&self) -> bool {
        matches!(self, Self::Timeout(_))
    }

    /// The failure for people, with the number of times it happened. An error speaks for itself.
    pub fn describe(&self, times: u32) -> String {
        match self {
            Self::Timeout(_) | Self::Empty | Self::Degenerate(_) if times > 1 => {
                format!("{self}, {times} times")
            }
            Self::Error(_) | Self::Timeout(_) | Self::Empty | Self::Degenerate(_) => {
                self.to_string()
            }
        }
    }
}
