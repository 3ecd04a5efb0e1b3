//! The calls that an agent has made, so that the database is only asked about one that may repeat another.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use serde_json::Value;
use tarsy_store::Call as StoredCall;

/// Keys of calls. Calls that the database holds for the same have the same key; others may have, too.
#[derive(Debug, Default)]
pub(super) struct Made(Mutex<HashSet<String>>);

impl Made {
    /// With those that earlier owners stored.
    pub(super) fn of(stored: &[StoredCall]) -> Self {
        let key = |call: &StoredCall| {
            let tool = call.tool_name.as_deref().unwrap_or_default();
            key(&call.server_name, tool, call.tool_arguments.as_ref().unwrap_or(&Value::Null))
        };
        Self(Mutex::new(stored.iter().map(key).collect()))
    }

    /// Notes a call; whether one like it was noted before.
    pub(super) fn note(&self, server: &str, tool: &str, arguments: &Value) -> bool {
        let mut keys = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        !keys.insert(key(server, tool, arguments))
    }
}

fn key(server: &str, tool: &str, arguments: &Value) -> String {
    let mut text = format!("{server}\n{tool}\n");
    match arguments {
        Value::Null => {}
        Value::String(empty) if empty.is_empty() => {}
        Value::Object(members) if members.values().all(Value::is_null) => {}
        other => write(&mut text, other),
    }
    text
}

/// Neither the order of members nor the spelling of a number counts, nor a member that is null.
fn write(text: &mut String, value: &Value) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> =
                members.iter().filter(|(_, value)| !value.is_null()).collect();
            members.sort_unstable_by_key(|(name, _)| name.as_str());
            text.push('{');
            for (name, value) in members {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(text, value);
                text.push(',');
            }
            text.push('}');
        }
        Value::Array(items) => {
            text.push('[');
            for item in items {
                write(text, item);
                text.push(',');
            }
            text.push(']');
        }
        Value::Number(number) => match number.as_f64() {
            Some(number) => text.push_str(&(number + 0.0).to_string()),
            None => text.push_str(&number.to_string()),
        },
        other => text.push_str(&other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_the_database_holds_for_the_same_is_the_same() {
        let made = Made::default();
        assert!(!made.note("host", "df", &json!({"path": "/", "deep": {"b": 1, "a": [1.0, "x"]}})));
        let same =
            json!({"deep": {"a": [1, "x"], "b": 1e0, "none": null}, "path": "/", "more": null});
        assert!(made.note("host", "df", &same));
        assert!(!made.note(
            "host",
            "df",
            &json!({"path": "/var", "deep": {"b": 1, "a": [1, "x"]}})
        ));
        assert!(!made.note("host", "ps", &same), "another tool");
        assert!(!made.note("host", "uptime", &Value::Null));
        for nothing in [json!({}), json!(""), json!({"since": null})] {
            assert!(made.note("host", "uptime", &nothing), "{nothing}");
        }
        assert!(!made.note("host", "n", &json!({"n": 0})));
        assert!(made.note("host", "n", &json!({"n": -0.0})));
    }
}
