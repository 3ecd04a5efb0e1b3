//! `tarsy provision`: the process that creates what services need on NATS, and creates again what is lost.

use std::process::ExitCode;

use anyhow::Context as _;
use tarsy_service::Settings;

/// Runs until it is asked to stop.
pub(crate) async fn run() -> anyhow::Result<ExitCode> {
    let settings = Settings::from_env().context("the environment is not valid")?;
    tarsy_service::protect(&settings)?;
    let guard = tarsy_service::telemetry("provisioner", &settings)?;
    tarsy_service::run(
        "provisioner",
        settings,
        &guard,
        |_| Ok(()),
        tarsy_service::start_provisioner,
    )
    .await?;
    Ok(ExitCode::SUCCESS)
}
