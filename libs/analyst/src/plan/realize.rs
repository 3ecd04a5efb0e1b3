//! Which tool answers a question, and with which arguments.

use serde_json::{Map, Value, json};

use super::ask::Ask;
use super::policy::{command_parameter, is_metric_query, words};
use super::schema::{default_value, parameter, required};
use super::spelling::{api_version, kind_for, of_group, plural};
use crate::alert::snake;
use crate::facts::canonical_kind;
use crate::transcript::Tool;

/// The tools that may answer, those made for the question first.
pub(super) fn fitting<'t>(ask: &Ask, tools: &[&'t Tool]) -> Vec<&'t Tool> {
    let mut fits: Vec<(u8, &Tool)> =
        tools.iter().filter_map(|tool| fit(ask, tool).map(|rank| (rank, *tool))).collect();
    fits.sort_by(|one, other| one.0.cmp(&other.0).then_with(|| one.1.name.cmp(&other.1.name)));
    fits.into_iter().map(|(_, tool)| tool).collect()
}

/// Whether a tool is made for questions about a cluster.
pub(super) fn is_of_cluster(tool: &Tool) -> bool {
    let words = words(tool.short_name());
    command_parameter(tool).is_some()
        || is_metric_query(tool)
        || words
            .iter()
            .any(|word| canonical_kind(word).is_some() && word != "service" && word != "node")
        || words.iter().any(|word| matches!(word.as_str(), "kubectl" | "k8s" | "resources"))
}

/// 0 for the best fit; none if the tool does not answer such questions.
fn fit(ask: &Ask, tool: &Tool) -> Option<u8> {
    let names = words(tool.short_name());
    let has =
        |word: &str| names.iter().any(|one| one == word || one.strip_suffix('s') == Some(word));
    let kind_of_name = names.iter().find_map(|word| canonical_kind(word));
    let by_kind = parameter(tool, KINDS).is_some();
    let by_name = parameter(tool, NAMES).is_some();
    let of_one = required(tool).iter().any(|name| NAMES.contains(&snake(name).as_str()));
    let command = command_parameter(tool).is_some();
    let is_list = has("list") || has("get") || has("find") || has("show");
    let rank = |fits: bool, rank: u8| fits.then_some(rank);
    let about = |kind: &str| kind_of_name == Some(kind) || by_kind;
    let special = has("log") || has("top") || has("event") || has("describe") || has("exec");
    let structured = match ask {
        Ask::Alerts => rank(has("alert") && !has("rule"), 0),
        Ask::Namespaces => rank(kind_of_name == Some("namespace") && is_list, 0),
        Ask::List { kind, namespace } => {
            let scoped = has("namespace") && kind_of_name != Some("namespace");
            let clear = is_list && about(kind) && !special && !of_one && !has("yaml");
            rank(clear, u8::from(scoped != namespace.is_some()) + u8::from(by_kind))
        }
        Ask::Dump { .. } => None,
        Ask::Events { .. } => {
            rank(has("event"), 0).or_else(|| rank(is_list && by_kind && !of_one && !special, 1))
        }
        Ask::Describe { kind, .. } => {
            rank(has("describe") && by_name && about(kind), 0).or_else(|| {
                rank(has("get") && by_name && about(kind) && !has("log") && !has("top"), 1)
            })
        }
        Ask::Get { kind, .. } => fit_for_whole(kind, tool, &names),
        Ask::NodeService { .. } => rank(
            has("node") && parameter(tool, NODES).is_some() && parameter(tool, SERVICES).is_some(),
            0,
        ),
        Ask::Logs { previous, .. } => {
            let for_previous = has("previous") || parameter(tool, &["previous"]).is_some();
            let by_pod = by_name || parameter(tool, &["pod"]).is_some();
            rank(
                has("log")
                    && by_pod
                    && (!previous || for_previous)
                    && (*previous || !has("previous")),
                0,
            )
        }
        Ask::ServiceLogs { .. } => rank(has("log") && parameter(tool, SERVICES).is_some(), 0),
        Ask::UsageOfPods { .. } => rank(has("top") && kind_of_name != Some("node"), 0),
        Ask::UsageOfNodes => rank(has("top") && kind_of_name == Some("node"), 0),
        Ask::Metric { .. } => rank(is_metric_query(tool) && !has("range"), 0),
        Ask::Traces { .. } => rank(has("trace") || has("span"), 0),
        Ask::Metrics { .. } => rank(
            has("metric") && !is_metric_query(tool) && parameter(tool, &["namespace"]).is_some(),
            0,
        ),
    };
    structured.or_else(|| rank(command && command_line(ask).is_some(), 4))
}

