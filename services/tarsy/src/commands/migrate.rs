//! `tarsy migrate`: the job that migrates the database to this version's schema.

use std::process::ExitCode;

use anyhow::Context as _;
use serde_json::json;
use tarsy_service::Settings;
use tarsy_store::Store;

use crate::output::{self, Format};

pub(crate) async fn run(format: Format) -> anyhow::Result<ExitCode> {
    let settings = Settings::from_env()?;
    anyhow::ensure!(
        !settings.database_url.is_empty(),
        "DATABASE_URL is not set; write for example postgres://tarsy:password@localhost/tarsy"
    );
    let store = Store::connect(&settings.database_url, 2)
        .await
        .context("could not connect to PostgreSQL")?;
    store.migrate().await?;
    match format {
        Format::Json => output::document(&json!({ "migrated": true }))?,
        Format::Text => output::line("the database has the schema of this version"),
    }
    Ok(ExitCode::SUCCESS)
}
