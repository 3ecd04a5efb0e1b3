//! `tarsy migrate`: the job that migrates the database to this version's schema, and provisions NATS.

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use tarsy_service::Settings;
use tarsy_store::Store;

use crate::output::{self, Format};

pub(crate) async fn run(format: Format) -> anyhow::Result<ExitCode> {
    let settings = Settings::from_env()?;
    let database = !settings.database_url.is_empty();
    let bus = settings.environment().contains_key("NATS_URL");
    anyhow::ensure!(
        database || bus,
        "DATABASE_URL and NATS_URL are not set; write for example \
         postgres://tarsy:password@localhost/tarsy and nats://provisioner:password@localhost"
    );
    if database {
        let store = Store::connect(&settings.database_url, 2)
            .await
            .context("could not connect to PostgreSQL")?;
        store.migrate().await?;
    }
    if bus {
        tarsy_service::provision(&settings).await?;
    }
    match format {
        Format::Json => output::document(&json!({ "migrated": database, "provisioned": bus }))?,
        Format::Text => report(database, bus),
    }
    Ok(ExitCode::SUCCESS)
}

fn report(database: bool, bus: bool) {
    output::line(if database {
        "the database has the schema of this version"
    } else {
        "the database was left alone: DATABASE_URL is not set"
    });
    output::line(if bus {
        "NATS has the streams of this version"
    } else {
        "NATS was left alone: NATS_URL is not set; `tarsy provision` creates streams, too"
    });
}
