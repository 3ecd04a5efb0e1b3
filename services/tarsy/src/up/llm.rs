//! llm-service as a child process, on a socket that only this user can open.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use tarsy_catalog::Catalog;
use tarsy_embedded::{Child, Spec};
use tarsy_service::Settings;
use tarsy_store::secret;
use tempfile::TempDir;
use tokio::net::UnixStream;
use tokio::time::{Instant, sleep};

use super::programs::llm_program;
use crate::home::Home;

/// Python imports on a cold, busy machine.
const START: Duration = Duration::from_secs(90);
/// How long it may take to end its turns.
const STOP: Duration = Duration::from_secs(5);
/// In bytes, of the path of a socket: what the kernel takes, less the end and the number of a worker.
const LONGEST_SOCKET: usize = 104;
/// The variable of the number of worker processes.
const WORKERS: &str = "LLM_SERVICE_WORKERS";
/// Worker processes, if the machine has as many processors and the environment says nothing else: one person's sessions
/// need no more.
const MAX_WORKERS: usize = 2;
/// What llm-service gets of the environment beside the variables of the providers: its settings, and how vendors
/// are reached.
const PASSED_ON: [&str; 18] = [
    "LOG_LEVEL",
    "LLM_SERVICE_ADMIN_ADDR",
    "LLM_SERVICE_GRACE_SECONDS",
    "LLM_SERVICE_MAX_TURNS",
    "LLM_SERVICE_PRELOAD",
    "LLM_SERVICE_STALL_SECONDS",
    WORKERS,
    "TARSY_DEBUGGABLE",
    "SSL_CERT_FILE",
    "SSL_CERT_DIR",
    "ALL_PROXY",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "NO_PROXY",
    "all_proxy",
    "http_proxy",
    "https_proxy",
    "no_proxy",
];

#[derive(Debug)]
pub(crate) struct LlmService {
    child: Child,
    socket: Socket,
    /// What its callers show: a sandbox of files keeps no program from opening a socket.
    token: String,
}

/// Where it listens: the first worker here, each other one beside it.
#[derive(Debug)]
struct Socket {
    path: PathBuf,
    workers: usize,
    /// The folder of the socket, if it is not in that of the all-in-one.
    temporary: Option<TempDir>,
}

impl LlmService {
    /// The addresses of its workers, as callers write them.
    pub(super) fn addresses(&self) -> String {
        let all = self.socket.paths().map(|path| address(&path));
        all.collect::<Vec<_>>().join(",")
    }

    /// What its callers show.
    pub(super) fn token(&self) -> &str {
        &self.token
    }

    /// The folder of its socket, if it is not in that of the all-in-one.
    pub(super) fn temporary(&self) -> Option<PathBuf> {
        self.socket.temporary.as_ref().map(|folder| folder.path().to_owned())
    }

    pub(super) fn pid(&self) -> i32 {
        self.child.pid()
    }

    /// Resolves when it has ended by itself.
    pub(super) async fn exited(&mut self) {
        self.child.exited().await;
    }

    pub(super) async fn stop(self) {
        self.child.stop(STOP).await;
    }
}

/// Starts it and waits until it listens. `number` counts those that run side by side.
pub(super) async fn start(
    home: &Home,
    settings: &Settings,
    catalog: &Catalog,
    number: u32,
) -> anyhow::Result<LlmService> {
    let workers = workers(settings.environment());
    let socket = Socket::new(&home.at("run"), number, workers)?;
    let log = home.at("logs/llm-service.log");
    let mut env = environment(settings.environment(), &catalog.provider_variables());
    let program = llm_program()?;
    if let Some(source) = &program.source {
        env.insert("PYTHONPATH".to_owned(), source.display().to_string());
    }
    env.insert("PYTHONUNBUFFERED".to_owned(), "1".to_owned());
    env.insert("LLM_SERVICE_ADDR".to_owned(), address(&socket.path));
    let token = match &settings.llm_service.token {
        Some(token) => token.clone(),
        None => secret::random_text().context("the system has no randomness")?,
    };
    env.insert("LLM_SERVICE_TOKEN".to_owned(), token.clone());
    env.entry(WORKERS.to_owned()).or_insert_with(|| workers.to_string());
    if let Some(folder) = &settings.config_dir {
        // The same files as those of the services.
        env.insert("TARSY_CONFIG_DIR".to_owned(), folder.display().to_string());
    }
    let mut child = Child::start(&Spec {
        program: program.python,
        args: vec!["-m".to_owned(), "llm_service.main".to_owned()],
        env: env.into_iter().collect(),
        log: log.clone(),
        user: None,
        // Also when this process dies, and drops nothing.
        remove: socket.temporary.as_ref().map(|folder| folder.path().to_owned()),
    })
    .await?;
    let deadline = Instant::now() + START;
    while !socket.is_open().await {
        let ended = tokio::select! {
            end = child.exited() => Some(end),
            () = sleep(Duration::from_millis(50)) => None,
        };
        anyhow::ensure!(
            ended.is_none() && Instant::now() < deadline,
            "llm-service did not start; see {}",
            log.display()
        );
    }
    Ok(LlmService { child, socket, token })
}

