//! The service as a program of its own.

use std::process::ExitCode;

fn main() -> ExitCode {
    tarsy_service::main("stream-relay", tarsy_stream_relay::check, tarsy_stream_relay::start)
}
