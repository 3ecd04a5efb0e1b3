//! The orchestrator as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    tarsy_service::main("orchestrator", tarsy_orchestrator::check, tarsy_orchestrator::start)
}
