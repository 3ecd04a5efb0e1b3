//! PostgreSQL, NATS and llm-service as child processes, unless the environment gives the addresses of others.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use tarsy_embedded::{
    Child, Nats, NatsOptions, Postgres, PostgresOptions, Programs, SearchPath, Spec, free_port,
};
use tarsy_service::Settings;
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep};

use super::progress::Progress;
use crate::home::{Home, Running};

/// Python imports on a cold, busy machine.
const LLM_START: Duration = Duration::from_secs(90);
/// The offline analyst's default speed in tokens per second: quick, and still readable while it streams.
const OFFLINE_TOKENS_PER_SECOND_DEFAULT: &str = "250";

/// The servers below the services.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    postgres: Option<Postgres>,
    nats: Option<Nats>,
    llm: Option<Child>,
    database_url: String,
    nats_url: String,
    llm_service_addr: String,
}

impl Parts {
    /// Starts those whose address the environment does not give.
    pub(crate) async fn start(
        home: &Home,
        settings: &Settings,
        progress: &Progress,
    ) -> anyhow::Result<Self> {
        let mut parts = Self::default();
        match parts.start_all(home, settings, progress).await {
            Ok(()) => Ok(parts),
            Err(error) => {
                progress.abandon();
                parts.stop().await;
                Err(error)
            }
        }
    }

    async fn start_all(
        &mut self,
        home: &Home,
        settings: &Settings,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        std::fs::create_dir_all(home.at("logs"))?;
        let given = settings.environment();
        progress.step("starting PostgreSQL");
        if given.contains_key("DATABASE_URL") {
            self.database_url.clone_from(&settings.database_url);
        } else {
            self.start_postgres(home, given).await?;
        }
        progress.step("starting NATS");
        if given.contains_key("NATS_URL") {
            self.nats_url.clone_from(&settings.nats_url);
        } else {
            self.start_nats(home, given).await?;
        }
        progress.step("starting llm-service");
        if given.contains_key("LLM_SERVICE_ADDR") {
            self.llm_service_addr.clone_from(&settings.llm_service_addr);
        } else {
            self.start_llm(home, settings).await?;
        }
        Ok(())
    }

    async fn start_postgres(
        &mut self,
        home: &Home,
        given: &BTreeMap<String, String>,
    ) -> anyhow::Result<()> {
        let postgres = Postgres::start(PostgresOptions {
            bin: programs(given)?.postgres_bin,
            folder: home.at("postgres"),
            port: None,
            durable: true,
            temporary: false,
        })
        .await?;
        self.database_url = postgres.url("postgres");
        self.postgres = Some(postgres);
        Ok(())
    }

    async fn start_nats(
        &mut self,
        home: &Home,
        given: &BTreeMap<String, String>,
    ) -> anyhow::Result<()> {
        let nats = Nats::start(NatsOptions {
            program: programs(given)?.nats_server,
            folder: home.at("nats"),
            port: None,
            durable: true,
            access: None,
            temporary: false,
        })
        .await?;
        self.nats_url = nats.url();
        self.nats = Some(nats);
        Ok(())
    }

