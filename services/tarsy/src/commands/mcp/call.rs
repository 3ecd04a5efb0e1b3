//! One tool call.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use tarsy_bus::Bus;
use tarsy_domain::id::{CallId, ExecutionId, SessionId};
use tarsy_tools::{
    BusToolbox, CallResult, Caller, OpenToolbox, ServerGrant, Tool, ToolCallRequest, ToolError,
    ToolLease, Toolbox as _,
};

use super::arguments;
use super::list::{NO_GATEWAY, parameters};
use crate::output::{self, Format};

/// How long a gateway and the server may take to be ready.
const OPEN: Duration = Duration::from_mins(1);

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The tool, as `server.tool`.
    tool: String,
    /// Its arguments: key=value, or one JSON object.
    arguments: Vec<String>,
    /// How many seconds to wait for the result.
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,
}

/// Opens a lease, calls the tool, and closes the lease.
pub(super) async fn run(bus: Bus, options: &Options, format: Format) -> anyhow::Result<ExitCode> {
    let separators = [options.tool.split_once('.'), options.tool.split_once("__")];
    let named = separators.into_iter().flatten().min_by_key(|(server, _)| server.len());
    let (server, name) = named
        .filter(|(server, name)| !server.is_empty() && !name.is_empty())
        .with_context(|| {
            format!(
                "{:?} is not the name of a tool; write server.tool, as `tarsy mcp tools SERVER` lists them",
                options.tool
            )
        })?;
    let request = OpenToolbox {
        session_id: SessionId::new(),
        execution_id: ExecutionId::new(),
        servers: vec![ServerGrant { server: server.to_owned(), tools: None }],
        caller: Caller::Person,
        timeout: OPEN,
    };
    let lease = match BusToolbox::new(bus).open(request).await {
        Err(ToolError::NoGateway) => anyhow::bail!(NO_GATEWAY),
        opened => opened?,
    };
    let made = call(&*lease, name, options).await;
    lease.close().await;
    made.map(|result| print_result(&result, format))?
}

async fn call(lease: &dyn ToolLease, name: &str, options: &Options) -> anyhow::Result<CallResult> {
    if let Some(failed) = lease.failed().first() {
        anyhow::bail!("the server '{}' is unavailable: {}", failed.server, failed.error);
    }
    // A tool that is not listed is called all the same: the gateway reports why it is refused.
    let listed = lease.tools().iter().find(|tool| tool.name == name);
    let schema = listed.map(|tool| tool.input_schema.clone()).unwrap_or_default();
    let arguments = arguments::parse(&options.arguments, &schema)?;
    if let Some(tool) = listed {
        check(tool, &arguments)?;
    }
    let call_id = CallId::new();
    let request = ToolCallRequest {
        call_id,
        name: options.tool.clone(),
        arguments: serde_json::to_string(&arguments)?,
        display: None,
        // The person who writes the command approves the call.
        permit: listed.map(|tool| tool.terms.definition.clone()),
    };
    tokio::select! {
        result = lease.call(request, Duration::from_secs(options.timeout)) => Ok(result?),
        _ = tokio::signal::ctrl_c() => {
            lease.cancel(call_id, "interrupted on the command line").await;
            anyhow::bail!("the call was cancelled")
        }
    }
}

/// Reports missing arguments, with all that the tool takes. The server validates the others.
fn check(
    tool: &Tool,
    arguments: &serde_json::Map<String, serde_json::Value>,
) -> anyhow::Result<()> {
    let parameters = parameters(&tool.input_schema);
    let missing: Vec<&str> = parameters
        .iter()
        .filter(|(name, _, needed)| *needed && !arguments.contains_key(*name))
        .map(|(name, ..)| *name)
        .collect();
    if missing.is_empty() {
        return Ok(());
    }
    let all: Vec<String> =
        parameters.iter().map(|(name, kind, _)| format!("{name} ({kind})")).collect();
    anyhow::bail!("{} needs {}; it takes {}", tool.full_name(), missing.join(", "), all.join(", "))
}

fn print_result(result: &CallResult, format: Format) -> anyhow::Result<ExitCode> {
    let code = if result.is_error { ExitCode::FAILURE } else { ExitCode::SUCCESS };
    if format.is_json() {
        output::document(result)?;
        return Ok(code);
    }
    output::line(&result.content);
    if result.masked > 0 {
        output::remark(&format!("{} secrets were masked", result.masked));
    }
    if result.refused_by_policy {
        output::problem("the policy of the server refused the call");
    } else if result.is_error {
        output::problem("the tool returned an error");
    }
    Ok(code)
}
