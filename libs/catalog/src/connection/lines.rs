//! Writes the lines of a connection.

use super::kinds::{KUBERNETES, LOKI, POSTGRESQL, PROMETHEUS};
use super::types::Connection;
use super::value::Values;

/// The versions whose tools the policies below list.
const KUBERNETES_PACKAGE: &str = "kubernetes-mcp-server@0.0.66";
const PROMETHEUS_PACKAGE: &str = "prometheus-mcp-server@1.6.2";
const LOKI_PACKAGE: &str = "mcp-grafana@2.1.1";
const POSTGRESQL_PACKAGE: &str = "@bytebase/dbhub@1.4.0";

/// Its tools say that they reach other systems, which are the cluster alone.
const KUBERNETES_POLICY: &str = "    policy:
      mode: enforce
      require_read_only: true
      read_only: [configuration_contexts_list, configuration_view, events_list, helm_list, namespaces_list, nodes_log,
        nodes_stats_summary, nodes_top, pods_get, pods_list, pods_list_in_namespace, pods_log, pods_top, projects_list,
        resources_get, resources_list]
      reaches_own_system: [\"*\"]
    data_masking:
      pattern_groups: [kubernetes, security]
";
/// Its tools say that they reach other systems, which are Prometheus alone.
const PROMETHEUS_POLICY: &str = "    policy:
      mode: enforce
      require_read_only: true
      read_only: [execute_query, execute_range_query, get_metric_metadata, get_targets, health_check, list_metrics]
      reaches_own_system: [\"*\"]
";
const LOKI_POLICY: &str = "    policy:
      mode: enforce
      require_read_only: true
      read_only: [analyze_loki_labels, check_datasources_health, get_datasource, list_datasources, list_loki_label_names,
        list_loki_label_values, query_loki_logs, query_loki_patterns, query_loki_stats]
";
/// Each statement is judged by itself.
const POSTGRESQL_POLICY: &str = "    policy:
      mode: enforce
      read_only: [search_objects]
";
const TOOL_SERVER_POLICY: &str = "    policy:
      mode: enforce
";

pub(super) fn write(kind: &str, values: &Values<'_>) -> Connection {
    let server = values.of("server").to_owned();
    let (transport, policy) = match kind {
        KUBERNETES => (kubernetes(values), KUBERNETES_POLICY),
        PROMETHEUS => (prometheus(values), PROMETHEUS_POLICY),
        LOKI => (loki(values), LOKI_POLICY),
        POSTGRESQL => (postgresql(values), POSTGRESQL_POLICY),
        _ => (tool_server(values), TOOL_SERVER_POLICY),
    };
    let mut yaml = format!("mcp_servers:\n  {}:\n    transport:\n", quoted(&server));
    yaml.push_str(&transport);
    yaml.push_str(policy);
    let chain = values.optional("alert_type").map(|alert_type| {
        yaml.push_str(&chain(&server, alert_type));
        chain_id(&server)
    });
    let variables = ["token_variable", "dsn_variable"];
    let variables = variables.into_iter().filter_map(|field| values.optional(field));
    Connection { variables: variables.map(str::to_owned).collect(), server, yaml, chain }
}

fn kubernetes(values: &Values<'_>) -> String {
    let program = stdio("npx", &["-y", KUBERNETES_PACKAGE, "--read-only"]);
    match values.optional("kubeconfig") {
        Some(path) => format!("{program}{}", environment(&[("KUBECONFIG", &quoted(path))])),
        None => format!(
            "{program}      inherit_env: [KUBECONFIG, KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT]\n      \
             sandbox: {{service_account_token: true}}\n"
        ),
    }
}

fn prometheus(values: &Values<'_>) -> String {
    let url = quoted(values.of("url"));
    let token = values.optional("token_variable").map(reference);
    let mut variables = vec![("PROMETHEUS_URL", url.as_str())];
    variables.extend(token.as_deref().map(|token| ("PROMETHEUS_TOKEN", token)));
    stdio("uvx", &[PROMETHEUS_PACKAGE]) + &environment(&variables)
}

fn loki(values: &Values<'_>) -> String {
    let (url, token) = (quoted(values.of("url")), reference(values.of("token_variable")));
    let variables = [("GRAFANA_URL", url.as_str()), ("GRAFANA_SERVICE_ACCOUNT_TOKEN", &token)];
    let arguments = [LOKI_PACKAGE, "--enabled-tools=loki,datasource", "--disable-write"];
    stdio("uvx", &arguments) + &environment(&variables)
}

fn postgresql(values: &Values<'_>) -> String {
    let program = stdio("npx", &["-y", POSTGRESQL_PACKAGE]);
    program + &environment(&[("DSN", &reference(values.of("dsn_variable")))])
}

fn tool_server(values: &Values<'_>) -> String {
    let address = format!("      type: http\n      url: {}\n", quoted(values.of("url")));
    let token = |variable| format!("      bearer_token: {}\n", reference(variable));
    address + &values.optional("token_variable").map(token).unwrap_or_default()
}

/// A program, which may have to be downloaded at its first start.
fn stdio(command: &str, arguments: &[&str]) -> String {
    let arguments: Vec<String> = arguments.iter().map(|argument| quoted(argument)).collect();
    format!(
        "      type: stdio\n      command: {command}\n      args: [{}]\n      init_timeout: 60s\n",
        arguments.join(", ")
    )
}

/// The variables of a program; the values are quoted.
fn environment(variables: &[(&str, &str)]) -> String {
    let lines = variables.iter().map(|(name, value)| format!("        {name}: {value}\n"));
    std::iter::once("      env:\n".to_owned()).chain(lines).collect()
}

/// An agent with this server, and a chain for the alert type.
fn chain(server: &str, alert_type: &str) -> String {
    let agent = quoted(&format!("{server}-agent"));
    format!(
        "
agents:
  {agent}:
    mcp_servers: [{server}]

agent_chains:
  {chain}:
    alert_types: [{alert_type}]
    stages:
      - name: investigation
        agents:
          - name: {agent}
",
        server = quoted(server),
        chain = quoted(&chain_id(server)),
        alert_type = quoted(alert_type),
    )
}

fn chain_id(server: &str) -> String {
    format!("{server}-alerts")
}

/// A variable, as the configuration refers to it.
fn reference(variable: &str) -> String {
    quoted(&format!("{{{{.{variable}}}}}"))
}

/// A text in double quotes: what JSON writes so, YAML reads.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
