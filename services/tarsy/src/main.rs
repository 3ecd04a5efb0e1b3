//! `tarsy`: the command line, and every service in one process on embedded parts.

mod client;
mod commands;
mod connections;
mod follow;
mod home;
mod output;
mod up;

use std::process::ExitCode;

use clap::Parser as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let arguments = commands::Arguments::parse();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::problem(&format!("no runtime: {error}"));
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(commands::run(arguments)) {
        Ok(code) => code,
        Err(error) => {
            output::problem(&format!("{error:#}"));
            ExitCode::FAILURE
        }
    }
}
