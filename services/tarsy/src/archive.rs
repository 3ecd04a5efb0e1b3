//! The file of a backup: a tar archive, compressed with gzip. Rows of a table are in `data/TABLE/NUMBER`, in the text format of
//! PostgreSQL's `COPY`; `manifest.json` comes after them, and its SHA-256 in `manifest.sha256` is the last member.

mod reader;
mod writer;

use std::path::Path;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use tarsy_store::secret::hexadecimal;
use tarsy_store::{AppliedMigration, IdentityValue, TableColumns};

pub(crate) use reader::{ArchiveReader, Member, Totals};
pub(crate) use writer::ArchiveWriter;

/// The format of the file that this program writes and reads.
pub(crate) const FORMAT: u32 = 1;
/// How many bytes of rows are a member of the archive, about.
const MEMBER_BYTES: usize = 4 * 1024 * 1024;
/// More than any member has: rows are gathered until they are [`MEMBER_BYTES`], and one part of them is at most 1 GiB, the limit
/// of a value in PostgreSQL.
const MAX_MEMBER_BYTES: u64 = 1100 * 1024 * 1024;
const MANIFEST: &str = "manifest.json";
const MANIFEST_DIGEST: &str = "manifest.sha256";

/// What a backup is and has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Manifest {
    pub(crate) format: u32,
    /// The version of TARSy that took it.
    pub(crate) version: String,
    /// By the database's clock.
    pub(crate) taken_at: Timestamp,
    /// The newest migration.
    pub(crate) schema: i64,
    /// Alerts that NATS kept while PostgreSQL was away, and that the backup lacks; none if nobody looked.
    pub(crate) queued_alerts: Option<u64>,
    pub(crate) tables: Vec<TableManifest>,
    pub(crate) identities: Vec<IdentityValue>,
    pub(crate) migrations: Vec<AppliedMigration>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TableManifest {
    #[serde(flatten)]
    pub(crate) table: TableColumns,
    pub(crate) rows: u64,
    /// Before compression.
    pub(crate) bytes: u64,
    /// Of the rows, in hexadecimal digits.
    pub(crate) sha256: String,
}

impl Manifest {
    pub(crate) fn rows(&self) -> u64 {
        self.tables.iter().map(|table| table.rows).sum()
    }
}

/// Counts and digests rows.
#[derive(Clone, Debug, Default)]
struct Tally {
    rows: u64,
    bytes: u64,
    digest: Sha256,
}

impl Tally {
    fn add(&mut self, part: &[u8]) {
        self.digest.update(part);
        self.bytes += part.len() as u64;
        // The format writes a line break within a value as `\n`.
        self.rows += memchr::memchr_iter(b'\n', part).count() as u64;
    }

    fn sha256(&self) -> String {
        hexadecimal(&self.digest.clone().finalize())
    }

    fn of(self, table: TableColumns) -> TableManifest {
        TableManifest { table, rows: self.rows, bytes: self.bytes, sha256: self.sha256() }
    }
}

/// What people read of a size.
pub(crate) fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..10_485_760 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / 1024 / 1024),
    }
}

/// The folder of a file; that of a bare name is the working folder.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use tempfile::tempdir;

    use super::*;

    fn table(name: &str) -> TableColumns {
        TableColumns { name: name.to_owned(), columns: vec!["id".to_owned()] }
    }

    async fn written(file: &Path) -> anyhow::Result<Manifest> {
        let mut writer = ArchiveWriter::create(file)?;
        writer.begin(table("first"));
        writer.add(&Bytes::from_static(b"1\n2\n")).await?;
        writer.add(&Bytes::from_static(b"3\n")).await?;
        writer.end().await?;
        writer.begin(table("second"));
        writer.end().await?;
        let manifest = Manifest {
            format: FORMAT,
            version: "tarsy/test".to_owned(),
            taken_at: Timestamp::UNIX_EPOCH,
            schema: 1,
            queued_alerts: Some(0),
            tables: writer.tables().to_vec(),
            identities: Vec::new(),
            migrations: Vec::new(),
        };
        writer.finish(&manifest).await?;
        Ok(manifest)
    }

    #[tokio::test]
    async fn what_was_written_is_read_and_counted() -> anyhow::Result<()> {
        let folder = tempdir()?;
        let file = folder.path().join("backup.tar.gz");
        let manifest = written(&file).await?;
        assert_eq!(manifest.tables.iter().map(|one| one.rows).collect::<Vec<_>>(), [3, 0]);
        assert_eq!(ArchiveReader::verify(&file).await?, manifest);
        let names: Vec<_> = std::fs::read_dir(folder.path())?.flatten().collect();
        assert_eq!(names.len(), 1, "no temporary file is left: {names:?}");
        let error = ArchiveWriter::create(&file).err().map(|error| error.to_string());
        assert!(error.is_some_and(|error| error.contains("exists already")));
        Ok(())
    }

    #[tokio::test]
    async fn a_damaged_or_truncated_file_is_refused() -> anyhow::Result<()> {
        let folder = tempdir()?;
        let file = folder.path().join("backup.tar.gz");
        let manifest = written(&file).await?;
        let whole = std::fs::read(&file)?;
        // Behind the last member are zeros, and the checksum and the length of gzip, of what was compared already.
        let refused_or_whole = async || {
            let read = ArchiveReader::verify(&file).await;
            read.is_err() || read.is_ok_and(|read| read == manifest)
        };
        for (place, byte) in whole.iter().enumerate().skip(10) {
            let mut damaged = whole.clone();
            damaged[place] = !byte;
            std::fs::write(&file, &damaged)?;
            assert!(refused_or_whole().await, "byte {place}");
        }
        for length in (0..whole.len() - 8).step_by(7) {
            std::fs::write(&file, whole.get(..length).unwrap_or_default())?;
            assert!(refused_or_whole().await, "{length} bytes");
        }
        std::fs::write(&file, whole.get(..whole.len() / 2).unwrap_or_default())?;
        assert!(ArchiveReader::verify(&file).await.is_err(), "half of it");
        Ok(())
    }

    #[tokio::test]
    async fn a_writer_that_does_not_finish_leaves_no_file() -> anyhow::Result<()> {
        let folder = tempdir()?;
        let file = folder.path().join("backup.tar.gz");
        let mut writer = ArchiveWriter::create(&file)?;
        writer.begin(table("first"));
        writer.add(&Bytes::from_static(b"1\n")).await?;
        assert!(!file.exists());
        drop(writer);
        assert_eq!(std::fs::read_dir(folder.path())?.count(), 0);
        Ok(())
    }
}
