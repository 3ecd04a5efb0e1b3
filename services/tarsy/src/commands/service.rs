//! `tarsy service NAME`: one service as this process. Processes of one program share its pages, which those of a program
//! for each service do not.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::ValueEnum;
use tarsy_service::{Settings, run as serve};

/// A service that this program has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Service {
    ApiGateway,
    McpGateway,
    Notifier,
    Orchestrator,
    StreamRelay,
    Summarizer,
}

impl Service {
    /// As it is named in logs, metrics and permissions.
    const fn name(self) -> &'static str {
        match self {
            Self::ApiGateway => "api-gateway",
            Self::McpGateway => "mcp-gateway",
            Self::Notifier => "notifier",
            Self::Orchestrator => "orchestrator",
            Self::StreamRelay => "stream-relay",
            Self::Summarizer => "summarizer",
        }
    }
}

/// Runs until it is asked to stop.
pub(crate) async fn run(service: Service) -> anyhow::Result<ExitCode> {
    let settings = Settings::from_env().context("the environment is not valid")?;
    tarsy_service::protect(&settings)?;
    let name = service.name();
    let guard = tarsy_service::telemetry(name, &settings)?;
    match service {
        Service::ApiGateway => {
            serve(name, settings, &guard, tarsy_api_gateway::check, tarsy_api_gateway::start).await
        }
        Service::McpGateway => {
            serve(name, settings, &guard, tarsy_mcp_gateway::check, tarsy_mcp_gateway::start).await
        }
        Service::Notifier => {
            serve(name, settings, &guard, tarsy_notifier::check, tarsy_notifier::start).await
        }
        Service::Orchestrator => {
            serve(name, settings, &guard, tarsy_orchestrator::check, tarsy_orchestrator::start)
                .await
        }
        Service::StreamRelay => {
            serve(name, settings, &guard, tarsy_stream_relay::check, tarsy_stream_relay::start)
                .await
        }
        Service::Summarizer => {
            serve(name, settings, &guard, tarsy_summarizer::check, tarsy_summarizer::start).await
        }
    }?;
    Ok(ExitCode::SUCCESS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_service_is_named_on_the_command_line_as_everywhere() {
        for service in Service::value_variants() {
            let value = service.to_possible_value().unwrap();
            assert_eq!(value.get_name(), service.name());
        }
    }
}
