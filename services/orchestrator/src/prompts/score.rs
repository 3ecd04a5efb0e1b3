//! The requests for a score, and the forms of their answers.

use minijinja::context;
use serde_json::json;
use strum::IntoEnumIterator as _;
use tarsy_domain::score::FailureTag;
use tarsy_llm::ResponseFormat;

use crate::prompts::history::session_history;
use crate::prompts::investigation::BYTES_PER_TOKEN;
use crate::prompts::{Alert, Prompts, SessionRecord, fenced, line};

/// The templates that decide what a score means.
const TEMPLATES: [&str; 4] = ["score_instructions", "score", "score_tools", "score_repair"];

/// The form of the first answer.
pub(crate) fn score_format() -> ResponseFormat {
    let tags: Vec<&str> = FailureTag::iter().map(FailureTag::as_str).collect();
    // In the order in which it is to be written: reasons before the number.
    let schema = json!({
        "type": "object",
        "properties": {
            "analysis": { "type": "string" },
            "failure_tags": { "type": "array", "items": { "type": "string", "enum": tags } },
            "score": { "type": "integer", "description": "From 0 to 100" },
        },
        "required": ["analysis", "failure_tags", "score"],
        "additionalProperties": false,
    });
    ResponseFormat { name: "score".to_owned(), schema: schema.to_string() }
}

/// The form of the second answer.
pub(crate) fn missing_tools_format() -> ResponseFormat {
    let text = json!({ "type": "string" });
    let schema = json!({
        "type": "object",
        "properties": {
            "missing_tools": { "type": "array", "items": {
                "type": "object",
                "properties": { "name": text, "why": text },
                "required": ["name", "why"],
                "additionalProperties": false,
            } },
        },
        "required": ["missing_tools"],
        "additionalProperties": false,
    });
    ResponseFormat { name: "missing_tools".to_owned(), schema: schema.to_string() }
}

impl Prompts {
    /// The digest of what a score is asked for with: only scores with the same one can be compared.
    pub(crate) fn score_version(&self, instructions: &str) -> String {
        self.digest(instructions, &TEMPLATES)
    }

    /// The system prompt of an agent that judges.
    pub(crate) fn score_instructions(&self, own: &str) -> String {
        self.render("score_instructions", context! { own => own.trim() })
    }

    /// The first request: as much of the record as fits into three quarters of what the model accepts.
    pub(crate) fn score(
        &self,
        alert: &Alert<'_>,
        record: &SessionRecord,
        unused_tools: &[String],
    ) -> String {
        let tokens = alert.max_tokens / 4 * 3;
        let limit = tokens.saturating_mul(BYTES_PER_TOKEN);
        let least = limit / 4;
        let mut bytes = limit.saturating_sub(alert.data.len()).max(least);
        let unused_tools: Vec<_> = unused_tools.iter().map(|tool| line(tool)).collect();
        let schema = score_format().schema;
        loop {
            let text = self.render(
                "score",
                context! {
                    status => alert.status,
                    alert_type => alert.kind,
                    received => &alert.received,
                    alert => &alert.data,
                    unused_tools => &unused_tools,
                    history => fenced(&session_history(record, bytes)),
                    schema => &schema,
                },
            );
            // Logs and numbers have more tokens than prose of the same length.
            if bytes == least || tarsy_tokens::measure(&text, tokens) <= tokens {
                return text;
            }
            bytes = (bytes / 4 * 3).max(least);
        }
    }

    /// The second request, which follows the first answer.
    pub(crate) fn score_tools(&self) -> String {
        self.render("score_tools", context! { schema => missing_tools_format().schema })
    }

    pub(crate) fn score_repair(&self, problem: &str) -> String {
        self.render("score_repair", context! { problem => line(problem) })
    }
}
