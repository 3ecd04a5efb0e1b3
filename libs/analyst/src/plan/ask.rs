//! Questions about a cluster, whatever tool answers them.

use super::spelling::own_name;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Ask {
    Alerts,
    Namespaces,
    /// The objects of a kind; of all namespaces if none is named.
    List {
        kind: &'static str,
        namespace: Option<String>,
    },
    /// The whole objects of a kind in a namespace, as YAML.
    Dump {
        kind: &'static str,
        namespace: String,
    },
    Events {
        namespace: Option<String>,
    },
    Describe {
        kind: String,
        namespace: String,
        name: String,
    },
    /// One object as YAML.
    Get {
        kind: String,
        namespace: String,
        name: String,
    },
    Logs {
        namespace: String,
        pod: String,
        previous: bool,
    },
    /// The logs of all pods of a service, by its name.
    ServiceLogs {
        namespace: String,
        service: String,
    },
    /// The state of a program of a node, as its init system has it.
    NodeService {
        node: String,
        service: &'static str,
    },
    UsageOfPods {
        namespace: Option<String>,
    },
    UsageOfNodes,
    Metric {
        query: &'static str,
    },
    Traces {
        namespace: Option<String>,
        service: Option<String>,
    },
    Metrics {
        namespace: String,
    },
}

impl Ask {
    /// The question as a phrase: `the pods of shop`.
    pub(crate) fn purpose(&self) -> String {
        let of = |namespace: &Option<String>| match namespace {
            Some(name) => format!(" of {name}"),
            None => " of all namespaces".to_owned(),
        };
        match self {
            Self::Alerts => "the alerts that fire".to_owned(),
            Self::Namespaces => "the namespaces".to_owned(),
            Self::List { kind, namespace } => {
                format!("the list of {kind} objects{}", of(namespace))
            }
            Self::Dump { kind, namespace } => format!("the {kind} objects of {namespace} as YAML"),
            Self::Events { namespace } => format!("the events{}", of(namespace)),
            Self::Describe { kind, name, .. } | Self::Get { kind, name, .. } => {
                format!("{} {name}", own_name(kind))
            }
            Self::Logs { pod, previous: true, .. } => {
                format!("the log of the previous container of {pod}")
            }
            Self::Logs { pod, .. } => format!("the log of {pod}"),
            Self::ServiceLogs { service, .. } => format!("the logs of {service}"),
            Self::NodeService { node, service } => format!("{service} of node {node}"),
            Self::UsageOfPods { .. } => "what the pods use".to_owned(),
            Self::UsageOfNodes => "what the nodes use".to_owned(),
            Self::Metric { query } => format!("the metric {query}"),
            Self::Traces { .. } => "traces".to_owned(),
            Self::Metrics { .. } => "metrics".to_owned(),
        }
    }
}
