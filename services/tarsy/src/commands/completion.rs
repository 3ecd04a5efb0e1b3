//! `tarsy completion`: the completion script of a shell.

use std::process::ExitCode;

use clap::Command;
use clap_complete::Shell;

use crate::output;

pub(crate) fn run(shell: Shell, mut command: Command) -> anyhow::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, "tarsy", &mut script);
    output::fragment(&String::from_utf8(script)?);
    Ok(ExitCode::SUCCESS)
}
