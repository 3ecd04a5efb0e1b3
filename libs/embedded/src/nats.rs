//! nats-server with JetStream on loopback.

use std::fs;
use std::ops::{Deref, DerefMut};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::time::Instant;

use crate::child::{Child, Server, Spec};
use crate::{Error, files, free_port};

/// How often another port is tried.
const OTHER_PORTS: u32 = 5;
/// How long a start may take, also where many start at once.
const START: Duration = Duration::from_mins(1);

/// How to run nats-server.
#[derive(Clone, Debug)]
pub struct NatsOptions {
    pub program: PathBuf,
    /// Where it keeps its store, its configuration and its log.
    pub folder: PathBuf,
    /// Its port; none takes a free one.
    pub port: Option<u16>,
    /// Every acknowledged message is on disk. Without it, only in the system's cache.
    pub durable: bool,
    /// Users, accounts and TLS as text of the configuration; none makes one user who may do everything.
    pub access: Option<String>,
    /// Its place in a cluster; none runs it alone.
    pub member: Option<NatsMember>,
    /// Its folder goes away when this is dropped while it runs, and when this process dies.
    pub temporary: bool,
}

/// A server's place in a cluster. All members need the same users.
#[derive(Clone, Debug)]
pub struct NatsMember {
    /// Unlike those of the other members.
    pub name: String,
    /// Where it takes connections of the others.
    pub route_port: u16,
    /// Where all members take them.
    pub routes: Vec<u16>,
}

impl NatsMember {
    /// The members of a cluster of this size, on free ports.
    pub fn cluster(size: usize) -> Result<Vec<Self>, Error> {
        let routes = (0..size).map(|_| free_port()).collect::<Result<Vec<_>, _>>()?;
        let member = |(number, route_port)| Self {
            name: format!("tarsy-{number}"),
            route_port,
            routes: routes.clone(),
        };
        Ok((1..).zip(routes.iter().copied()).map(member).collect())
    }
}

/// A running nats-server.
#[derive(Debug)]
pub struct Nats {
    options: NatsOptions,
    port: u16,
    password: String,
    server: Server,
}

impl Nats {
    /// Starts it and waits until it answers.
    pub async fn start(options: NatsOptions) -> Result<Self, Error> {
        let port = options.port.unwrap_or_default();
        let password = format!("{:032x}", rand::random::<u128>());
        let mut nats =
            Self { options, port, password, server: Server::none(Duration::from_secs(10)) };
        if nats.options.port.is_some() {
            nats.launch().await?;
            return Ok(nats);
        }
        // A port that was free a moment ago may be another program's by now.
        let mut tries = 0;
        loop {
            nats.port = free_port()?;
            match nats.launch().await {
                Ok(()) => return Ok(nats),
                Err(error) if tries >= OTHER_PORTS => return Err(error),
                Err(error) => {
                    tracing::debug!(%error, "nats-server did not start, trying another port");
                    tries += 1;
                    nats.kill().await;
                }
            }
        }
    }

    /// The URL of a user that [`NatsOptions::access`] defines.
    pub fn url_of(&self, user: &str, password: &str) -> String {
        format!("nats://{user}:{password}@127.0.0.1:{}", self.port)
    }

    /// The lines that the server has logged.
    pub fn log(&self) -> String {
        fs::read_to_string(self.options.folder.join("nats.log")).unwrap_or_default()
    }

    /// Where clients find it, credentials included.
    pub fn url(&self) -> String {
        self.url_of("tarsy", &self.password)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where its store, its configuration and its log lie.
    pub fn folder(&self) -> &Path {
        &self.options.folder
    }

    /// Starts it again where it was, with the store it had.
    pub async fn launch(&mut self) -> Result<(), Error> {
        // One that ended by itself: dropping it would delete its folder.
        self.server.kill().await;
        let folder = &self.options.folder;
        files::private_folder(folder)?;
        let config = folder.join("nats.conf");
        let sync = if self.options.durable { "sync_interval: always" } else { "" };
        let one = || format!("authorization {{ user: tarsy, password: \"{}\" }}\n", self.password);
        let access = self.options.access.clone().unwrap_or_else(one);
        let member = self.options.member.as_ref();
        let name = member.map_or("tarsy", |member| member.name.as_str());
        let cluster = member.map(cluster).unwrap_or_default();
        let text = format!(
            "server_name: {name}\nhost: 127.0.0.1\nport: {}\nmax_payload: 1MB\n\
             max_connections: 1024\nwrite_deadline: \"5s\"\n\
             jetstream {{ store_dir: \"{}\", max_mem: 256MB, max_file: 4GB, {sync} }}\n\
             {cluster}{access}",
            self.port,
            folder.join("store").display(),
        );
        fs::write(&config, text)
            .map_err(|source| Error::Prepare { path: config.clone(), source })?;
        let log = folder.join("nats.log");
        let earlier = fs::metadata(&log).map_or(0, |log| log.len());
        let child = Child::start(&Spec {
            program: self.options.program.clone(),
            args: vec!["-c".to_owned(), config.display().to_string()],
            env: Vec::new(),
            log: log.clone(),
            user: None,
            remove: self.options.temporary.then(|| folder.clone()),
        })
        .await?;
        self.server.set_child(child);
        let deadline = Instant::now() + START;
        loop {
            // Its own log first: another program may listen on the port.
            if is_ready(&log, earlier) && TcpStream::connect(("127.0.0.1", self.port)).await.is_ok()
            {
                return Ok(());
            }
            let ended = self.server.exited();
            let ended = tokio::time::timeout(Duration::from_millis(10), ended).await.is_ok();
            if ended || Instant::now() > deadline {
                return Err(Error::NotReady { what: "nats-server", log: files::tail(&log) });
            }
        }
    }

    /// Deletes everything that JetStream stored; only while the server does not run.
    pub fn wipe(&self) -> Result<(), Error> {
        let store = self.options.folder.join("store");
        match fs::remove_dir_all(&store) {
            Ok(()) => Ok(()),
            Err(source) if source.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(source) => Err(Error::Prepare { path: store, source }),
        }
    }
}

/// The section of the configuration that makes a server a member.
fn cluster(member: &NatsMember) -> String {
    let routes = member.routes.iter().map(|port| format!("\"nats://127.0.0.1:{port}\""));
    let routes = routes.collect::<Vec<_>>().join(", ");
    let port = member.route_port;
    format!("cluster {{ name: tarsy, host: 127.0.0.1, port: {port}, routes: [{routes}] }}\n")
}

/// Whether a log reports, after its first `earlier` bytes, that clients are served.
fn is_ready(log: &Path, earlier: u64) -> bool {
    let text = fs::read(log).unwrap_or_default();
    let begin = usize::try_from(earlier).unwrap_or(usize::MAX);
    text.get(begin..).is_some_and(|new| String::from_utf8_lossy(new).contains("Server is ready"))
}

impl Deref for Nats {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl DerefMut for Nats {
    fn deref_mut(&mut self) -> &mut Server {
        &mut self.server
    }
}
