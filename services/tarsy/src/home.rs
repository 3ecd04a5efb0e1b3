//! The folder of an all-in-one: data, logs, and `run.json`.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use anyhow::Context as _;
use nix::fcntl::{Flock, FlockArg};
use serde::{Deserialize, Serialize};
use tarsy_service::installation;

/// The folder where none is named: `.tarsy` below the current one, of a package that of the user's data.
pub(crate) static DEFAULT: LazyLock<PathBuf> =
    LazyLock::new(|| installation::data().unwrap_or_else(|| ".tarsy".into()));

/// The folder as it is named; an empty name, such as that of a variable that is set to nothing, is none.
pub(crate) fn folder(named: OsString) -> PathBuf {
    if named.is_empty() { DEFAULT.clone() } else { named.into() }
}

/// The file of the token of the start.
const LOCAL_TOKEN: &str = "local.token";

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
        self.write_private("run.json", &serde_json::to_vec_pretty(running)?)
    }

    /// Writes the token of this start, instead of that of the one before.
    pub(crate) fn write_local_token(&self, token: &str) -> anyhow::Result<()> {
        self.write_private(LOCAL_TOKEN, token.as_bytes())
    }

    /// Where the token of the start lies.
    pub(crate) fn local_token_path(&self) -> PathBuf {
        self.at(LOCAL_TOKEN)
    }

    /// Deletes `run.json` and the token.
    pub(crate) fn delete_running(&self) {
        for name in ["run.json", LOCAL_TOKEN] {
            if let Err(error) = fs::remove_file(self.at(name)) {
                tracing::debug!(%error, name, "could not delete a file");
            }
        }
    }

    /// Replaces a file by one that only this user may read. Whoever has the old one open, or has linked it, does not see
    /// the new one.
    fn write_private(&self, name: &str, content: &[u8]) -> anyhow::Result<()> {
        let mut file = tempfile::Builder::new().prefix(name).tempfile_in(&self.0)?;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o600))?;
        file.write_all(content)?;
        file.persist(self.at(name))?;
        Ok(())
    }
}

/// The token of the start that runs on a folder.
pub(crate) fn local_token(home: &Path) -> Option<String> {
    let token = fs::read_to_string(home.join(LOCAL_TOKEN)).ok()?;
    Some(token.trim().to_owned()).filter(|token| !token.is_empty())
}

/// What runs on a folder, if anything does.
pub(crate) fn running(home: &Path) -> Option<Running> {
    serde_json::from_slice(&fs::read(home.join("run.json")).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_token_of_a_start_is_in_a_file_of_its_own_that_only_its_user_reads() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path()).unwrap();
        let path = home.local_token_path();
        // As somebody left it who wants to read the next one.
        fs::write(&path, "of an earlier start").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let link = folder.path().join("link");
        fs::hard_link(&path, &link).unwrap();
        home.write_local_token("of this start").unwrap();
        assert_eq!(local_token(folder.path()).as_deref(), Some("of this start"));
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_to_string(&link).unwrap(), "of an earlier start");
        home.delete_running();
        assert_eq!(local_token(folder.path()), None);
    }
}
