//! The request for a structured verdict, and the tool that records it.

use minijinja::context;
use serde_json::{Value, json};
use strum::IntoEnumIterator as _;
use tarsy_contracts::mcp::{Tool, ToolTerms};
use tarsy_domain::verdict::{
    AlertStatement, Category, Confidence, MAX_ALTERNATIVES, MAX_EVIDENCE, MAX_NEXT_STEPS,
    MAX_NOT_EXAMINED, Outcome,
};
use tarsy_store::VerdictMaterial;

use crate::prompts::{Prompts, fenced, line};

/// The tool is TARSy's own, and is offered for this request only.
const SERVER: &str = "tarsy";
const TOOL: &str = "record_verdict";

/// The number by which a model refers to a line, from its index.
pub(crate) fn evidence_id(index: usize) -> String {
    format!("E{}", index + 1)
}

/// The tool that records a verdict which may refer to so many lines.
pub(crate) fn verdict_tool(lines: usize) -> Tool {
    Tool {
        server: SERVER.to_owned(),
        name: TOOL.to_owned(),
        description: "Records the verdict of the analysis.".to_owned(),
        input_schema: verdict_schema(lines),
        read_only: true,
        idempotent: true,
        terms: ToolTerms::default(),
    }
}

impl Prompts {
    /// The system prompt of the request for a verdict.
    pub(crate) fn verdict_instructions(&self) -> String {
        self.render("verdict_instructions", context! { tool => format!("{SERVER}.{TOOL}") })
    }

    /// The user prompt of the request for a verdict.
    pub(crate) fn verdict(&self, analysis: &str, material: &VerdictMaterial) -> String {
        let calls: Vec<_> = material
            .calls
            .iter()
            .map(|call| {
                let arguments = call.arguments.as_ref().map(Value::to_string).unwrap_or_default();
                context! {
                    number => call.number,
                    tool => line(&call.tool),
                    arguments => line(&arguments),
                    status => call.status.as_str(),
                }
            })
            .collect();
        let unused_tools: Vec<_> = material.unused_tools.iter().map(|tool| line(tool)).collect();
        let evidence: Vec<_> = material
            .evidence
            .iter()
            .enumerate()
            .map(|(index, one)| {
                let (call, at) = (one.call, one.line);
                context! { id => evidence_id(index), call, line => at, text => line(&one.text) }
            })
            .collect();
        let analysis = fenced(analysis);
        self.render("verdict", context! { analysis, calls, unused_tools, evidence })
    }

    /// Requests a verdict without these problems.
    pub(crate) fn verdict_repair(&self, problems: &[String]) -> String {
        let problems: Vec<_> = problems.iter().map(|problem| line(problem)).collect();
        self.render("verdict_repair", context! { problems })
    }
}

fn verdict_schema(lines: usize) -> Value {
    let category =
        json!({ "type": "string", "enum": words(Category::iter().map(Category::as_str)) });
    let statements = words(AlertStatement::iter().map(AlertStatement::as_str));
    let confidence = words(Confidence::iter().map(Confidence::as_str));
    let text = json!({ "type": "string", "minLength": 1 });
    let object = closed(
        &json!({
            "kind": { "type": "string", "minLength": 1, "description": "Pod, Deployment, Node, Service, host …" },
            "name": text,
            "namespace": { "type": "string", "minLength": 1, "description": "Only of what has one" },
        }),
        &["kind", "name"],
    );
    let evidence = evidence_schema(lines);
    let alternative = closed(
        &json!({
            "cause": text,
            "category": category,
            "object": object,
            "because": text,
            "evidence": evidence,
        }),
        &["cause", "category", "because"],
    );
    let unexamined = closed(&json!({ "what": text, "why": text }), &["what", "why"]);
    closed(
        &json!({
            "outcome": { "type": "string", "enum": words(Outcome::iter().map(Outcome::as_str)) },
            "alert_statement": { "type": "string", "enum": statements },
            "answer": { "type": "string" },
            "cause": { "type": "string" },
            "category": category,
            "object": object,
            "since": text,
            "confidence": { "type": "string", "enum": confidence },
            "evidence": evidence,
            "alternatives": list(&alternative, MAX_ALTERNATIVES),
            "not_examined": list(&unexamined, MAX_NOT_EXAMINED),
            "next_steps": list(&text, MAX_NEXT_STEPS),
        }),
        &[
            "cause",
            "category",
            "object",
            "confidence",
            "evidence",
            "alternatives",
            "not_examined",
            "next_steps",
        ],
    )
}

/// Numbers of lines that exist.
fn evidence_schema(lines: usize) -> Value {
    if lines == 0 {
        return list(&json!({ "type": "string" }), 0);
    }
    let ids: Vec<String> = (0..lines).map(evidence_id).collect();
    list(&json!({ "type": "string", "enum": ids }), MAX_EVIDENCE)
}

fn list(items: &Value, most: usize) -> Value {
    json!({ "type": "array", "items": items, "maxItems": most })
}

/// An object with these members and no others.
fn closed(properties: &Value, required: &[&str]) -> Value {
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}

fn words(all: impl Iterator<Item = &'static str>) -> Vec<&'static str> {
    all.collect()
}
