//! What a model says of a call that changes something, read from the argument `_action`.

use std::str::FromStr as _;

use serde_json::{Map, Value};
use strum::IntoEnumIterator as _;
use tarsy_contracts::action::{ActionCheck, ActionPlan, Expectation, PlannedCall, Rollback};
use tarsy_domain::action::ExpectationKind;

use crate::engine::action::expectation::{is_readable, text_of};
use crate::engine::tool_name::names;

/// The argument by which a model says what a call is meant to do.
pub(crate) const FIELD: &str = "_action";
/// The longest effect, in characters.
const MAX_EFFECT: usize = 500;
/// The longest pointer or expected text, in characters.
const MAX_EXPECTED: usize = 300;
/// The longest arguments of a check or a rollback, in bytes: a person reads all of them.
const MAX_ARGUMENTS: usize = 8_000;

/// The plan that a model gives. The error is for the model.
pub(crate) fn read(intent: &Value) -> Result<ActionPlan, String> {
    let intent = intent.as_object().ok_or_else(|| format!("`{FIELD}` is no object"))?;
    let effect = text(intent, "effect").ok_or_else(|| {
        format!("`{FIELD}.effect` is missing: say in one sentence what the call is to change")
    })?;
    if effect.chars().count() > MAX_EFFECT {
        return Err(format!("`{FIELD}.effect` is longer than {MAX_EFFECT} characters"));
    }
    let check = intent.get("check").filter(|value| !value.is_null()).ok_or_else(|| {
        format!("`{FIELD}.check` is missing: name the tool that reads whether the effect is there")
    })?;
    let check = object(check, "check")?;
    let call = call(check, "check")?;
    let expected = expectation(check, "check")?.ok_or_else(|| {
        format!("`{FIELD}.check.expect` is missing: say what its result has then")
    })?;
    let rollback = match intent.get("rollback").filter(|value| !value.is_null()) {
        Some(value) => Some(rollback(object(value, "rollback")?)?),
        None => None,
    };
    let check = Some(ActionCheck { call, expected });
    Ok(ActionPlan { effect, check, rollback })
}

fn rollback(intent: &Map<String, Value>) -> Result<Rollback, String> {
    let expected = expectation(intent, "rollback")?;
    Ok(Rollback { call: call(intent, "rollback")?, expected })
}

fn call(intent: &Map<String, Value>, of: &str) -> Result<PlannedCall, String> {
    let named = text(intent, "tool").unwrap_or_default();
    let (server, tool) = names(&named);
    if server.is_empty() || tool.is_empty() {
        return Err(format!("`{FIELD}.{of}.tool` is no tool; write it as server.tool"));
    }
    let arguments = match intent.get("arguments") {
        None | Some(Value::Null) => Value::Object(Map::new()),
        Some(Value::String(json)) => serde_json::from_str(json).unwrap_or_default(),
        Some(other) => other.clone(),
    };
    if !arguments.is_object() {
        return Err(format!("`{FIELD}.{of}.arguments` is no object"));
    }
    if arguments.to_string().len() > MAX_ARGUMENTS {
        return Err(format!("`{FIELD}.{of}.arguments` has more than {MAX_ARGUMENTS} bytes"));
    }
    Ok(PlannedCall { server_name: server.to_owned(), tool_name: tool.to_owned(), arguments })
}

fn expectation(intent: &Map<String, Value>, of: &str) -> Result<Option<Expectation>, String> {
    let Some(value) = intent.get("expect").filter(|value| !value.is_null()) else {
        return Ok(None);
    };
    let expect = value.as_object().ok_or_else(|| format!("`{FIELD}.{of}.expect` is no object"))?;
    let known: Vec<(ExpectationKind, &Value)> = expect
        .iter()
        .filter(|(_, value)| !value.is_null())
        .filter_map(|(name, value)| Some((ExpectationKind::from_str(name).ok()?, value)))
        .collect();
    let [(kind, value)] = known.as_slice() else {
        let kinds: Vec<&str> = ExpectationKind::iter().map(ExpectationKind::as_str).collect();
        return Err(format!("`{FIELD}.{of}.expect` needs exactly one of {}", kinds.join(", ")));
    };
    let expected =
        Expectation { pointer: text(expect, "pointer"), kind: *kind, value: (*value).clone() };
    let texts = [expected.pointer.clone().unwrap_or_default(), text_of(&expected.value)];
    if texts.iter().any(|text| text.chars().count() > MAX_EXPECTED) {
        return Err(format!("`{FIELD}.{of}.expect` is longer than {MAX_EXPECTED} characters"));
    }
    is_readable(&expected).map_err(|why| format!("`{FIELD}.{of}.expect` cannot be read: {why}"))?;
    Ok(Some(expected))
}

fn object<'v>(value: &'v Value, of: &str) -> Result<&'v Map<String, Value>, String> {
    value.as_object().ok_or_else(|| format!("`{FIELD}.{of}` is no object"))
}

fn text(intent: &Map<String, Value>, name: &str) -> Option<String> {
    let text = intent.get(name)?.as_str()?.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn intent() -> Value {
        json!({
            "effect": "checkout has three ready replicas",
            "check": {
                "tool": "ops.replicas",
                "arguments": {"of": "checkout"},
                "expect": {"pointer": "/ready", "at_least": 3},
            },
            "rollback": {"tool": "ops__scale", "arguments": r#"{"to": 1}"#, "expect": {"contains": "1 of 1"}},
        })
    }

    #[test]
    fn an_effect_has_its_check_and_its_rollback() {
        let plan = read(&intent()).unwrap();
        let check = plan.check.unwrap();
        assert_eq!(check.call.line(), r#"ops.replicas {"of":"checkout"}"#);
        assert_eq!(check.expected.line(), "/ready is at least 3");
        let rollback = plan.rollback.unwrap();
        assert_eq!(rollback.call.line(), r#"ops.scale {"to":1}"#);
        assert_eq!(rollback.expected.unwrap().kind, ExpectationKind::Contains);
        let mut alone = intent();
        alone.as_object_mut().unwrap().remove("rollback");
        assert_eq!(read(&alone).unwrap().rollback, None);
    }

    #[test]
    fn what_cannot_be_checked_is_refused_with_what_is_wrong() {
        let with = |at: &str, value: Value| {
            let mut intent = intent();
            *intent.pointer_mut(at).unwrap() = value;
            read(&intent).unwrap_err()
        };
        for (at, value, words) in [
            ("/effect", json!(""), "effect"),
            ("/effect", json!("x".repeat(501)), "longer"),
            ("/check", Value::Null, "check"),
            ("/check/tool", json!("replicas"), "server.tool"),
            ("/check/arguments", json!([1]), "no object"),
            ("/check/arguments", json!({"a": "x".repeat(9_000)}), "bytes"),
            ("/check/expect", json!({}), "exactly one of equals, contains"),
            ("/check/expect", json!({"equals": 1, "contains": "x"}), "exactly one"),
            ("/check/expect", json!({"matches": "("}), "cannot be read"),
            ("/check/expect", json!({"at_least": "many"}), "cannot be read"),
            ("/check/expect", json!({"pointer": "ready", "equals": 1}), "cannot be read"),
            ("/rollback/tool", json!(3), "server.tool"),
        ] {
            let error = with(at, value);
            assert!(error.contains(words), "{at}: {error}");
        }
        assert!(read(&json!("restart it")).is_err());
    }
}