/// How many workers are started; a number that is none is left to llm-service, which refuses it.
fn workers(given: &BTreeMap<String, String>) -> usize {
    let wanted = given.get(WORKERS).and_then(|text| text.trim().parse().ok());
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    wanted.unwrap_or(processors.min(MAX_WORKERS)).max(1)
}

fn address(path: &Path) -> String {
    format!("unix:{}", path.display())
}

fn environment(
    given: &BTreeMap<String, String>,
    of_providers: &BTreeSet<String>,
) -> BTreeMap<String, String> {
    let wanted = |name: &str| PASSED_ON.contains(&name) || of_providers.contains(name);
    let passed = given.iter().filter(|(name, _)| wanted(name));
    passed.map(|(name, value)| (name.clone(), value.clone())).collect()
}

impl Socket {
    /// A path in a folder that nobody else may enter: this one, or a temporary one if the path were too long.
    fn new(folder: &Path, number: u32, workers: usize) -> anyhow::Result<Self> {
        let fits = |path: &Path| path.as_os_str().len() <= LONGEST_SOCKET;
        let name = match number {
            0 => "llm.sock".to_owned(),
            number => format!("llm-{number}.sock"),
        };
        let path = folder.join(&name);
        if !fits(&path) {
            let private = fs::Permissions::from_mode(0o700);
            let temporary =
                tempfile::Builder::new().prefix("tarsy-").permissions(private).tempdir()?;
            let path = temporary.path().join(&name);
            anyhow::ensure!(
                fits(&path),
                "{} is too long for the path of a socket: set TMPDIR, or --home, to a shorter one",
                path.display()
            );
            return Ok(Self { path, workers, temporary: Some(temporary) });
        }
        private_folder(folder)
            .with_context(|| format!("could not make {} private", folder.display()))?;
        let socket = Self { path, workers, temporary: None };
        // One of an earlier run that was killed would be taken for the new one.
        for path in socket.paths() {
            match fs::remove_file(&path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    return Err(error)
                        .with_context(|| format!("could not remove {}", path.display()));
                }
                _ => {}
            }
        }
        Ok(socket)
    }

    /// The socket of each worker, as llm-service names them.
    fn paths(&self) -> impl Iterator<Item = PathBuf> {
        (1..=self.workers).map(|number| match number {
            1 => self.path.clone(),
            more => PathBuf::from(format!("{}.{more}", self.path.display())),
        })
    }

    /// Whether every worker listens.
    async fn is_open(&self) -> bool {
        for path in self.paths() {
            if UnixStream::connect(&path).await.is_err() {
                return false;
            }
        }
        true
    }
}

fn private_folder(folder: &Path) -> std::io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
        }
        made => made,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_socket_is_in_a_private_folder_also_when_that_was_open_or_is_too_deep() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("run");
        fs::create_dir(&folder).unwrap();
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(folder.join("llm.sock"), "of an earlier run").unwrap();
        fs::write(folder.join("llm.sock.2"), "of an earlier run").unwrap();
        let socket = Socket::new(&folder, 0, 2).unwrap();
        let paths: Vec<_> = socket.paths().collect();
        assert_eq!(paths, [folder.join("llm.sock"), folder.join("llm.sock.2")]);
        assert_eq!(mode(&folder), 0o700);
        assert!(paths.iter().all(|path| !path.exists()));
        let next: Vec<_> = Socket::new(&folder, 1, 1).unwrap().paths().collect();
        assert_eq!(next, [folder.join("llm-1.sock")]);

        let deep = Socket::new(&folder.join("d".repeat(LONGEST_SOCKET)), 0, 1).unwrap();
        let folder = deep.path.parent().unwrap().to_owned();
        assert!(deep.path.as_os_str().len() <= LONGEST_SOCKET, "{deep:?}");
        assert_eq!(mode(&folder), 0o700);
        drop(deep);
        assert!(!folder.exists());
    }

    #[test]
    fn as_many_workers_are_started_as_are_asked_for_or_one_or_two() {
        let given = |text: &str| [(WORKERS.to_owned(), text.to_owned())].into();
        assert_eq!(workers(&given("5")), 5);
        assert!((1..=MAX_WORKERS).contains(&workers(&given("many"))));
        assert!((1..=MAX_WORKERS).contains(&workers(&BTreeMap::new())));
    }

    #[test]
    fn llm_service_gets_the_keys_of_providers_and_nothing_of_the_other_services() {
        let given = [
            "OPENAI_API_KEY",
            "MY_KEY",
            "HTTPS_PROXY",
            "DATABASE_URL",
            "NATS_URL",
            "SLACK_BOT_TOKEN",
            "GITHUB_TOKEN",
            "TARSY_TOKEN_KEYS",
            "AWS_SECRET_ACCESS_KEY",
        ];
        let given = given.map(|name| (name.to_owned(), "value".to_owned())).into();
        let of_providers = ["OPENAI_API_KEY", "MY_KEY", "UNSET"].map(str::to_owned).into();
        let passed = environment(&given, &of_providers);
        let names: Vec<&str> = passed.keys().map(String::as_str).collect();
        assert_eq!(names, ["HTTPS_PROXY", "MY_KEY", "OPENAI_API_KEY"]);
    }
}
