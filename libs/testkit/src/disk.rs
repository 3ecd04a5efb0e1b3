//! A small disk for the store of a nats-server, which a test fills.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context as _;

/// Large enough for empty streams.
const SIZE: &str = "size=16m";
const FILLER: &str = "filler";
/// Where nats-server keeps the messages of a stream, and where they lie while the disk counts as full.
const MESSAGES: &str = "msgs";
const MOVED_MESSAGES: &str = "msgs-moved";

/// A file system of a few MiB in memory. Where the machine allows no mount, a full disk is a store whose folders of
/// messages are files: writes fail as well, with another error.
#[derive(Debug)]
pub(crate) struct SmallDisk {
    store: PathBuf,
    mounted: bool,
}

impl SmallDisk {
    pub(crate) fn new(store: PathBuf) -> anyhow::Result<Self> {
        fs::create_dir_all(&store)?;
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", SIZE, "tmpfs"]).arg(&store);
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        Ok(Self { store, mounted })
    }

    /// Uses all of its space up.
    pub(crate) fn fill(&self) -> anyhow::Result<()> {
        if self.mounted {
            let mut filler = fs::File::create(self.store.join(FILLER))?;
            return loop {
                match filler.write_all(&[0; 4096]) {
                    Ok(()) => {}
                    Err(error) if error.kind() == ErrorKind::StorageFull => break Ok(()),
                    Err(error) => break Err(error.into()),
                }
            };
        }
        for stream in self.streams()? {
            fs::rename(stream.join(MESSAGES), stream.join(MOVED_MESSAGES))?;
            fs::write(stream.join(MESSAGES), "")?;
        }
        Ok(())
    }

    /// Gives the space back.
    pub(crate) fn free(&self) -> anyhow::Result<()> {
        if self.mounted {
            return Ok(fs::remove_file(self.store.join(FILLER))?);
        }
        for stream in self.streams()? {
            if stream.join(MOVED_MESSAGES).exists() {
                fs::remove_file(stream.join(MESSAGES))?;
                fs::rename(stream.join(MOVED_MESSAGES), stream.join(MESSAGES))?;
            }
        }
        Ok(())
    }

    /// The folders of all streams.
    fn streams(&self) -> anyhow::Result<Vec<PathBuf>> {
        let accounts = folders(&self.store.join("jetstream"))?;
        let streams = accounts.iter().map(|account| folders(&account.join("streams")));
        let streams: anyhow::Result<Vec<_>> = streams.collect();
        Ok(streams?.concat())
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        if self.mounted {
            // The server may still run: the mount goes when its last file is closed.
            drop(Command::new("umount").arg("--lazy").arg(&self.store).output());
        }
    }
}

fn folders(parent: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let entries = fs::read_dir(parent).with_context(|| parent.display().to_string())?;
    let paths = entries.map(|entry| entry.map(|entry| entry.path()));
    let paths: std::io::Result<Vec<PathBuf>> = paths.collect();
    Ok(paths?.into_iter().filter(|path| path.is_dir()).collect())
}
