//! What the arguments of a call name.

use serde_json::Value;

use super::kind::canonical_kind;
use crate::transcript::CallRecord;
use crate::verdict::Target;

/// Arguments that hold a command line.
const COMMANDS: &[&str] = &["command", "cmd", "args", "kubectl_command", "input"];

/// What kubectl is asked to do with objects.
const VERBS: &[&str] = &[
    "get", "describe", "logs", "log", "top", "events", "rollout", "exec", "explain", "delete",
    "scale", "edit",
];

/// The object that a call asks for, as far as its arguments name it.
pub(crate) fn subject_of(call: &CallRecord) -> Target {
    let text = |keys: &[&str]| {
        let value = keys.iter().find_map(|key| call.arguments.get(key));
        value.and_then(Value::as_str).unwrap_or_default().trim().to_owned()
    };
    if let Some(command) = command_of(&call.arguments) {
        return subject_of_command(&command);
    }
    let namespace = text(&["namespace", "ns", "namespace_name"]);
    for (kind, keys) in [
        ("pod", &["pod", "pod_name", "podName"][..]),
        ("service", &["service", "service_name", "serviceName"]),
        ("deployment", &["deployment", "deployment_name", "workload"]),
        ("node", &["node", "node_name", "nodeName"]),
        ("host", &["host", "hostname", "instance"]),
    ] {
        let name = text(keys);
        if !name.is_empty() {
            return Target { kind: kind.to_owned(), name, namespace };
        }
    }
    if let Some(log) = log_of(&text(&["path", "file", "file_path", "filename"])) {
        return Target::new("log", log, "");
    }
    let name = text(&["name", "resource_name", "resourceName", "unit"]);
    let kind = text(&["kind", "resource_type", "resourceType", "resource"]);
    let of_tool = call.tool.split(['.', '_', '-']).find_map(canonical_kind).unwrap_or_default();
    let kind = canonical_kind(&kind).unwrap_or(of_tool);
    Target { kind: kind.to_owned(), name, namespace }
}

/// The node and the program of it that a call asks for.
pub(super) fn program_of(arguments: &Value) -> Option<(String, String)> {
    let text = |keys: &[&str]| {
        let value = keys.iter().find_map(|key| arguments.get(key)).and_then(Value::as_str);
        value.filter(|text| !text.is_empty()).map(str::to_owned)
    };
    let node = text(&["node", "node_name", "nodeName"])?;
    Some((node, text(&["service", "service_name", "serviceName", "unit"])?))
}

/// The name of a log file without its folder and ending: `orders` of `/var/log/shop/orders.log`.
fn log_of(path: &str) -> Option<&str> {
    let file = path.rsplit('/').next().filter(|file| !file.is_empty())?;
    let name = file.strip_suffix(".log");
    name.or_else(|| path.starts_with("/var/log/").then_some(file))
}

pub(crate) fn command_of(arguments: &Value) -> Option<String> {
    let value = COMMANDS.iter().find_map(|key| arguments.get(key))?;
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(words) => {
            Some(words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "))
        }
        _ => None,
    }
}

/// The object of `kubectl describe pod web-1 -n shop`.
fn subject_of_command(command: &str) -> Target {
    let mut target = Target::default();
    let mut bare = Vec::new();
    let mut words = command.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "|" | "&&" | ";" => break,
            "-n" | "--namespace" => {
                words.next().unwrap_or_default().clone_into(&mut target.namespace);
            }
            "-l" | "-o" | "-c" | "--tail" | "--since" | "--sort-by" | "--field-selector" => {
                words.next();
            }
            "kubectl" => {}
            flag if flag.starts_with('-') => {
                if let Some(value) =
                    flag.strip_prefix("--namespace=").or_else(|| flag.strip_prefix("-n="))
                {
                    value.clone_into(&mut target.namespace);
                }
            }
            // The address of a request is no object of a cluster.
            address if address.contains("://") => {}
            other => bare.push(other),
        }
    }
    // Another program has words of its own: `etcdctl endpoint status`.
    if bare.first().is_none_or(|verb| !VERBS.contains(verb)) {
        return target;
    }
    let objects = bare.get(1..).unwrap_or_default();
    if let Some((kind, name)) = objects.first().and_then(|word| word.split_once('/')) {
        canonical_kind(kind).unwrap_or(kind).clone_into(&mut target.kind);
        name.clone_into(&mut target.name);
    } else if bare.first() == Some(&"logs") {
        "pod".clone_into(&mut target.kind);
        objects.first().copied().unwrap_or_default().clone_into(&mut target.name);
    } else if let Some(kind) = objects.first().and_then(|word| canonical_kind(word)) {
        kind.clone_into(&mut target.kind);
        objects.get(1).copied().unwrap_or_default().clone_into(&mut target.name);
    }
    target
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn subject(tool: &str, arguments: Value) -> Target {
        subject_of(&CallRecord {
            number: 1,
            tool: tool.to_owned(),
            arguments,
            text: String::new(),
            failed: false,
        })
    }

    #[test]
    fn a_command_names_its_object() {
        let found = subject("k.kubectl", json!({"command": "kubectl describe pod web-1 -n shop"}));
        assert_eq!(found, Target::new("pod", "web-1", "shop"));
        let found = subject("k.exec", json!({"cmd": "curl -s http://web:8080/health"}));
        assert_eq!(found, Target::default());
        let found = subject("k.exec", json!({"cmd": "kubectl logs -n shop deploy/web --tail=50"}));
        assert_eq!(found, Target::new("deployment", "web", "shop"));
    }

    #[test]
    fn arguments_name_their_object() {
        let found = subject("k.pods_log", json!({"name": "web-1", "namespace": "shop"}));
        assert_eq!(found, Target::new("pod", "web-1", "shop"));
        let found = subject("host.tail_log", json!({"path": "/var/log/shop/orders.log"}));
        assert_eq!(found, Target::new("log", "orders", ""));
    }
}