    async fn start_llm(&mut self, home: &Home, settings: &Settings) -> anyhow::Result<()> {
        let given = settings.environment();
        // The same files as those of the services.
        let config = settings.config_dir.as_ref().map(|folder| folder.display().to_string());
        let config = config.unwrap_or_default();
        let python = llm_python()?;
        let source = llm_source()?;
        let port = free_port()?;
        let log = home.at("logs/llm-service.log");
        let speed = given
            .get("OFFLINE_TOKENS_PER_SECOND")
            .map_or(OFFLINE_TOKENS_PER_SECOND_DEFAULT, String::as_str);
        let mut child = Child::start(&Spec {
            program: python,
            args: vec!["-m".to_owned(), "llm_service.main".to_owned()],
            env: vec![
                ("PYTHONPATH".to_owned(), source.display().to_string()),
                ("PYTHONUNBUFFERED".to_owned(), "1".to_owned()),
                ("LLM_SERVICE_ADDR".to_owned(), format!("127.0.0.1:{port}")),
                ("OFFLINE_TOKENS_PER_SECOND".to_owned(), speed.to_owned()),
                ("TARSY_CONFIG_DIR".to_owned(), config),
            ],
            log: log.clone(),
            user: None,
            remove: None,
        })
        .await?;
        let deadline = Instant::now() + LLM_START;
        while TcpStream::connect(("127.0.0.1", port)).await.is_err() {
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
        self.llm_service_addr = format!("http://127.0.0.1:{port}");
        self.llm = Some(child);
        Ok(())
    }

    /// What runs where, as far as the parts know.
    pub(crate) fn running(&self) -> Running {
        Running {
            database_url: self.database_url.clone(),
            nats_url: self.nats_url.clone(),
            llm_service_addr: self.llm_service_addr.clone(),
            ..Running::default()
        }
    }

    /// The processes that were started, by name.
    pub(crate) fn processes(&self) -> Vec<(String, u32)> {
        let named = [
            ("PostgreSQL", self.postgres.as_ref().and_then(|server| server.pid())),
            ("NATS", self.nats.as_ref().and_then(|server| server.pid())),
            ("llm-service", self.llm.as_ref().map(Child::pid)),
        ];
        named
            .into_iter()
            .filter_map(|(name, pid)| Some((name.to_owned(), u32::try_from(pid?).ok()?)))
            .collect()
    }

    /// The environment of the services: the given one, with the parts in it.
    pub(crate) fn environment(
        &self,
        home: &Home,
        settings: &Settings,
    ) -> anyhow::Result<BTreeMap<String, String>> {
        let mut environment = settings.environment().clone();
        if !environment.contains_key("TARSY_TOKEN_KEYS") {
            environment.insert("TARSY_TOKEN_KEYS".to_owned(), home.token_key()?);
        }
        let parts = [
            ("DATABASE_URL", &self.database_url),
            ("NATS_URL", &self.nats_url),
            ("LLM_SERVICE_ADDR", &self.llm_service_addr),
        ];
        for (name, value) in parts {
            environment.insert(name.to_owned(), value.clone());
        }
        Ok(environment)
    }

    /// Resolves with the name of a part that ended by itself.
    pub(crate) async fn failed(&mut self) -> &'static str {
        let postgres = async {
            match &mut self.postgres {
                Some(server) => server.exited().await,
                None => std::future::pending().await,
            }
        };
        let nats = async {
            match &mut self.nats {
                Some(server) => server.exited().await,
                None => std::future::pending().await,
            }
        };
        let llm = async {
            match &mut self.llm {
                Some(child) => child.exited().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = postgres => "PostgreSQL",
            _ = nats => "NATS",
            _ = llm => "llm-service",
        }
    }

    /// Stops them, the last started first.
    pub(crate) async fn stop(&mut self) {
        if let Some(child) = self.llm.take() {
            child.stop(Duration::from_secs(5)).await;
        }
        if let Some(nats) = &mut self.nats {
            nats.stop().await;
        }
        if let Some(postgres) = &mut self.postgres {
            postgres.stop().await;
        }
    }
}

/// Where the embedded programs are.
fn programs(given: &BTreeMap<String, String>) -> anyhow::Result<Programs> {
    Ok(Programs::find(&places(given))?)
}

/// Where to look for them.
pub(crate) fn places(given: &BTreeMap<String, String>) -> SearchPath {
    let path = |name: &str| given.get(name).map(PathBuf::from);
    SearchPath {
        postgres_bin: path("PG_BIN"),
        nats_server: path("NATS_SERVER_BIN"),
        environments: in_checkout(".tarsy/venv").into_iter().collect(),
    }
}

/// The Python of llm-service.
pub(crate) fn llm_python() -> anyhow::Result<PathBuf> {
    in_checkout(".tarsy/venv-llm/bin/python").context(
        "llm-service is not set up: `make setup` creates its Python environment in \
         .tarsy/venv-llm, or set LLM_SERVICE_ADDR to one that runs",
    )
}

/// The source of llm-service.
pub(crate) fn llm_source() -> anyhow::Result<PathBuf> {
    in_checkout("llm-service/src")
        .context("the folder llm-service/src was not found; start tarsy inside its checkout")
}

/// A path of the checkout that this program was started in, or lies in.
fn in_checkout(path: &str) -> Option<PathBuf> {
    let places = [std::env::current_dir().ok(), std::env::current_exe().ok()];
    places
        .iter()
        .flatten()
        .flat_map(|place| place.ancestors())
        .map(|folder| folder.join(path))
        .find(|found| found.exists())
}
