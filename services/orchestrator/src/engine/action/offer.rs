//! The argument by which an agent of type `action` says what a call is meant to do.

use std::sync::Arc;

use serde_json::{Value, json};
use tarsy_catalog::RESERVED_ID;
use tarsy_contracts::mcp::{Tool, ToolClass};

use crate::engine::action::plan::FIELD;
use crate::engine::task::AgentTask;

/// The tools as an agent is offered them: those that are not known to read take what the call is meant to do.
pub(crate) fn with_field(task: &AgentTask<'_>, tools: Arc<[Tool]>) -> Arc<[Tool]> {
    if !task.spec.action.is_some_and(|action| action.enabled) {
        return tools;
    }
    tools.iter().map(with_action).collect()
}

fn with_action(tool: &Tool) -> Tool {
    let mut tool = tool.clone();
    if tool.terms.class == ToolClass::ReadOnly || tool.server == RESERVED_ID {
        return tool;
    }
    let Some(schema) = tool.input_schema.as_object_mut() else { return tool };
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    let Some(properties) = properties.as_object_mut() else { return tool };
    properties.insert(FIELD.to_owned(), field());
    // A call that reads by its arguments needs none.
    if tool.terms.class == ToolClass::Write {
        let required = schema.entry("required").or_insert_with(|| json!([]));
        if let Some(required) = required.as_array_mut() {
            required.push(json!(FIELD));
        }
    }
    tool
}

fn field() -> Value {
    let text = |description: &str| json!({"type": "string", "description": description});
    let number = |description: &str| json!({"type": "number", "description": description});
    let expect = json!({
        "type": "object",
        "description": "What the result has then: exactly one comparison",
        "properties": {
            "pointer": text("JSON pointer of the value, such as /status/readyReplicas; the whole result without it"),
            "equals": text("It is this value"),
            "contains": text("It has this text"),
            "lacks": text("It does not have this text"),
            "matches": text("It matches this regular expression"),
            "at_least": number("It is a number, and not less than this"),
            "at_most": number("It is a number, and not more than this"),
        },
    });
    let call = |description: &str| {
        json!({
            "type": "object",
            "description": description,
            "properties": {
                "tool": text("server.tool"),
                "arguments": {"type": "object", "description": "Its arguments"},
                "expect": expect,
            },
            "required": ["tool"],
        })
    };
    json!({
        "type": "object",
        "description": "What this call is meant to do, for the person who approves it. Needed unless the call only reads.",
        "properties": {
            "effect": text("The intended effect, in one sentence"),
            "check": call("A call that only reads, by which the effect is checked afterwards"),
            "rollback": call("The call that takes the effect back; `expect` is what the check shows after it"),
        },
        "required": ["effect", "check"],
    })
}

#[cfg(test)]
mod tests {
    use tarsy_contracts::mcp::ToolTerms;

    use super::*;

    fn tool(class: ToolClass) -> Tool {
        Tool {
            server: "ops".to_owned(),
            name: "scale".to_owned(),
            description: String::new(),
            input_schema: json!({"type": "object", "properties": {"to": {"type": "integer"}}, "required": ["to"]}),
            read_only: false,
            idempotent: false,
            terms: ToolTerms { class, ..ToolTerms::default() },
        }
    }

    #[test]
    fn what_may_change_something_takes_its_intention() {
        let schema = |class| with_action(&tool(class)).input_schema;
        assert_eq!(schema(ToolClass::ReadOnly), tool(ToolClass::ReadOnly).input_schema);
        assert_eq!(schema(ToolClass::Write)["required"], json!(["to", FIELD]));
        let unknown = schema(ToolClass::Unknown);
        assert_eq!(unknown["required"], json!(["to"]));
        assert_eq!(unknown["properties"][FIELD]["required"], json!(["effect", "check"]));
    }
}
