//! The span of a tool call, with the attributes of OpenTelemetry's conventions for MCP.

use tarsy_catalog::{CallMasks, Endpoint};
use tarsy_contracts::mcp::{CallResult, ToolCallRequest};
use tarsy_telemetry::{set_attribute, set_failed};
use tracing::Span;

use crate::lease::Lease;

/// The longest text of an attribute, in bytes: collectors accept 4 MiB for hundreds of spans.
const MAX_TEXT: usize = 8 * 1024;

pub(crate) fn span(lease: &Lease, call: &ToolCallRequest) -> Span {
    let target = lease.target(&call.name);
    let tool = target.map_or(call.name.as_str(), |(_, tool)| tool);
    let span = tracing::info_span!(
        "tool.call",
        otel.name = format!("tools/call {tool}"),
        otel.kind = "client",
        call.id = %call.call_id,
        tool.name = call.name
    );
    set_attribute(&span, "mcp.method.name", "tools/call");
    set_attribute(&span, "gen_ai.operation.name", "execute_tool");
    set_attribute(&span, "gen_ai.tool.name", tool.to_owned());
    set_attribute(&span, "gen_ai.tool.call.id", call.call_id.to_string());
    if let Some((server, _)) = target {
        set_attribute(&span, "mcp.server", server.id.clone());
        let transport = match server.transport.endpoint {
            Endpoint::Stdio(_) => "pipe",
            Endpoint::Http(_) | Endpoint::Sse(_) => "tcp",
        };
        set_attribute(&span, "network.transport", transport);
    }
    span
}

/// Notes how a call ended.
pub(crate) fn finish(span: &Span, outcome: &'static str, result: &CallResult) {
    if result.is_error {
        set_failed(span, if outcome == "refused" { "refused" } else { "tool_error" });
    }
}

/// Notes the arguments of a call, as people see them, and its masked result, where the operator wants them in spans.
pub(crate) fn capture(
    span: &Span,
    lease: &Lease,
    (call, masks): (&ToolCallRequest, &CallMasks),
    result: &CallResult,
) {
    let server = lease.target(&call.name).map_or("", |(server, _)| server.id.as_str());
    set_attribute(span, "gen_ai.tool.call.arguments", shown(masks, server, &call.arguments));
    set_attribute(span, "gen_ai.tool.call.result", truncated(&result.content));
}

/// The call is made with what the model wrote, secrets included.
fn shown(masks: &CallMasks, server: &str, arguments: &str) -> String {
    truncated(&masks.mask(server, arguments))
}

fn truncated(text: &str) -> String {
    text[..text.floor_char_boundary(MAX_TEXT)].to_owned()
}

#[cfg(test)]
mod tests {
    use tarsy_catalog::{Catalog, Env};

    use super::*;

    #[test]
    fn a_secret_in_the_arguments_of_a_call_is_in_no_span() {
        let catalog = Catalog::builtin(&Env::empty()).unwrap();
        let masks = CallMasks::new(&catalog, |server, error| panic!("{server}: {error}"));
        for server in ["host", "another", ""] {
            let arguments = r#"{"pod": "web-1", "password": "hunter2hunter2"}"#;
            let shown = shown(&masks, server, arguments);
            assert!(shown.contains("web-1") && !shown.contains("hunter2"), "{shown}");
        }
    }

    #[test]
    fn a_long_text_is_cut_at_a_character() {
        let text = "ä".repeat(MAX_TEXT);
        assert_eq!(truncated(&text).len(), MAX_TEXT);
        assert_eq!(truncated(&format!("x{text}")).len(), MAX_TEXT - 1);
        assert_eq!(truncated("short"), "short");
    }
}
