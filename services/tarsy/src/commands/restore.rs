//! `tarsy restore`: the rows of a backup into an empty database, that of an all-in-one which does not run among them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use clap::Args;
use serde_json::json;
use tarsy_service::Settings;
use tarsy_store::{Restore, RestoreTarget};

use crate::archive::{ArchiveReader, Manifest, Member, TableManifest, Totals};
use crate::home::{self, Home};
use crate::output::{self, Format};
use crate::{connections, up};

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// What `tarsy backup` wrote.
    file: PathBuf,
    /// Deletes everything that the database has, instead of refusing a database that is not empty.
    #[arg(long)]
    replace: bool,
    /// Checks the file, and leaves the database alone.
    #[arg(long, conflicts_with = "replace")]
    check: bool,
}

pub(crate) async fn run(
    home: &Path,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let text = format == Format::Text;
    let manifest = ArchiveReader::verify(&options.file).await?;
    if text {
        output::remark(&format!(
            "{} is whole: {} as of {}, taken by {}",
            options.file.display(),
            output::counted(manifest.rows(), "row"),
            manifest.taken_at,
            manifest.version
        ));
    }
    if !options.check {
        let restored = tokio::select! {
            restored = restore(home, options, &manifest, format) => restored,
            _ = tokio::signal::ctrl_c() => Err(anyhow::anyhow!("interrupted")),
        };
        restored.context("nothing was restored; the database is as it was")?;
    }
    match format {
        Format::Json => output::document(&json!({
            "restored": !options.check,
            "taken_at": manifest.taken_at.to_string(),
            "schema": manifest.schema,
            "rows": manifest.rows(),
        }))?,
        Format::Text if options.check => output::line("the database was left alone"),
        Format::Text => output::line(&format!(
            "restored {}; what happened after {} is lost. Start the services now",
            output::counted(manifest.rows(), "row"),
            manifest.taken_at
        )),
    }
    Ok(ExitCode::SUCCESS)
}

/// Into the database that the environment names, or that of an all-in-one, whose PostgreSQL is started for it.
async fn restore(
    home: &Path,
    options: &Options,
    manifest: &Manifest,
    format: Format,
) -> anyhow::Result<()> {
    let settings = Settings::from_env().context("an environment variable is invalid")?;
    if !settings.database_url.is_empty() || home::running(home).is_some() {
        return Box::pin(restore_into(
            &connections::database_url(home)?,
            options,
            manifest,
            format,
        ))
        .await;
    }
    let home = Home::open(home)?;
    let _lock = home.lock()?;
    if format == Format::Text {
        let place = home.at("postgres");
        output::remark(&format!("starting the PostgreSQL of {}", place.display()));
    }
    let mut server = up::start_postgres(&home, settings.environment()).await?;
    let restored =
        Box::pin(restore_into(&server.url(up::DATABASE), options, manifest, format)).await;
    server.stop().await;
    restored
}

async fn restore_into(
    url: &str,
    options: &Options,
    manifest: &Manifest,
    format: Format,
) -> anyhow::Result<()> {
    let target = if options.replace { RestoreTarget::Replaced } else { RestoreTarget::Empty };
    let mut restore =
        Restore::begin(url, &manifest.migrations, target).await.context(if options.replace {
            "the database could not be prepared"
        } else {
            "the database could not be prepared (--replace deletes what it has)"
        })?;
    let mut reader = ArchiveReader::open(&options.file).await?;
    let mut totals = Totals::default();
    let mut next = reader.next().await?;
    for table in &manifest.tables {
        let rows = copy(&mut restore, &mut reader, &mut next, (table, &mut totals)).await?;
        totals.check(table)?;
        anyhow::ensure!(
            rows == table.rows,
            "table {} took {rows} of {} rows",
            table.table.name,
            table.rows
        );
        if format == Format::Text {
            output::remark(&format!("{:<24} {rows:>10} rows", table.table.name));
        }
    }
    if format == Format::Text {
        output::remark("checking foreign keys, migrating");
    }
    restore.finish(manifest.taken_at, &manifest.version, &manifest.identities).await?;
    Ok(())
}

/// The rows of one table from the file into the database; how many it took.
async fn copy(
    restore: &mut Restore,
    reader: &mut ArchiveReader,
    next: &mut Option<Member>,
    (table, totals): (&TableManifest, &mut Totals),
) -> anyhow::Result<u64> {
    let name = &table.table.name;
    let failed = || format!("could not write table {name}");
    let mut writer = restore.copy_in(&table.table).await.with_context(failed)?;
    while let Some(Member::Rows { table: of, rows }) = next {
        if of != name {
            break;
        }
        totals.add(name, rows);
        writer.send(rows.clone()).await.with_context(failed)?;
        *next = reader.next().await?;
    }
    writer.finish().await.with_context(failed)
}
