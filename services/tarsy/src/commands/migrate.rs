//! `tarsy migrate`: the job that migrates the database to this version's schema, and provisions NATS.

use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tarsy_service::Settings;
use tarsy_store::Store;

use crate::output::{self, Format};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// Creates the roles of the services in PostgreSQL that are missing. Roles that exist get their rights at each
    /// migration.
    #[arg(long)]
    roles: bool,
    /// Keeps entries of the audit log for at least so many days, also where `audit_retention_days` of the configuration
    /// says fewer; later migrations leave it. 365 at first.
    #[arg(long, value_name = "DAYS", value_parser = clap::value_parser!(u32).range(1..=36_500))]
    audit_retention_days: Option<u32>,
}

pub(crate) async fn run(options: &Options, format: Format) -> anyhow::Result<ExitCode> {
    let settings = Settings::from_env()?;
    let database = !settings.database_url.is_empty();
    let bus = settings.environment().contains_key("NATS_URL");
    anyhow::ensure!(
        database || bus,
        "DATABASE_URL and NATS_URL are not set; write for example \
         postgres://tarsy:password@localhost/tarsy and nats://provisioner:password@localhost"
    );
    let of_database = options.roles || options.audit_retention_days.is_some();
    anyhow::ensure!(
        database || !of_database,
        "DATABASE_URL is not set, which --roles and --audit-retention-days need"
    );
    let roles = database && migrate(&settings.database_url, options).await?;
    if bus {
        tarsy_service::provision(&settings).await?;
    }
    match format {
        Format::Json => {
            output::document(&json!({ "migrated": database, "provisioned": bus, "roles": roles }))?;
        }
        Format::Text => report(database, roles, bus),
    }
    Ok(ExitCode::SUCCESS)
}

/// Migrates the database, and gives the roles of the services their rights if they exist; whether they do.
async fn migrate(url: &str, options: &Options) -> anyhow::Result<bool> {
    let store = Store::connect(url, 2).await.context("could not connect to PostgreSQL")?;
    store.migrate().await?;
    if let Some(days) = options.audit_retention_days {
        store.set_audit_retention(days).await.context("could not set the audit log's retention")?;
    }
    if options.roles {
        store.create_roles().await.context("could not create the roles of the services")?;
        return Ok(true);
    }
    store.grant_roles().await.context("could not grant the roles of the services their rights")
}

fn report(database: bool, roles: bool, bus: bool) {
    output::line(if database {
        "the database has the schema of this version"
    } else {
        "the database was left alone: DATABASE_URL is not set"
    });
    if roles {
        output::line("the roles of the services have their rights");
    }
    output::line(if bus {
        "NATS has the streams of this version"
    } else {
        "NATS was left alone: NATS_URL is not set; `tarsy provision` creates streams, too"
    });
}
