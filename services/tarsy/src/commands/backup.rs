//! `tarsy backup`: everything that PostgreSQL has, as it was at one moment, in one file.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use futures::TryStreamExt as _;
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use serde_json::json;
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_store::Snapshot;
use tokio::time::{Instant, sleep};

use crate::archive::{ArchiveWriter, FORMAT, Manifest, size};
use crate::connections;
use crate::output::{self, Format};

/// How the names of backups begin and end in a folder.
const PREFIX: &str = "tarsy-";
const SUFFIX: &str = ".tar.gz";
/// The time between them, in UTC.
const TIME: &str = "%Y%m%dT%H%M%SZ";
/// How long alerts that NATS kept may take into the database.
const QUEUED_ALERTS: Duration = Duration::from_mins(1);
/// How often it is looked whether they are there.
const POLL: Duration = Duration::from_secs(1);

#[derive(Debug, Args)]
pub(crate) struct Options {
    /// A file that does not exist yet, or a folder, in which the file is named after the time: tarsy-20260131T020000Z.tar.gz.
    to: PathBuf,
    /// Deletes the oldest backups of the folder, once the new one is whole, until so many are left.
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..))]
    keep: Option<u16>,
}

pub(crate) async fn run(
    home: &Path,
    options: &Options,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let in_folder = options.to.is_dir();
    anyhow::ensure!(
        in_folder || options.keep.is_none(),
        "{} is not a folder, which --keep needs",
        options.to.display()
    );
    let file =
        if in_folder { options.to.join(name(SystemClock.now())) } else { options.to.clone() };
    let written = tokio::select! {
        written = write(home, &file, format) => written?,
        _ = tokio::signal::ctrl_c() => anyhow::bail!("interrupted; no backup was written"),
    };
    let deleted = match options.keep {
        Some(keep) => delete_oldest(&options.to, usize::from(keep))?,
        None => 0,
    };
    let (manifest, bytes) = written;
    match format {
        Format::Json => output::document(&json!({
            "file": file.display().to_string(),
            "bytes": bytes,
            "taken_at": manifest.taken_at.to_string(),
            "schema": manifest.schema,
            "rows": manifest.rows(),
            "queued_alerts": manifest.queued_alerts,
            "deleted": deleted,
        }))?,
        Format::Text => output::line(&format!(
            "{}: {} of {} as of {}, {}",
            file.display(),
            output::counted(manifest.rows(), "row"),
            output::counted(manifest.tables.len(), "table"),
            manifest.taken_at,
            size(bytes)
        )),
    }
    Ok(ExitCode::SUCCESS)
}

async fn write(home: &Path, file: &Path, format: Format) -> anyhow::Result<(Manifest, u64)> {
    let mut writer = ArchiveWriter::create(file)?;
    let queued_alerts = queued_alerts(home).await;
    let url = connections::database_url(home)?;
    let mut snapshot = Snapshot::begin(&url).await.context("could not take a snapshot")?;
    for table in snapshot.tables().to_vec() {
        writer.begin(table.clone());
        let failed = || format!("could not read table {}", table.name);
        let mut rows = snapshot.copy_out(&table).await.with_context(failed)?;
        while let Some(part) = rows.try_next().await.with_context(failed)? {
            writer.add(&part).await?;
        }
        writer.end().await?;
        if let Some(done) = writer.tables().last().filter(|_| format == Format::Text) {
            output::remark(&format!(
                "{:<24} {:>10} rows {:>10}",
                table.name,
                done.rows,
                size(done.bytes)
            ));
        }
    }
    let migrations = snapshot.migrations().to_vec();
    let manifest = Manifest {
        format: FORMAT,
        version: tarsy_service::VERSION.to_owned(),
        taken_at: snapshot.taken_at(),
        schema: migrations.last().map_or(0, |newest| newest.version),
        queued_alerts,
        tables: writer.tables().to_vec(),
        identities: snapshot.identities().to_vec(),
        migrations,
    };
    let bytes = writer.finish(&manifest).await?;
    Ok((manifest, bytes))
}

/// Waits until NATS keeps no alert that was accepted while PostgreSQL was away: nothing else of NATS is a fact. How many it
/// keeps still; none if NATS is not configured, or does not say.
async fn queued_alerts(home: &Path) -> Option<u64> {
    let bus = match connections::configured_bus(home).await {
        Ok(bus) => bus?,
        Err(error) => {
            output::remark(&format!("alerts that NATS may keep were not looked for: {error:#}"));
            return None;
        }
    };
    let deadline = Instant::now() + QUEUED_ALERTS;
    loop {
        match bus.queued_alerts().await {
            Ok(0) => return Some(0),
            Ok(queued) if Instant::now() > deadline => {
                let alerts = output::counted(queued, "alert");
                output::remark(&format!(
                    "{alerts} waiting in NATS, not in the backup: does an api-gateway run?"
                ));
                return Some(queued);
            }
            Ok(_) => sleep(POLL).await,
            Err(error) => {
                output::remark(&format!("alerts that NATS may keep were not looked for: {error}"));
                return None;
            }
        }
    }
}

/// When the newest backup of a folder was taken; none without one.
pub(super) fn newest(folder: &Path) -> std::io::Result<Option<Timestamp>> {
    let mut newest = None;
    for entry in std::fs::read_dir(folder)? {
        newest = newest.max(entry?.file_name().to_str().and_then(taken_at));
    }
    Ok(newest)
}

/// The name of a backup in a folder; names are in the order of their times.
fn name(now: Timestamp) -> String {
    format!("{PREFIX}{}{SUFFIX}", now.strftime(TIME))
}

fn is_backup(name: &str) -> bool {
    taken_at(name).is_some()
}

/// The time in the name of a backup.
fn taken_at(name: &str) -> Option<Timestamp> {
    let time = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
    let time = DateTime::strptime(TIME, time).ok()?;
    time.to_zoned(TimeZone::UTC).ok().map(|time| time.timestamp())
}

/// Deletes all but the newest backups of a folder; how many were deleted.
fn delete_oldest(folder: &Path, keep: usize) -> anyhow::Result<usize> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        names.extend(entry?.file_name().into_string().ok().filter(|name| is_backup(name)));
    }
    names.sort();
    let old = names.len().saturating_sub(keep);
    for name in names.iter().take(old) {
        std::fs::remove_file(folder.join(name))
            .with_context(|| format!("could not delete the old backup {name}"))?;
    }
    Ok(old)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_backups_of_a_folder_are_deleted_and_no_other_file() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let newest = name(Timestamp::UNIX_EPOCH);
        assert_eq!(newest, "tarsy-19700101T000000Z.tar.gz");
        assert_eq!(super::newest(folder.path())?, None);
        let others = ["tarsy-notes.tar.gz", "tarsy-19690101T000000Z.tar.gz.old"];
        for name in ["tarsy-19690101T000000Z.tar.gz", "tarsy-19690102T000000Z.tar.gz", &newest] {
            std::fs::write(folder.path().join(name), "")?;
        }
        for name in others {
            std::fs::write(folder.path().join(name), "")?;
        }
        assert_eq!(super::newest(folder.path())?, Some(Timestamp::UNIX_EPOCH));
        assert_eq!(delete_oldest(folder.path(), 1)?, 2);
        assert!(folder.path().join(&newest).exists());
        assert!(others.iter().all(|name| folder.path().join(name).exists()));
        Ok(())
    }
}
