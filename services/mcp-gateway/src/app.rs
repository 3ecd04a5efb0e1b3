//! The wiring of the service.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use tarsy_catalog::{Catalog, Env};
use tarsy_service::{Settings, Shell, connect_bus};

use crate::gateway::{Gateway, Parts, Timing};

/// How much of the time to finish is kept for ending processes.
const FOR_THE_END: Duration = Duration::from_secs(4);

/// Starts the gateway in this shell; when the shell stops, its leases may finish, and then every
/// process that it started is ended.
pub async fn start(settings: Settings, shell: Shell) -> anyhow::Result<()> {
    let env =
        Env::of(settings.environment().clone()).without_llm_credentials().without_slack_token();
    let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &env)
        .context("the configuration does not make sense")?;
    let bus = connect_bus(&settings, &shell, "mcp-gateway", true).await?;
    let gateway = Gateway::launch(Parts {
        bus,
        catalog: Arc::new(catalog),
        environment: settings.environment().clone(),
        host_inspector: settings.host_inspector.clone(),
        capacity: settings.mcp_capacity,
        spares: settings.mcp_spares,
        clock: shell.clock(),
        timing: Timing::default(),
    });
    let grace = settings.grace.saturating_sub(FOR_THE_END);
    let (stopping, hard) = (shell.stopping(), shell.hard_stop());
    shell.spawn("tool-leases", async move {
        stopping.cancelled().await;
        gateway.drain(grace, hard).await;
        Ok(())
    });
    Ok(())
}