/// How well a tool shows one whole object. One that also lists shows a row of it, unless a parameter asks for the form.
fn fit_for_whole(kind: &str, tool: &Tool, names: &[String]) -> Option<u8> {
    let has = |word: &str| names.iter().any(|one| one == word);
    let about = names.iter().find_map(|word| canonical_kind(word)) == Some(kind)
        || parameter(tool, KINDS).is_some();
    let is_named = about && parameter(tool, NAMES).is_some();
    let gets = has("get") && is_named && !has("log") && !has("logs") && !has("top");
    let of_one = required(tool).iter().any(|name| NAMES.contains(&snake(name).as_str()));
    let is_whole = of_one || parameter(tool, &["output", "output_format"]).is_some();
    match () {
        () if is_manifest(tool, names) && is_workload(kind) => Some(0),
        () if gets && is_whole => Some(u8::from(!has("yaml"))),
        () if has("describe") && is_named => Some(2),
        () => gets.then_some(3),
    }
}

const KINDS: &[&str] = &["kind", "resource_type", "resource"];
const NAMES: &[&str] = &["name", "resource_name", "pod", "pod_name"];
const NODES: &[&str] = &["node", "node_name"];
const SERVICES: &[&str] =
    &["service", "service_name", "app", "app_name", "application", "deployment", "workload"];

/// Whether a tool shows what an application is deployed from, by the name of the application.
fn is_manifest(tool: &Tool, names: &[String]) -> bool {
    const SHOWS: &[&str] = &["yaml", "manifest", "spec", "config", "configuration", "definition"];
    let shows = names.iter().any(|word| SHOWS.contains(&word.as_str()));
    shows && parameter(tool, KINDS).is_none() && parameter(tool, SERVICES).is_some()
}

fn is_workload(kind: &str) -> bool {
    matches!(kind, "deployment" | "statefulset" | "daemonset" | "service")
}

/// The arguments with which a tool answers; none if a required one has no value.
pub(super) fn arguments(ask: &Ask, tool: &Tool) -> Option<Value> {
    if let Some(name) = command_parameter(tool).filter(|_| parameter(tool, KINDS).is_none()) {
        let command = command_line(ask)?;
        let schema = tool.schema.get("properties")?.get(name)?;
        let bare = tool.short_name() == "kubectl" && name == "args"
            || tool.description.to_ascii_lowercase().contains("without the kubectl")
            || tool.description.to_ascii_lowercase().contains("without 'kubectl'");
        let words = if bare { command.trim_start_matches("kubectl ").to_owned() } else { command };
        let is_list = schema.get("type").and_then(Value::as_str) == Some("array");
        let value =
            if is_list { json!(words.split(' ').collect::<Vec<_>>()) } else { json!(words) };
        let mut map = Map::new();
        map.insert(name.to_owned(), value);
        return fill_rest(tool, map);
    }
    let mut map = Map::new();
    let properties = tool.schema.get("properties").and_then(Value::as_object);
    for (name, schema) in properties.into_iter().flatten() {
        if let Some(value) = value(ask, tool, name, schema) {
            let choices = schema.get("enum").and_then(Value::as_array);
            if choices.is_some_and(|choices| !choices.contains(&value)) {
                return None;
            }
            map.insert(name.clone(), value);
        }
    }
    if named_but_unfilled(ask, tool, &map) {
        return None;
    }
    fill_rest(tool, map)
}

