//! The folder of an all-in-one: data, logs, and `run.json`.

use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};

/// The folder of an all-in-one.
#[derive(Clone, Debug)]
pub(crate) struct Home(PathBuf);

/// What runs where; read by the other commands, and by whoever wants to look inside.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Running {
    /// The dashboard and the API.
    pub(crate) url: String,
    /// PostgreSQL, with credentials.
    pub(crate) database_url: String,
    /// NATS, with credentials.
    pub(crate) nats_url: String,
    /// llm-service.
    pub(crate) llm_service_addr: String,
    /// Process ids by name.
    pub(crate) processes: Vec<(String, u32)>,
}

impl Home {
    /// The folder at this path, created if it is missing.
    pub(crate) fn open(path: &Path) -> anyhow::Result<Self> {
        fs::create_dir_all(path).with_context(|| format!("could not create {}", path.display()))?;
        let path = path.canonicalize()?;
        Ok(Self(path))
    }

    /// A path inside.
    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Takes the folder for this process alone, as long as the lock is held.
    pub(crate) fn lock(&self) -> anyhow::Result<Flock<File>> {
        let path = self.at("lock");
        let file = File::options().create(true).truncate(false).write(true).open(&path)?;
        Flock::lock(file, FlockArg::LockExclusiveNonblock).map_err(|_| {
            anyhow::anyhow!(
                "another tarsy already runs on {}; stop it first, or use --home for another folder",
                self.0.display()
            )
        })
    }

    /// The key that tokens of tool servers are sealed with; created at the first start.
    pub(crate) fn token_key(&self) -> anyhow::Result<String> {
        let path = self.at("token.key");
        if let Ok(key) = fs::read_to_string(&path) {
            return Ok(key.trim().to_owned());
        }
        let mut bytes = [0_u8; 32];
        File::open("/dev/urandom")?.read_exact(&mut bytes)?;
        let halves = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        let key: String = halves.filter_map(|half| char::from_digit(u32::from(half), 16)).collect();
        let mut options = File::options();
        let mut file = options.create_new(true).write(true).mode(0o600).open(&path)?;
        file.write_all(key.as_bytes())?;
        Ok(key)
    }

    /// Writes what runs where to `run.json`.
    pub(crate) fn write_running(&self, running: &Running) -> anyhow::Result<()> {
        let path = self.at("run.json");
        fs::write(&path, serde_json::to_vec_pretty(running)?)?;
        // It names passwords.
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        Ok(())
    }

    /// Deletes `run.json`.
    pub(crate) fn delete_running(&self) {
        if let Err(error) = fs::remove_file(self.at("run.json")) {
            tracing::debug!(%error, "could not delete run.json");
        }
    }
}

/// What runs on a folder, if anything does.
pub(crate) fn running(home: &Path) -> Option<Running> {
    serde_json::from_slice(&fs::read(home.join("run.json")).ok()?).ok()
}
