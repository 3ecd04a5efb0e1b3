//! What is read of an object: what it is, who wrote it last, and the parts whose change is one.

use serde_json::{Value, json};

use super::template::Template;

/// The kinds of objects that are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Deployment,
    StatefulSet,
    DaemonSet,
    Autoscaler,
    ConfigMap,
    Secret,
    Node,
}

impl Kind {
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Deployment => "Deployment",
            Self::StatefulSet => "StatefulSet",
            Self::DaemonSet => "DaemonSet",
            Self::Autoscaler => "HorizontalPodAutoscaler",
            Self::ConfigMap => "ConfigMap",
            Self::Secret => "Secret",
            Self::Node => "Node",
        }
    }

    /// The kind of a change of it, as TARSy names it.
    pub(super) const fn of_change(self) -> &'static str {
        match self {
            Self::Deployment | Self::StatefulSet | Self::DaemonSet => "deployment",
            Self::Autoscaler => "scaling",
            Self::ConfigMap => "configuration",
            Self::Secret => "secret",
            Self::Node => "node",
        }
    }
}

/// The text at a JSON pointer.
pub(super) fn text<'v>(object: &'v Value, pointer: &str) -> Option<&'v str> {
    object.pointer(pointer).and_then(Value::as_str).filter(|text| !text.is_empty())
}

/// The state of an object, as far as its change is one.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum State {
    Workload {
        template: Template,
        replicas: Option<i64>,
    },
    Autoscaler {
        least: Option<i64>,
        most: Option<i64>,
    },
    /// Its version, of a config map or a secret.
    Version(String),
    /// A release of Helm: the status of its revision.
    Release(String),
    Node {
        is_cordoned: bool,
        versions: Vec<String>,
    },
}

impl State {
    pub(super) fn of(kind: Kind, object: &Value) -> Option<Self> {
        let number = |pointer: &str| object.pointer(pointer).and_then(Value::as_i64);
        Some(match kind {
            Kind::Deployment | Kind::StatefulSet | Kind::DaemonSet => Self::Workload {
                template: Template::of(object.pointer("/spec/template")?),
                replicas: number("/spec/replicas"),
            },
            Kind::Autoscaler => Self::Autoscaler {
                least: number("/spec/minReplicas"),
                most: number("/spec/maxReplicas"),
            },
            Kind::ConfigMap => Self::Version(text(object, "/metadata/resourceVersion")?.to_owned()),
            Kind::Secret => match release(object) {
                Some(_) => Self::Release(text(object, "/metadata/labels/status")?.to_owned()),
                None => Self::Version(text(object, "/metadata/resourceVersion")?.to_owned()),
            },
            Kind::Node => Self::Node {
                is_cordoned: object
                    .pointer("/spec/unschedulable")
                    .and_then(Value::as_bool)
                    .unwrap_or_default(),
                versions: ["kubeletVersion", "kernelVersion", "osImage", "containerRuntimeVersion"]
                    .iter()
                    .filter_map(|name| text(object, &format!("/status/nodeInfo/{name}")))
                    .map(str::to_owned)
                    .collect(),
            },
        })
    }
}

/// The release of Helm that a secret is of: its name and revision.
pub(super) fn release(secret: &Value) -> Option<(&str, &str)> {
    let label = |name: &str| text(secret, &format!("/metadata/labels/{name}"));
    if label("owner") != Some("helm") {
        return None;
    }
    Some((label("name")?, label("version")?))
}

/// Whether nobody means anything by a change of it: locks of leaders, certificates that controllers copy, tokens.
pub(super) fn is_quiet(object: &Value) -> bool {
    let name = text(object, "/metadata/name").unwrap_or_default();
    let annotations = object.pointer("/metadata/annotations").and_then(Value::as_object);
    let has = |name: &str| annotations.is_some_and(|all| all.contains_key(name));
    has("control-plane.alpha.kubernetes.io/leader")
        || has("kubernetes.io/service-account.name")
        || matches!(name, "kube-root-ca.crt" | "openshift-service-ca.crt")
}

/// Who wrote the object last, and when: the newest entry of its managed fields that is not about its status.
pub(super) fn written(object: &Value) -> (Option<&str>, Option<&str>) {
    let fields = object.pointer("/metadata/managedFields").and_then(Value::as_array);
    let of_spec =
        fields.into_iter().flatten().filter(|entry| text(entry, "/subresource").is_none());
    let newest = of_spec.max_by_key(|entry| text(entry, "/time").unwrap_or_default().to_owned());
    newest.map_or((None, None), |entry| (text(entry, "/manager"), text(entry, "/time")))
}

/// The service that an object belongs to, by the usual labels.
pub(super) fn service(object: &Value) -> Option<&str> {
    ["app.kubernetes.io~1name", "app.kubernetes.io~1instance", "app", "k8s-app"]
        .iter()
        .find_map(|name| text(object, &format!("/metadata/labels/{name}")))
}

/// A change, as api-gateway reads it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Change(pub(super) Value);

impl Change {
    pub(super) fn in_cluster(self, cluster: Option<&str>) -> Value {
        let mut change = self.0;
        if let (Some(fields), Some(cluster)) = (change.as_object_mut(), cluster) {
            fields.insert("cluster".to_owned(), json!(cluster));
        }
        change
    }
}