/// Whether the question names an object or namespace that the tool has no parameter for.
fn named_but_unfilled(ask: &Ask, tool: &Tool, map: &Map<String, Value>) -> bool {
    let has = |names: &[&str]| map.keys().any(|key| names.contains(&snake(key).as_str()));
    match ask {
        Ask::Get { .. } => !has(NAMES) && !has(SERVICES),
        Ask::Describe { .. } | Ask::Logs { .. } => !has(NAMES),
        Ask::ServiceLogs { .. } => !has(SERVICES),
        Ask::NodeService { .. } => !has(SERVICES) || !has(NODES),
        Ask::Metric { .. } => !has(&["query", "promql"]),
        // A tool that always answers for all namespaces is fine, one that needs a namespace is not.
        Ask::List { namespace: None, .. } | Ask::Events { namespace: None } => {
            required(tool).iter().any(|name| matches!(snake(name).as_str(), "namespace" | "ns"))
        }
        _ => false,
    }
}

fn value(ask: &Ask, tool: &Tool, name: &str, schema: &Value) -> Option<Value> {
    let (kind, namespace, object) = parts(ask);
    let text = |text: &str| (!text.is_empty()).then(|| json!(text));
    match snake(name).as_str() {
        "namespace" | "ns" => text(namespace),
        "all_namespaces" => (namespace.is_empty() && !is_single(ask)).then(|| json!(true)),
        "kind" | "resource_type" | "resource" => {
            text(kind).map(|_| json!(kind_for(kind, tool, schema)))
        }
        "api_version" => text(kind).map(|_| json!(api_version(kind))),
        "name" | "resource_name" | "pod" | "pod_name" if !object.is_empty() => text(object),
        one if SERVICES.contains(&one) => match ask {
            Ask::ServiceLogs { .. } | Ask::Traces { .. } | Ask::NodeService { .. } => text(object),
            Ask::Get { kind, .. } if is_workload(kind) && parameter(tool, KINDS).is_none() => {
                text(object)
            }
            _ => None,
        },
        one if NODES.contains(&one) => match ask {
            Ask::NodeService { node, .. } => text(node),
            _ => None,
        },
        "previous" => matches!(ask, Ask::Logs { previous: true, .. }).then(|| json!(true)),
        "query" | "promql" => match ask {
            Ask::Metric { query } => Some(json!(query)),
            _ => None,
        },
        "output" | "output_format" if matches!(ask, Ask::Get { .. }) => {
            let choices = schema.get("enum").and_then(Value::as_array)?;
            choices.iter().find(|choice| choice.as_str() == Some("yaml")).cloned()
        }
        _ => None,
    }
}

fn is_single(ask: &Ask) -> bool {
    matches!(ask, Ask::Describe { .. } | Ask::Get { .. } | Ask::Logs { .. })
}

/// Kind, namespace and name of a question.
fn parts(ask: &Ask) -> (&str, &str, &str) {
    match ask {
        Ask::List { kind, namespace } => (kind, namespace.as_deref().unwrap_or(""), ""),
        Ask::Events { namespace } => ("event", namespace.as_deref().unwrap_or(""), ""),
        Ask::UsageOfPods { namespace } => ("", namespace.as_deref().unwrap_or(""), ""),
        Ask::Describe { kind, namespace, name } | Ask::Get { kind, namespace, name } => {
            (kind, namespace, name)
        }
        Ask::Logs { namespace, pod, .. } => ("pod", namespace, pod),
        Ask::NodeService { service, .. } => ("", "", service),
        Ask::ServiceLogs { namespace, service } => ("", namespace, service),
        Ask::Traces { namespace, service } => {
            ("", namespace.as_deref().unwrap_or(""), service.as_deref().unwrap_or(""))
        }
        Ask::Metrics { namespace } | Ask::Dump { namespace, .. } => ("", namespace, ""),
        Ask::Alerts | Ask::Namespaces | Ask::UsageOfNodes | Ask::Metric { .. } => ("", "", ""),
    }
}

/// The required parameters that no question fills: by their default, first choice or bounds.
pub(super) fn fill_rest(tool: &Tool, mut map: Map<String, Value>) -> Option<Value> {
    for name in required(tool) {
        if map.contains_key(name) {
            continue;
        }
        let schema = tool.schema.get("properties").and_then(|all| all.get(name));
        let value = schema.and_then(|schema| default_value(name, schema))?;
        map.insert(name.to_owned(), value);
    }
    Some(Value::Object(map))
}

