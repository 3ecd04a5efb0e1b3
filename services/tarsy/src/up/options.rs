//! What an all-in-one is started with, and started again.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use clap::Args;
use tarsy_catalog::{Catalog, Env};
use tarsy_service::Settings;

use super::parts::Parts;
use crate::home::Home;

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The port of the dashboard and the API; default: that of `TARSY_HTTP_ADDR`, or 8080.
    #[arg(long)]
    pub(super) port: Option<u16>,
    /// The address to listen on; 0.0.0.0 lets other machines in. Default: that of `TARSY_HTTP_ADDR`, or 127.0.0.1.
    #[arg(long)]
    pub(super) host: Option<IpAddr>,
    /// Accepts requests from other machines without identifying their sender.
    #[arg(long)]
    pub(super) insecure: bool,
    /// Starts every service as a process of its own.
    #[arg(long)]
    pub(super) split: bool,
    /// How many orchestrators, with --split.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(super) orchestrators: u8,
}

impl Options {
    /// The options win over `TARSY_HTTP_ADDR`.
    pub(super) fn address(&self, settings: &Settings) -> SocketAddr {
        let given = settings.http_addr;
        SocketAddr::new(self.host.unwrap_or(given.ip()), self.port.unwrap_or(given.port()))
    }
}

/// Where an all-in-one lies and listens, and how long it keeps its audit log.
pub(super) struct Place<'a> {
    pub(super) home: &'a Home,
    pub(super) address: SocketAddr,
    pub(super) audit_retention_days: u32,
}

/// The configuration, if services could start with it at this address.
pub(super) fn check_config(
    settings: &Settings,
    address: SocketAddr,
    insecure: bool,
) -> anyhow::Result<Catalog> {
    let env = Env::of(settings.environment().clone());
    let catalog = Catalog::load_dir(settings.config_dir.as_deref(), &env)
        .map_err(|report| anyhow::anyhow!("the configuration is not valid:\n{report}"));
    catalog.and_then(|catalog| {
        let address = settings.published_addr.unwrap_or(address);
        tarsy_api_gateway::check_address(address, insecure, &catalog.system.access)?;
        Ok(catalog)
    })
}

/// The environment of the services.
pub(super) fn environment(
    place: &Place<'_>,
    options: &Options,
    settings: &Settings,
    parts: &Parts,
) -> anyhow::Result<BTreeMap<String, String>> {
    let mut environment = parts.environment(place.home, settings)?;
    // Each start has its own, in a file: what an earlier one had given away is worth nothing.
    environment.remove("TARSY_LOCAL_TOKEN");
    environment.remove("TARSY_LOCAL_TOKEN_FILE");
    if options.insecure {
        environment.insert("TARSY_INSECURE".to_owned(), "true".to_owned());
    }
    Ok(environment)
}
