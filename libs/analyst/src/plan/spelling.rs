//! Kinds as tools and kubectl want them written.

use serde_json::Value;

use super::schema::parameter;
use crate::facts::{canonical_kind, shown_kind};
use crate::transcript::Tool;

/// The kind without its group: `Cache` of `example.com/v1/Cache`.
pub(super) fn own_name(kind: &str) -> &str {
    kind.rsplit('/').next().unwrap_or(kind)
}

/// `Cache.example.com` of `example.com/v1/Cache`; other kinds stay as they are.
pub(super) fn of_group(kind: &str) -> String {
    match kind.split('/').collect::<Vec<_>>().as_slice() {
        [group, _, name] => format!("{name}.{group}"),
        _ => kind.to_owned(),
    }
}

/// The kind in the spelling of the tool: one of its choices, `Pod` beside an `apiVersion`, else `pod`.
pub(super) fn kind_for(kind: &str, tool: &Tool, schema: &Value) -> String {
    let choices = schema.get("enum").and_then(Value::as_array);
    let choice = choices
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .find(|one| canonical_kind(one) == Some(kind));
    if let Some(choice) = choice {
        return choice.to_owned();
    }
    if parameter(tool, &["api_version"]).is_some() {
        shown_kind(own_name(kind)).to_owned()
    } else {
        of_group(kind)
    }
}

/// The version of the API that has a kind; a custom one is written `group/version/Kind`.
pub(super) fn api_version(kind: &str) -> &str {
    if let Some((version, _)) = kind.rsplit_once('/') {
        return version;
    }
    match kind {
        "deployment" | "statefulset" | "daemonset" | "replicaset" => "apps/v1",
        "networkpolicy" | "ingress" | "ingressclass" => "networking.k8s.io/v1",
        "horizontalpodautoscaler" => "autoscaling/v2",
        "job" | "cronjob" => "batch/v1",
        "storageclass" => "storage.k8s.io/v1",
        "authorizationpolicy" | "peerauthentication" => "security.istio.io/v1",
        chaos if chaos.ends_with("chaos") || chaos == "schedule" => "chaos-mesh.org/v1alpha1",
        _ => "v1",
    }
}

/// The kind as kubectl lists it.
pub(super) fn plural(kind: &str) -> String {
    match kind {
        "endpoints" => kind.to_owned(),
        "networkpolicy" | "authorizationpolicy" => format!("{}ies", kind.trim_end_matches('y')),
        "ingress" | "ingressclass" | "storageclass" => format!("{kind}es"),
        "persistentvolumeclaim" => "pvc".to_owned(),
        "horizontalpodautoscaler" => "hpa".to_owned(),
        chaos if chaos.ends_with("chaos") => chaos.to_owned(),
        _ => format!("{kind}s"),
    }
}
