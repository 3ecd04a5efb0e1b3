//! Writing the file of a backup.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use async_compression::Level;
use async_compression::tokio::write::GzipEncoder;
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use tarsy_store::TableColumns;
use tarsy_store::secret::hexadecimal;
use tempfile::TempPath;
use tokio::io::{AsyncWriteExt as _, BufWriter};
use tokio_tar::{Builder, Header};

use super::{MANIFEST, MANIFEST_DIGEST, MEMBER_BYTES, Manifest, TableManifest, Tally, folder_of};

type Encoder = GzipEncoder<BufWriter<tokio::fs::File>>;

/// A file that gets its name when it is whole; dropped before, it goes away.
pub(crate) struct ArchiveWriter {
    archive: Builder<Encoder>,
    temporary: TempPath,
    file: PathBuf,
    /// The table that is written.
    open: Option<Open>,
    tables: Vec<TableManifest>,
}

struct Open {
    table: TableColumns,
    tally: Tally,
    /// What is not in the archive yet.
    rows: Vec<u8>,
    members: u32,
}

impl ArchiveWriter {
    /// Begins a file that must not exist. Nobody but its owner may read it.
    pub(crate) fn create(file: &Path) -> anyhow::Result<Self> {
        anyhow::ensure!(!file.exists(), "{} exists already", file.display());
        let folder = folder_of(file);
        let (open, temporary) = tempfile::Builder::new()
            .prefix(".tarsy-backup-")
            .suffix(".partial")
            .tempfile_in(folder)
            .with_context(|| format!("could not create a file in {}", folder.display()))?
            .into_parts();
        let buffered = BufWriter::new(tokio::fs::File::from_std(open));
        let encoder = GzipEncoder::with_quality(buffered, Level::Fastest);
        Ok(Self {
            archive: Builder::new_non_terminated(encoder),
            temporary,
            file: file.to_owned(),
            open: None,
            tables: Vec::new(),
        })
    }

    pub(crate) fn begin(&mut self, table: TableColumns) {
        let (tally, rows) = (Tally::default(), Vec::new());
        self.open = Some(Open { table, tally, rows, members: 0 });
    }

    /// Adds rows to the table that was begun.
    pub(crate) async fn add(&mut self, part: &Bytes) -> anyhow::Result<()> {
        let Some(open) = &mut self.open else { return Ok(()) };
        open.tally.add(part);
        open.rows.extend_from_slice(part);
        if open.rows.len() >= MEMBER_BYTES {
            self.write_rows().await?;
        }
        Ok(())
    }

    /// Ends the table that was begun.
    pub(crate) async fn end(&mut self) -> anyhow::Result<()> {
        self.write_rows().await?;
        let ended = self.open.take().map(|open| open.tally.of(open.table));
        self.tables.extend(ended);
        Ok(())
    }

    pub(crate) fn tables(&self) -> &[TableManifest] {
        &self.tables
    }

    /// Ends the file and gives it its name, once all of it is on disk. Its size.
    pub(crate) async fn finish(mut self, manifest: &Manifest) -> anyhow::Result<u64> {
        let text = serde_json::to_vec_pretty(manifest)?;
        let digest = hexadecimal(&Sha256::digest(&text));
        self.member(MANIFEST, &text).await?;
        self.member(MANIFEST_DIGEST, digest.as_bytes()).await?;
        let mut encoder = self.archive.into_inner().await.context("could not end the file")?;
        encoder.shutdown().await.context("could not end the file")?;
        let open = encoder.into_inner().into_inner();
        open.sync_all().await.context("could not write the file to disk")?;
        let size = open.metadata().await?.len();
        self.temporary
            .persist_noclobber(&self.file)
            .with_context(|| format!("could not name the file {}", self.file.display()))?;
        // The name is on disk, too.
        File::open(folder_of(&self.file)).and_then(|folder| folder.sync_all())?;
        Ok(size)
    }

    async fn write_rows(&mut self) -> anyhow::Result<()> {
        let Some(open) = self.open.as_mut().filter(|open| !open.rows.is_empty()) else {
            return Ok(());
        };
        open.members += 1;
        let name = format!("data/{}/{:06}", open.table.name, open.members);
        let rows = std::mem::take(&mut open.rows);
        self.member(&name, &rows).await
    }

    async fn member(&mut self, name: &str, contents: &[u8]) -> anyhow::Result<()> {
        let mut header = Header::new_gnu();
        header.set_size(contents.len() as u64);
        header.set_mode(0o600);
        let written: io::Result<()> = self.archive.append_data(&mut header, name, contents).await;
        written.context("could not write the file")
    }
}
