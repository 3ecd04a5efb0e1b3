//! `tarsy open`: the address of the dashboard, with the token of the start.

use std::process::ExitCode;

use serde_json::json;

use crate::local_token;
use crate::output::{self, Format};

/// Prints the address. It starts no browser: the arguments of a process can be read by every program.
pub(crate) fn run(server: &str, token: Option<&str>, format: Format) -> anyhow::Result<ExitCode> {
    let address = local_token::address(server, token);
    match format {
        Format::Json => output::json_line(&json!({ "url": server, "address": address }))?,
        Format::Text => output::line(&address),
    }
    if token.is_none() {
        output::remark(&format!(
            "no TARSy of this user runs at {server} in mode local: there is no token to open it with"
        ));
    }
    Ok(ExitCode::SUCCESS)
}
