//! One tool call and one answer by a schema, asked for as investigations ask for them.

use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use super::ask::{Reply, Server};

/// The most tokens of an answer: thinking comes before it.
const MAX_TOKENS: u32 = 2_048;
const TOOL: &str = "disk_usage";

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Outcome {
    Works,
    /// The model wrote the call as text: the server does not read this model's form of calls.
    AsText,
    /// The model answered something else.
    NotUsed,
    /// The server answered with an error.
    Refused,
    /// There was no answer in time, or none at all.
    Unanswered,
    #[default]
    NotTried,
}

/// A request to a model, and what came of it.
#[derive(Clone, Debug, Default, Serialize)]
pub(super) struct Trial {
    pub(super) outcome: Outcome,
    /// The reason, where it did not work.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(super) detail: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) seconds: Option<f64>,
}

impl Trial {
    fn of((outcome, detail): (Outcome, String)) -> Self {
        Self { outcome, detail, seconds: None }
    }

    /// Whether the model answered, whatever it answered.
    pub(super) const fn was_answered(&self) -> bool {
        matches!(self.outcome, Outcome::Works | Outcome::AsText | Outcome::NotUsed)
    }

    pub(super) fn shown(&self) -> &'static str {
        match self.outcome {
            Outcome::Works => "work",
            Outcome::AsText => "as text",
            Outcome::NotUsed => "ignored",
            Outcome::Refused => "refused",
            Outcome::Unanswered => "no answer",
            Outcome::NotTried => "not tried",
        }
    }
}

/// Lets a model call a tool.
pub(super) async fn tool_call(server: &Server, model: &str, wait: Duration) -> Trial {
    let body = request(
        model,
        "How full is the file system of /var? Call the tool, and write nothing else.",
        json!({ "tools": [{ "type": "function", "function": {
            "name": TOOL,
            "description": "Shows how full the file system of a path is.",
            "parameters": {
                "type": "object",
                "properties": { "path": { "type": "string", "description": "such as /home" } },
                "required": ["path"],
            },
        } }] }),
    );
    ask(server, &body, wait, judge_call).await
}

/// Lets a model answer by a schema, which the question does not mention.
pub(super) async fn json_schema(server: &Server, model: &str, wait: Duration) -> Trial {
    let schema = json!({
        "type": "object",
        "properties": { "state": { "type": "string", "enum": ["ok", "high"] }, "percent": { "type": "integer" } },
        "required": ["state", "percent"],
        "additionalProperties": false,
    });
    let body = request(
        model,
        "The processor of a server is used by 12 percent. Is that ok or high?",
        json!({ "response_format": {
            "type": "json_schema",
            "json_schema": { "name": "load", "strict": true, "schema": schema },
        } }),
    );
    ask(server, &body, wait, judge_schema).await
}

fn request(model: &str, question: &str, more: Value) -> Value {
    let mut body = json!({
        "model": model,
        "messages": [{ "role": "user", "content": question }],
        "max_tokens": MAX_TOKENS,
        "temperature": 0,
        "stream": false,
    });
    if let (Some(body), Value::Object(more)) = (body.as_object_mut(), more) {
        body.extend(more);
    }
    body
}

type Judge = fn(&Value) -> (Outcome, String);

async fn ask(server: &Server, body: &Value, wait: Duration, judge: Judge) -> Trial {
    let began = Instant::now();
    let reply = server.chat(body, wait).await;
    let seconds = began.elapsed().as_secs_f64();
    let trial = match reply {
        Ok(reply) => Trial::of(judged(&reply, judge)),
        Err(reason) => Trial::of((Outcome::Unanswered, reason)),
    };
    Trial { seconds: Some((seconds * 10.0).round() / 10.0), ..trial }
}

fn judged(reply: &Reply, judge: Judge) -> (Outcome, String) {
    let none = Value::Null;
    let body = reply.body.as_ref().unwrap_or(&none);
    let message = body.pointer("/choices/0/message").filter(|_| reply.status == 200);
    let Some(message) = message else {
        return (Outcome::Refused, format!("it answers {}", reply.message()));
    };
    let (outcome, detail) = judge(message);
    let cut = body.pointer("/choices/0/finish_reason").and_then(Value::as_str) == Some("length");
    match outcome {
        Outcome::NotUsed if cut => (outcome, format!("the answer was cut at {MAX_TOKENS} tokens")),
        outcome => (outcome, detail),
    }
}

fn judge_call(message: &Value) -> (Outcome, String) {
    let Some(call) = message.pointer("/tool_calls/0/function") else {
        let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
        return if text.contains(TOOL) && text.contains('{') {
            (Outcome::AsText, "the server has no parser for this model's calls".to_owned())
        } else {
            (Outcome::NotUsed, "the model answered without a call".to_owned())
        };
    };
    let arguments = call.get("arguments").unwrap_or(&Value::Null);
    let written = arguments.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let path = written.as_ref().unwrap_or(arguments).get("path");
    if call.get("name").and_then(Value::as_str) != Some(TOOL) {
        return (Outcome::NotUsed, "the model called a tool that it was not offered".to_owned());
    }
    match path.and_then(Value::as_str) {
        Some(_) => (Outcome::Works, String::new()),
        None => (Outcome::NotUsed, "the call has no valid arguments".to_owned()),
    }
}

fn judge_schema(message: &Value) -> (Outcome, String) {
    let text = message.get("content").and_then(Value::as_str).unwrap_or_default();
    let answer: Value = serde_json::from_str(text.trim()).unwrap_or_default();
    let state = answer.get("state").and_then(Value::as_str);
    let percent = answer.get("percent").and_then(Value::as_i64);
    match (state, percent) {
        (Some("ok" | "high"), Some(_)) => (Outcome::Works, String::new()),
        _ => (Outcome::NotUsed, "the answer does not fit the schema".to_owned()),
    }
}
