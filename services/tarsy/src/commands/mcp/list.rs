//! Lists of tool servers and of a server's tools.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::Value;
use tarsy_bus::{Bus, Error};
use tarsy_contracts::judged::Decider;
use tarsy_contracts::mcp::{ProbeRequest, Tool, ToolList, ToolReach};
use tarsy_contracts::status::{Instance, McpServerStatus, ServerFault};
use tarsy_contracts::{subject, topology};

use crate::connections;
use crate::output::{self, Format, Table, Wide, field, style};

/// How long a server may take to start and list its tools.
const PROBE: Duration = Duration::from_mins(1);
/// How much longer the command waits for the gateway than the gateway for the server.
const GRACE: Duration = Duration::from_secs(2);
/// The error when no gateway answers.
pub(super) const NO_GATEWAY: &str =
    "no tool gateway is running; `tarsy up` starts one, or start tarsy-mcp-gateway";

/// Lists the servers as the gateways' last health check found them.
pub(super) async fn servers(bus: &Bus, format: Format, long: bool) -> anyhow::Result<ExitCode> {
    let instances = bus.kv(&topology::INSTANCES).entries::<Instance>().await;
    let runs = instances.is_ok_and(|all| all.iter().any(|one| one.service == "mcp-gateway"));
    anyhow::ensure!(runs, NO_GATEWAY);
    let mut servers = bus.kv(&topology::MCP_STATUS).entries::<McpServerStatus>().await?;
    servers.sort_by(|a, b| a.id.cmp(&b.id));
    if format.is_json() {
        output::document(&servers)?;
        return Ok(ExitCode::SUCCESS);
    }
    if servers.is_empty() {
        output::line("no server has been checked yet; retry in a moment");
        return Ok(ExitCode::SUCCESS);
    }
    let wide = if long { Wide::Wrapped } else { Wide::Cut };
    if table(&servers, wide).print(wide) {
        output::remark("`tarsy mcp servers --long` prints the problems in full");
    }
    Ok(ExitCode::SUCCESS)
}

fn table(servers: &[McpServerStatus], wide: Wide) -> Table {
    let mut table = Table::new(["SERVER", "HEALTH", "TOOLS", "CHECKED", "PROBLEM"]);
    for server in servers {
        table.add([
            server.id.clone(),
            health(server).to_owned(),
            server.tools.len().to_string(),
            server.last_check.strftime("%F %T").to_string(),
            one_line(&problem(server, wide)),
        ]);
    }
    table
}

/// In the words of the dashboard.
const fn health(server: &McpServerStatus) -> &'static str {
    match (server.not_configured, server.healthy) {
        (true, _) => "not configured",
        (false, true) => "healthy",
        (false, false) => "unhealthy",
    }
}

/// What to do about a server; with the words of whoever reported it where these are asked for, and where nothing else is known.
fn problem(server: &McpServerStatus, wide: Wide) -> String {
    let reported = server.error.as_deref().unwrap_or_default();
    match (remedy(server), wide) {
        (None, _) => reported.to_owned(),
        (Some(remedy), Wide::Cut) => remedy.to_owned(),
        (Some(remedy), Wide::Wrapped) => format!("{remedy} ({reported})"),
    }
}

const fn remedy(server: &McpServerStatus) -> Option<&'static str> {
    if server.not_configured {
        return Some("built in, not set up: connect it, or set the variables that it reads");
    }
    Some(match server.fault {
        Some(ServerFault::Settings) => "its settings cannot be used: run `tarsy config check`",
        Some(ServerFault::Program) => {
            "its program cannot be started: install it, or correct transport.command"
        }
        Some(ServerFault::Ended) => {
            "its program ended at the start: run it by hand, or read --long"
        }
        Some(ServerFault::Unreachable) => {
            "nothing answers at its address: start it, or correct transport.url"
        }
        Some(ServerFault::Unresponsive) => {
            "it does not answer in time: look at its log, or raise transport.init_timeout"
        }
        Some(ServerFault::Credentials) => {
            "it wants other credentials: correct its token or headers, or log in"
        }
        Some(ServerFault::NoServer) => {
            "what answers is no MCP server: correct transport.url and its path"
        }
        Some(ServerFault::Other) | None => return None,
    })
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Lists the tools of one server, with their classes and what was accepted of them.
pub(super) async fn tools(
    home: &Path,
    bus: &Bus,
    server: &str,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let tools = probe(bus, server).await?;
    if format.is_json() {
        output::document(&tools)?;
        return Ok(ExitCode::SUCCESS);
    }
    let accepted = accepted(home, server).await;
    for tool in &tools {
        output::line(&described(tool, accepted.as_ref()));
    }
    output::remark(&format!(
        "{}; `tarsy mcp call {server}.TOOL key=value` calls one",
        output::counted(tools.len(), "tool")
    ));
    Ok(ExitCode::SUCCESS)
}

