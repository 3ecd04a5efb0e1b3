//! Everything of an all-in-one that reads the configuration, started again beside what runs.

use anyhow::Context as _;
use tarsy_service::{Requester, Settings};

use super::options::{Options, Place, check_config, environment};
use super::parts::{Models, Parts};
use super::services::Services;
use crate::home::Running;
use crate::output;

/// Reloads, and tells whoever looks at the terminal, or into the log, what came of it.
pub(super) async fn run(
    place: &Place<'_>,
    options: &Options,
    (requester, url): (Requester, &str),
    parts: &mut Parts,
    services: &mut Services,
) {
    let reloaded = reload(place, options, requester, parts, services).await.and_then(|()| {
        let processes = services.processes(parts);
        place.home.write_running(&Running { url: url.to_owned(), processes, ..parts.running() })
    });
    match reloaded {
        Ok(()) => output::remark("the configuration was read again, and everything runs with it"),
        Err(error) => {
            output::problem(&format!("the configuration of before stays: {error:#}"));
        }
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
        let environment = environment(place, options, &settings, parts)?;
        let after = std::future::ready(());
        return Box::pin(services.reload(place.home, &environment, requester, after)).await;
    }
    let before = parts.reload(place.home, &settings, &catalog).await?;
    let environment = environment(place, options, &settings, parts)?;
    // Turns of sessions that are under way end before their llm-service does.
    let (sender, receiver) = tokio::sync::oneshot::channel::<Models>();
    let after = async move {
        if let Ok(before) = receiver.await {
            before.stop().await;
        }
    };
    match Box::pin(services.reload(place.home, &environment, requester, after)).await {
        Ok(()) => {
            let _ended = sender.send(before);
            Ok(())
        }
        Err(error) => {
            parts.restore(before).await;
            Err(error)
        }
    }
}
