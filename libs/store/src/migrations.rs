//! The schema of this program: the steps that lead to it from an empty database.

use std::sync::LazyLock;

use include_dir::{Dir, File, include_dir};
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../migrations");

/// Read here and not by sqlx's macro: that one compiles sqlx a second time, for the machine that builds.
pub(crate) static MIGRATOR: LazyLock<Migrator> =
    LazyLock::new(|| Migrator::with_migrations(FILES.files().filter_map(migration).collect()));

/// Nothing, unless the file is named `NUMBER_what_it_does.sql`.
fn migration(file: &'static File<'static>) -> Option<Migration> {
    let name = file.path().file_name()?.to_str()?;
    let (version, description) = name.strip_suffix(".sql")?.split_once('_')?;
    let sql = file.contents_utf8()?;
    Some(Migration::new(
        version.parse().ok()?,
        description.replace('_', " ").into(),
        MigrationType::Simple,
        sql.into_sql_str(),
        sql.starts_with("-- no-transaction"),
    ))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[tokio::test]
    async fn the_program_has_every_migration_of_the_folder() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../migrations");
        let of_folder = Migrator::new(folder).await.unwrap();
        let read = |migrator: &Migrator| {
            let of = |one: &Migration| {
                let description = one.description.to_string();
                (one.version, description, one.checksum.to_vec(), one.no_tx)
            };
            migrator.iter().map(of).collect::<Vec<_>>()
        };
        assert!(!of_folder.migrations.is_empty());
        assert_eq!(read(&MIGRATOR), read(&of_folder));
        assert!(FILES.files().all(|file| migration(file).is_some()));
    }
}
