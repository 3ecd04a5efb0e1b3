//! The MCP gateway as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    if let Some(failed) = tarsy_mcp_gateway::launch_if_asked() {
        return failed;
    }
    tarsy_service::main("mcp-gateway", tarsy_mcp_gateway::start)
}
