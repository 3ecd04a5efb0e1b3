//! The wiring of the service.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use secrecy::SecretString;
use tarsy_catalog::{Catalog, Endpoint, Env, OAuthGrant};
use tarsy_service::{BusNeed, ServiceContext, Settings, connect_bus, connect_store};

use crate::gateway::{Gateway, Parts};
use crate::metrics;
use crate::oauth::Vault;
use crate::replay::Records;
use crate::sandbox::{OWN_PROGRAM, report_platform};
use crate::timing::Timing;
use crate::upstream::StdioHost;

/// The part of the grace period that is reserved for ending subprocesses.
const SHUTDOWN_RESERVE: Duration = Duration::from_secs(4);

/// Whether the service could start with the configuration that its settings name.
pub fn check(settings: &Settings) -> anyhow::Result<()> {
    catalog(settings).map(|_| ())
}

fn catalog(settings: &Settings) -> anyhow::Result<Catalog> {
    let env =
        Env::of(settings.environment().clone()).without_llm_credentials().without_slack_token();
    Catalog::load_dir(settings.config_dir.as_deref(), &env)
        .context("the configuration is not valid")
}

/// Starts the gateway. When the service stops, open leases may finish; then all subprocesses are ended.
pub async fn start(settings: Settings, service: ServiceContext) -> anyhow::Result<()> {
    let catalog = catalog(&settings)?;
    metrics::register();
    report_platform();
    let vault = vault(&catalog, &settings, &service).await?;
    let bus = connect_bus(&settings, &service, "mcp-gateway", BusNeed::Required).await?;
    let gateway = Gateway::launch(Parts {
        bus,
        catalog: Arc::new(catalog),
        environment: settings.environment().clone(),
        host_inspector: settings.host_inspector.clone(),
        stdio_host: stdio_host(&settings),
        launcher: PathBuf::from(OWN_PROGRAM),
        hidden_paths: settings.hidden_paths.clone(),
        capacity: settings.mcp_capacity,
        spares: settings.mcp_spares,
        vault,
        records: records(&settings),
        clock: service.clock(),
        timing: Timing::default(),
        capture_content: settings.capture_content,
    });
    let grace = settings.grace.saturating_sub(SHUTDOWN_RESERVE);
    let (stopping, hard) = (service.stopping(), service.hard_stop());
    service.spawn("tool-leases", async move {
        stopping.cancelled().await;
        gateway.drain(grace, hard).await;
        Ok(())
    });
    Ok(())
}

fn stdio_host(settings: &Settings) -> Option<StdioHost> {
    let token = settings.mcp_server_token.clone().map(SecretString::from);
    settings.tool_servers_url.clone().map(|url| StdioHost { url, token })
}

fn records(settings: &Settings) -> Option<Records> {
    let url = &settings.database_url;
    (!url.is_empty()).then(|| Records::new(url))
}

/// Connects to the database for the tokens of logins, if a server requires one.
async fn vault(
    catalog: &Catalog,
    settings: &Settings,
    service: &ServiceContext,
) -> anyhow::Result<Option<Vault>> {
    let with_login = catalog.servers.values().find(|server| match &server.transport.endpoint {
        Endpoint::Http(remote) | Endpoint::Sse(remote) => {
            let oauth = remote.oauth.as_ref();
            oauth.is_some_and(|oauth| oauth.grant == OAuthGrant::AuthorizationCode)
        }
        Endpoint::Stdio(_) => false,
    });
    let Some(server) = with_login else { return Ok(None) };
    for (name, is_missing) in [
        ("TARSY_TOKEN_KEYS", settings.token_keys.is_empty()),
        ("DATABASE_URL", settings.database_url.is_empty()),
    ] {
        anyhow::ensure!(
            !is_missing,
            "{name} is not set, and mcp_servers.{}.transport.oauth needs it to store the tokens of logins; \
             make a key with `openssl rand -hex 32`",
            server.id
        );
    }
    let store = connect_store(settings, service).await?;
    Ok(Some(Vault::new(store, settings.token_keys.clone())))
}
