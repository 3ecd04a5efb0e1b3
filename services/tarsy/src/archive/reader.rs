//! Reading the file of a backup.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use async_compression::tokio::bufread::GzipDecoder;
use bytes::Bytes;
use futures::StreamExt as _;
use sha2::{Digest as _, Sha256};
use tokio::fs::File;
use tokio::io::{AsyncReadExt as _, BufReader};
use tokio_tar::{Archive, Entries};

use super::{FORMAT, MANIFEST, MANIFEST_DIGEST, MAX_MEMBER_BYTES, Manifest, TableManifest, Tally};
use tarsy_store::secret::hexadecimal;

type Decoder = GzipDecoder<BufReader<File>>;

/// The members of a backup in their order.
pub(crate) struct ArchiveReader {
    members: Entries<Decoder>,
}

/// A part of a backup.
pub(crate) enum Member {
    Rows { table: String, rows: Bytes },
    Manifest(Vec<u8>),
    ManifestDigest(Vec<u8>),
}

/// What was read of each table.
#[derive(Debug, Default)]
pub(crate) struct Totals(BTreeMap<String, Tally>);

impl ArchiveReader {
    pub(crate) async fn open(file: &Path) -> anyhow::Result<Self> {
        let open = File::open(file).await;
        let open = open.with_context(|| format!("could not open {}", file.display()))?;
        let decoder = GzipDecoder::new(BufReader::new(open));
        Ok(Self { members: Archive::new(decoder).entries()? })
    }

    /// Reads all of the file; what it has, if it is whole and of a format that this program knows.
    pub(crate) async fn verify(file: &Path) -> anyhow::Result<Manifest> {
        let manifest = Self::open(file).await?.read_all().await;
        let damaged = || format!("{} is not a whole backup of TARSy", file.display());
        let manifest = manifest.with_context(damaged)?;
        anyhow::ensure!(
            manifest.format == FORMAT,
            "{} has format {}, and this program reads format {FORMAT}; use the version that took it ({})",
            file.display(),
            manifest.format,
            manifest.version
        );
        Ok(manifest)
    }

    /// The next member; none after the last one.
    pub(crate) async fn next(&mut self) -> anyhow::Result<Option<Member>> {
        let Some(member) = self.members.next().await else { return Ok(None) };
        let member = member.context("it ends too early, or a byte of it changed")?;
        let size = member.header().size()?;
        anyhow::ensure!(size <= MAX_MEMBER_BYTES, "a member has {size} bytes");
        let name = member.path()?.to_string_lossy().into_owned();
        let mut contents = Vec::with_capacity(usize::try_from(size)?);
        member.take(MAX_MEMBER_BYTES).read_to_end(&mut contents).await?;
        anyhow::ensure!(contents.len() as u64 == size, "{name} ends too early");
        let in_data = name.strip_prefix("data/").and_then(|name| name.split_once('/'));
        match (name.as_str(), in_data) {
            (MANIFEST, _) => Ok(Some(Member::Manifest(contents))),
            (MANIFEST_DIGEST, _) => Ok(Some(Member::ManifestDigest(contents))),
            (_, Some((table, _))) => {
                Ok(Some(Member::Rows { table: table.to_owned(), rows: contents.into() }))
            }
            _ => anyhow::bail!("it has a member {name}"),
        }
    }

    async fn read_all(mut self) -> anyhow::Result<Manifest> {
        let mut totals = Totals::default();
        let (mut text, mut digest) = (None, None);
        while let Some(member) = self.next().await? {
            match member {
                Member::Rows { table, rows } => totals.add(&table, &rows),
                Member::Manifest(contents) => text = Some(contents),
                Member::ManifestDigest(contents) => digest = Some(contents),
            }
        }
        let text = text.context("it has no manifest")?;
        let digest = digest.context("its manifest has no checksum")?;
        anyhow::ensure!(
            hexadecimal(&Sha256::digest(&text)).as_bytes() == digest,
            "its manifest does not have its checksum"
        );
        let manifest: Manifest =
            serde_json::from_slice(&text).context("its manifest is invalid")?;
        for table in &manifest.tables {
            totals.check(table)?;
        }
        Ok(manifest)
    }
}

impl Totals {
    pub(crate) fn add(&mut self, table: &str, rows: &[u8]) {
        self.0.entry(table.to_owned()).or_default().add(rows);
    }

    /// Whether the table was read as the manifest describes it.
    pub(crate) fn check(&self, table: &TableManifest) -> anyhow::Result<()> {
        let read = self.0.get(&table.table.name).cloned().unwrap_or_default();
        anyhow::ensure!(
            read.sha256() == table.sha256 && read.rows == table.rows,
            "the rows of {} do not have their checksum",
            table.table.name
        );
        Ok(())
    }
}
