//! The request for a structured verdict, and the form of its answer.

use minijinja::context;
use serde_json::{Value, json};
use strum::IntoEnumIterator as _;
use tarsy_domain::verdict::{AlertStatement, Category, Confidence, Outcome};
use tarsy_llm::ResponseFormat;
use tarsy_store::VerdictMaterial;

use crate::prompts::{Prompts, fenced, line};

/// The name of its form, for vendors.
const FORMAT: &str = "verdict";

/// The number by which a model refers to a line, from its index.
pub(crate) fn evidence_id(index: usize) -> String {
    format!("E{}", index + 1)
}

/// The number by which a model refers to a change, from its index.
pub(crate) fn change_id(index: usize) -> String {
    format!("C{}", index + 1)
}

/// The form of a verdict that may refer to the lines and changes of a record: of these members, or of all if none is named.
pub(crate) fn verdict_format(material: &VerdictMaterial, members: &[&str]) -> ResponseFormat {
    let mut properties = verdict_properties(material);
    if let Value::Object(all) = &mut properties
        && !members.is_empty()
    {
        all.retain(|member, _| members.contains(&member.as_str()));
    }
    ResponseFormat { name: FORMAT.to_owned(), schema: closed(&properties).to_string() }
}

impl Prompts {
    /// The system prompt of the request for a verdict.
    pub(crate) fn verdict_instructions(&self) -> String {
        self.render("verdict_instructions", context! {})
    }

    /// The user prompt of the request for a verdict.
    pub(crate) fn verdict(
        &self,
        analysis: &str,
        material: &VerdictMaterial,
        format: &ResponseFormat,
    ) -> String {
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
        let changes: Vec<_> = material
            .changes
            .iter()
            .enumerate()
            .map(
                |(index, change)| context! { id => change_id(index), text => line(&change.line()) },
            )
            .collect();
        let (analysis, schema) = (fenced(analysis), &format.schema);
        self.render(
            "verdict",
            context! { analysis, calls, unused_tools, evidence, changes, schema },
        )
    }

    /// Requests a verdict without these problems: these members of it, or all if none is named.
    pub(crate) fn verdict_repair(&self, problems: &[String], members: &[&str]) -> String {
        let problems: Vec<_> = problems.iter().map(|problem| line(problem)).collect();
        let quoted: Vec<String> = members.iter().map(|member| format!("\"{member}\"")).collect();
        let members = quoted.join(" and ");
        self.render("verdict_repair", context! { problems, members })
    }
}

/// What every vendor takes as strict: each member is required, what may be absent is null, and no lengths. Answers are cut when
/// they are read.
fn verdict_properties(material: &VerdictMaterial) -> Value {
    let text = json!({ "type": "string" });
    let category = one_of(Category::iter().map(Category::as_str));
    let object = closed(&json!({
        "kind": { "type": "string", "description": "Pod, Deployment, Node, Service, host …" },
        "name": text,
        "namespace": { "type": ["string", "null"], "description": "Only of what has one" },
    }));
    let evidence = list(&evidence_schema(material.evidence.len()));
    let mut alternative = json!({
        "cause": text,
        "category": category,
        "object": { "anyOf": [object, { "type": "null" }] },
        "because": text,
        "evidence": evidence,
    });
    add_change(&mut alternative, material.changes.len());
    let mut properties = json!({
        "outcome": one_of(Outcome::iter().map(Outcome::as_str)),
        "alert_statement": one_of(AlertStatement::iter().map(AlertStatement::as_str)),
        "answer": text,
        "cause": text,
        "category": category,
        "object": object,
        "since": { "type": ["string", "null"] },
        "confidence": one_of(Confidence::iter().map(Confidence::as_str)),
        "evidence": evidence,
        "alternatives": list(&closed(&alternative)),
        "not_examined": list(&closed(&json!({ "what": text, "why": text }))),
        "next_steps": list(&text),
    });
    add_change(&mut properties, material.changes.len());
    properties
}

/// The number of a change that exists, or none; no member where there are no changes.
fn add_change(properties: &mut Value, changes: usize) {
    let ids: Vec<String> = (0..changes).map(change_id).collect();
    if let Value::Object(members) = properties
        && !ids.is_empty()
    {
        let schema = json!({ "anyOf": [{ "type": "string", "enum": ids }, { "type": "null" }] });
        members.insert("change".to_owned(), schema);
    }
}

/// Numbers of lines that exist.
fn evidence_schema(lines: usize) -> Value {
    let ids: Vec<String> = (0..lines).map(evidence_id).collect();
    if ids.is_empty() {
        // No vendor takes an empty choice.
        return json!({ "type": "string" });
    }
    json!({ "type": "string", "enum": ids })
}

fn list(items: &Value) -> Value {
    json!({ "type": "array", "items": items })
}

fn one_of(words: impl Iterator<Item = &'static str>) -> Value {
    let words: Vec<&str> = words.collect();
    json!({ "type": "string", "enum": words })
}

/// An object with these members and no others.
fn closed(properties: &Value) -> Value {
    let required: Vec<&String> =
        properties.as_object().into_iter().flat_map(serde_json::Map::keys).collect();
    json!({
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": false,
    })
}
