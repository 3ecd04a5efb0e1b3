//! PostgreSQL on loopback.

mod replica;

use std::fs;
use std::ops::{Deref, DerefMut};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::process::Command;
use tokio::time::{Instant, sleep};

use crate::child::{self, Child, Server, Spec};
use crate::{Error, files, free_port};

/// How long it may take to stop in order.
const STOP_TIMEOUT: Duration = Duration::from_secs(20);
/// The name of the folder with the data, in the server's own.
const DATA: &str = "data";

/// How to run PostgreSQL.
#[derive(Clone, Debug)]
pub struct PostgresOptions {
    /// The folder with `initdb` and `postgres`.
    pub bin: PathBuf,
    /// Where it keeps its data and its log.
    pub folder: PathBuf,
    /// Its port; none takes a free one.
    pub port: Option<u16>,
    /// Every commit is on disk. Without it, tests run faster and a power cut loses data.
    pub durable: bool,
    /// Its folder goes away when this is dropped while it runs, and when this process dies.
    pub temporary: bool,
    /// The folder of a stopped server of the same version, whose data, roles and password are copied if there is no data yet.
    /// Copying takes a fraction of what `initdb` takes.
    pub seed: Option<PathBuf>,
}

/// A running PostgreSQL.
#[derive(Debug)]
pub struct Postgres {
    bin: PathBuf,
    folder: PathBuf,
    durable: bool,
    temporary: bool,
    port: u16,
    password: String,
    server: Server,
}

impl Postgres {
    /// Makes its data if there is none, starts it and waits until it answers.
    pub async fn start(options: PostgresOptions) -> Result<Self, Error> {
        let (bin, folder) = reachable(options.bin, options.folder, options.temporary)?;
        let is_new = !folder.join(DATA).join("PG_VERSION").exists();
        if let Some(seed) = options.seed.filter(|_| is_new) {
            files::copy_owned(&seed, &folder).await?;
        }
        let password = password(&folder)?;
        let mut postgres = Self {
            bin,
            folder,
            durable: options.durable,
            temporary: options.temporary,
            port: options.port.unwrap_or_default(),
            password,
            server: Server::none(STOP_TIMEOUT),
        };
        if !postgres.data().join("PG_VERSION").exists() {
            postgres.initialise().await?;
        }
        if options.port.is_none() {
            // Making the data takes a while, in which a free port may become another program's.
            postgres.port = free_port()?;
        }
        postgres.launch().await?;
        Ok(postgres)
    }

    /// Where clients find a database, credentials included.
    pub fn url(&self, database: &str) -> String {
        format!("postgres://postgres:{}@127.0.0.1:{}/{database}", self.password, self.port)
    }

    /// The same for a role with this password.
    pub fn url_of(&self, role: &str, password: &str, database: &str) -> String {
        format!("postgres://{role}:{password}@127.0.0.1:{}/{database}", self.port)
    }

