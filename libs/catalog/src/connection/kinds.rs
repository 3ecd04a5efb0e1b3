//! What can be connected, and what is filled in for it.

use super::types::{ConnectionField, ConnectionKind, Form};

pub(super) const KUBERNETES: &str = "kubernetes";
pub(super) const PROMETHEUS: &str = "prometheus";
pub(super) const LOKI: &str = "loki";
pub(super) const POSTGRESQL: &str = "postgresql";
pub(super) const TOOL_SERVER: &str = "tool-server";

pub(super) const KINDS: &[ConnectionKind] = &[
    ConnectionKind {
        name: KUBERNETES,
        title: "Kubernetes",
        description: "Reads pods, events, logs and other objects of a cluster; it changes nothing.",
        requires: "npx of Node.js 20 or newer. TARSy's images have this server.",
        fields: &[
            server("kubernetes-server"),
            ConnectionField {
                name: "kubeconfig",
                label: "Kubeconfig file",
                help: "Its absolute path on the machine of the tool gateway; the current context is used. Empty for the service account of the pod.",
                default: "",
                required: false,
                form: Form::FilePath,
            },
            ALERT_TYPE,
        ],
        can_be_tried: false,
    },
    ConnectionKind {
        name: PROMETHEUS,
        title: "Prometheus",
        description: "Asks Prometheus, or what answers its API, in PromQL.",
        requires: "uvx of uv, which downloads prometheus-mcp-server from PyPI. TARSy's images download nothing: install it in an image of your own.",
        fields: &[
            server("prometheus"),
            address("Address", "Where Prometheus answers.", "http://localhost:9090"),
            token(
                "Variable with the token",
                "The name of the environment variable with a bearer token; empty without one.",
                "",
            ),
            ALERT_TYPE,
        ],
        can_be_tried: false,
    },
    ConnectionKind {
        name: LOKI,
        title: "Loki",
        description: "Reads logs in LogQL, through the data sources of Grafana.",
        requires: "uvx of uv, which downloads mcp-grafana from PyPI. TARSy's images download nothing: install it in an image of your own.",
        fields: &[
            server("loki"),
            address(
                "Address of Grafana",
                "Where the Grafana answers that has Loki as a data source.",
                "http://localhost:3000",
            ),
            ConnectionField {
                required: true,
                ..token(
                    "Variable with the token",
                    "The name of the environment variable with the token of a service account of Grafana; the role Viewer is enough.",
                    "GRAFANA_SERVICE_ACCOUNT_TOKEN",
                )
            },
            ALERT_TYPE,
        ],
        can_be_tried: false,
    },
    ConnectionKind {
        name: POSTGRESQL,
        title: "PostgreSQL",
        description: "Reads tables and statistics in SQL; statements that change something wait for a person.",
        requires: "npx of Node.js 22.5 or newer, which downloads @bytebase/dbhub from npm. TARSy's images download nothing: install it in an image of your own.",
        fields: &[
            server("postgresql"),
            ConnectionField {
                name: "dsn_variable",
                label: "Variable with the connection string",
                help: "The name of the environment variable with postgres://USER:PASSWORD@HOST:5432/DATABASE; use a role that only reads, such as a member of pg_read_all_data.",
                default: "POSTGRESQL_DSN",
                required: true,
                form: Form::Variable,
            },
            ALERT_TYPE,
        ],
        can_be_tried: false,
    },
    ConnectionKind {
        name: TOOL_SERVER,
        title: "Tool server",
        description: "Any MCP server that runs already and answers streamable HTTP.",
        requires: "",
        fields: &[
            server("tools"),
            address(
                "Address",
                "Where the server answers, with the path.",
                "http://localhost:8000/mcp",
            ),
            token(
                "Variable with the token",
                "The name of the environment variable with a bearer token; empty without one.",
                "",
            ),
            ALERT_TYPE,
        ],
        can_be_tried: true,
    },
];

const ALERT_TYPE: ConnectionField = ConnectionField {
    name: "alert_type",
    label: "Alert type",
    help: "Alerts of this type are investigated with it; empty if agents of your own name the server.",
    default: "",
    required: false,
    form: Form::AlertType,
};

const fn server(default: &'static str) -> ConnectionField {
    ConnectionField {
        name: "server",
        label: "Name",
        help: "What TARSy calls the tool server.",
        default,
        required: true,
        form: Form::ServerId,
    }
}

const fn address(
    label: &'static str,
    help: &'static str,
    default: &'static str,
) -> ConnectionField {
    ConnectionField { name: "url", label, help, default, required: true, form: Form::Address }
}

const fn token(label: &'static str, help: &'static str, default: &'static str) -> ConnectionField {
    ConnectionField {
        name: "token_variable",
        label,
        help,
        default,
        required: false,
        form: Form::Variable,
    }
}
