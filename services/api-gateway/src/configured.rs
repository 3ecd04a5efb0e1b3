//! What the files of the configuration say, checked as the start does.

use std::net::SocketAddr;

use anyhow::Context as _;
use tarsy_catalog::{Access, AccessMode, Catalog, Env};
use tarsy_runbooks::{Rules, Runbooks};
use tarsy_service::Settings;

use crate::configuration::Configuration;
use crate::masking::AlertMasker;

/// Refuses an address that other machines reach unless senders are identified.
pub fn check_address(address: SocketAddr, insecure: bool, access: &Access) -> anyhow::Result<()> {
    let open = access.mode == AccessMode::Local && !address.ip().is_loopback();
    anyhow::ensure!(
        !open || insecure,
        "other machines can reach {address}, and system.access.mode is local, which lets every sender read everything and \
         submit alerts; set system.access.mode to oidc or proxy, listen on 127.0.0.1 (TARSY_HTTP_ADDR), say where a \
         container's port is published (TARSY_PUBLISHED_ADDR=127.0.0.1:8080), or let anybody read with TARSY_INSECURE=true"
    );
    if open {
        tracing::warn!(
            %address,
            "insecure: whoever reaches this address reads everything and submits alerts"
        );
    }
    Ok(())
}

/// The address that other machines see, as far as this process knows.
pub(crate) fn reached_at(settings: &Settings) -> SocketAddr {
    settings.published_addr.unwrap_or(settings.http_addr)
}

/// Whether the service could start with the configuration that its settings name.
pub fn check(settings: &Settings) -> anyhow::Result<()> {
    configured(settings).map(|_| ())
}

/// The configuration, and what is made of it alone.
pub(crate) struct Configured {
    pub(crate) catalog: Catalog,
    pub(crate) masker: AlertMasker,
    pub(crate) runbooks: Runbooks,
}

/// What is made of the files as they are now; an error if the service could not start with them.
pub(crate) fn configured(settings: &Settings) -> anyhow::Result<Configured> {
    let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &environment(settings))
        .context("the configuration is not valid")?;
    check_address(reached_at(settings), settings.insecure, &catalog.system.access)?;
    let masker = AlertMasker::new(&catalog.defaults.alert_masking)
        .context("defaults.alert_masking cannot be used")?;
    let token = settings.environment().get(&catalog.system.github.token_env).cloned();
    let runbooks = Runbooks::new(Rules::new(&catalog.system, token))
        .context("system.runbooks cannot be used")?;
    Ok(Configured { catalog, masker, runbooks })
}

/// The variables that the configuration may need here. Keys of models are not among them where llm-service, which has
/// them, is asked.
fn environment(settings: &Settings) -> Env {
    let env = Env::of(settings.environment().clone()).without_slack_token().without_tool_secrets();
    if Configuration::asks_llm_service(settings) { env.without_llm_credentials() } else { env }
}