/// The reading command of kubectl that answers; none if kubectl does not.
fn command_line(ask: &Ask) -> Option<String> {
    let scope = |namespace: &Option<String>| match namespace {
        Some(name) => format!("-n {name}"),
        None => "-A".to_owned(),
    };
    let of = |namespace: &str| {
        if namespace.is_empty() { String::new() } else { format!(" -n {namespace}") }
    };
    Some(match ask {
        Ask::List { kind: "node", .. } => "kubectl get nodes".to_owned(),
        Ask::List { kind, namespace } => {
            format!("kubectl get {} {}", plural(kind), scope(namespace))
        }
        Ask::Dump { kind, namespace } => {
            format!("kubectl get {} -n {namespace} -o yaml", plural(kind))
        }
        Ask::Namespaces => "kubectl get namespaces".to_owned(),
        Ask::Events { namespace } => format!("kubectl get events {}", scope(namespace)),
        Ask::Describe { kind, namespace, name } => {
            format!("kubectl describe {} {name}{}", of_group(kind), of(namespace))
        }
        Ask::Get { kind, namespace, name } => {
            format!("kubectl get {} {name}{} -o yaml", of_group(kind), of(namespace))
        }
        Ask::Logs { namespace, pod, previous: false } => {
            format!("kubectl logs {pod}{}", of(namespace))
        }
        Ask::Logs { namespace, pod, previous: true } => {
            format!("kubectl logs {pod}{} --previous", of(namespace))
        }
        Ask::UsageOfPods { namespace } => format!("kubectl top pods {}", scope(namespace)),
        Ask::UsageOfNodes => "kubectl top nodes".to_owned(),
        Ask::Alerts
        | Ask::NodeService { .. }
        | Ask::ServiceLogs { .. }
        | Ask::Metric { .. }
        | Ask::Traces { .. }
        | Ask::Metrics { .. } => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool(name: &str, properties: &Value, required: &[&str]) -> Tool {
        let schema = json!({"type": "object", "properties": properties, "required": required});
        Tool::new(name, "", &schema.to_string())
    }

    fn pods(namespace: Option<&str>) -> Ask {
        Ask::List { kind: "pod", namespace: namespace.map(str::to_owned) }
    }

    #[test]
    fn a_list_goes_to_the_tool_of_its_scope() {
        let all = tool("k.pods_list", &json!({"labelSelector": {"type": "string"}}), &[]);
        let one = tool(
            "k.pods_list_in_namespace",
            &json!({"namespace": {"type": "string"}}),
            &["namespace"],
        );
        let tools = [&all, &one];
        assert_eq!(fitting(&pods(Some("shop")), &tools)[0].name, "k.pods_list_in_namespace");
        assert_eq!(fitting(&pods(None), &tools)[0].name, "k.pods_list");
        assert_eq!(arguments(&pods(Some("shop")), &one), Some(json!({"namespace": "shop"})));
        assert_eq!(arguments(&pods(None), &one), None);
    }

    #[test]
    fn a_tool_for_all_kinds_is_given_the_kind() {
        let text = json!({"type": "string"});
        let get = tool(
            "k.resources_get",
            &json!({"apiVersion": text, "kind": text, "namespace": text, "name": text}),
            &["apiVersion", "kind", "name"],
        );
        let ask = Ask::Get {
            kind: "deployment".to_owned(),
            namespace: "shop".to_owned(),
            name: "web".to_owned(),
        };
        assert_eq!(
            arguments(&ask, &get),
            Some(
                json!({"apiVersion": "apps/v1", "kind": "Deployment", "namespace": "shop", "name": "web"})
            )
        );
    }

    #[test]
    fn a_command_only_reads() {
        let kubectl =
            tool("k.exec_kubectl_cmd_safely", &json!({"cmd": {"type": "string"}}), &["cmd"]);
        let ask =
            Ask::Logs { namespace: "shop".to_owned(), pod: "web-1".to_owned(), previous: true };
        assert_eq!(
            arguments(&ask, &kubectl),
            Some(json!({"cmd": "kubectl logs web-1 -n shop --previous"}))
        );
    }
}
