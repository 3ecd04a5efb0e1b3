//! The MCP gateway as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    tarsy_service::main("mcp-gateway", tarsy_mcp_gateway::start)
}
