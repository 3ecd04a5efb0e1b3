//! Everything of an all-in-one that reads the configuration, started again beside what runs.

use anyhow::Context as _;
use tarsy_service::{Requester, Settings};

use super::options::{Options, Place, check_config, environment};
use super::parts::Parts;
use super::services::Services;
use crate::home::Running;
use crate::output;

/// Reloads, and prints the outcome.
pub(super) async fn run(
    place: &Place<'_>,
    options: &Options,
    (requester, url): (Requester, &str),
    parts: &mut Parts,
    services: &mut Services,
) {
    if let Err(error) = reload(place, options, requester, parts, services).await {
        output::problem(&format!("the configuration of before stays: {error:#}"));
        return;
    }
    output::remark("the configuration was read again, and everything runs with it");
    let processes = services.processes(parts);
    let running = Running { url: url.to_owned(), processes, ..parts.running() };
    if let Err(error) = place.home.write_running(&running) {
        output::problem(&format!("run.json is not current: {error:#}"));
    }
}

/// Reads the configuration again, and lets what is started with it take the place of what runs. An error means that
/// everything goes on with the configuration of before.
async fn reload(
    place: &Place<'_>,
    options: &Options,
    requester: Requester,
    parts: &mut Parts,
    services: &mut Services,
) -> anyhow::Result<()> {
    let settings = Settings::from_env().context("an environment variable is invalid")?;
    let insecure = settings.insecure || options.insecure;
    let catalog = check_config(&settings, place.address, insecure)?;
    if services.are_split() {
        parts.reload_in_place(place.home, &settings, &catalog).await?;
        services.hang_up(requester);
        return Ok(());
    }
    let before = parts.reload(place.home, &settings, &catalog).await?;
    let succeeded = match environment(place, options, &settings, parts) {
        Ok(environment) => Box::pin(services.succeed(place.home, &environment)).await,
        Err(error) => Err(error),
    };
    match succeeded {
        // Turns of sessions that are under way end before their llm-service does.
        Ok(predecessor) => services.retire(predecessor, before.stop()),
        Err(error) => {
            parts.restore(before).await;
            return Err(error);
        }
    }
    Ok(())
}
