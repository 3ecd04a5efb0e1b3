//! The schema of this program: the steps that lead to it from an empty database.

use std::sync::LazyLock;

use aws_lc_rs::digest::{SHA256, digest};
use include_dir::{Dir, File, include_dir};
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};

use crate::access::secret::hexadecimal;

static FILES: Dir<'static> = include_dir!("$CARGO_MANIFEST_DIR/../../migrations");

/// Read here and not by sqlx's macro: that one compiles sqlx a second time, for the machine that builds.
pub(crate) static MIGRATOR: LazyLock<Migrator> =
    LazyLock::new(|| Migrator::with_migrations(FILES.files().filter_map(migration).collect()));

/// The newest migration of the baseline, with which the migrations of 0.1.0 begin (ADR 0093).
const BASELINE: i64 = 14;
/// The digest of the migrations of the last version before it, whose tables have the columns of the baseline.
const LAST_BEFORE_BASELINE: &str =
    "e6022dbb0a6ce459ca2ac55127ff2d43738fb8ecb9b6f2c4029bfbdd76fcd542";

/// Creates the extension where the server has it and the owner of the tables may, and the indexes for the usual lengths of
/// vectors. What is missing is left out: memories are then found by words.
pub(crate) const VECTORS: &str = "do $$
declare
    size integer;
begin
    perform pg_advisory_xact_lock(hashtext('tarsy_memory_vectors'));
    if to_regtype('vector') is null and exists (select from pg_available_extensions where name = 'vector') then
        create extension vector;
    end if;
    if to_regtype('vector') is not null then
        foreach size in array array[256, 384, 512, 768, 1024, 1536] loop
            execute format('create index if not exists memory_vectors_%1$s on memory_vectors
                using hnsw ((embedding::vector(%1$s)) vector_cosine_ops) where cardinality(embedding) = %1$s', size);
        end loop;
    end if;
exception
    -- A role without the right to create it, and a version without such indexes.
    when insufficient_privilege or undefined_object or undefined_function or feature_not_supported then
        raise notice 'memories are found by words alone: %', sqlerrm;
end
$$";

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

/// The numbers of the migrations, in their order.
pub(crate) fn ours() -> impl Iterator<Item = i64> {
    MIGRATOR.iter().map(|migration| migration.version)
}

/// The newest of them.
pub(crate) fn newest() -> i64 {
    ours().max().unwrap_or(0)
}

/// The SHA-256 of the migrations of this program, in hexadecimal digits: programs of the same schema have the same.
pub fn schema_digest() -> String {
    digest_of(MIGRATOR.iter().map(|one| hexadecimal(&one.checksum)))
}

/// The SHA-256 of checksums in hexadecimal digits.
fn digest_of(checksums: impl Iterator<Item = String>) -> String {
    hexadecimal(digest(&SHA256, checksums.collect::<String>().as_bytes()).as_ref())
}

/// Whether a version before the baseline applied this migration: it has the number of our first one and is another. A
/// released migration is never edited, so that no later version does.
pub(crate) fn is_before_baseline(version: i64, checksum: &[u8]) -> bool {
    let first = MIGRATOR.iter().next();
    first.is_some_and(|first| first.version == version && *first.checksum != *checksum)
}

/// The migrations that make the tables of the last version before the baseline; nothing for other migrations than its own.
pub(crate) fn after_baseline(checksums: impl Iterator<Item = String>) -> Option<Migrator> {
    let of_baseline = MIGRATOR.iter().filter(|one| one.version <= BASELINE).cloned().collect();
    (digest_of(checksums) == LAST_BEFORE_BASELINE).then(|| Migrator::with_migrations(of_baseline))
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

    #[test]
    fn only_another_first_migration_is_one_of_before() {
        let mut all = MIGRATOR.iter();
        let (first, second) = (all.next().unwrap(), all.next().unwrap());
        assert!(!is_before_baseline(first.version, &first.checksum));
        assert!(is_before_baseline(first.version, &second.checksum));
        assert!(!is_before_baseline(second.version, &first.checksum));
        assert!(after_baseline(MIGRATOR.iter().map(|one| hexadecimal(&one.checksum))).is_none());
    }
}
