//! The MCP gateway as a process of its own; `serve SERVER` serves one of its stdio servers over HTTP instead.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(failed) = tarsy_mcp_gateway::launch_if_asked() {
        return failed;
    }
    match tarsy_mcp_gateway::server_to_serve(std::env::args()) {
        Some(server) => tarsy_service::main(
            "tool-server",
            tarsy_mcp_gateway::check,
            move |settings, service| tarsy_mcp_gateway::serve(server.clone(), settings, service),
        ),
        None => {
            tarsy_service::main("mcp-gateway", tarsy_mcp_gateway::check, tarsy_mcp_gateway::start)
        }
    }
}
