//! The service as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    tarsy_service::main("notifier", tarsy_notifier::check, tarsy_notifier::start)
}
