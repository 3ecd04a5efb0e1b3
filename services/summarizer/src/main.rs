//! The summarizer as a process of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    tarsy_service::main("summarizer", tarsy_summarizer::check, tarsy_summarizer::start)
}