    /// Where its data lies.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The lines that the server has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.log_path()).unwrap_or_default()
    }

    /// Starts it again where it was.
    pub async fn launch(&mut self) -> Result<(), Error> {
        // A postmaster that was killed leaves its backends behind for a moment, and with them the
        // lock file: a start is tried again for a few seconds.
        let mut tries = 0;
        loop {
            match self.launch_once().await {
                Ok(()) => return Ok(()),
                Err(error) if tries >= 5 => return Err(error),
                Err(error) => {
                    tracing::debug!(%error, "PostgreSQL did not start, trying again");
                    tries += 1;
                    self.kill().await;
                    sleep(Duration::from_millis(500)).await;
                }
            }
        }
    }

    fn data(&self) -> PathBuf {
        self.folder.join(DATA)
    }

    async fn initialise(&self) -> Result<(), Error> {
        let secret = self.folder.join("initial-password");
        let prepare = |path: &Path| {
            let path = path.to_owned();
            move |source| Error::Prepare { path, source }
        };
        fs::write(&secret, &self.password).map_err(prepare(&secret))?;
        fs::set_permissions(&secret, fs::Permissions::from_mode(0o600))
            .map_err(prepare(&secret))?;
        let mut command = self.program("initdb");
        command
            .arg("-D")
            .arg(self.data())
            .args(["-U", "postgres", "-A", "scram-sha-256", "-E", "UTF8", "--no-locale"])
            .arg(format!("--pwfile={}", secret.display()));
        if !self.durable {
            command.arg("--no-sync");
        }
        if let Some(user) = files::unprivileged() {
            files::give(&secret, user)?;
            command.uid(user.0).gid(user.1);
        }
        let done = self.finish("initdb", command).await;
        fs::remove_file(&secret).map_err(prepare(&secret))?;
        done
    }

    /// A program beside the server, with a clean environment.
    fn program(&self, name: &str) -> Command {
        let mut command = Command::new(self.bin.join(name));
        command.env_clear().envs(child::inherited()).current_dir(&self.folder);
        command
    }

    /// Waits for a program that makes the data.
    async fn finish(&self, what: &'static str, mut command: Command) -> Result<(), Error> {
        let output = command
            .output()
            .await
            .map_err(|source| Error::Spawn { program: self.bin.join(what), source })?;
        if output.status.success() {
            return Ok(());
        }
        // Half-made data would stop every later start.
        if let Err(error) = fs::remove_dir_all(self.data()) {
            tracing::debug!(%error, "half-made data could not be removed");
        }
        let printed = [output.stdout, output.stderr].concat();
        Err(Error::Failed { what, output: String::from_utf8_lossy(&printed).into_owned() })
    }

    fn log_path(&self) -> PathBuf {
        self.folder.join("postgres.log")
    }

    async fn launch_once(&mut self) -> Result<(), Error> {
        // One that ended by itself: dropping it would delete its folder.
        self.kill().await;
        let log = self.log_path();
        let data = self.data().display().to_string();
        let mut args = vec!["-D".to_owned(), data, "-p".to_owned(), self.port.to_string()];
        let mut settings = vec![
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "max_connections=200",
            "shared_buffers=64MB",
        ];
        if !self.durable {
            settings.extend(["fsync=off", "synchronous_commit=off", "full_page_writes=off"]);
        }
        for setting in settings {
            args.extend(["-c".to_owned(), setting.to_owned()]);
        }
        let child = Child::start(&Spec {
            program: self.bin.join("postgres"),
            args,
            env: Vec::new(),
            log: log.clone(),
            user: files::unprivileged(),
            remove: self.temporary.then(|| self.folder.clone()),
        })
        .await?;
        self.server.set_child(child);
        let deadline = Instant::now() + Duration::from_mins(2);
        loop {
            // The last line of the lock file says `ready` once connections are taken.
            let lock = fs::read_to_string(self.data().join("postmaster.pid")).unwrap_or_default();
            let ours = self.pid().is_some_and(|pid| lock.lines().next() == Some(&pid.to_string()));
            if ours && lock.lines().any(|line| line.trim() == "ready") {
                return Ok(());
            }
            let ended =
                tokio::time::timeout(Duration::from_millis(10), self.exited()).await.is_ok();
            if ended || Instant::now() > deadline {
                return Err(Error::NotReady { what: "PostgreSQL", log: files::tail(&log) });
            }
        }
    }
}

/// PostgreSQL refuses root, and whoever runs it instead must reach its program and its data.
///
/// Whoever runs it can remove its folder only from a place where everybody may put one.
fn reachable(bin: PathBuf, folder: PathBuf, temporary: bool) -> Result<(PathBuf, PathBuf), Error> {
    let Some(user) = files::unprivileged() else {
        files::private_folder(&folder)?;
        return Ok((bin, folder));
    };
    let bin = match bin.parent() {
        Some(install) if !files::open_to_all(&bin) => {
            let copy = files::stand_in(install);
            if !copy.join("bin/postgres").exists() {
                files::copy_folder(install, &copy)
                    .map_err(|source| Error::Prepare { path: copy.clone(), source })?;
            }
            copy.join("bin")
        }
        _ => bin,
    };
    let parent = folder.parent();
    let folder = if temporary && !parent.is_some_and(files::takes_from_all) {
        files::passing_stand_in(&folder)
    } else if parent.is_none_or(files::open_to_all) {
        folder
    } else {
        files::stand_in(&folder)
    };
    files::private_folder(&folder)?;
    files::give(&folder, user)?;
    Ok((bin, folder))
}

fn password(folder: &Path) -> Result<String, Error> {
    let path = folder.join("password");
    if let Ok(password) = fs::read_to_string(&path) {
        return Ok(password.trim().to_owned());
    }
    let password = format!("{:032x}", rand::random::<u128>());
    let prepare = |source| Error::Prepare { path: path.clone(), source };
    fs::write(&path, &password).map_err(prepare)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).map_err(prepare)?;
    Ok(password)
}

impl Deref for Postgres {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl DerefMut for Postgres {
    fn deref_mut(&mut self) -> &mut Server {
        &mut self.server
    }
}