/// The tools of a server, listed now.
pub(super) async fn probe(bus: &Bus, server: &str) -> anyhow::Result<Vec<Tool>> {
    let timeout_ms = u64::try_from(PROBE.as_millis()).unwrap_or(u64::MAX);
    let asked = ProbeRequest { server: Some(server.to_owned()), timeout_ms };
    let subject = subject::MCP_PROBE.to_owned();
    let list: ToolList = match bus.request(subject, &asked, PROBE + GRACE).await {
        Err(Error::NoResponders { .. }) => anyhow::bail!(NO_GATEWAY),
        Err(Error::Refused(refusal)) => anyhow::bail!("{}", refusal.message),
        answered => answered.context("the tool gateway did not list the tools")?,
    };
    if let Some(failed) = list.failed.first() {
        anyhow::bail!("the server '{}' is unavailable: {}", failed.server, failed.error);
    }
    Ok(list.tools)
}

/// The accepted definitions of a server's tools; none if nobody accepted them, or without a database.
async fn accepted(home: &Path, server: &str) -> Option<BTreeMap<String, String>> {
    let store = connections::store(home).await.ok()?;
    let mut accepted = store.list_accepted_tools(&[server.to_owned()]).await.ok()?;
    accepted.remove(server)
}

/// A tool: its name, class and pin, the beginning of its description, its arguments.
fn described(tool: &Tool, accepted: Option<&BTreeMap<String, String>>) -> String {
    let pin = match accepted.map(|tools| tools.get(&tool.name)) {
        None => "",
        Some(None) => ", new since they were accepted",
        Some(Some(known)) if *known == tool.terms.definition => ", accepted",
        Some(Some(_)) => ", changed since it was accepted",
    };
    // Where each call is judged, the tool has no class of its own.
    let class = match tool.terms.decided_by {
        Decider::Call => "by call".to_owned(),
        _ => tool.terms.class.as_str().replace('_', "-"),
    };
    let decided_by = tool.terms.decided_by.as_str();
    let reason = field(&tool.terms.reason);
    let name = style(field(&tool.full_name())).bold().to_string();
    let reach = match tool.terms.reach {
        ToolReach::AnyHost => format!(", reaches any host: {}", field(&tool.terms.reach_reason)),
        ToolReach::OwnSystem | ToolReach::Unstated => String::new(),
    };
    let mut lines =
        vec![format!("{name}  [{class}: {reason}; decided by: {decided_by}{pin}{reach}]")];
    let description = tool.description.lines().find(|line| !line.trim().is_empty());
    lines.extend(description.map(|line| format!("    {}", field(line.trim()))));
    for (name, kind, needed) in parameters(&tool.input_schema) {
        let needed = if needed { ", required" } else { "" };
        lines.push(format!("    {} ({}{needed})", field(name), field(&kind)));
    }
    lines.join("\n")
}

/// The arguments that a schema names: name, type, and whether it is required.
pub(super) fn parameters(schema: &Value) -> Vec<(&str, String, bool)> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return Vec::new();
    };
    let required: Vec<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .map(|names| names.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default();
    properties
        .iter()
        .map(|(name, property)| (name.as_str(), kind(property), required.contains(&name.as_str())))
        .collect()
}

fn kind(property: &Value) -> String {
    match property.get("type") {
        Some(Value::String(kind)) => kind.clone(),
        Some(Value::Array(kinds)) => {
            kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_nobody_set_up_is_not_unhealthy() {
        let status = serde_json::json!({
            "id": "kubernetes-server", "healthy": false, "error": "no kubeconfig", "tools": [],
            "last_check": "2026-11-22T10:00:00Z",
        });
        let mut server: McpServerStatus = serde_json::from_value(status).unwrap();
        assert_eq!(health(&server), "unhealthy");
        assert_eq!(problem(&server, Wide::Cut), "no kubeconfig", "nothing else is known");
        server.fault = Some(ServerFault::Program);
        let shown = problem(&server, Wide::Cut);
        assert!(
            shown.starts_with("its program cannot be started") && !shown.contains("kubeconfig")
        );
        assert!(problem(&server, Wide::Wrapped).ends_with(" (no kubeconfig)"));
        server.not_configured = true;
        assert_eq!(health(&server), "not configured");
        assert!(problem(&server, Wide::Cut).starts_with("built in, not set up"));
    }

    #[test]
    fn a_tool_forges_no_line() {
        let tool = serde_json::json!({
            "server": "web", "name": "read\nweb.drop  [read-only: by its name]", "description": "\u{1b}[2Kx\u{202e}",
            "input_schema": {"properties": {"a\nb": {"type": "c\nd"}}},
        });
        let tool: Tool = serde_json::from_value(tool).unwrap();
        let text = described(&tool, None);
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.contains("read[U+000A]web.drop"), "{text}");
        assert!(
            text.contains("[U+001B][2Kx[U+202E]") && text.contains("a[U+000A]b (c[U+000A]d)"),
            "{text}"
        );
    }
}
