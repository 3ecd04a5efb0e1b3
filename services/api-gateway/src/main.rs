//! The service as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    tarsy_service::main("api-gateway", tarsy_api_gateway::check, tarsy_api_gateway::start)
}
