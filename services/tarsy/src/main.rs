//! `tarsy`: the command line, and every service in one process on embedded parts.

mod archive;
mod client;
mod commands;
mod connections;
mod follow;
mod home;
mod local_token;
mod members;
mod output;
mod short_id;
mod unreachable;
mod up;
mod verdict;

use std::process::ExitCode;

use clap::Parser as _;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// As clap ends.
const WRONG_USAGE: u8 = 2;

/// Whether a command line that cannot be read asks for JSON.
fn asks_for_json() -> bool {
    std::env::args_os().any(|word| word == "--json")
}

fn main() -> ExitCode {
    if let Some(failed) = tarsy_mcp_gateway::launch_if_asked() {
        return failed;
    }
    use_small_pages();
    let arguments = match commands::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(wrong) if wrong.use_stderr() && asks_for_json() => {
            output::failure(wrong.render().to_string().trim_end(), output::Format::Json);
            return ExitCode::from(WRONG_USAGE);
        }
        Err(wrong) => match commands::help_instead_of(&wrong) {
            Some(help) => {
                output::remark(help.trim_end());
                return ExitCode::from(WRONG_USAGE);
            }
            None => wrong.exit(),
        },
    };
    let format = arguments.format();
    let runtime = match tokio::runtime::Builder::new_multi_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            output::failure(&format!("no runtime: {error}"), format);
            return ExitCode::FAILURE;
        }
    };
    match runtime.block_on(commands::run(arguments)) {
        Ok(code) => code,
        Err(error) => {
            output::failure(&format!("{error:#}"), format);
            ExitCode::FAILURE
        }
    }
}

/// The allocator asks for huge pages, of which a service uses a part: they take twice the memory of an idle one. What
/// this process starts inherits it.
fn use_small_pages() {
    // A kernel without huge pages refuses it.
    _ = nix::sys::prctl::set_thp_disable(true);
}
